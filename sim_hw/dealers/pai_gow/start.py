"""Where a round of pai gow begins: dice are shaken, their total counted round the table, the packets go on from there.

Knows no card.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.devices.reporter import Reporter
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable


class Start:
    """`ring`: the positions round the table; `with_dealer`: whether the dealer's is among them."""

    def __init__(self, scene: Scene, table: SimTable, ring: Sequence[str], with_dealer: bool, seats: Seats):
        self._scene = scene
        dice = table.of("dice", "ndjson")
        self._dice = Reporter(scene, dice) if dice is not None else None
        self._ring = ring
        self._with_dealer = with_dealer
        self._seats = seats
        ways: dict[str, str] = table.game.tables["start"]
        self._counts_clockwise = ways["counts"] == "clockwise"
        self._step = 1 if ways["delivers"] == "clockwise" else -1
        self._closes_shaker = "shakes-at-least" in table.game.figures

    def draw(self, fault: str | None) -> str:
        """Shake three dice and count their total round the table; returns where the delivery begins."""
        scene, rng = self._scene, self._scene.rng
        scene.pause(2, 4)
        total = sum(rng.randint(1, 6) for _ in range(3))
        if self._dice is not None:
            self._dice.say("shaker_count", shakes=2 if fault == "shaker-under-shaken" else rng.randint(3, 5))
            scene.pause(1, 2)
            self._dice.say("start_number", number=total)
        scene.pause(1, 2)
        steps = total - 1 if self._counts_clockwise else 1 - total
        return self._ring[(self._number_one() + steps) % len(self._ring)]

    def close_shaker(self) -> None:
        """Covered, shaken once and put aside; reported for the games of Ohio only."""
        if self._dice is not None and self._closes_shaker:
            self._dice.say("shaker_count", shakes=1)
            self._scene.pause(0.5, 1)

    def _number_one(self) -> int:
        """Who banks is number one."""
        one = self._seats.banker or DEALER
        return self._ring.index(one) if one in self._ring else 0

    def _wrong(self, start: str) -> str:
        """A position that the number names neither way round."""
        ring = self._ring
        other = ring[(2 * self._number_one() - ring.index(start)) % len(ring)]
        return self._scene.rng.choice([each for each in ring if each not in (start, other)])

    def route(self, start: str, fault: str | None) -> list[str]:
        """The positions in the order in which packets are delivered. The wrong order: from a wrong start, where it is
        known who is number one, or two packets in each other's place."""
        ring, known = self._ring, self._with_dealer or self._seats.banker is not None
        swap = fault == "packet-order" and (self._scene.chance(0.5) or not known)
        if fault == "packet-order" and not swap:
            start = self._wrong(start)
        at = ring.index(start)
        route = [ring[(at + self._step * n) % len(ring)] for n in range(len(ring))]
        if swap:
            first = self._scene.rng.randrange(1, len(route) - 1)
            route[first], route[first + 1] = route[first + 1], route[first]
        return route
