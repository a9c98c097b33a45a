"""Burns of the poker room that a reader tells late, or that somebody looks at; the key of a hand that comes late."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER
from tests.rules.table import play
from tests.rules.test_poker_room import (
    BETTING,
    FELT,
    FLOP,
    KNOWN,
    RAZZ,
    RIVER,
    TURN,
    burn,
    holdem,
    laps,
    lay,
    lift,
)
from tests.rules.test_poker_taken_back import BOARD_GAMES, winner

SEATS = ("seat-2", "seat-5", "seat-7")


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize("late", ["-0.7\n", "-0.5\n"])
def test_a_slow_reader_tells_each_burn_after_its_street(game: str, late: str) -> None:
    """001 lines 1222-1238, 003 lines 671, 745."""
    told = late + burn()
    played = holdem(KNOWN + FLOP + told + BETTING + TURN + told + BETTING + RIVER + told, game)
    assert (played.rules, winner(played)) == ([], ["seat-2"])


def test_of_two_streets_one_lacks_its_burn_though_the_other_s_was_told_late() -> None:
    late = "-0.7\n" + burn()
    first = holdem(KNOWN + FLOP + late + BETTING + TURN + BETTING + burn() + RIVER)
    assert [each.observed["street"] for each in first.irregularities] == ["turn"]
    other = holdem(KNOWN + FLOP + BETTING + burn() + TURN + BETTING + burn() + RIVER)
    assert [each.observed["street"] for each in other.irregularities] == ["flop"]
    twice = holdem(KNOWN + FLOP + late + BETTING + burn(2) + TURN + BETTING + burn() + RIVER)
    assert twice.rules == ["burn-extra"]


def test_a_slow_reader_of_burns_at_razz() -> None:
    streets = "".join(
        BETTING + lay("seat-2") + "-0.7\n" + burn() + "".join(lay(seat) for seat in SEATS[1:]) for _ in range(4)
    )
    assert holdem(laps(3, *SEATS) + streets, RAZZ).rules == []


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize(("down", "up"), [("?", "3C"), ("3C", "3C"), ("?", "?"), ("3C", "?")])
def test_a_burn_that_is_turned_over_in_its_place_is_one_burn(game: str, down: str, up: str) -> None:
    """003 line 743, 004 line 34."""
    looked_at = lay("burn", down) + "+2\n" + lift("burn", down) + lay("burn", up)
    rest = FLOP + BETTING + burn() + TURN + BETTING + burn() + RIVER
    assert holdem(KNOWN + looked_at + rest, game).rules == []
    if game != BOARD_GAMES[-1]:  # the guide writes no burn before the flop
        assert holdem(KNOWN + looked_at + burn() + rest, game).rules == ["burn-extra"]


def test_a_burn_that_was_lifted_and_dealt_is_not_the_next() -> None:
    astray = burn() + lift("burn") + FLOP + BETTING + TURN + BETTING + burn() + RIVER
    assert holdem(KNOWN + astray).rules == ["burn-missing"]


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize("dealt", [1, 2, 5])
def test_the_key_that_opens_a_hand_comes_late(game: str, dealt: int) -> None:
    """003 line 741, 004 line 32: it calls no betting, for none has begun."""
    cards = KNOWN.removesuffix(BETTING).splitlines(keepends=True)
    rest = BETTING + burn() + FLOP + BETTING + burn() + TURN + BETTING + burn() + RIVER
    first = CALL + KNOWN + rest + OVER + BETTING
    late = "".join(cards[:dealt]) + CALL + "".join(cards[dealt:]) + rest + OVER
    played = play(game, FELT, first + late)
    assert played.rules == []
    assert [hand.result["winners"] for hand in played.rounds] == [{"high": ["seat-2"]}] * 2


def test_a_press_in_the_middle_of_the_deal_calls_no_betting_and_those_after_it_do() -> None:
    cards = KNOWN.removesuffix(BETTING).splitlines(keepends=True)
    press = CALL + "".join(cards[:4]) + CALL + "".join(cards[4:]) + BETTING + CALL + burn() + FLOP
    called = press + BETTING + CALL + burn() + TURN + BETTING
    assert play(BOARD_GAMES[0], FELT, called + CALL + burn() + RIVER + OVER).rules == []
    assert play(BOARD_GAMES[0], FELT, called + burn() + RIVER + OVER).rules == ["premature-deal"]
