"""Every baccarat of the five documents: its printed draws, its odds, and the rules that only its book has."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from typing import Any

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.games.baccarat.tableau import BANKER, PLAYER, Tableau
from tests.rules.table import Played, facts, play
from tests.rules.test_baccarat import CALL, CUT, NATURAL, OVER, SHOE, STAND, burn, line, pairs_of, shoe

EZ = "toledo-2020/ez-baccarat"
FREE = "columbus-2016/commission-free-baccarat-dragon-bonus"
MINI = "columbus-2016/mini-baccarat"
PANDA = "california/ez-baccarat-panda-8"
FROG = "california/golden-frog-baccarat"
CALIFORNIA = (
    PANDA, FROG, "california/21st-century-baccarat-v10", "california/dai-bacc", "california/dragon-dai-bacc-2-0",
)  # fmt: skip
ALL = ("toledo-2020/mini-midi-baccarat", EZ, MINI, FREE, *CALIFORNIA)

CHART = {  # banker's two cards: H and S for the player's third card of 0 to 9, as California's books print it
    7: "SSSSSSSSSS",
    6: "SSSSSSHHSS",
    5: "SSSSHHHHSS",
    4: "SSHHHHHHSS",
    3: "HHHHHHHHSH",
    2: "HHHHHHHHHH",
    1: "HHHHHHHHHH",
    0: "HHHHHHHHHH",
}
COUNTS = dict(enumerate(f"{rank}D" for rank in "TA23456789"))


def tableau(game: str, **options: Any) -> Tableau:
    read = load_game(game)
    return Tableau(read.tables, read.settle_options(options))


def hand(count: int) -> list[str]:
    return ["KS", COUNTS[count]]


# the draws


@pytest.mark.parametrize("game", ALL)
def test_the_printed_chart(game: str) -> None:
    for banker, row in CHART.items():
        for third, says in enumerate(row):
            allowed = tableau(game).next_cards([*hand(2), COUNTS[third]], hand(banker))
            assert allowed == ({BANKER} if says == "H" else {None})


@pytest.mark.parametrize("game", [game for game in ALL if game != PANDA])
def test_naturals_end_the_draws_and_a_standing_player_has_the_banker_draw_to_five(game: str) -> None:
    for player, banker in itertools.product(range(10), range(10)):
        natural = player >= 8 or banker >= 8
        expected = None if natural else PLAYER if player <= 5 else BANKER if banker <= 5 else None
        assert tableau(game).next_cards(hand(player), hand(banker)) == {expected}


@pytest.mark.parametrize("game", [EZ, FREE])
def test_where_the_document_is_silent_on_a_standing_player_the_house_may_leave_it_open(game: str) -> None:
    """4055-4070; Columbus 2313-2323."""
    open_ = tableau(game, **{"banker-when-player-stands": "not-stated"})
    assert [open_.next_cards(hand(6), hand(banker)) for banker in range(8)] == [
        *[{BANKER}] * 3,
        *[{BANKER, None}] * 3,
        *[{None}] * 2,
    ]


def test_the_document_is_silent_on_naturals() -> None:
    """California 4037-4038: as printed a natural ends nothing."""
    printed, ends, either = (tableau(PANDA, naturals=n) for n in ("as-printed", "end-the-draws", "not-stated"))
    for player, banker, drawn in ((8, 5, BANKER), (5, 9, PLAYER), (9, 0, BANKER)):
        assert printed.next_cards(hand(player), hand(banker)) == {drawn}
        assert ends.next_cards(hand(player), hand(banker)) == {None}
        assert either.next_cards(hand(player), hand(banker)) == {drawn, None}
    assert printed.next_cards([*hand(5), "2D"], hand(9)) == {None}
    assert either.next_cards(hand(6), hand(4)) == {BANKER}
    assert either.result(hand(9), hand(5))["natural"] is True


# the odds


@cache
def odds(game: str, **options: Any) -> dict[str, float]:
    """Exact shares of every way the cards of eight decks can be drawn."""
    tables, left, found = tableau(game, **options), [128, *[32] * 9], Counter[str]()

    def walk(player: list[str], banker: list[str], cards: int, weight: float) -> None:
        (to,) = tables.next_cards(player, banker)
        if to is None:
            result = tables.result(player, banker)
            points = result["points"]
            found[result["winner"]] += weight
            if result["winner"] == BANKER and points[BANKER] == 7 and len(banker) == 3:
                found["dragon 7"] += weight
            if result["winner"] == PLAYER and points[PLAYER] == 8 and len(player) == 3:
                found["panda 8"] += weight
            return
        for count, number in enumerate(left):
            left[count] -= 1
            if to == PLAYER:
                walk([*player, COUNTS[count]], banker, cards - 1, weight * number / cards)
            else:
                walk(player, [*banker, COUNTS[count]], cards - 1, weight * number / cards)
            left[count] += 1

    pairs = list(itertools.combinations_with_replacement(range(10), 2))
    for (first, third), (second, fourth) in itertools.product(pairs, pairs):
        weight, cards = 1.0, 416
        for count in (first, second, third, fourth):
            weight *= left[count] / cards
            left[count] -= 1
            cards -= 1
        weight *= (1 if first == third else 2) * (1 if second == fourth else 2)
        walk([COUNTS[first], COUNTS[third]], [COUNTS[second], COUNTS[fourth]], cards, weight)
        for count in (first, second, third, fourth):
            left[count] += 1
    return dict(found)


@pytest.mark.parametrize(("game", "options"), [(EZ, {}), (PANDA, {"naturals": "end-the-draws"})])
def test_dragon_7_and_panda_8_come_as_often_as_published(game: str, options: dict[str, Any]) -> None:
    """Eight decks: 2.25 % and 3.45 % (wizardofodds.com, EZ Baccarat: 0.022534 and 0.034543)."""
    found = odds(game, **options)
    assert found["dragon 7"] == pytest.approx(0.022534, abs=5e-7)
    assert found["panda 8"] == pytest.approx(0.034543, abs=5e-7)
    assert found["banker"] + found["player"] + found["tie"] == pytest.approx(1)


# the course of a round where a draw is left open


def at(game: str, log: str, *devices: str, **table: Any) -> Played:
    return play(game, facts(*(devices or ("shoe",)), **table), log)


def laid(cards: str) -> str:
    """By a reader under the felt, card by card as they are dealt."""
    pairs = pairs_of(cards)
    placed = "".join(line("card_placed", card, to) for to, card in pairs)
    return placed + "".join(line("card_removed", card, to) for to, card in pairs)


OPEN = "P:9D B:5S P:KC B:KH"


@pytest.mark.parametrize("read", [shoe, laid])
@pytest.mark.parametrize("panel", [False, True], ids=["no panel", "panel"])
@pytest.mark.parametrize("cards", [OPEN, OPEN + " B:3C"])
def test_a_draw_that_the_document_leaves_open_accuses_nobody(read: Any, panel: bool, cards: str) -> None:
    devices = ("shoe", "card_position") if read is laid else ("shoe",)
    log = SHOE + "".join(CALL * panel + read(each) + OVER * panel for each in (STAND, cards, STAND, cards))
    played = at(PANDA, log, *devices, *(["panel"] * panel))
    assert played.rules == []
    assert [(r.partial, r.result["winner"]) for r in played.rounds] == [(False, "banker"), (False, "player")] * 2
    assert len(played.rounds[1].cards["banker"]) == len(cards.split()) - 2


def test_the_house_that_says_how_it_plays_naturals_is_judged_by_it() -> None:
    ends = {"options": {"naturals": "end-the-draws"}}
    printed = {"options": {"naturals": "as-printed"}}

    def round_(cards: str) -> str:
        return SHOE + CALL + shoe(cards) + OVER

    assert at(PANDA, round_(OPEN + " B:3C"), "shoe", "panel", **ends).rules == ["third-card-rule"]
    assert at(PANDA, round_(OPEN), "shoe", "panel", **ends).rules == []
    assert at(PANDA, round_(OPEN), "shoe", "panel", **printed).rules == ["third-card-rule"]
    assert at(PANDA, round_(OPEN + " B:3C"), "shoe", "panel", **printed).rules == []


@pytest.mark.parametrize("game", ALL)
def test_a_wrong_draw_in_every_book(game: str) -> None:
    fresh = burn("3C", 3) if load_game(game).tables.get("burn") else SHOE
    log = fresh + CALL + shoe(STAND) + OVER + CALL + shoe(STAND + " B:2D") + OVER
    played = at(game, log, "shoe", "panel")
    assert played.rules == ["third-card-rule"]
    assert at(game, fresh + CALL + shoe(STAND) + OVER, "shoe", "panel").rules == []


# California: who banks, who is dealt to in which order, wagers that come late


@pytest.mark.parametrize("game", CALIFORNIA)
@pytest.mark.parametrize("read", [shoe, laid])
def test_the_first_four_cards_go_in_turn(game: str, read: Any) -> None:
    devices = ("shoe", "card_position", "panel") if read is laid else ("shoe", "panel")
    played = at(game, SHOE + CALL + read("P:6D P:KC B:7S B:KH") + OVER, *devices)
    assert played.rules == ["wrong-initial-sequence"]
    assert played.irregularities[0].observed == {"card": 2, "to": "player"}
    assert at(game, SHOE + CALL + read(STAND) + OVER, *devices).rules == []


@pytest.mark.parametrize("game", CALIFORNIA)
def test_nobody_banks_a_third_round_running(game: str) -> None:
    def banked(seat: str, rounds: int) -> str:
        return f"seats bank_moved seat={seat}\n" + (CALL + shoe(STAND) + OVER) * rounds

    in_turn = SHOE + banked("seat-2", 2) + banked("seat-3", 2) + banked("seat-2", 1)
    assert at(game, in_turn, "shoe", "seats", "panel").rules == []
    played = at(game, SHOE + banked("seat-2", 3), "shoe", "seats", "panel")
    assert played.rules == ["bank-held-too-long"]
    assert played.irregularities[0].round == 3


@pytest.mark.parametrize("game", CALIFORNIA)
def test_a_wager_while_the_cards_are_dealt(game: str) -> None:
    first, rest = shoe(STAND).split("\n", 1)
    before = SHOE + "seats seat_taken seat=seat-1\n"
    late = before + CALL + first + "\nseats seat_taken seat=seat-4\n" + rest + OVER
    played = at(game, late, "shoe", "seats", "panel")
    assert played.rules == ["late-wager"]
    assert played.irregularities[0].observed == {"seat": "seat-4", "cards_dealt": 1}
    moved = before + CALL + first + "\nseats seat_left seat=seat-1\nseats seat_taken seat=seat-1\n" + rest + OVER
    assert at(game, moved, "shoe", "seats", "panel").rules == []
    in_time = before + CALL + "seats seat_taken seat=seat-4\n" + first  # and straightened while the cards are dealt
    straightened = "\nseats seat_left seat=seat-4\nseats seat_taken seat=seat-4\n"
    assert at(game, in_time + straightened + rest + OVER, "shoe", "seats", "panel").rules == []
    after = before + CALL + shoe(STAND) + "seats seat_taken seat=seat-4\n" + OVER  # for the next round
    assert at(game, after, "shoe", "seats", "panel").rules == []


# Golden Frog: free hands (California 8993)


FREE_HAND = CALL + shoe(STAND) + OVER
TWO = "seats bank_moved seat=seat-1\n" + FREE_HAND + "seats bank_moved seat=seat-2\n" + FREE_HAND


def test_five_free_hands_a_shoe() -> None:
    fresh, bet = burn("3C", 3), "seats seat_taken seat=seat-5\n"
    assert at(FROG, fresh + TWO * 2 + fresh + TWO * 2, "shoe", "seats", "panel").rules == []
    played = at(FROG, fresh + TWO * 3, "shoe", "seats", "panel")
    assert played.rules == ["free-hands-over-limit"]
    assert (played.irregularities[0].round, played.irregularities[0].observed) == (6, {"free_hands": 6})
    assert at(FROG, fresh + bet + TWO * 3, "shoe", "seats", "panel").rules == []
    in_time = TWO.replace(CALL, CALL + bet).replace(OVER, OVER + "seats seat_left seat=seat-5\n")
    assert at(FROG, fresh + TWO * 2 + in_time, "shoe", "seats", "panel").rules == []
    assert at(FROG, fresh + TWO * 3, "shoe", "panel").rules == []  # nobody says who bets


def test_where_nobody_says_when_a_shoe_starts_free_hands_are_not_counted() -> None:
    on_felt = [TWO.replace(shoe(STAND), laid(STAND))] * 4
    assert at(FROG, "".join(on_felt), "card_position", "seats", "panel").rules == []
    again = TWO * 2 + "shoe device_offline reason=silent\nshoe device_online\n" + TWO  # a shoe may have started unheard
    assert at(FROG, burn("3C", 3) + again, "shoe", "seats", "panel").rules == []


def test_the_banking_seats_own_chips_are_no_wager() -> None:
    chips = "seats seat_taken seat=seat-1\n"
    banking = "seats bank_moved seat=seat-1\n" + FREE_HAND * 6
    assert "free-hands-over-limit" in at(FROG, burn("3C", 3) + chips + banking, "shoe", "seats", "panel").rules
    assert at(FROG, burn("3C", 3) + chips + FREE_HAND * 6, "shoe", "seats", "panel").rules == []


# Columbus: cards drawn in error, and the hand that nobody bets on (2430-2434)


def test_the_phantom_hand_is_not_called() -> None:
    wrong = SHOE + CALL + shoe(STAND + " B:2D") + OVER
    phantom = shoe("B:6S P:KC B:KH P:5C") + OVER  # the card drawn in error is the player's first
    played = at(FREE, wrong + phantom + CALL + shoe(STAND) + OVER, "shoe", "panel")
    assert played.rules == ["third-card-rule"]
    (breach,) = played.irregularities
    assert (breach.severity, breach.disposition) == ("warning", "correct-and-continue")
    assert [r.cards["player"] for r in played.rounds] == [["6D", "KC"], ["2D", "KC", "5C"], ["6D", "KC"]]
    assert at(MINI, SHOE + CALL + shoe(STAND) + OVER + shoe(STAND) + OVER, "shoe", "panel").rules == [
        "no-more-bets-not-called"
    ]


def test_a_card_that_nobody_saw_begins_the_next_round() -> None:
    wrong = SHOE + CALL + shoe(STAND + " B:2D") + OVER
    played = at(FREE, wrong + CALL + shoe("B:6S P:KC B:KH P:5C") + OVER + shoe(STAND) + OVER, "shoe", "panel")
    assert played.rules == ["third-card-rule", "no-more-bets-not-called"]
    assert played.rounds[1].cards["player"] == ["2D", "KC", "5C"]
    assert played.irregularities[1].round == 3


def test_a_report_of_a_card_found_face_up_lets_a_phantom_hand_follow() -> None:
    report = "panel key_pressed key=report:face-up-card-in-shoe\n"
    called = CALL + shoe(STAND) + OVER
    played = at(FREE, SHOE + called + report + shoe(STAND) + OVER + called + shoe(STAND) + OVER, "shoe", "panel")
    assert played.rules == ["face-up-card-in-shoe", "no-more-bets-not-called"]


def test_the_card_in_error_is_counted_once_though_it_is_moved() -> None:
    """One deck: were the moved card counted again, it would be a duplicate."""
    error = line("card_placed", "2D", "banker")
    lifted = laid(STAND).partition("card_position card_removed")
    moved = OVER + line("card_removed", "2D", "banker") + line("card_placed", "2D", "player")
    phantom = laid("B:6S P:3C B:KS").partition("card_position card_removed")[0] + line("card_placed", "9H", "player")
    log = SHOE + CALL + lifted[0] + error + "".join(lifted[1:]) + moved + phantom + OVER
    assert at(FREE, log, "shoe", "card_position", "panel", options={"decks": 1}).rules == ["third-card-rule"]


def test_a_dealer_who_comes_to_the_game_and_burns_a_card() -> None:
    called = CALL + shoe(STAND) + OVER
    change, burned = "panel key_pressed key=dealer_change\n", line("card_drawn", "2D", "burn")
    played = at(FREE, SHOE + called + change + burned + shoe(STAND) + OVER + called, "shoe", "panel")
    assert played.rules == ["accidental-burn"]
    assert played.irregularities[0].citation.lines == "2434"
    assert at(FREE, SHOE + called + burned + called, "shoe", "panel").rules == []  # the house may (2405)
    assert at(FREE, SHOE + called + change + called + burned + called, "shoe", "panel").rules == []
    outside = "shoe card_drawn card=2D to=discard outside=lock\n"
    assert at(FREE, SHOE + called + change + outside + called, "shoe", "panel").rules == []


@pytest.mark.parametrize("game", [MINI, FREE])
def test_columbus_deals_one_more_hand_whenever_the_cut_card_came(game: str) -> None:
    """2248, 2426: before a hand's first card that hand is finished and one more is dealt."""
    called = CALL + shoe(NATURAL) + OVER
    assert at(game, SHOE + called + CUT + called * 2, "shoe", "panel").rules == []
    assert at(game, SHOE + called + CUT + called * 3, "shoe", "panel").rules == ["dealt-past-last-hand"]


def test_the_red_light_of_the_shuffler() -> None:
    """2408-2410."""
    played = at(FREE, "shuffler shuffle_started\nshuffler count_failed cards=null\n", "shoe", "shuffler")
    assert played.rules == ["shuffle-count-failed"]
    assert (played.irregularities[0].disposition, played.irregularities[0].citation.lines) == ("inspect", "2408-2410")
