"""Every other blackjack game against its document: what its book makes different, each rule beside the clean play next
to it. Rounds are written as in test_blackjack: "1 TS, d 6H"; "1/2" is a seat's second hand, "-1 TS" a card lifted.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pitwatch.devices.observation import Observation
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from tests.rules.table import Played, facts, play
from tests.rules.test_any_stream import observations

NMB, OVER = "panel key_pressed key=no_more_bets\n", "panel key_pressed key=round_over\n"
PEEKED = "peek hole_card_checked blackjack=false\n"
BLACKJACK = "peek hole_card_checked blackjack=true\n"

ZAPPIT = "toledo-2020/zappit-blackjack"
SWITCH = "columbus-2016/blackjack-switch"
TWO_WAY = "california/2-way-winner"
URBO = "california/2urbo-blackjack"
SPANISH = "california/pure-spanish-21-5"
PURE = "california/pure-21-5-blackjack"
NO_BUST = "california/no-bust-21st-century-blackjack-4-0a"
NO_BUST_6 = "california/no-bust-21st-century-blackjack-6-1"
SHAQ = "california/shaq-jack-21st-century-blackjack"
DOUBLE = "toledo-2020/double-deck-blackjack"


def place(text: str) -> str:
    return {"d": "dealer", "c": "community"}.get(text, f"seat-{text}")


def drawn(cards: str) -> str:
    """From a shoe that knows where its cards go."""
    each = (card.split() for card in cards.split(","))
    return "".join(f"shoe card_drawn card={card} to={place(to)}\n" for to, card in each)


def laid(cards: str) -> str:
    """Out of a shoe that knows no place, onto a felt that does: "=1 TS" is laid there without coming from the shoe."""
    lines = []
    for to, card in (each.split() for each in cards.split(",")):
        if to.startswith("-"):
            lines.append(f"card_position card_removed card={card} to={place(to[1:])}\n")
            continue
        if to.startswith("="):
            to = to[1:]
        else:
            lines.append(f"shoe card_drawn card={card} to=null\n")
        lines.append(f"card_position card_placed card={card} to={place(to)}\n")
    return "".join(lines)


def table(game: str, log: str, *without: str, **options: Any) -> Played:
    kinds = [kind for kind in ("shoe", "panel", "peek", "card_position", "seats") if kind not in without]
    return play(game, facts(*kinds, options=options), log)


def rules(game: str, cards: str, **options: Any) -> list[str]:
    """The rules broken by one round, dealt from a shoe that knows where its cards go."""
    return table(game, NMB + drawn(cards) + OVER, "card_position", "seats", **options).rules


# --- free bet, Zappit, Switch: the dealer's 22


@pytest.mark.parametrize("game", ["toledo-2020/free-bet-blackjack", ZAPPIT])
def test_a_dealers_22_is_a_push(game: str) -> None:
    def dealer(cards: str) -> Any:
        played = table(game, NMB + drawn("1 TS, d TH, 1 9C, " + cards) + OVER, "card_position", "seats")
        assert played.rules == []
        return played.rounds[0].result["dealer"]

    assert dealer("d 5D, d 7S") == {"total": 22, "soft": False, "blackjack": False, "bust": True, "push": True}
    assert dealer("d 5D, d 8S")["push"] is False


def test_whether_push_22_makes_the_dealer_draw_is_left_open() -> None:
    bust = "1 TS, d TH, 1 6C, d 5D, 1 8H, d 9S"
    assert rules("toledo-2020/free-bet-blackjack", bust) == ["dealer-drew-against-rule"]
    assert rules("toledo-2020/free-bet-blackjack", bust, push_22=True) == []


# --- Zappit, 1062-1070


def zappit(cards: str, peek: str = PEEKED) -> Played:
    return table(ZAPPIT, NMB + laid("1 TS, d 6H, 1 6C, d KD") + peek + laid(cards) + OVER, "seats")


def test_a_hard_16_goes_back_for_two_new_cards() -> None:
    played = zappit("-1 TS, -1 6C, 1 AH, 1 KS, d 5S")
    assert played.rules == []
    (one,) = played.rounds
    assert one.cards["seat-1"] == ["AH", "KS"]
    assert one.cards["discard"] == ["TS", "6C"]
    assert one.result["seat-1"] == {"total": 21, "soft": True, "blackjack": False, "bust": False}  # 1073


def test_a_card_laid_unread_that_shows_its_face_as_it_goes_back_is_gone() -> None:
    cards = "1 null, d 6H, 1 6C, d KD, -1 TS, -1 6C, 1 AH, 1 KS, d 5S"
    log = "".join(line for line in (NMB + laid(cards) + OVER).splitlines(keepends=True) if "card_drawn" not in line)
    played = table(ZAPPIT, log, "shoe", "seats")
    assert played.rules == []
    assert played.rounds[0].cards["seat-1"] == ["AH", "KS"]


def test_only_a_hard_two_card_15_to_18_may_go_back() -> None:
    def after(first: str) -> list[str]:
        deal = laid(f"1 {first.split()[0]}, d 6H, 1 {first.split()[1]}, d KD")
        exchange = laid(", ".join(f"-1 {card}" for card in first.split()) + ", 1 TH, 1 9S, d 5S")
        return table(ZAPPIT, NMB + deal + PEEKED + exchange + OVER, "seats").rules

    assert after("TS 5C") == after("TS 8C") == []
    assert after("TS 4C") == after("TS 9C") == ["invalid-zappit"]
    assert after("AS 6C") == ["invalid-zappit"]  # a soft 17


def test_only_once_and_only_the_first_two() -> None:
    assert zappit("-1 TS, -1 6C, 1 TH, 1 5S, -1 TH, -1 5S, 1 9H, 1 9S, d 5S").rules == ["second-zappit"]
    assert zappit("1 2H, -1 TS, -1 6C, -1 2H, 1 9H, 1 9S, d 5S").rules == ["second-zappit"]


def test_the_dealer_looks_first() -> None:
    def against(up: str, first: str, then: str) -> list[str]:
        deal, exchange = laid(f"1 TS, d {up}, 1 6C, d 7D"), laid("-1 TS, -1 6C, 1 TH, 1 9S")
        return table(ZAPPIT, NMB + deal + first + exchange + then + OVER, "seats").rules

    assert against("TC", PEEKED, "") == []
    assert against("TC", "", PEEKED) == ["zappit-before-dealer-check"]
    assert against("9C", "", laid("d 5S")) == []  # no need


def test_the_old_cards_go_first() -> None:
    assert zappit("1 TH, 1 9S, -1 TS, -1 6C, d 5S").rules == ["zappit-cards-not-discarded"]
    assert zappit("1 TH, -1 TS, -1 6C, -1 TH").rules == []  # a bust that is taken in


def test_a_shoe_alone_cannot_tell_an_exchange_from_a_hit() -> None:
    played = table(ZAPPIT, NMB + drawn("1 TS, d 6H, 1 6C, d KD, 1 9H, 1 4S, d 5S") + OVER, "card_position", "seats")
    assert played.rules == []
    assert played.rounds[0].result["seat-1"] is None
    assert rules(ZAPPIT, "1 TS, d 6H, 1 4C, d KD, 1 9H, 1 4S, d 5S") == ["player-drew-on-21"]  # fourteen cannot


def test_zappit_takes_section_two_over() -> None:
    (found,) = table(
        ZAPPIT, NMB + drawn("1 TS, d TH, 1 9C, d 7D, d 2S") + OVER, "card_position", "seats"
    ).irregularities
    assert (found.rule, found.citation.section, found.citation.lines) == (
        ZAPPIT + "/dealer-drew-against-rule", "Two", "498-499, 512",
    )  # fmt: skip


# --- Switch


def switch(cards: str, deal: str = "1 TS, 1/2 6S, d 6H, 1 5C, 1/2 KC, d TD", peek: str = PEEKED) -> Played:
    return table(SWITCH, NMB + laid(deal) + peek + laid(cards) + OVER, "seats")


def test_two_hands_a_seat_with_the_second_cards_switched() -> None:
    played = switch("-1 5C, -1/2 KC, =1 KC, =1/2 5C, d 5S")
    assert played.rules == []
    (one,) = played.rounds
    assert (one.cards["seat-1"], one.cards["seat-1/2"]) == (["TS", "KC"], ["6S", "5C"])
    assert one.result["seat-1"]["total"] == 20


def test_a_switched_ace_and_ten_is_no_blackjack() -> None:
    deal = "1 AS, 1/2 6S, d 6H, 1 5C, 1/2 KC, d TD"
    assert switch("-1 5C, -1/2 KC, =1 KC, =1/2 5C, d 5S", deal).rounds[0].result["seat-1"]["blackjack"] is False
    back = "-1 5C, -1/2 KC, =1 KC, =1/2 5C, -1 KC, -1/2 5C, =1 5C, =1/2 KC, d 5S"
    assert switch(back, deal).rules == []  # switched back (2652)
    assert switch("d 5S", "1 AS, 1/2 6S, d 6H, 1 KC, 1/2 5C, d TD").rounds[0].result["seat-1"]["blackjack"] is True


def test_only_second_cards_and_only_after_the_check() -> None:
    assert switch("-1 TS, -1/2 6S, =1 6S, =1/2 TS, d 5S").rules == ["switch-not-second-cards"]
    late = "1 TS, 1/2 6S, d TH, 1 5C, 1/2 KC, d 7D"
    change = "-1 5C, -1/2 KC, =1 KC, =1/2 5C"
    assert switch(change, late).rules == []
    assert switch(change, late, peek="").rules == ["switch-before-dealer-check"]


def test_an_unread_second_card_may_be_the_one_that_was_switched() -> None:
    deal = "1 TS, 1/2 AC, d 6H, 1 5C, 1/2 null, d TD"
    log = NMB + laid(deal) + PEEKED + laid("-1 5C, -1/2 AC, =1 AC, =1/2 5C, d 5S") + OVER
    log = "".join(line for line in log.splitlines(keepends=True) if "card_drawn" not in line)
    assert table(SWITCH, log, "shoe", "seats").rules == []


def test_the_spots_are_dealt_to_in_order() -> None:
    spots = "1 TS, 2 9S, 1/2 6S, 2/2 8S, d 6H, 1 5C, 2 9C, 1/2 KC, 2/2 7C, d TD, d 5S"
    log = NMB + laid(spots) + OVER
    assert table(SWITCH, log, "seats").rules == ["wrong-initial-sequence"]
    assert table(SWITCH, log, "seats", spots_dealt="spot-by-spot").rules == []


def test_each_hand_of_a_seat_may_be_split_to_four() -> None:
    deal = "1 8S, 1/2 9S, d 6H, 1 8C, 1/2 9C, d TD"
    split = "-1 8C, =1/3 8C, 1 8D, -1 8D, =1/4 8D, 1 8H, -1 8H, =1/5 8H, 1 TH, 1/3 TS, 1/4 TC, 1/5 KD"
    second = ", -1/2 9C, =1/6 9C, 1/2 TH, 1/6 TS, d 5S"
    assert switch(split + second, deal).rules == []
    once_more = split.replace("1 TH, ", "1 8S, -1 8S, =1/6 8S, 1 TH, ", 1) + ", 1/6 QD, d 5S"
    assert switch(once_more, deal).rules == ["split-too-often"]


def test_without_sight_of_the_moves_a_switched_hand_proves_nothing() -> None:
    hands = "1 TS, 1/2 6S, d 6H, 1 5C, 1/2 KC, d TD, 1 6D, 1 2C, d 5S"
    assert rules(SWITCH, hands) == []


@pytest.mark.parametrize("laid_back", ["=1 null, =1/2 3C", "=1 JH, =1/2 null"])
def test_a_switched_card_that_is_not_read_leaves_open_whose_it_is(laid_back: str) -> None:
    """9S and 3C may take two cards; 9S, JH and 3C would be over the target."""
    deal = "1 6S, 1/2 9S, d 6H, 1 3C, 1/2 JH, d TD"
    played = switch(f"-1 3C, -1/2 JH, {laid_back}, 1 3S, 1/2 2C, 1/2 4C, d 5S", deal)
    assert played.rules == []
    assert (played.rounds[0].result["seat-1"], played.rounds[0].result["seat-1/2"]) == (None, None)


def test_a_card_lifted_from_a_pair_and_laid_beside_it_unread_is_still_the_same_card() -> None:
    log = NMB + laid("1 AS, d 8S, 1 AD, d JS, -1 AD, =1/2 null, 1 5H, 1/2 2H") + OVER
    played = table("columbus-2016/blackjack", log, "seats")
    assert played.rules == []
    assert (played.rounds[0].cards["seat-1"], played.rounds[0].cards["seat-1/2"]) == (["AS", "5H"], ["AD", "2H"])
    more = log.replace(OVER, laid("1/2 3H") + OVER)
    assert table("columbus-2016/blackjack", more, "seats").rules == ["split-aces-one-card"]


# --- by a felt alone


def test_before_the_dealer_has_two_cards_none_is_turned_over() -> None:
    log = NMB + laid("1 TS, d null, 1 9C, d 3C, 1 2D, d 3D, d KD") + OVER
    log = "".join(line for line in log.splitlines(keepends=True) if "card_drawn" not in line)
    played = table("toledo-2020/blackjack", log, "shoe", "seats")
    assert played.rules == []
    assert played.rounds[0].cards["dealer"] == ["3D", "3C", "KD"]


# --- double deck: nobody enters, nobody leaves out a round (637)


def shoe_of(*rounds: str) -> str:
    """Rounds in which these seats have wagers and everybody stands."""
    high, low = (iter([rank + suit for rank in ranks for suit in "CDHS"]) for ranks in ("TJQK", "98798"))
    log, taken = "shoe shoe_started decks=2\n", ""
    for seats in rounds:
        log += "".join(f"seats seat_left seat=seat-{seat}\n" for seat in taken if seat not in seats)
        log += "".join(f"seats seat_taken seat=seat-{seat}\n" for seat in seats if seat not in taken)
        cards = [f"{to} {next(pack)}" for pack in (high, low) for to in (*seats, "d")]
        log, taken = log + NMB + drawn(", ".join(cards)) + OVER, seats
    return log


@pytest.mark.parametrize(
    ("rounds", "broken"),
    [
        (("12", "12"), []),
        (("12", "1", "1"), []),
        (("1", "12"), ["mid-shoe-entry"]),
        (("12", "1", "12"), ["mid-shoe-entry"]),  # left out a round
    ],
)
def test_no_mid_shoe_entry(rounds: tuple[str, ...], broken: list[str]) -> None:
    assert table(DOUBLE, shoe_of(*rounds), "card_position", "peek").rules == broken


def test_who_left_out_a_round_waits_where_that_alone_is_barred() -> None:
    left_out = table(DOUBLE, shoe_of("12", "1", "12"), "card_position", "peek", mid_shoe_entry="allowed")
    assert left_out.rules == ["mid-shoe-entry"]
    late = table(DOUBLE, shoe_of("1", "12"), "card_position", "peek", mid_shoe_entry="allowed")
    assert late.rules == []


# --- California: charts, naturals, the player who banks


@pytest.mark.parametrize(
    ("game", "dealer", "broken"),
    [
        (NO_BUST, "d AH, 1 9C, d 6D, d TS", []),  # a soft 17 draws (826-830)
        (NO_BUST, "d AH, 1 9C, d 6D", ["dealer-stood-against-rule"]),
        (NO_BUST, "d TH, 1 9C, d 7D, d 2S", ["dealer-drew-against-rule"]),
        (NO_BUST, "d AH, 1 9C, d 7D, d 2S", []),  # a soft 18: the chart is silent
        (NO_BUST, "d AH, 1 9C, d 7D", []),
        (SPANISH, "d KH, 1 9C, d 6D", ["dealer-stood-against-rule"]),
        (TWO_WAY, "d TH, 1 9C, d 7D, d 2S", ["dealer-drew-against-rule"]),
    ],
)
def test_the_player_dealers_chart(game: str, dealer: str, broken: list[str]) -> None:
    surrender = {} if game == NO_BUST_6 else {"surrender": False}
    assert rules(game, "1 QS, " + dealer, **surrender) == broken


def test_the_house_may_settle_what_the_chart_leaves_open() -> None:
    soft_18 = "1 QS, d AH, 1 9C, d 7D"
    assert rules(NO_BUST, soft_18 + ", d 2S", soft_over_17="stand") == ["dealer-drew-against-rule"]
    assert rules(NO_BUST, soft_18, soft_over_17="draw", surrender=False) == ["dealer-stood-against-rule"]


@pytest.mark.parametrize(
    ("game", "hand", "draws"),
    [
        (NO_BUST, "T 6 5", False),  # 21
        (NO_BUST, "T 9", True),
        (NO_BUST, "A T", False),  # a Natural
        (NO_BUST_6, "A 5 6", True),  # 12 or 22: left open
        (URBO, "T 9", False),
        (URBO, "T 8", True),
        (URBO, "A 9", True),  # soft: the player's choice
        (URBO, "A T", True),  # 21 in two cards is no Natural here, and soft
        (PURE, "T 9", False),
        (PURE, "9 9", True),
        (PURE, "A T", False),
        (SPANISH, "9 8", False),
        (SPANISH, "9 7", True),
        (SPANISH, "A 8 J", False),
    ],
)
def test_the_players_chart(game: str, hand: str, draws: bool) -> None:
    first, second, *more = (rank + "S" for rank in hand.split())
    cards = f"1 {first}, d 9H, 1 {second}, d 9D" + "".join(f", 1 {card}" for card in (*more, "2H"))
    assert rules(game, cards) == ([] if draws else ["player-hits-or-stands-against-rule"])


def test_a_low_hand_may_not_be_left_at_two_cards() -> None:
    low = "1 5S, d TH, 1 6C, d 7D"
    assert rules(PURE, low, surrender=False) == ["player-hits-or-stands-against-rule"]
    assert rules(PURE, low) == []  # it may have been given up
    assert rules(PURE, low + ", 1 2C", surrender=False) == []
    assert rules(SPANISH, low.replace("TH", "KH"), surrender=False) == []  # no total must draw (596)


def test_a_double_that_may_be_doubled_leaves_the_chart_open() -> None:
    drew = "1 9S, d KH, 1 8C, d 7D, 1 2S"
    assert rules(SPANISH, drew) == ["player-hits-or-stands-against-rule"]
    assert rules(SPANISH, drew, double_double_down=True) == []


def natural(game: str, *cards: str) -> Any:
    first, second = cards
    log = NMB + drawn(f"1 {first}, d 9H, 1 {second}, d 9D") + OVER
    return table(game, log, "card_position", "seats").rounds[0].result["seat-1"]


def test_what_a_natural_counts() -> None:
    assert natural(NO_BUST, "AS", "KD") == {"total": 20.5, "soft": True, "blackjack": True, "bust": False}
    assert natural(NO_BUST_6, "TS", "AD")["total"] == 22
    assert natural(SHAQ, "AS", "KD")["total"] == 21.5
    assert natural(PURE, "QS", "AD")["total"] == 21.5
    assert natural(SPANISH, "AS", "KD")["total"] == 21.5
    assert natural(TWO_WAY, "JK", "KD") == {"total": 22, "soft": True, "blackjack": True, "bust": False}
    assert natural(TWO_WAY, "JK", "9D")["total"] == 21
    assert natural(URBO, "9S", "9S")["total"] == 21.99
    assert natural(URBO, "9S", "9D") == {"total": 18, "soft": False, "blackjack": False, "bust": False}
    assert natural(URBO, "AS", "KD")["blackjack"] is False


def test_three_cards_at_most() -> None:
    assert rules(URBO, "1 2S, d TH, 1 3C, d 7D, 1 4S") == []
    assert rules(URBO, "1 2S, d TH, 1 3C, d 7D, 1 4S, 1 5S") == ["too-many-cards"]
    assert rules(URBO, "1 TS, d 2H, 1 9C, d 3D, d 4S") == []  # nine, and no further card
    assert rules(URBO, "1 TS, d 2H, 1 9C, d 3D, d 4S, d 5S") == ["too-many-cards"]


def test_the_check_ends_the_round() -> None:
    spanish = NMB + drawn("1 9S, d AH, 1 8C, d KD") + BLACKJACK
    assert table(SPANISH, spanish + OVER, "card_position", "seats").rules == []
    drew = table(SPANISH, spanish + drawn("1 2S") + OVER, "card_position", "seats")
    assert drew.rules == ["drawn-after-dealer-blackjack"]


@pytest.mark.parametrize("lifted", ["", "null", "7D"])
def test_the_hole_card_stays_down_while_players_draw(lifted: str) -> None:
    """It may show itself when it is lifted."""
    deal = laid("1 5S, d TH, 1 6C") + "shoe card_drawn card=7D to=null\ncard_position card_placed card=null to=dealer\n"
    turned = "card_position card_placed card=7D to=dealer\n"
    if lifted:
        turned = f"card_position card_removed card={lifted} to=dealer\n" + turned
    assert table(PURE, NMB + deal + laid("1 TC") + turned + OVER, "seats", "peek").rules == []
    early = table(PURE, NMB + deal + turned + laid("1 TC") + OVER, "seats", "peek")
    assert early.rules == ["hole-card-early"]
    assert early.rounds[0].cards["dealer"] == ["TH", "7D"]


BANKED = "seats seat_taken seat=seat-1\nseats seat_taken seat=seat-2\nseats seat_taken seat=seat-3\n"


def deal_of(*order: str) -> str:
    cards = [f"{to} {card}" for card in ("TS", "9C") for to in (*order, "d")]
    return NMB + drawn(", ".join(cards)) + OVER


def test_the_deal_begins_beside_the_player_who_banks() -> None:
    bank = BANKED + "seats bank_moved seat=seat-2\n"  # whose stake a sensor may see
    assert table(PURE, bank + deal_of("3", "1"), "card_position", "peek").rules == []
    assert table(PURE, bank + deal_of("1", "3"), "card_position", "peek").rules == ["wrong-initial-sequence"]
    assert table(SHAQ, bank + deal_of("1", "3"), "card_position", "peek").rules == []  # the casino dealer's left


def test_while_nobody_knows_who_banks_any_start_is_right() -> None:
    assert table(PURE, BANKED + deal_of("3", "1"), "card_position", "peek").rules == []
    assert table(PURE, BANKED + deal_of("2", "1", "3"), "card_position", "peek").rules == ["wrong-initial-sequence"]


def test_no_seat_banks_three_rounds_running() -> None:
    bank = "seats bank_moved seat=seat-2\n" + BANKED
    played = table(PURE, bank + deal_of("3", "1") * 3, "card_position", "peek")
    assert played.rules == ["bank-held-too-long"]
    (found,) = played.irregularities
    assert (found.severity, found.citation.lines) == ("warning", "4875, 5049")


@pytest.mark.parametrize(
    ("game", "cards", "broken"),
    [
        (NO_BUST, "KS QC", ["split-unequal-values"]),
        (SPANISH, "KS QC", []),
        (PURE, "8S 8C", []),
    ],
)
def test_tens_of_one_rank(game: str, cards: str, broken: list[str]) -> None:
    one, two = cards.split()
    split = laid(f"1 {one}, d 6H, 1 {two}, d JD, -1 {two}, =1/2 {two}, 1 6S, 1/2 6C, d 5S")
    assert table(game, NMB + split + OVER, "seats", "peek").rules == broken


@pytest.mark.parametrize(
    ("dealer", "broken"),
    [
        ("d 9H, 1 9C, 2 8D, d 2D, d 5S", ["dealer-stood-against-rule"]),  # 16: who drew had a hand to draw for
        ("d AH, 1 9C, 2 8D, d 2D, d 4S", ["dealer-stood-against-rule"]),  # a soft 17
        ("d 9H, 1 9C, 2 8D, d 2D, d 6S", []),
    ],
)
@pytest.mark.parametrize("game", [NO_BUST, NO_BUST + "-perfect-pairs", PURE, SPANISH, SHAQ])
def test_a_dealer_who_drew_a_card_goes_on_though_players_may_surrender(
    game: str, dealer: str, broken: list[str]
) -> None:
    """602-604, 826-830, 4869-4873, 6248-6256: the hand is drawn to a hard 17."""
    assert rules(game, "1 9S, 2 9S, " + dealer, surrender=True) == broken


@pytest.mark.parametrize("dealer", ["d 9H, 1 9C, 2 8D, d 7D", "d AH, 1 9C, 2 8D, d 6D"])
@pytest.mark.parametrize("game", [NO_BUST, NO_BUST + "-perfect-pairs", SHAQ])
def test_a_dealer_who_stood_on_two_cards_may_have_had_nobody_to_draw_for(game: str, dealer: str) -> None:
    assert rules(game, "1 9S, 2 9S, " + dealer, surrender=True) == []
    assert rules(game, "1 9S, 2 9S, " + dealer, surrender=False) == ["dealer-stood-against-rule"]


@pytest.mark.parametrize("surrender", [True, False])
@pytest.mark.parametrize("game", [PURE, SPANISH])
def test_the_player_dealers_hand_is_completed_whoever_is_left(game: str, surrender: bool) -> None:
    """587, 616, 4869: "will be completed"; a hand that was given up does not end the draws."""
    told = ["dealer-stood-against-rule"]
    assert rules(game, "1 9S, 2 9S, d 9H, 1 9C, 2 8D, d 7D", surrender=surrender) == told
    assert rules(game, "1 9S, 2 9S, d AH, 1 9C, 2 8D, d 6D", surrender=surrender) == told
    assert rules(game, "1 9S, 2 9S, d 9H, 1 9C, 2 8D, d 8D", surrender=surrender) == []
    assert rules(game, "1 9S, 2 9S, d AH, 1 9C, 2 8D, d 7D", surrender=surrender) == []  # the chart names no soft 18
    busted = "1 9S, d 9H, 1 7C, d 7D, 1 8S"
    assert rules(game, busted, surrender=surrender) == told  # 8-8-8 makes a push of it: 622-624, 4893
    assert rules(game, busted + ", d 5H", surrender=surrender) == []


def test_the_house_of_pure_spanish_may_stand_on_a_soft_17() -> None:
    """635-636: an option of the table."""
    soft = "1 9S, d AH, 1 9C, d 6D"
    assert rules(SPANISH, soft, surrender=True, soft_17="stand") == []
    assert rules(SPANISH, soft + ", d 2S", surrender=True, soft_17="stand") == ["dealer-drew-against-rule"]


def test_split_hands_are_not_given_up() -> None:
    """4923: players surrender after their first two cards."""
    split = "1 8S, d 9H, 1 8C, d 7D, 1 TS, 1/2 TD"
    assert rules(PURE, split, surrender=True) == ["dealer-stood-against-rule"]
    assert rules(PURE, split + ", d 2S", surrender=True) == []


def test_a_split_against_the_rule_is_not_told_of_its_cards_as_well() -> None:
    """4917: Bonus cards of the same rank. A shoe shows the split by the card to its second hand."""
    deal = "1 KS, 2 8S, d 6H, 1 QC, 2 TC, d JD, 1 6S"
    assert rules(PURE, deal + ", 1/2 6C, d 5S") == ["split-unequal-values"]
    assert rules(PURE, deal + ", 1 2C, 1/2 6C, d 5S") == ["split-unequal-values"]
    assert rules(PURE, deal + ", d 5S") == ["player-hits-or-stands-against-rule"]
    assert rules(PURE, deal + ", 2 AC, d 5S") == ["player-hits-or-stands-against-rule"]
    misdeal = NMB + drawn(deal) + "panel key_pressed key=misdeal\n" + OVER
    assert "player-hits-or-stands-against-rule" in table(PURE, misdeal, "card_position", "seats").rules
    assert rules(URBO, "1 KS, d 6H, 1 5C, d JD, 1 2S, 1 3S, 1/2 6C, d 5S") == ["split-unequal-values"]
    assert rules(URBO, "1 KS, d 6H, 1 5C, d JD, 1 2S, 1 AS, d 5S") == ["too-many-cards"]


def test_how_often_a_pair_may_be_split() -> None:
    def splits(game: str, rank: str, times: int) -> list[str]:
        suits = "CDHSCDHS"
        log = f"1 {rank}S, d 6H, 1 {rank}C, d JD, -1 {rank}C, =1/2 {rank}C"
        for number in range(1, times):
            card = rank + suits[number]
            log += f", 1 {card}, -1 {card}, =1/{number + 2} {card}"
        log += ", 1 6S" + "".join(f", 1/{number} 6D" for number in range(2, times + 2)) + ", d 5S"
        return table(game, NMB + laid(log) + OVER, "seats", "peek").rules

    assert splits(PURE, "8", 2) == []
    assert splits(PURE, "8", 3) == ["split-too-often"]
    assert splits(NO_BUST, "8", 4) == []  # no limit stated
    assert splits(NO_BUST, "K", 3) == ["split-too-often"]
    assert splits(SHAQ, "8", 4) == []
    assert splits(SHAQ, "K", 3) == ["split-too-often"]
    assert splits(SHAQ, "A", 2) == []  # three aces in all
    assert splits(PURE, "A", 2) == ["split-aces-one-card"]


# --- 2 Way Winner: the dealer's hand becomes the board


def two_way(*more: str) -> Played:
    return table(TWO_WAY, NMB + laid("1 TS, d TH, 1 9C, d 3D, d 5S" + "".join(more)) + OVER, "seats", "peek")


PUSHED = ", -1 TS, -1 9C, -d TH, -d 3D, -d 5S, =c TH, =c 3D, =c 5S"


@pytest.mark.parametrize("card", ["TH", "3D", "5S"])
def test_a_card_that_is_pushed_to_the_board_unread_is_none_more(card: str) -> None:
    pushed = PUSHED.replace(f"=c {card}", "=c null")
    assert two_way(pushed, ", c 2C, c 4C, d KC, d QC").rules == []
    assert two_way(pushed, ", c 2C, c 4C, c 6C, d KC, d QC").rules == ["community-count"]


def by_a_felt_alone(cards: str) -> Played:
    log = NMB + laid(cards) + OVER
    log = "".join(line for line in log.splitlines(keepends=True) if "card_drawn" not in line)
    return table(TWO_WAY, log, "shoe", "seats", "peek")


def test_a_card_laid_unread_may_show_its_face_on_its_way_to_the_board() -> None:
    unread = "1 TS, d null, 1 9C, d 8D, -1 TS, -1 9C, -d TH, -d 8D, =c TH, =c 8D"
    assert by_a_felt_alone(unread + ", c 2C, c 4C, c 6C, d KC, d QC").rules == []
    assert by_a_felt_alone(unread + ", c 2C, c 4C, c 6C, c 7C, d KC, d QC").rules == ["community-count"]


@pytest.mark.parametrize(
    ("lifted", "shown"), [("-d TH", "=c TH"), ("-d null", "=c TH"), ("-d TH", "=c null"), ("-d null", "=c null")]
)
@pytest.mark.parametrize("again", ["", ", -c 2C, c 2C", ", -c null, c 2C", ", -c 2C, c null"])
def test_cards_of_the_board_and_the_hand_after_it_lie_unread(lifted: str, shown: str, again: str) -> None:
    """The two last cards lie face down where the first hand lay: they are no cards of it laid back."""
    pushed = f"1 TS, d TH, 1 9C, d 8D, -1 TS, -1 9C, {lifted}, -d 8D, {shown}, =c 8D, c 2C{again}"
    played = by_a_felt_alone(pushed + ", c 4C, c 6C, d null, d null")
    assert played.rules == []
    assert len(played.rounds[0].cards["dealer"]) == 4
    assert by_a_felt_alone(pushed + ", c 4C, d null, d null").rules == ["community-count"]


def test_no_card_of_the_second_half_is_turned_over_before_there_are_two() -> None:
    (one,) = by_a_felt_alone("1 TS, d TH, 1 9C, d 8D" + ", c 2C, c 4C, c 6C, d null, d QC").rounds
    assert one.cards["dealer"] == ["TH", "8D", None, "QC"]
    assert not one.partial


def test_the_board_is_filled_to_five() -> None:
    played = two_way(PUSHED, ", c 2C, c 4C, d KC, d QC")
    assert played.rules == []
    (one,) = played.rounds
    assert one.cards["community"] == ["2C", "4C"]
    assert one.result["dealer"]["total"] == 18
    assert two_way(PUSHED, ", c 2C, d KC, d QC").rules == ["community-count"]
    assert two_way(PUSHED, ", c 2C, c 4C, c 6C, d KC, d QC").rules == ["community-count"]


def test_the_dealers_hand_is_completed_for_nobody_too() -> None:
    bust = "1 TS, d TH, 1 6C, d 3D, 1 9S"
    pushed = ", -d TH, -d 3D, =c TH, =c 3D, c 2C, c 4C, c 5C, d KC, d QC"
    log = NMB + laid(bust + pushed) + OVER
    assert table(TWO_WAY, log, "seats", "peek").rules == ["dealer-stood-against-rule"]


def test_a_hand_of_six_leaves_no_card_to_add() -> None:
    six = "1 TS, d 2H, 1 9C, d 3D, d 2S, d AS, d 2C, d 3C, d 6C"
    assert table(TWO_WAY, NMB + laid(six + ", d KC, d QC") + OVER, "seats", "peek").rules == []


@pytest.mark.parametrize("game", [SWITCH, TWO_WAY, URBO, SHAQ])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stream=observations())
def test_any_stream_is_taken(game: str, stream: list[Observation]) -> None:
    engine = Engine(load_game(game), facts("shoe", "panel", "peek", "card_position", "seats"))
    for seq, observation in enumerate(stream, start=1):
        engine.feed(seq, observation)
    engine.finish()
