"""Blackjack where two devices see the same card: the peek and the reader (toledo-2020, 72, 479), the shoe and the
reader (81; columbus-2016, 264), and the dealer's cards beside a player's (445, 491-493)."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

GAME, COLUMBUS = "toledo-2020/blackjack", "columbus-2016/blackjack"


def at(log: str, *devices: str, game: str = GAME) -> Played:
    return play(game, facts(*devices, "panel", options={"decks": 6}), log)


def out(*cards: str) -> str:
    """`8C:seat-1` by a shoe that tells the place, `8C` by one that does not."""
    return "".join(
        "shoe card_drawn card={} to={}\n".format(*(each if ":" in each else each + ":null").split(":"))
        for each in cards
    )


# --- the peek


DEAL = laid("seat-1", "TS") + laid("dealer", "AD") + laid("seat-1", "KC") + laid("dealer", "null")


def peeked(said: str, hole: str, log: str = "") -> Played:
    look = f"peek hole_card_checked blackjack={said}\n"
    turn = taken("dealer", "null") + laid("dealer", hole)
    return at(CALL + DEAL + look + turn + log + OVER, "card_position", "peek")


def test_the_peek_and_the_hole_card_contradict_each_other() -> None:
    played = peeked("false", "KH")
    assert played.rules == ["equipment-malfunction"]
    assert played.irregularities[0].observed["device"] == "peek"
    assert played.rounds[0].result["dealer"]["blackjack"] is True
    assert peeked("true", "9H").rules == ["equipment-malfunction"]


@pytest.mark.parametrize(("said", "hole"), [("true", "KH"), ("false", "9H"), ("null", "KH"), ("false", "null")])
def test_a_peek_that_agrees_or_that_nothing_contradicts(said: str, hole: str) -> None:
    assert peeked(said, hole).rules == []


def test_a_card_drawn_to_an_unread_hole_card_proves_nothing() -> None:
    """The reader failed at the hole card; the king was drawn to it."""
    assert peeked("false", "null", laid("dealer", "KH")).rules == []


# --- the dealer before a player


FIRST = out("TS:seat-1", "6D:dealer", "3C:seat-1", "4D:dealer")


def test_the_dealer_draws_before_a_player_who_still_draws() -> None:
    shoe = "shoe shoe_started decks=6\n" + CALL
    played = at(shoe + FIRST + out("2C:dealer", "5D:seat-1", "7C:dealer") + OVER, "shoe")
    assert played.rules == ["wrong-card-count-dealer"]
    assert at(shoe + FIRST + out("5D:seat-1", "2C:dealer", "7C:dealer") + OVER, "shoe").rules == []


def test_a_card_to_a_seat_after_the_dealer_has_finished_may_be_of_the_next_round() -> None:
    shoe = "shoe shoe_started decks=6\n" + CALL
    assert at(shoe + FIRST + out("9C:dealer", "5D:seat-1") + OVER, "shoe").rules == []


# --- the shoe and the felt


def beside(card: str, to: str, shown: str = "") -> str:
    return out(card) + "-0.8\n" + laid(to, shown or card)


DRAWN = "shoe shoe_started decks=6\n" + CALL + beside("TS", "seat-1") + beside("6D", "dealer") + beside("8C", "seat-1")
HOLE = beside("TH", "dealer", "null")
END = "+5\n" + taken("dealer", "null") + laid("dealer", "TH") + beside("2C", "dealer") + OVER


def test_a_card_that_never_came_out_of_the_shoe_lies_in_place_of_one_that_did() -> None:
    played = at(DRAWN + HOLE + taken("seat-1", "8C") + laid("seat-1", "AC") + END, "shoe", "card_position")
    assert played.rules == ["tampering-suspected"]
    assert played.irregularities[0].observed == {"position": "seat-1", "lies": "AC", "came_out": "8C"}


@pytest.mark.parametrize(
    "looked",
    [
        taken("seat-1", "8C") + laid("seat-1", "8C"),
        taken("seat-1", "8C") + laid("seat-1", "null"),
        taken("seat-1", "TS 8C") + laid("seat-1", "8C TS"),
        taken("seat-1", "8C") + laid("seat-1", "AC") + taken("seat-1", "AC") + laid("seat-1", "8C"),  # read again
        taken("seat-1", "8C") + laid("seat-1", "8C") + laid("seat-1", "AC"),  # it lies again
        taken("seat-1", "8C") + laid("seat-2", "AC"),  # at another hand
        taken("seat-1", "8C") + laid("seat-1", "AC") + laid("discard", "8C"),  # the crew has replaced it
    ],
)
def test_a_card_that_was_looked_at_or_put_aside_is_no_other(looked: str) -> None:
    assert "tampering-suspected" not in at(DRAWN + HOLE + looked + END, "shoe", "card_position").rules


def test_where_the_shoe_or_the_reader_missed_something_any_card_may_be_the_one() -> None:
    swap = taken("seat-1", "8C") + laid("seat-1", "AC")
    unread = DRAWN + HOLE.replace("card=TH", "card=null") + swap + END
    assert at(unread, "shoe", "card_position").rules == []
    away = DRAWN + HOLE + "shoe device_offline\n" + swap + END
    assert "tampering-suspected" not in at(away, "shoe", "card_position").rules


def test_the_dealer_s_last_card_that_the_shoe_alone_saw_counts() -> None:
    def columbus(last: str) -> Played:
        deal = beside("TH", "seat-2") + out("6C:dealer") + "-0.8\n" + laid("dealer", "6C") + beside("7C", "seat-2")
        deal += out("TD:dealer") + "-0.8\n" + laid("dealer", "TD")
        return at(
            "shoe shoe_started decks=6\n" + CALL + deal + last + "+5\n" + OVER, "shoe", "card_position", game=COLUMBUS
        )

    assert columbus(out("4S:dealer")).rounds[0].result["dealer"]["total"] == 20
    assert columbus(out("4S:dealer") + "-0.8\n" + laid("dealer", "4S")).rounds[0].result["dealer"]["total"] == 20
    assert columbus(out("4S:dealer") + "-0.8\n" + laid("dealer", "null")).rounds[0].cards["dealer"] == [
        "6C",
        "TD",
        "4S",
    ]
    assert columbus(out("4S:burn")).rounds[0].cards["dealer"] == ["6C", "TD"]
