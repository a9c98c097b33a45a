"""No mid-shoe entry, where the house bars it: who made no wager in the first round of a shoe waits for the re-shuffle.

Must not know the game. A shoe whose first round was not seen whole bars nobody.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.desk import Desk
from rules.seats import is_seat, seat_of

BARRED = "barred"


class MidShoe:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._first_round = False
        self._entered: set[str] | None = None
        self._playing: set[str] = set()

    def reshuffled(self) -> None:
        """A fresh shoe: its first round is still to come."""
        self._first_round, self._entered = True, None

    def out_of_cards(self) -> None:
        """The cut card is out: the re-shuffle that follows lets everybody in, seen or not."""
        self._first_round, self._entered = False, None

    def round_opened(self, wagers: Iterable[str]) -> None:
        """`wagers`: seats that a sensor says have one."""
        self._playing = set()
        for seat in wagers:
            self.plays(seat)

    def plays(self, position: str) -> None:
        """A hand at this position is in the round."""
        if not is_seat(position) or seat_of(position) in self._playing:
            return
        seat = seat_of(position)
        self._playing.add(seat)
        if self._entered is not None and seat not in self._entered and self._desk.option("mid-shoe-entry") == BARRED:
            entered = sorted(self._entered)
            self._desk.breach("mid-shoe-entry", {"seat": seat}, {"seats_of_the_first_round": entered}, once=seat)

    def round_closed(self, whole: bool) -> None:
        """`whole`: every card of the round was seen to go somewhere known."""
        if self._first_round and (self._playing or not whole):
            self._first_round = False
            self._entered = set(self._playing) if whole else None
