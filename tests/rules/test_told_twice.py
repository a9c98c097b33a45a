"""A reader that tells one card twice, or reads it only at its second try, deals nobody a card more."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

AT_ONCE, LATER = "-0.7\n", "-0.5\n"
"""The next line comes 0.3 s, 0.5 s after the one before."""


def blackjack(*cards: str) -> Played:
    """Each card is "1 TS"; "~" stands for a third of a second, "=" for half of one."""
    log = CALL
    for card in cards:
        to, _, face = card.partition(" ")
        place = "dealer" if to == "d" else f"seat-{to}"
        log += {"~": AT_ONCE, "=": LATER}.get(card) or laid(place, face)
    return play("toledo-2020/blackjack", facts("card_position", "panel"), log + OVER)


REST = ("2 9H", "d 6D", "1 8C", "2 8D", "d TH", "d 2C")


@pytest.mark.parametrize("again", ["1 TS", "1 null"])
def test_a_card_told_twice_is_one(again: str) -> None:
    played = blackjack("1 TS", "~", again, *REST)
    assert played.rules == []
    assert played.rounds[0].cards["seat-1"] == ["TS", "8C"]
    assert blackjack("1 TS", "=", again, *REST).rules == ["wrong-card-count-player"]


def test_a_card_read_at_the_second_try_is_one() -> None:
    played = blackjack("1 null", "~", "1 TS", *REST)
    assert (played.rules, played.rounds[0].cards["seat-1"]) == ([], ["TS", "8C"])


def test_the_same_card_of_another_deck_is_a_card() -> None:
    played = blackjack("1 8S", "2 9H", "d 6D", "1 8S", "2 8D", "d TH", "1 2C", "d 2C")
    assert (played.rules, played.rounds[0].cards["seat-1"]) == ([], ["8S", "8S", "2C"])


def test_two_cards_laid_back_at_once_are_two() -> None:
    back, both = "null null", laid("player", "8S") + "-0.9\n" + laid("player", "8S")
    dealt = "".join(laid(to, "null") for to in ("player", "banker") * 2)
    shown = taken("player", back) + both + taken("banker", back) + laid("banker", "KD 7C")
    table = facts("card_position", "panel", options={"decks": 8})
    played = play("toledo-2020/mini-midi-baccarat", table, CALL + dealt + shown + OVER)
    assert (played.rules, played.rounds[0].cards["player"]) == ([], ["8S", "8S"])


def test_in_one_deck_a_card_told_twice_is_no_duplicate_and_elsewhere_it_is() -> None:
    log = CALL + laid("seat-1", "TS") + "{}" + laid("seat-1", "9S 8S") + laid("dealer", "KC QC 2H") + OVER

    def rules(again: str) -> list[str]:
        return play("toledo-2020/three-card-poker", facts("card_position", "panel"), log.format(again)).rules

    assert rules(AT_ONCE + laid("seat-1", "TS")) == []
    assert "duplicate-card" in rules(AT_ONCE + laid("seat-2", "TS"))
    assert "duplicate-card" in rules(laid("seat-1", "TS"))


def test_a_packet_with_a_card_that_is_not_read_keeps_its_number() -> None:
    """Three cards at once under a table with a shuffler: an unread one beside a read one is another card."""
    packet = "shuffler packet_dispensed cards=3 to=seat-1\n"
    cards = laid("seat-1", "TS") + "-0.95\n" + laid("seat-1", "null") + "-0.95\n" + laid("seat-1", "8S")
    dealer = "shuffler packet_dispensed cards=3 to=dealer\n" + laid("dealer", "KC QC 2H")
    table = facts("shuffler", "card_position", "panel")
    played = play("toledo-2020/three-card-poker", table, CALL + packet + cards + dealer + OVER)
    assert (played.rules, played.rounds[0].cards["seat-1"]) == ([], ["TS", None, "8S"])
