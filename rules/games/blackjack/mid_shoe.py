"""No mid-shoe entry, where the house bars it: who made no wager in the first round of a shoe waits for the re-shuffle;
and where that is barred, so does who left out a round.

Must not know the game. Options of the book: `mid-shoe-entry`, `skipped-round`. A shoe whose first round was not seen
whole bars nobody.
"""

from __future__ import annotations

from collections.abc import Iterable

from pitwatch.rules.desk import Desk
from pitwatch.rules.play.seats import is_seat, seat_of

BARRED = "barred"


class MidShoe:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._late_barred = desk.option("mid-shoe-entry") == BARRED
        self._skipping_barred = desk.option("skipped-round") == BARRED
        self._first_round = False
        self._playing: set[str] = set()
        self._forget()

    def _forget(self) -> None:
        self._seqs: list[int] = []
        """Journal sequences of where the shoe began and of its first round."""
        self._entered: set[str] | None = None
        self._played: set[str] = set()
        self._skipped: set[str] = set()

    def reshuffled(self) -> None:
        """A fresh shoe: its first round is still to come."""
        self._first_round = True
        self._forget()
        self._seqs = [self._desk.seq]

    def out_of_cards(self) -> None:
        """The cut card is out: the re-shuffle that follows lets everybody in, seen or not."""
        self._first_round = False
        self._forget()

    def round_opened(self, wagers: Iterable[str]) -> None:
        """`wagers`: seats that a sensor says have one."""
        self._playing = set()
        if self._first_round:
            self._seqs = [*self._seqs[:1], self._desk.seq]
        for seat in wagers:
            self.plays(seat)

    def plays(self, position: str) -> None:
        """A hand at this position is in the round."""
        if not is_seat(position) or seat_of(position) in self._playing:
            return
        seat = seat_of(position)
        self._playing.add(seat)
        if self._entered is None:
            return
        if self._skipping_barred and seat in self._skipped:
            self._desk.breach("mid-shoe-entry", {"seat": seat}, {"rounds_left_out": 0}, self._seqs, once=seat)
        elif self._late_barred and seat not in self._entered:
            required = {"seats_of_the_first_round": sorted(self._entered)}
            self._desk.breach("mid-shoe-entry", {"seat": seat}, required, self._seqs, once=seat)

    def round_closed(self, whole: bool) -> None:
        """`whole`: every card of the round was seen to go somewhere known."""
        if self._first_round and (self._playing or not whole):
            self._first_round = False
            self._entered = set(self._playing) if whole else None
        if whole and self._playing:
            self._skipped |= self._played - self._playing
            self._played |= self._playing
