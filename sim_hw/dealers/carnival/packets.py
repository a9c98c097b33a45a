"""A machine that deals packets: one after another comes out, until it jams. Tells nobody where a packet goes."""

from __future__ import annotations

from pitwatch.sim_hw.devices.shuffler import BatchShuffler
from pitwatch.sim_hw.devices.talking_shuffler import TalkingShuffler
from pitwatch.sim_hw.scene import Scene


class Packets:
    """Seen through its contacts, or told by the machine itself where it talks."""

    def __init__(self, scene: Scene, machine: BatchShuffler, talking: TalkingShuffler):
        self._scene = scene
        self._machine = machine
        self._talking = talking

    def dispense(self, cards: int) -> None:
        """The machine runs and puts out a packet; the dealer takes it."""
        if self._talking.there:
            self._talking.dispense(cards)
            return
        lines, rng = self._machine.lines, self._scene.rng
        lines.set("motor", 1)
        after = rng.uniform(0.25, 0.5)
        for _ in range(cards):
            lines.pulse("card-exit", rng.uniform(25, 45), after=after)
            after += rng.uniform(0.11, 0.16)
        lines.set("motor", 0, after=after + 0.1)
        self._scene.wait(after + rng.uniform(0.75, 1.2))

    def jam(self, cards: int) -> None:
        """It jams after part of a packet of so many cards, and is cleared."""
        if self._talking.there:
            self._talking.jam()
            return
        lines, rng = self._machine.lines, self._scene.rng
        part = rng.randrange(cards)
        lines.set("motor", 1)
        self._scene.wait(0.3)
        for _ in range(part):
            lines.pulse("card-exit", rng.uniform(25, 45))
            self._scene.wait(0.13)
        self._machine.jam()
