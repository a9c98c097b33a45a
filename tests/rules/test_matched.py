"""Matched'em against california, lines 432-530: the pit log, then the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play, silent

GAME = "california/matched-em"
SQUARES = "AS KH QS"


def matched(log: str, *devices: str, **table: Any) -> Played:
    return play(GAME, facts(*(devices or ("card_position", "panel")), **table), OVER + log)


ROUND = laid("community", SQUARES) + CALL


def test_the_document_s_own_example() -> None:
    """460: the third card of the second deck is the ace of diamonds; Main wins, Copy and Door lose."""
    round_ = silent(matched(ROUND + laid("dealer", "4C 9H AD") + OVER))
    assert round_.result == {"squares": SQUARES.split(), "match": 1, "cards": 3, "copy": False, "door": False}


@pytest.mark.parametrize(("card", "copy"), [("KH", True), ("KS", False)])
def test_copy_and_door(card: str, copy: bool) -> None:
    result = silent(matched(ROUND + laid("dealer", card) + OVER)).result
    assert (result["match"], result["copy"], result["door"]) == (2, copy, True)


def test_a_square_of_a_rank_that_lies_already_is_replaced() -> None:
    log = laid("community", "AS AH") + taken("community", "AH") + laid("community", "KH QS") + CALL
    assert silent(matched(log + laid("dealer", "KD") + OVER)).result["squares"] == SQUARES.split()


@pytest.mark.parametrize("between", ["", laid("community", "QH") + taken("community", "QH")])
def test_a_square_is_replaced_until_the_three_differ_though_wagers_are_called(between: str) -> None:
    """The second deck is not dealt yet."""
    log = laid("community", "AS AH QS") + CALL + taken("community", "AH") + between + laid("community", "KH")
    assert silent(matched(log + laid("dealer", "4C 9H AD") + OVER)).result["match"] == 1


def test_two_squares_alike_when_the_second_deck_is_dealt() -> None:
    played = matched(laid("community", "AS AH QS") + CALL + laid("dealer", "QD") + OVER)
    assert played.rules == ["duplicate-square-card"]
    assert played.irregularities[0].observed == {"squares": ["AS", "AH", "QS"]}


def test_a_card_after_the_match() -> None:
    assert matched(ROUND + laid("dealer", "4C AD 5C") + OVER).rules == ["dealt-past-match"]


def test_no_match_at_the_end() -> None:
    assert matched(ROUND + laid("dealer", "4C 5C") + OVER).rules == ["ended-without-match"]
    assert matched(ROUND + laid("dealer", "4C null") + OVER).rules == []
    assert matched(ROUND + laid("dealer", "4C 5C")).rules == []


def test_a_reader_with_one_place_for_all_cards() -> None:
    result = silent(matched(ROUND + laid("community", "4C 9H AD") + OVER)).result
    assert (result["match"], result["cards"]) == (1, 3)


def test_rounds_one_after_the_other() -> None:
    played = matched((ROUND + laid("dealer", "4C AD") + OVER) * 3)
    assert played.rules == []
    assert [round_.partial for round_ in played.rounds] == [False] * 3


def test_a_start_in_mid_round_judges_nothing() -> None:
    log = laid("community", "AS AH QS") + CALL + laid("dealer", "4C") + OVER + ROUND + laid("dealer", "KC") + OVER
    played = play(GAME, facts("card_position", "panel"), log)
    assert played.rules == []
    assert [round_.partial for round_ in played.rounds] == [True, False]


# --- cards laid again, and tables that show less


@pytest.mark.parametrize(
    "again",
    [
        laid("dealer", "KD") + taken("dealer", "null") + laid("dealer", "KD"),
        laid("dealer", "KD") + taken("dealer", "KD") + laid("dealer", "null"),
        laid("dealer", "null") + taken("dealer", "KD") + laid("dealer", "KD"),
        laid("dealer", "KD") + taken("dealer", "KD") + laid("community", "KD"),  # beside its square
    ],
)
def test_a_card_that_is_lifted_and_laid_again_is_no_card_more(again: str) -> None:
    for one in (again, again.replace("dealer", "community")):
        played = matched((ROUND + laid("community" if one != again else "dealer", "4C") + one + OVER) * 2)
        assert played.rules == []
        assert [(r.result["match"], r.result["cards"]) for r in played.rounds] == [(2, 2), (2, 2)]


@pytest.mark.parametrize("lifted", ["AH", "null"])
def test_a_square_that_is_replaced_is_told_by_its_lifting_though_unread(lifted: str) -> None:
    log = laid("community", "AS AH") + taken("community", lifted) + laid("community", "KH QS") + CALL
    assert silent(matched(log + laid("dealer", "KD") + OVER)).result["squares"] == SQUARES.split()


@pytest.mark.parametrize("to", ["dealer", "community"])
def test_the_second_deck_may_hold_the_card_that_was_replaced(to: str) -> None:
    log = laid("community", "AS AH") + taken("community", "AH") + laid("community", "KH QS") + CALL
    assert silent(matched(log + laid(to, "4C AH") + OVER)).result["cards"] == 2


def drawn(cards: str, to: str) -> str:
    return "".join(f"shoe card_drawn card={card} to={to}\n" for card in cards.split())


@pytest.mark.parametrize(
    ("squares", "rules"), [("AS AH QS", ["duplicate-square-card"]), ("AS AH KH QS", []), ("AS QS AH KH", [])]
)
def test_a_shoe_shows_no_lifting_but_that_a_square_is_wanting(squares: str, rules: list[str]) -> None:
    log = drawn(squares, "community") + CALL + drawn("4C AD", "dealer") + OVER
    played = matched(log, "shoe", "panel")
    assert played.rules == rules
    if rules:
        assert played.irregularities[0].observed == {"squares": squares.split()}


@pytest.mark.parametrize(("second", "rules"), [("4C 4D 5C KH", []), ("4C 4D 4C KH", ["duplicate-card"])])
def test_the_decks_are_never_mixed(second: str, rules: list[str]) -> None:
    """442: a card of the first deck may come from the second too, but once from each."""
    assert matched(ROUND + laid("dealer", second) + OVER).rules == rules
    assert matched(ROUND + laid("dealer", "AS") + OVER).rules == []


@pytest.mark.parametrize("to", ["community", "null"])
def test_a_shoe_alone_leaves_open_what_comes_past_the_match(to: str) -> None:
    """A card then may be the next round's first square."""
    played = play(GAME, facts("shoe"), "shoe shoe_started decks=2\n" + drawn(f"{SQUARES} 4C KD", to) * 3)
    assert (played.rules, [r.result["match"] for r in played.rounds]) == ([], [2, 2, 2])


def test_without_keys_a_cleared_layout_ends_the_round_though_the_next_begins_with_the_same() -> None:
    log = laid("community", SQUARES) + laid("dealer", "4C AD") + taken("dealer", "4C AD") + taken("community", SQUARES)
    played = play(GAME, facts("card_position", "shuffler"), "shuffler shuffle_started\n" + log * 2)
    assert (played.rules, [r.result["match"] for r in played.rounds]) == ([], [1, 1])
