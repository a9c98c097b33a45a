"""Simulated seats: patrons come and go, and lay wagers where a sensor may see them. Times in seconds."""

from __future__ import annotations

from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

MOST = 6
"""Seats in use at most, where a game does not say."""


class Seats:
    """Who sits where. Without seat sensors the seats are those the configuration names, always taken."""

    def __init__(self, scene: Scene, table: SimTable, lines: Contacts, lamps: Contacts, most: int = MOST):
        self._scene = scene
        self._lines = lines
        self._lamps = lamps
        self._all = [f"seat-{n}" for n in range(1, most + 1) if lines.has(f"seat-{n}")]
        self._fixed = not self._all
        self._all = self._all or list(table.seats)
        self._people = set(self._all) if self._fixed else set(scene.rng.sample(self._all, k=min(3, len(self._all))))
        self.banker: str | None = None
        """The seat that banks, which has no wager."""

    @property
    def wagers(self) -> list[str]:
        """The seats with a wager, from the dealer's left."""
        return sorted(self._people - {self.banker})

    @property
    def empty(self) -> list[str]:
        return [seat for seat in self._all if seat not in self._people and seat != self.banker]

    def give_bank(self, seat: str) -> None:
        """A seat banks from now on; its wager is gone."""
        self.banker = seat
        self._lines.set(seat, 0)

    def come_and_go(self, at_least: int = 1, leave_free: int = 0) -> None:
        """Somebody may come or leave between two rounds; never fewer than `at_least`, nor less than so many free."""
        if self._fixed:
            return
        rng, people = self._scene.rng, self._people
        if self._scene.chance(0.12):
            people.symmetric_difference_update({rng.choice(self._all)})
        while len(self.wagers) < at_least:
            people.add(rng.choice(self.empty))
        while len(self.empty) < leave_free:
            people.remove(rng.choice(self.wagers))
        for seat in self.empty:  # who leaves takes along what lay there
            self._lines.set(seat, 0)

    def sit(self, seat: str) -> None:
        self._people.add(seat)

    def leave(self, seat: str) -> None:
        self._people.discard(seat)
        self._lines.set(seat, 0)

    def bet(self) -> None:
        """Everybody lays a wager."""
        for seat in self.wagers:
            self._lines.set(seat, 1)
            self._scene.pause(0.2, 1.5)
        self._scene.wait(0.5)

    def bet_progressive(self, *seats: str) -> list[str]:
        """Some lay a progressive wager (or those named do): their coin-in lamps light. Returns whose."""
        chosen = list(seats) or [seat for seat in self.wagers if self._scene.chance(0.5)]
        lit = [seat for seat in chosen if self._lamps.has("coin-in-" + seat[5:])]
        for seat in lit:
            self._lamps.set("coin-in-" + seat[5:], 1)
        self._scene.wait(0.3)
        return lit

    def lay_late(self) -> None:
        """At a seat that was free somebody lays a wager now."""
        self._lines.set(self._scene.rng.choice(self.empty), 1)
        self._scene.wait(1)

    def lift_wager(self) -> None:
        """Somebody takes up a wager and lays it down again."""
        seat = self._scene.rng.choice(self.wagers)
        self._lines.set(seat, 0)
        self._scene.pause(1, 2)
        self._lines.set(seat, 1)
        self._scene.wait(0.5)

    def settle(self) -> None:
        """Wagers are paid or taken; some stay for the next round. Coin-in lamps go out."""
        for seat in self._all:
            lamp = "coin-in-" + seat[5:]
            if self._lamps.has(lamp):
                self._lamps.set(lamp, 0)
            if seat not in self._people or self._scene.chance(0.5):
                self._lines.set(seat, 0)
        self._scene.wait(0.6)
