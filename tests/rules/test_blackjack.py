"""Blackjack against Section Two (lines 96-514): each rule beside the clean play next to it.

A round is written as it is dealt, "1 TS, d 6H, 1 9C, d KD": seat 1, the dealer, … with the card.
"""

from __future__ import annotations

from typing import Any

import pytest

from pitwatch.rules.table import DeviceFacts, TableFacts
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/blackjack"
NMB, OVER = "panel key_pressed key=no_more_bets\n", "panel key_pressed key=round_over\n"
SHOE = "shoe shoe_started decks=6\n"


def place(text: str) -> str:
    return {"d": "dealer", "?": "null", "b": "burn"}.get(text, f"seat-{text}")


def drawn(cards: str) -> str:
    return "".join(
        f"shoe card_drawn card={card} to={place(to)}\n" for to, card in (each.split() for each in cards.split(","))
    )


def placed(cards: str) -> str:
    """Under the felt: "-1 TS" is a card taken away."""
    lines = []
    for to, card in (each.split() for each in cards.split(",")):
        event = "card_removed" if to.startswith("-") else "card_placed"
        lines.append(f"card_position {event} card={card} to={place(to.lstrip('-'))}\n")
    return "".join(lines)


def round_(cards: str) -> str:
    return NMB + drawn(cards) + OVER


def blackjack(log: str, *devices: str, seats: tuple[str, ...] = (), finish: bool = True, **options: Any) -> Played:
    table = facts(*(devices or ("shoe", "panel", "peek")), options=options, seats=seats)
    return play(GAME, table, log, finish=finish)


def rules(cards: str, **options: Any) -> list[str]:
    """The rules broken by one round at a table with a shoe that knows where its cards go, and a panel."""
    return blackjack(round_(cards), **options).rules


# --- a round


def test_a_clean_round() -> None:
    played = blackjack(round_("1 TS, 2 5C, d 6H, 1 9C, 2 6D, d KD, 2 TH, d 2S"))
    assert played.rules == []
    (one,) = played.rounds
    assert one.cards == {"seat-1": ["TS", "9C"], "seat-2": ["5C", "6D", "TH"], "dealer": ["6H", "KD", "2S"]}
    assert one.result == {
        "dealer": {"total": 18, "soft": False, "blackjack": False, "bust": False},
        "seat-1": {"total": 19, "soft": False, "blackjack": False, "bust": False},
        "seat-2": {"total": 21, "soft": False, "blackjack": False, "bust": False},
    }
    assert (one.partial, one.void) == (False, None)


def test_a_start_in_the_middle_is_partial_and_judges_nothing() -> None:
    played = blackjack(drawn("d 6H, d KD, d 9S, d 2H") + OVER + round_("1 TS, d TH, 1 9C, d KD"))
    assert played.rules == []
    assert [each.partial for each in played.rounds] == [True, False]


# --- 498-499: the dealer's draws


@pytest.mark.parametrize(
    ("dealer", "option", "broken"),
    [
        ("d TH, 1 9C, d 7D, d 2S", "stand", ["dealer-drew-against-rule"]),  # hard 17
        ("d TH, 1 9C, d 6D, d 2S", "stand", []),
        ("d TH, 1 9C, d 6D", "stand", ["dealer-stood-against-rule"]),  # 16
        ("d TH, 1 9C, d 7D", "stand", []),
        ("d AH, 1 9C, d 6D, d 2S", "stand", ["dealer-drew-against-rule"]),  # soft 17
        ("d AH, 1 9C, d 6D", "stand", []),
        ("d AH, 1 9C, d 6D, d 2S", "draw", []),
        ("d AH, 1 9C, d 6D", "draw", ["dealer-stood-against-rule"]),
        ("d AH, 1 9C, d 6D", "hit", ["dealer-stood-against-rule"]),
        ("d AH, 1 9C, d 7D, d 2S", "draw", ["dealer-drew-against-rule"]),  # soft 18
        ("d AH, 1 9C, d 5D, d TS", "draw", ["dealer-stood-against-rule"]),  # A 5 T is a hard 16
        ("d AH, 1 9C, d 5D, d TS, d AS", "draw", []),  # a hard 17 of A 5 T A
    ],
)
def test_the_dealer_draws_to_17(dealer: str, option: str, broken: list[str]) -> None:
    assert rules("1 TS, " + dealer, soft_17=option) == broken


def test_one_wrong_draw_is_one_breach() -> None:
    """A soft 18 drawn to a hard 13, on which the dealer then stops; a third card in the deal that leads past 21."""
    assert rules("1 TS, d AH, 1 9C, d 7D, d 5S") == ["dealer-drew-against-rule"]
    assert rules("1 TS, 2 9S, d 6H, 1 9C, 1 5D, 2 8C, d KD, 1 2C, d 2S") == ["wrong-card-count-player"]


def test_a_wrong_draw_is_cited_with_what_was_seen() -> None:
    (found,) = blackjack(round_("1 TS, d TH, 1 9C, d 7D, d 2S")).irregularities
    assert found.rule == "toledo-2020/blackjack/dealer-drew-against-rule"
    assert (found.severity, found.disposition, found.round) == ("notice", "none-stated", 1)
    assert found.observed == {"total": 17, "soft": False, "cards": 2}
    assert found.evidence == (3, 5, 6)
    assert found.citation.lines == "498-499, 512"


@pytest.mark.parametrize("hole", ["null", "7D"])
def test_an_unread_hole_card_proves_nothing(hole: str) -> None:
    played = blackjack(round_(f"1 TS, d TH, 1 9C, d {hole}, d 2S"))
    assert played.rules == ([] if hole == "null" else ["dealer-drew-against-rule"])
    assert (played.rounds[0].result["dealer"] is None) is (hole == "null")


def test_cards_to_nobody_knows_where_prove_nothing() -> None:
    assert rules("? TS, ? TH, ? 9C, ? 7D, ? 2S") == []
    assert rules("1 TS, d TH, 1 9C, d 4D, ? 2S") == []


# 512, 311: nobody left in the game


def test_the_dealer_draws_only_for_a_live_hand() -> None:
    bust = "1 TS, d TH, 1 6C, d 5D, 1 8H"
    assert rules(bust) == []
    assert rules(bust + ", d 9S") == ["dealer-drew-against-rule"]
    assert rules(bust + ", d 9S", buster_blackjack=True) == []
    assert rules("1 AS, d 9H, 1 KC, d 5D") == []
    assert rules("1 AS, d 9H, 1 KC, d 5D, d 6C") == ["dealer-drew-against-rule"]
    assert rules("1 AS, 2 2C, d 9H, 1 KC, 2 TC, d 5D, d 6C") == []


def test_a_surrender_cannot_be_seen() -> None:
    assert rules("1 TS, d TH, 1 6C, d 5D", surrender=True) == []
    assert rules("1 TS, d TH, 1 6C, d 5D") == ["dealer-stood-against-rule"]
    assert rules("1 4S, d TH, 1 6C, d 5D, 1 7H", surrender=True) == ["dealer-stood-against-rule"]


def test_the_stream_may_end_before_the_dealer_has_drawn() -> None:
    played = blackjack(NMB + drawn("1 TS, d TH, 1 9C, d 5D"))
    assert (played.rules, played.rounds[0].partial) == ([], True)


# --- 473-477: the initial deal


@pytest.mark.parametrize(
    ("dealt", "broken"),
    [
        ("1 TS, 2 9S, d 6H, 1 9C, 2 8C, d KD", []),
        ("2 9S, 1 TS, d 6H, 1 9C, 2 8C, d KD", ["wrong-initial-sequence"]),
        ("d 6H, 1 TS, 2 9S, d KD, 1 9C, 2 8C", ["wrong-initial-sequence"]),
        ("1 TS, d 6H, 2 9S, 1 9C, 2 8C, d KD", ["wrong-initial-sequence"]),
        ("1 TS, 1 9C, 2 9S, 2 8C, d 6H, d KD", ["wrong-initial-sequence"]),
        ("1 TS, 2 9S, d 6H, 1 9C, d KD, 2 8C", ["wrong-initial-sequence"]),
        ("1 TS, 2 9S, d 6H, 1 9C, d KD, 1 2C", ["wrong-card-count-player"]),  # seat 2 has one card
        ("1 TS, 2 9S, d 6H, 1 9C, 1 2C, 2 8C, d KD", ["wrong-card-count-player"]),  # seat 1 has three
        ("1 TS, 2 9S, d 6H, 1 9C, 2 8C, 1 2C, 2 2D", ["wrong-card-count-dealer"]),
        ("1 TS, 2 9S, d 6H, d KD, d 5C, 1 9C, 2 8C", ["wrong-card-count-dealer"]),
    ],
)
@pytest.mark.parametrize("seats", [(), ("seat-1", "seat-2")])
def test_the_initial_deal(dealt: str, broken: list[str], seats: tuple[str, ...]) -> None:
    """All may have surrendered: what the dealer had still to draw is not in question."""
    assert blackjack(round_(dealt), seats=seats, surrender=True).rules == broken


def test_a_hole_card_left_out_of_the_deal_is_out_of_order() -> None:
    """477: the dealer's second card ends the deal. 486-488: a player who has two cards may ask for a third."""
    deal = "1 4S, 2 9S, d 6H, 1 9C, 2 8C, "
    asked = blackjack(round_(deal + "1 2C, d KD, 1 5D, d 2S"))
    assert asked.rules == ["wrong-initial-sequence"]
    assert asked.irregularities[0].observed["dealt"][-2:] == ["seat-1", "dealer"]
    assert rules(deal + "d KD, 1 2C, 1 5D, d 2S") == []
    assert rules("1 4S, 2 9S, d 6H, 1 9C, 1 2C, 2 8C, d KD, d 2S") == ["wrong-card-count-player"]


def test_a_misdeal_called_before_the_hole_card_is_for_the_order() -> None:
    misdeal = "panel key_pressed key=misdeal\n"
    assert blackjack(NMB + drawn("1 4S, d 6H, 1 9C, 1 2C") + misdeal + OVER).rules == ["wrong-initial-sequence"]
    assert blackjack(NMB + drawn("1 4S, d 6H, 1 9C") + misdeal + OVER).rules == []
    lacks = NMB + drawn("1 4S, 2 9S, d 6H, 1 9C, 1 2C") + misdeal + OVER
    assert blackjack(lacks).rules == ["wrong-card-count-player"]


def test_only_a_number_of_cards_voids_the_hand() -> None:
    order, count = (
        blackjack(round_(each)) for each in ("2 9S, 1 TS, d 6H, 2 9C, 1 8C, d JD", "1 TS, d 6H, 1 9C, 1 2C")
    )
    assert [(e.severity, e.disposition, e.category) for e in order.irregularities] == [
        ("notice", "none-stated", "procedure"),
        ("notice", "none-stated", "procedure"),
    ]
    (dealer,) = count.irregularities
    assert (dealer.severity, dealer.disposition, dealer.category) == ("alert", "hand-void", "misdeal")


def test_a_called_misdeal_leaves_the_rest_undealt() -> None:
    misdeal = "panel key_pressed key=misdeal\n"
    assert blackjack(NMB + drawn("1 TS, 2 9S, d 6H, 1 9C, d KD") + misdeal + OVER).rules == ["wrong-initial-sequence"]
    assert blackjack(NMB + drawn("1 TS, 2 9S, d 6H, 1 9C") + misdeal + OVER).rules == []


def test_wagers_that_the_sensors_show_are_dealt_to() -> None:
    taken = "seats seat_taken seat=seat-3\nseats seat_taken seat=seat-1\n"
    devices = ("shoe", "panel", "seats")
    assert blackjack(taken + round_("1 TS, 3 9S, d 6H, 1 9C, 3 8C, d KD, d 2C"), *devices).rules == []
    skipped = blackjack(taken + round_("1 TS, d 6H, 1 9C, d JD, 1 2S, d TC"), *devices)
    assert skipped.rules == ["wrong-card-count-player"]
    assert skipped.irregularities[0].observed == {"position": "seat-3", "cards": 0}
    left = NMB + "seats seat_left seat=seat-3\n" + drawn("1 TS, d 6H, 1 9C, d KD, d 2C") + OVER
    assert blackjack(taken + left, *devices).rules == []
    late = NMB + "seats seat_taken seat=seat-2\n" + drawn("1 TS, 2 2D, 3 9S, d 6H, 1 9C, 2 3D, 3 8C, d KD, d 2C") + OVER
    assert blackjack(taken + late, *devices).rules == []


# --- 478-479: after the dealer's blackjack


def test_nothing_is_drawn_after_a_dealers_blackjack() -> None:
    dealt, peek = drawn("1 TS, d KH, 1 6C, d AD"), "peek hole_card_checked blackjack=true\n"
    assert blackjack(NMB + dealt + peek + OVER).rules == []
    assert blackjack(NMB + dealt + peek + drawn("1 2C") + OVER).rules == ["drawn-after-dealer-blackjack"]
    assert blackjack(NMB + dealt + peek + drawn("? 2C") + OVER).rules == ["drawn-after-dealer-blackjack"]
    assert blackjack(NMB + dealt + peek + OVER + NMB + drawn("1 2C, d 3C, 1 4C, d TC")).rules == []
    no = "peek hole_card_checked blackjack=false\n"
    assert blackjack(NMB + drawn("1 TS, d KH, 1 6C, d 7D") + no + drawn("1 2C") + OVER).rules == []
    assert blackjack(NMB + dealt + "peek hole_card_checked blackjack=null\n" + OVER).rules == []


# --- 500-501: players' draws


@pytest.mark.parametrize(
    ("player", "broken"),
    [
        ("1 TS, d 6H, 1 5C, d KD, 1 5D, 1 AC, d 3C", []),  # 20, then 21
        ("1 TS, d 6H, 1 5C, d KD, 1 6D, 1 AC, d 3C", ["player-drew-on-21"]),
        ("1 AS, d 6H, 1 5C, d KD, 1 5D, 1 AC, d 3C", ["player-drew-on-21"]),  # a soft 21
        ("1 AS, d 6H, 1 KC, d TD, 1 5D, d 3C", ["player-drew-on-21"]),  # a blackjack
        ("1 AS, d 6H, 1 null, d KD, 1 5D, 1 AC, d 3C", []),
        ("1 8S, d 6H, 1 8C, d KD, 1 5D, 1 AC, d 3C", []),  # may be a split that nobody has shown yet
    ],
)
def test_a_player_draws_below_21(player: str, broken: list[str]) -> None:
    assert rules(player) == broken


# --- 154-167, 511: splits


def test_split_hands_stand_by_themselves() -> None:
    played = blackjack(round_("1 8S, d 6H, 1 8C, d KD, 1 3D, 1 TC, 1/2 2D, 1/2 TH, d AC"))
    assert played.rules == []
    (one,) = played.rounds
    assert (one.cards["seat-1"], one.cards["seat-1/2"]) == (["8S", "3D", "TC"], ["8C", "2D", "TH"])
    assert (one.result["seat-1"]["total"], one.result["seat-1/2"]["total"]) == (21, 20)


def test_a_ten_on_a_split_ace_is_no_blackjack() -> None:
    played = blackjack(round_("1 AS, d 6H, 1 AC, d KD, 1 TD, 1/2 9C, d 3C"))
    assert played.rules == []
    assert played.rounds[0].result["seat-1"] == {"total": 21, "soft": True, "blackjack": False, "bust": False}


@pytest.mark.parametrize(
    ("split", "option", "broken"),
    [
        ("1 5D, 1/2 9C", False, []),
        ("1 5D, 1 2D, 1/2 9C", False, ["split-aces-one-card"]),
        ("1 5D, 1/2 9C, 1/2 3H", False, ["split-aces-one-card"]),
        ("1 AD, 1 5D, 1/3 6D, 1/2 9C", True, []),
        ("1 5D, 1/2 AD, 1/2 9C, 1/3 4S", True, []),
        ("1 5D, 1/2 AD, 1/2 9C, 1/3 4S", False, ["split-aces-one-card"]),
        ("1 5D, 1/2 AD, 1/2 9C", True, ["split-aces-one-card"]),
    ],
)
def test_a_split_ace_gets_one_card(split: str, option: bool, broken: list[str]) -> None:
    found = rules(f"1 AS, d 6H, 1 AC, d KD, {split}, d 3C", resplit_aces=option)
    assert [each for each in found if each != "split-order"] == broken


@pytest.mark.parametrize(
    ("split", "broken"),
    [
        ("1 5D, 1/2 9C", []),
        ("1/2 9C, 1 5D", ["split-order"]),  # the first hand has no second card yet
        ("1 5D, 1/2 9C, 1 2C", ["split-order"]),  # back to the first hand
        ("1 8D, 1 5D, 1/2 9C, 1/3 4C", []),
        ("1 5D, 1/2 8D, 1/2 9C, 1/3 8H, 1/3 2S, 1/4 3S", []),
        ("1 8D, 1 8H, 1 3D, 1 TC, 1/4 2D, 1/4 TH, 1/3 3S, 1/3 9S, 1/2 2S, 1/2 TD", []),  # four hands, all doubled
        ("1 8D, 1 8H, 1 3D, 1/2 2D, 1/3 3S, 1/4 2S, 1 TC, 1/2 TH, 1/3 9S, 1/4 TD", ["split-order"]),
        ("1 5D, 1/2 8D, 1/2 9C, 1/3 8H, 1/3 2S, 1/4 8H, 1/4 2C, 1/5 3C", ["split-too-often"]),
    ],
)
def test_the_first_hand_is_completed_before_the_next(split: str, broken: list[str]) -> None:
    assert rules(f"1 8S, d 6H, 1 8C, d KD, {split}, d 3C") == broken


@pytest.mark.parametrize(
    ("split", "broken"),
    [
        ("1 5H, 1/2 5D, 1/3 5S, 1/4 9H", []),  # four hands; which pair was split when, no shoe tells
        ("1 5H, 1/2 5D, 1/3 5S, 1/4 5S, 1/5 5H", ["split-too-often"]),
        ("1 5H, 1/2 5D, 1/3 5S, 1/4 5S, 1/5 5H, 1/6 9H", ["split-too-often"]),
        ("1 5H, 1/2 null, 1/3 null, 1/4 5S, 1/5 5H, 1/6 9H", ["split-too-often"]),
    ],
)
@pytest.mark.parametrize("game", [GAME, "columbus-2016/blackjack"])
def test_more_than_four_hands_are_too_many_whichever_pair_was_split(game: str, split: str, broken: list[str]) -> None:
    """Columbus 143: up to three times, for four hands."""
    table = facts("shoe", "panel", "peek")
    assert play(game, table, round_(f"1 5S, d 6H, 1 5C, d KD, {split}, d 3C")).rules == broken


def test_two_wagers_at_a_seat_may_make_more_than_four_hands() -> None:
    dealt = "1 5S, 1/2 5D, d 6H, 1 5C, 1/2 5H, d KD, 1/3 5C, 1/4 5H, 1/5 9H, 1/6 8H, d 3C"
    assert "split-too-often" not in rules(dealt)


def test_only_equal_values_are_split() -> None:
    assert rules("1 KS, d 6H, 1 TC, d KD, 1 5D, 1/2 9C, d 3C") == []
    assert rules("1 KS, d 6H, 1 9C, d KD, 1 5D, 1/2 9C, d 3C") == ["split-unequal-values"]


# --- 128: mid-shoe entry


def test_mid_shoe_entry_where_the_house_bars_it() -> None:
    one, two = "1 TS, d 6H, 1 9C, d JD, d 2C", "1 TS, 2 9S, d 6H, 1 9C, 2 8C, d JD, d 4C"
    entered = SHOE + round_(one) + round_(two)
    assert blackjack(entered).rules == []
    assert blackjack(entered, mid_shoe_entry="barred").rules == ["mid-shoe-entry"]
    assert blackjack(SHOE + round_(two) + round_(one) + round_(two), mid_shoe_entry="barred").rules == []
    assert blackjack(SHOE + round_(one) + SHOE + round_(two), mid_shoe_entry="barred").rules == []
    cut = "shoe cut_card_drawn\n"
    assert "mid-shoe-entry" not in blackjack(SHOE + round_(one) + cut + round_(two), mid_shoe_entry="barred").rules
    assert blackjack(round_(one) + round_(two), mid_shoe_entry="barred").rules == []  # first round not known
    shuffled = "panel key_pressed key=hand_shuffled\n"
    assert blackjack(SHOE + round_(one) + shuffled + round_(two), mid_shoe_entry="barred").rules == []


def test_mid_shoe_entry_by_the_wagers() -> None:
    log = SHOE + "seats seat_taken seat=seat-1\n" + round_("1 TS, d 6H, 1 9C, d JD, d 2C")
    played = blackjack(log + "seats seat_taken seat=seat-2\n" + NMB, "shoe", "panel", "seats", mid_shoe_entry="barred")
    assert played.rules == ["mid-shoe-entry"]
    assert played.irregularities[0].observed == {"seat": "seat-2"}
    assert played.irregularities[0].evidence == (1, 3, 11), "the shoe, its first round, and this one"


# --- 135, 144: blackjacks


READER = ("card_position", "panel", "peek")


def reader(log: str, *devices: str, **options: Any) -> Played:
    return blackjack(log, *(devices or READER), **options)


def test_a_blackjack_is_removed_before_a_third_card() -> None:
    dealt = "1 AS, 2 5C, d 6H, 1 KC, 2 6D, d KD, "
    assert reader(NMB + placed(dealt + "-1 AS, -1 KC, 2 9H, d 2S") + OVER).rules == []
    assert reader(NMB + placed(dealt + "2 9H, d 2S") + OVER).rules == ["blackjack-not-removed"]
    assert reader(NMB + placed(dealt + "2 9H, d 2S") + OVER, buster_blackjack=True).rules == []
    ten_up = "1 AS, 2 5C, d KH, 1 KC, 2 6D, d 7D, "
    assert reader(NMB + placed(ten_up + "2 9H") + OVER).rules == []
    assert blackjack(round_("1 AS, 2 5C, d 6H, 1 KC, 2 6D, d KD, 2 9H, d 2S")).rules == []  # a shoe cannot see it


def test_a_blackjack_stays_against_an_ace_or_ten() -> None:
    (told,) = reader(NMB + placed("1 AS, 2 5C, d KH, 1 KC, -1 AS, -1 KC, 2 6D, d 7D, 2 9H") + OVER).irregularities
    assert told.evidence == (2, 5, 6, 7, 8), "its cards, that they were lifted, and the card after that"
    assert reader(NMB + placed("1 AS, 2 5C, d KH, 1 KC, -1 AS, -1 KC, 2 6D, d 7D, 2 9H") + OVER).rules == [
        "blackjack-removed-early"
    ]
    assert reader(NMB + placed("1 AS, 2 5C, d KH, 1 KC, 2 6D, d 7D, -1 AS, -1 KC, 2 9H") + OVER).rules == []
    assert reader(NMB + placed("1 AS, 2 5C, d 6H, 1 KC, -1 AS, -1 KC, 2 6D, d KD, 2 9H, d 2S") + OVER).rules == []


@pytest.mark.parametrize("looked", ["-1 KC, 1 KC", "-1 KC, -1 AS, 1 AS, 1 KC", "-1 KC, 1 null", "-1 null, 1 KC"])
def test_a_blackjack_that_is_lifted_and_laid_back_stays(looked: str) -> None:
    assert reader(NMB + placed(f"1 AS, 2 5C, d KH, 1 KC, {looked}, 2 6D, d 7D, 2 9H") + OVER).rules == []


# --- readers under the felt


def test_the_hole_card_shows_itself_when_it_is_turned() -> None:
    for turn in ("d KD", "-d null, d KD"):
        played = reader(NMB + placed(f"1 TS, d 6H, 1 9C, d null, {turn}, d 2S") + OVER)
        assert played.rules == []
        assert played.rounds[0].cards["dealer"] == ["6H", "KD", "2S"]
        assert played.rounds[0].result["dealer"]["total"] == 18


def test_a_hole_card_that_is_never_read_accuses_nobody() -> None:
    """6, unread, 5 and no more: the unread one may have been a ten."""
    assert reader(NMB + placed("1 TS, d 6H, 1 9C, d null, d 5D") + OVER).rules == []
    surely = reader(NMB + placed("1 TS, d 6H, 1 9C, d null, -d null, d 5D") + OVER)
    assert surely.rules == ["dealer-stood-against-rule"]


def test_a_split_shows_as_a_card_that_moves() -> None:
    dealt = "1 8S, d 6H, 1 8C, d KD, "
    for move in ("-1 8C, 1/2 8C", "1/2 8C, -1 8C", "1/2 8C"):
        played = reader(NMB + placed(f"{dealt}{move}, 1 3D, 1 TC, 1/2 2D, d AC") + OVER)
        assert played.rules == []
        assert played.rounds[0].cards["seat-1"] == ["8S", "3D", "TC"]
        assert played.rounds[0].cards["seat-1/2"] == ["8C", "2D"]
    back = reader(NMB + placed(f"{dealt}-1 8C, 1/2 8C, 1 3D, 1/2 2D, 1 TC, d AC") + OVER)
    assert back.rules == ["split-order"]


def both(cards: str) -> str:
    """A shoe that reads faces but knows no places, and a reader under the felt that knows the places."""
    return "".join(drawn(f"? {each.split()[1]}") + placed(each) for each in cards.split(","))


AGAIN = {"lifted unread": "-1 null, 1 6C", "laid unread": "-1 6C, 1 null", "neither": "-1 null, 1 null"}


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
@pytest.mark.parametrize("devices", [("card_position", "panel"), ("shoe", "card_position", "panel")])
def test_a_card_laid_again_is_no_new_one_though_its_face_was_not_read_each_time(
    again: str, devices: tuple[str, ...]
) -> None:
    deal = both if "shoe" in devices else placed
    for before, after in (("1 6C", "2 5C, d 6H, 1 TS, 2 6D"), ("1 TS, 2 5C, d 6H, 1 6C", "2 6D")):
        log = NMB + deal(before) + placed(again) + deal(f"{after}, d KD, 1 4D, d 2S") + OVER
        played = blackjack(log, *devices)
        assert (played.rules, len(played.rounds[0].cards["seat-1"])) == ([], 3)
    new = blackjack(NMB + deal("1 6C, 2 5C") + placed("-1 6C") + deal("1 9C, d 6H") + OVER, *devices)
    assert new.rounds[0].cards["seat-1"] == ["6C", "9C"]


def test_an_up_card_that_showed_itself_when_it_was_lifted_is_known() -> None:
    up = drawn("? null") + placed("d null, -d 9H, d 9H")
    log = NMB + both("1 TS") + up + both("1 9C") + drawn("? 8H") + placed("d null, -d null, d 8H") + OVER
    played = blackjack(log, "shoe", "card_position", "panel")
    assert (played.rules, played.rounds[0].cards["dealer"]) == ([], ["9H", "8H"])


def test_a_hole_card_that_is_turned_is_not_taken_for_an_up_card_that_was_never_read() -> None:
    log = NMB + both("1 TS") + drawn("? null") + placed("d null") + both("1 9C") + drawn("? 8H") + placed("d null")
    played = blackjack(log + placed("-d null, d 8H") + both("d 6C") + OVER, "shoe", "card_position", "panel")
    assert (played.rules, played.rounds[0].cards["dealer"]) == ([], [None, "8H", "6C"])


def test_shoe_and_reader_together() -> None:
    devices = ("shoe", "card_position", "panel")
    clean = blackjack(NMB + both("1 TS, d 6H, 1 9C, d KD, d 2S") + OVER, *devices)
    assert (clean.rules, clean.rounds[0].cards) == ([], {"seat-1": ["TS", "9C"], "dealer": ["6H", "KD", "2S"]})
    stood = both("1 TS, d 6H, 1 9C") + drawn("? 5D") + placed("d null, d 5D")
    assert blackjack(NMB + stood + OVER, *devices).rules == ["dealer-stood-against-rule"]
    unplaced = both("1 TS, d 6H, 1 9C, d 5D") + drawn("? TD")
    assert blackjack(NMB + unplaced + OVER, *devices).rules == []
    lost = "card_position device_offline reason=silent\n"
    assert blackjack(NMB + both("1 TS, d 6H, 1 9C, d 5D") + lost + drawn("? TD") + OVER, *devices).rules == []


def test_a_reader_that_falls_silent_in_mid_round() -> None:
    log = NMB + drawn("1 TS, d TH, 1 9C, d 5D") + "shoe device_offline reason=silent\n" + OVER
    played = blackjack(log)
    assert played.rules == []
    assert "dealer-stood-against-rule" in (played.rounds[0].not_observable or ())
    again = log + "shoe device_online\n" + round_("1 TS, d TH, 1 9C, d 5D")
    assert blackjack(again).rules == ["dealer-stood-against-rule"]
    shuffled = NMB + drawn("1 TS, d TH, 1 9C, d 5D") + "shoe bytes_discarded count=3\nshuffler shuffle_started\n" + OVER
    assert blackjack(shuffled, "shoe", "panel", "shuffler").rules == []


def test_a_reader_in_trouble_may_have_missed_a_card() -> None:
    error = "shoe reader_error kind=misread\n"
    assert blackjack(NMB + drawn("1 TS, d TH, 1 9C, d 5D") + error + OVER).rules == []
    assert blackjack(error + "shoe reader_error_cleared kind=misread\n" + round_("1 TS, d TH, 1 9C, d 5D")).rules == [
        "dealer-stood-against-rule"
    ]


def test_a_reader_that_is_dead_leaves_the_places_to_the_shoe() -> None:
    dead = SHOE + "card_position device_offline reason=silent\n"
    played = blackjack(dead + round_("1 TS, d TH, 1 9C, d 5D"), "shoe", "card_position", "panel")
    assert played.rules == ["dealer-stood-against-rule"]


def test_a_burn_before_the_call_is_no_card_of_the_round() -> None:
    played = blackjack(SHOE + drawn("b 2C") + round_("1 TS, d TH, 1 9C, d 7D"))
    assert (played.rules, len(played.rounds)) == ([], 1)
    unknown = blackjack(SHOE + drawn("? 2C") + round_("1 TS, d TH, 1 9C, d 5D"))
    assert (unknown.rules, len(unknown.rounds)) == (["dealer-stood-against-rule"], 1)


def test_a_late_call_leaves_the_round_one() -> None:
    played = blackjack(SHOE + drawn("1 TS, d 6H") + NMB + drawn("1 9C, d KD, d 2S") + OVER)
    assert (played.rules, len(played.rounds)) == ([], 1)


# --- no panel


def test_without_a_panel_a_cleared_layout_ends_the_round() -> None:
    one = "1 TS, d TH, 1 9C, d 7D"
    log = SHOE + both(one) + placed("-d TH, -d 7D, -1 TS, -1 9C")
    played = blackjack(log + log, "shoe", "card_position")
    assert (played.rules, len(played.rounds)) == ([], 2)


def test_without_a_panel_the_next_deal_ends_the_round() -> None:
    played = blackjack(SHOE + drawn("1 TS, d TH, 1 9C, d 6D, d 5S, 1 4S, d 9H, 1 6C, d KD, 1 TD"), "shoe")
    assert (played.rules, [each.cards["dealer"] for each in played.rounds]) == ([], [["TH", "6D", "5S"], ["9H", "KD"]])


PAT = "1 TS, 2 4C, d TH, 1 5C, 2 9C, d 9D"
DREW = "1 TS, 2 8C, d TH, 1 5C, 2 9C, d 7D, d 9D"


@pytest.mark.parametrize("hits", ["", "1 6S, ", "1 6S, 2 5D, ", "2 2D, 2 3D, "])
@pytest.mark.parametrize(
    "after", ["1 4S, 2 2S, d 9H, 1 6C, 2 TC, d 3D", "2 2S, d 9H, 2 TC, d 3D", "1 2S, 3 2D, d 9H, 1 TC, 3 9D, d 3D"]
)
def test_without_a_panel_a_whole_deal_after_a_pat_dealer_is_the_next_round(hits: str, after: str) -> None:
    """Players may draw, leave and come: a dealer who must stand draws nothing, so that both passes are of a deal."""
    played = blackjack(SHOE + drawn(f"{PAT}, {hits}{after}, d JD, {DREW}"), "shoe")
    drew = ("toledo-2020/blackjack/dealer-drew-against-rule",)
    assert [(each.partial, each.irregularities) for each in played.rounds] == [(False, ()), (False, ()), (False, drew)]
    first, second, _ = played.rounds
    assert (first.cards["dealer"], second.cards["dealer"]) == (["TH", "9D"], ["9H", "3D", "JD"])
    assert first.closed == second.opened
    assert sum(len(cards) for cards in second.cards.values()) == len(after.split(",")) + 1
    assert sum(len(cards) for cards in first.cards.values()) == len(PAT.split(",")) + hits.count(",")
    assert "player-drew-on-21" in first.not_observable


@pytest.mark.parametrize("after", ["1 4S, 2 2S, d 9H, 2 6C, 1 TC, d 3D", "1 4S, d 9H, 1 6C, 2 TC, d 3D"])
def test_without_a_panel_what_is_no_deal_after_a_pat_dealer_leaves_the_end_of_the_round_open(after: str) -> None:
    """Silence until a dealer's turn shows where the next round begins."""
    played = blackjack(SHOE + drawn(f"{PAT}, 1 6S, {after}, d JD, {DREW}"), "shoe")
    assert [(each.partial, each.irregularities) for each in played.rounds] == [
        (True, ()),
        (False, ("toledo-2020/blackjack/dealer-drew-against-rule",)),
    ]


def test_without_a_panel_a_draw_straight_after_the_deal_is_the_dealers() -> None:
    assert blackjack(SHOE + drawn("1 TS, d TH, 1 9C, d 7D, d 2S"), "shoe").rules == ["dealer-drew-against-rule"]


# --- 495: the cut card


def test_the_cut_card() -> None:
    one, cut = "1 TS, d 6H, 1 9C, d JD, d 2C", "shoe cut_card_drawn\n"
    during = SHOE + NMB + drawn("1 TS, d 6H") + cut + drawn("1 9C, d JD, d 2C") + OVER
    assert blackjack(during).rules == ["cut-card-mid-round"]
    assert blackjack(during + SHOE + round_(one)).rules == ["cut-card-mid-round"]
    assert blackjack(during + round_(one)).rules == ["cut-card-mid-round", "dealt-past-cut-card"]
    first = SHOE + round_(one) + NMB + cut
    assert blackjack(first + OVER).rules == ["cut-card-first-card"]
    assert blackjack(first + drawn(one) + OVER).rules == ["cut-card-first-card", "dealt-past-cut-card"]


def test_where_nothing_tells_of_a_reshuffle_no_round_is_past_the_cut_card() -> None:
    """By a shoe and a reader that know cards only, and a panel without a key for it; each shoe's cut card is judged."""
    shoe = DeviceFacts("shoe", "shoe", frozenset(("card_drawn", "cut_card_drawn")))
    keys = ("key_pressed", "key_pressed:no_more_bets", "key_pressed:round_over")
    hand = round_("1 TS, d 6H, 1 9C, d JD, d 2C")
    cut = NMB + drawn("1 TS, d 6H") + "shoe cut_card_drawn\n" + drawn("1 9C, d JD, d 2C") + OVER
    for more, after in ((), []), (("key_pressed:hand_shuffled",), ["dealt-past-cut-card"] * 2):
        table = TableFacts(devices=(shoe, DeviceFacts("panel", "panel", frozenset((*keys, *more)))))
        assert play(GAME, table, hand + cut + hand * 2).rules == ["cut-card-mid-round", *after]
    again = play(GAME, TableFacts(devices=(shoe, DeviceFacts("panel", "panel", frozenset(keys)))), (cut + hand) * 2)
    assert again.rules == ["cut-card-mid-round"] * 2


# --- 368-435: Blazing 7's


SEVENS = ("shoe", "panel", "progressive")
COIN = "progressive coin_in seat=seat-1\n"


LOCK, UNLOCK = "progressive meter_locked\n", "progressive meter_unlocked\n"


@pytest.mark.parametrize(
    ("dealt", "table", "broken"),
    [
        ("1 7D, d 7D, 1 7D, d TD", "pay-table-1", ["progressive-jackpot-hand"]),
        ("1 7D, d 7H, 1 7D, d TD", "pay-table-1", ["progressive-jackpot-hand"]),
        ("1 7D, d 7H, 1 7D, d TD", "mega", []),
        ("1 7D, d 7D, 1 7D, d TD", "mega", ["progressive-jackpot-hand"]),
        ("1 7C, d 7C, 1 7C, d TD", "mega", []),
        ("1 7D, d 7S, 1 7D, d TD", "pay-table-1", []),  # three sevens, from the tray
        ("1 7D, d 9D, 1 7D, d TD", "pay-table-1", []),
        ("1 7D, d null, 1 7D, d TD", "pay-table-1", []),
    ],
)
def test_three_sevens_off_the_meter(dealt: str, table: str, broken: list[str]) -> None:
    log = NMB + drawn(dealt) + LOCK + OVER
    assert blackjack(COIN + log, *SEVENS, progressive=table).rules == broken
    assert blackjack(log, *SEVENS, progressive=table).rules == []  # the light is not lit


def test_a_split_leaves_the_first_two_cards_what_they_were() -> None:
    log = NMB + drawn("1 7D, d 7D, 1 7D, d TD, 1 2C, 1/2 3C") + LOCK + OVER
    (found,) = blackjack(COIN + log, *SEVENS).irregularities
    assert found.observed == {"position": "seat-1", "hand": "3-suited-7s"}


def test_two_hands_off_the_meter() -> None:
    coins = COIN + "progressive coin_in seat=seat-2\n"
    played = blackjack(coins + NMB + drawn("1 7D, 2 7D, d 7D, 1 7D, 2 7D, d TD") + LOCK + OVER, *SEVENS)
    assert sorted(played.rules) == ["multiple-jackpots-same-round", "progressive-jackpot-hand", "second-jackpot-hand"]
    (order,) = (each for each in played.irregularities if "multiple" in each.rule)
    assert order.required == {"pay_in_order": ["seat-2", "seat-1"]}


def test_the_meter_is_locked_out_until_the_jackpot_is_verified() -> None:
    sevens, after = round_("1 7D, d 7D, 1 7D, d TD"), round_("1 TD, d TC, 1 9D, d 9C")
    assert blackjack(COIN + sevens, *SEVENS).rules == ["progressive-jackpot-hand", "jackpot-without-lockout"]
    locked = COIN + sevens.replace(OVER, LOCK + OVER)
    assert blackjack(locked + after, *SEVENS).rules == ["progressive-jackpot-hand", "wager-while-locked-out"]
    assert blackjack(locked + UNLOCK + after, *SEVENS).rules == ["progressive-jackpot-hand"]


def test_a_hand_keyed_by_accident() -> None:
    deal, key = drawn("1 TD, d TC, 1 9D, d 9C"), "progressive hand_keyed hand=3-suited-7s on="
    assert blackjack(COIN + NMB + deal + key + "true\n" + OVER, *SEVENS).rules == ["keyed-hand-not-seen"]
    assert blackjack(COIN + NMB + deal + key + "true\n" + key + "false\n" + OVER, *SEVENS).rules == []
    assert blackjack(COIN + round_("1 TD, d TC, 1 9D, d 9C"), *SEVENS).rules == []


# --- Section One, line 81: the decks in use


def test_more_of_a_card_than_the_decks_hold() -> None:
    one = round_("1 TD, d TD, 1 9D, d 9C")
    assert blackjack("shoe shoe_started decks=1\n" + one, decks=1).rules == ["duplicate-card"]
    assert blackjack("shoe shoe_started decks=2\n" + one, decks=2).rules == []


def test_a_jam_of_the_shuffler_voids_no_round() -> None:
    log = NMB + drawn("1 TD, d TC, 1 9D") + "shuffler jammed\n" + drawn("d 9C") + OVER
    played = blackjack(log, "shoe", "panel", "shuffler")
    assert (played.rules, played.rounds[0].void) == (["shuffler-fault-during-shuffle"], None)


# --- reports by people


def test_a_person_reports_a_refused_cut() -> None:
    (found,) = blackjack("panel key_pressed key=report:cut-refused\n").irregularities
    assert (found.severity, found.disposition) == ("warning", "correct-and-continue")


# --- devices that miss something


def test_a_panel_that_missed_both_keys_merges_no_two_rounds() -> None:
    """The layout was cleared and dealt to again while the panel was away."""
    one = placed("1 TS, d TH, 1 9C, d 7D")
    cleared = placed("-d TH, -d 7D, -1 TS, -1 9C")
    away = "panel device_offline\n" + "panel device_online\n"
    log = NMB + one + cleared + away + placed("1 5S, d 6H, 1 6C, d TD, 1 TC, d 5D") + OVER
    played = blackjack(log, "card_position", "panel")
    assert played.rules == []
    assert [each.cards["dealer"] for each in played.rounds] == [["TH", "7D"], ["6H", "TD", "5D"]]


def test_sensors_that_were_away_are_believed_again_once_the_deal_bears_them_out() -> None:
    seat = "seats seat_{what} seat=seat-{number}\n"
    taken = "".join(seat.format(what="taken", number=number) for number in (1, 2))
    missed = "seats device_offline\nseats device_online\n"
    alone = NMB + drawn("1 TS, d TH, 1 9C, d 7D") + OVER  # who sat at seat 2 left unseen
    both = NMB + drawn("1 TC, 2 KS, d TD, 1 8C, 2 9D, d 8D") + OVER
    wrong = NMB + drawn("2 TC, 1 KD, d QD, 2 8S, 1 9S, d 7H") + OVER
    devices = ("shoe", "panel", "seats")
    assert blackjack(taken + alone, *devices).rules == ["wrong-card-count-player"]
    assert blackjack(taken + missed + alone, *devices).rules == []
    assert blackjack(taken + missed + alone + both + wrong, *devices).rules == ["wrong-initial-sequence"]


def test_a_shoe_that_was_away_may_have_been_changed() -> None:
    first = SHOE + NMB + drawn("1 TS, d TH, 1 9C, d 7D") + OVER
    second = NMB + drawn("1 TC, 2 KS, d TD, 1 8C, 2 9D, d 8D") + OVER
    away = "shoe device_offline\nshoe device_online\n"
    assert blackjack(first + second, mid_shoe_entry="barred").rules == ["mid-shoe-entry"]
    assert blackjack(first + away + second, mid_shoe_entry="barred").rules == []
