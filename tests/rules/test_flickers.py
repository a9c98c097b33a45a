"""A reader that tells one card as two, and one card that lies open in two hands."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid
from tests.rules.table import Played, facts, play, silent

THREE = "toledo-2020/three-card-poker"
PAI_GOW = "toledo-2020/pai-gow-poker"
ULTIMATE = "toledo-2020/ultimate-texas-holdem"
SHUFFLED = "panel key_pressed key=hand_shuffled\n"


def by_hand(log: str, game: str = THREE) -> Played:
    return play(game, facts("card_position", "panel"), SHUFFLED + CALL + log + OVER)


def around(seat: str, first: str = "TS") -> str:
    """Three cards each to a seat and the dealer, the seat's first as given."""
    dealer = ("KC", "QC", "2H")
    seat_cards = (seat, laid("seat-1", "9S"), laid("seat-1", "8S"))
    return "".join(own + laid("dealer", card) for own, card in zip(seat_cards, dealer, strict=True))


def told(*cards: str, later: float = 0.3, to: str = "seat-1") -> str:
    """Cards that the reader tells one shortly after the other."""
    return f"{later - 1}\n".join(laid(to, card) for card in cards)


@pytest.mark.parametrize("cards", [("TS", "TS"), ("TS", "null"), ("null", "TS")])
def test_one_card_told_twice_at_once(cards: tuple[str, str]) -> None:
    round_ = silent(by_hand(around(told(*cards))))
    assert round_.result["seat-1"]["hand"] == "straight-flush"


@pytest.mark.parametrize("cards", [("TS", "null"), ("null", "TS"), ("TS", "JS")])
def test_two_cards_that_come_slower_or_are_both_read_are_two(cards: tuple[str, str]) -> None:
    played = by_hand(around(told(*cards, later=0.3 if "JS" in cards else 0.9)))
    assert played.rules == ["wrong-card-count"]


def test_the_same_face_half_a_second_later_is_a_second_card() -> None:
    assert "duplicate-card" in by_hand(around(told("TS", "TS", later=0.6))).rules


def test_cards_of_a_packet_that_are_told_at_once_are_all_cards() -> None:
    whole = told("TS", "null", "8S", later=0.1) + told("KC", "null", "2H", to="dealer", later=0.1)
    round_ = silent(by_hand(whole))
    assert round_.cards["seat-1"] == ["TS", None, "8S"]


@pytest.mark.parametrize("cards", [("2C", "2C"), ("2C", "null"), ("null", "2C")])
def test_a_card_of_the_low_hand_told_twice(cards: tuple[str, str]) -> None:
    high, low = laid("seat-1", "AS KS QS JS 9S"), laid("seat-1/2", "2H") + told(*cards, to="seat-1/2")
    dealer = laid("dealer", "JD 8S 2D 3C 4C 7C KH")
    round_ = silent(by_hand(high + low + dealer, PAI_GOW))
    assert round_.result["seat-1"]["low"] == ["2H", "2C"]
    early = laid("seat-1", "AS KS QS JS") + told("null", "9S") + laid("seat-1/2", "2H 2C") + dealer
    assert silent(by_hand(early, PAI_GOW)).result["seat-1"] == round_.result["seat-1"]


def test_an_eighth_card_is_one_too_many() -> None:
    hand = laid("seat-1", "AS KS QS JS 9S") + laid("seat-1/2", "2H 2C null")
    assert by_hand(hand + laid("dealer", "JD 8S 2D 3C 4C 7C KH"), PAI_GOW).rules == ["wrong-card-count"]


# one card open in two hands, turned up where it lay unread


def lifted(to: str, cards: int) -> str:
    return f"card_position card_removed card=null to={to}\n" * cards


def turned(to: str, cards: str) -> str:
    return lifted(to, len(cards.split())) + laid(to, cards)


UNREAD = (laid("seat-1", "null") + laid("seat-3", "null") + laid("dealer", "null")) * 3


@pytest.mark.parametrize("game", [THREE, "columbus-2016/three-card-poker", "columbus-2016/six-card-bonus"])
def test_a_card_turned_up_in_two_hands(game: str) -> None:
    dealer, seat = turned("dealer", "QH 8D 4C"), turned("seat-3", "7H 7C 2D")
    assert by_hand(UNREAD + dealer + seat + turned("seat-1", "AS KD 7C"), game).rules == ["duplicate-card"]
    assert by_hand(UNREAD + dealer + seat + turned("seat-1", "AS KD 9C"), game).rules == []


def test_a_hand_that_is_lifted_unread_may_be_laid_anywhere() -> None:
    """Its faces were read when it was turned up; that they lie elsewhere then is no second card."""
    shown = UNREAD + turned("dealer", "QH 8D 4C") + turned("seat-1", "AS KD 7C")
    moved = shown + lifted("seat-1", 3) + laid("seat-1", "KD") + laid("discard", "AS 7C")
    assert "duplicate-card" not in by_hand(moved).rules
    peeked = UNREAD + lifted("seat-1", 3) + laid("seat-1", "null null null") + turned("seat-1", "AS KD 7C")
    assert by_hand(peeked + turned("dealer", "QH 8D 4C")).rules == []
    taken = shown + lifted("seat-1", 3) + laid("seat-3", "7C")
    assert "duplicate-card" not in by_hand(taken).rules


def test_a_card_of_the_board_in_a_hand_too() -> None:
    deal = laid("community", "null null null null null") + laid("seat-1", "null null") + laid("dealer", "null null")
    board = turned("community", "QS JS 8H") + turned("community", "3D 4C") + turned("dealer", "KH 9D")
    assert by_hand(deal + board + turned("seat-1", "7H 8H"), ULTIMATE).rules == ["duplicate-card"]
    assert by_hand(deal + board + turned("seat-1", "7H 9H"), ULTIMATE).rules == []
