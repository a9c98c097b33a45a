"""Simulated dice on their way: out of the hand, against the far end, to rest or over the rail, and into the bowl.

Beams see them pass; a camera, where the table has one, reads them at rest. Knows no rule. Times in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.devices.reporter import Reporter
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec

OFF_LINES = ("off-floor", "rail-left", "rail-right")
"""The beams over the rails, and the sensor of the floor."""


class ThrownDice:
    """`rest`: the dice of the last throw, face and place; a face that nobody could see is None."""

    def __init__(self, scene: Scene, beams: Contacts, camera: SimDeviceSpec | None):
        self._scene = scene
        self._beams = beams
        self._camera = Reporter(scene, camera) if camera is not None else None
        self._zones = [line for line in OFF_LINES if beams.has(line)]
        self.rest: list[tuple[int | None, str]] = []
        scene.devices[beams.id] = self

    def throw(
        self,
        dice: int = 2,
        apart: float | None = None,
        strikes: int | None = None,
        off: int = 0,
        place: str = "layout",
        faces: Sequence[int] = (),
    ) -> int:
        """Throw: `apart` seconds between the dice (together: hundredths), `strikes` at the far end, `off` over the
        rail; one die comes to rest at `place`. `faces`: those that show, the others by chance. Returns the total."""
        rng, scene, beams = self._scene.rng, self._scene, self._beams
        self.rest = []
        left = 0.0
        for _ in range(dice):
            beams.pulse("release", rng.uniform(8, 25), after=left)
            left += rng.uniform(0.035, 0.07) if apart is None else apart
        scene.wait(left + rng.uniform(0.5, 0.9))
        struck = 0.0
        for _ in range(dice - off if strikes is None else strikes):
            beams.pulse("end-wall", rng.uniform(2, 6), after=struck)
            struck += rng.uniform(0.03, 0.25)
        for _ in range(off):
            beams.pulse(rng.choice(self._zones), rng.uniform(5, 20), after=struck + rng.uniform(0.1, 0.3))
            struck += 0.35
        scene.wait(struck + rng.uniform(1.2, 2.5))
        shown = [*faces[:dice], *(rng.randint(1, 6) for _ in range(dice - len(faces)))]
        at = (["off"] * off + [place] + ["layout"] * dice)[:dice]
        seen = [None if where == "off" else face for face, where in zip(shown, at, strict=True)]
        self.rest = list(zip(seen, at, strict=True))
        if self._camera is not None:
            self._camera.say("dice_settled", faces=seen, at=at)
        return sum(shown)

    def into_bowl(self, dice: int) -> None:
        """So many dice go through the chute into the bowl, where they are counted."""
        rng, after = self._scene.rng, 0.0
        for _ in range(dice):
            self._beams.pulse("bowl", rng.uniform(8, 20), after=after)
            after += rng.uniform(0.12, 0.4)
        self._scene.wait(after + 2)
