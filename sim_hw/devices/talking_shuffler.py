"""A simulated packet shuffler that speaks the vocabulary itself: it counts its deck, and reports what it dispenses."""

from __future__ import annotations

from pitwatch.sim_hw.devices.reporter import Reporter
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable


class TalkingShuffler:
    """Without a machine at the table, cards are shuffled by hand and nothing is said. Times in seconds."""

    def __init__(self, scene: Scene, table: SimTable):
        self._scene = scene
        spec: SimDeviceSpec | None = table.of("shuffler", "ndjson")
        self._says = Reporter(scene, spec) if spec is not None else None

    @property
    def there(self) -> bool:
        return self._says is not None

    def shuffle(self, cards: int, fault: str | None = None) -> bool:
        """One cycle with so many cards in the machine; returns whether they are shuffled."""
        scene, says = self._scene, self._says
        if says is None:
            scene.pause(40, 80)
            return False
        says.say("shuffle_started")
        if fault == "shuffler-fault-during-shuffle":
            scene.pause(4, 12)
            says.say(scene.rng.choice(("jammed", "stopped")))
            scene.pause(20, 40)
            says.say("jam_cleared")
            return False
        if fault == "equipment-malfunction":
            scene.pause(4, 12)
            says.say("device_fault", reason="sensor dirty")
            scene.pause(2, 5)
            says.say("device_recovered")
        scene.pause(12, 25)
        if fault == "shuffle-count-failed":
            says.say("count_failed", cards=cards - 1)
            return False
        says.say("shuffle_completed", cards=cards + (fault == "deck-count-mismatch"))
        scene.pause(1, 2)
        return True

    def dispense(self, cards: int) -> None:
        """A packet comes out."""
        self._scene.pause(0.8, 1.4)
        if self._says is not None:
            self._says.say("packet_dispensed", cards=cards, to=None)

    def jam(self) -> None:
        """The machine jams while it deals, and is cleared."""
        if self._says is not None:
            self._says.say("jammed")
            self._scene.pause(10, 30)
            self._says.say("jam_cleared")
