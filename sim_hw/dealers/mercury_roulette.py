"""Roulette at a wheel that the dealer spins by hand, with a Mercury 360 in its rim. Document: Section Eight, lines
1638-1750."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.devices.protocols import mercury360
from pitwatch.sim_hw.dealers.dealer import LID, Dealer, Fault
from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.mercury import MercuryWheel
from pitwatch.sim_hw.scene import SECOND, Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"roulette": ["wheel/mercury360", "MercuryRoulette"]}


class MercuryRoulette(Dealer):
    FAULTS: ClassVar[dict[str, Fault]] = {
        "same-direction-spin": Fault("the ball is spun with the rotor; no spin is called"),
        "under-minimum-revolutions": Fault("the ball is spun too weakly for four revolutions and lands; nobody calls"),
        "late-no-more-bets": Fault("no more bets is called when the ball lies in a pocket, or not at all"),
        "settled-after-no-spin": Fault("no spin is called, the ball is left in the wheel", ("panel#no-spin",)),
        "result-mismatch": Fault("the bare number names another pocket than the state"),
        "spin-counter-skip": Fault("the reader's counter jumps by more than one"),
        "equipment-malfunction": Fault("sensors in the rim fail for longer than they recover by themselves"),
        "tampering-suspected": LID,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec = table.of("wheel", "mercury360")
        assert spec is not None
        self._wheel = MercuryWheel(scene, spec)

    def play(self, fault: str | None) -> None:
        scene, wheel, rng = self.scene, self._wheel, self.rng
        self.pick_moment(2)
        wheel.take_out()
        scene.pause(1, 2)
        wheel.send_rotor()
        self.disturb(fault)
        scene.pause(9, 18)
        self._passing()
        weak = fault == "under-minimum-revolutions"
        run = wheel.spin(
            rng.uniform(2.2, 3.9) if weak else max(9.0, rng.gauss(15, 2.5)), with_rotor=fault == "same-direction-spin"
        )
        begun = scene.t
        if fault == "same-direction-spin":
            self._wait_until(begun, rng.uniform(run.time_at(4 * ball.TURN), run.rim_time - 3))
            self._take_out_running_ball()
            return
        self._wait_until(begun, max(0.3, run.rim_time - rng.uniform(2.5, 6)))
        if fault != "late-no-more-bets":
            self.key("no_more_bets")
        if fault == "settled-after-no-spin":
            scene.pause(0.2, 1)
            self.key("no_spin")
        self._wait_until(begun, run.landed)
        wheel.land(misread=fault == "result-mismatch", skip=rng.randint(1, 5) if fault == "spin-counter-skip" else 0)
        scene.wait(0.6)
        if fault == "late-no-more-bets" and scene.chance(0.5):
            self.key("no_more_bets")
        self.disturb(fault)
        scene.pause(6, 12)
        self.key("round_over")
        if fault == "spin-counter-skip":
            self.play(None)  # the next launch shows the jump

    def _wait_until(self, begun: int, seconds: float) -> None:
        self.scene.wait(max(0.0, seconds - (self.scene.t - begun) / SECOND))

    def _passing(self) -> None:
        """Now and then something else passes a sensor: a hand, a sleeve. The reader recovers by itself."""
        if self.scene.chance(0.1):
            self._wheel.warn |= mercury360.OBJECT_OR_SENSOR
            self.scene.pause(0.5, 1.5)
            self._wheel.warn &= ~mercury360.OBJECT_OR_SENSOR

    def _take_out_running_ball(self) -> None:
        self.scene.pause(0.5, 1)
        self.key("no_spin")
        self._wheel.take_out()
        self.scene.pause(3, 8)
        self.key("round_over")

    def equipment_fails(self) -> None:
        """Sensors in the rim stay without the ball."""
        self._wheel.warn |= mercury360.OBJECT_OR_SENSOR
        self.scene.pause(6.5, 9)
        self._wheel.warn &= ~mercury360.OBJECT_OR_SENSOR
        self.scene.wait(0.6)
