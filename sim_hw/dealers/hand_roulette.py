"""Roulette at a wheel that the dealer spins by hand. Document: Section Eight, lines 1638-1750."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.sim_hw.dealers.dealer import LID, Dealer, Fault
from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.hand_wheel import HandWheel
from pitwatch.sim_hw.scene import SECOND, Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"roulette": ["wheel/lines", "HandRoulette"]}

FLOATS_FOR = 32
"""Seconds that a floater is left to run before it is called."""


class HandRoulette(Dealer):
    FAULTS: ClassVar[dict[str, Fault]] = {
        "same-direction-spin": Fault("the ball is spun with the rotor; no spin is called"),
        "under-minimum-revolutions": Fault("the ball is spun too weakly for four revolutions; no spin is called"),
        "foreign-object": Fault("something falls into the wheel while the ball runs", ("wheel#object",)),
        "floater": Fault("the ball goes on floating on the bowl", ("wheel#drop",)),
        "ball-expelled": Fault("the ball jumps out of the wheel head", ("wheel#outside",)),
        "late-no-more-bets": Fault("no more bets is called when the ball has dropped, or not at all"),
        "settled-after-no-spin": Fault("no spin is called, the ball is left in the wheel", ("panel#no-spin",)),
        "equipment-malfunction": Fault("a sensor at the track stays dark"),
        "tampering-suspected": LID,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec = table.of("wheel", "lines")
        assert spec is not None
        self._wheel = HandWheel(scene, spec)

    def play(self, fault: str | None) -> None:
        scene, wheel, rng = self.scene, self._wheel, self.rng
        self.pick_moment(2)
        wheel.take_out()
        self.disturb(fault)
        wheel.send_rotor()
        scene.pause(9, 18)
        revolutions = rng.uniform(2.3, 3.6) if fault == "under-minimum-revolutions" else max(9.0, rng.gauss(15, 2.5))
        run = wheel.spin(revolutions, with_rotor=fault == "same-direction-spin")
        begun = scene.t
        self._wait_until(begun, self._call_time(run, fault))
        if fault in ("same-direction-spin", "foreign-object"):
            if fault == "foreign-object":
                wheel.lines.pulse("object", rng.uniform(30, 400))
            self._take_out_running_ball()
            return
        if fault != "late-no-more-bets":
            self.key("no_more_bets")
        if fault == "settled-after-no-spin":
            scene.pause(0.2, 1)
            self.key("no_spin")
        self._wait_until(begun, run.rim_time + rng.uniform(0.3, 0.5))
        wheel.drop()
        if fault in ("under-minimum-revolutions", "floater", "ball-expelled"):
            self._never_lands(fault)
            return
        if fault == "late-no-more-bets" and scene.chance(0.7):
            scene.wait(0.2)
            self.key("no_more_bets")
        self._wait_until(begun, run.landed)
        wheel.land()
        scene.pause(10, 14)
        self.disturb(fault)
        self.key("round_over")

    def _call_time(self, run: ball.Run, fault: str | None) -> float:
        """Seconds after the spin at which the dealer calls no more bets, or sees that this is no spin."""
        if fault in ("same-direction-spin", "foreign-object"):
            # Not before the fifth revolution, which only a ball that was seen to run long enough makes.
            return self.rng.uniform(run.time_at(5.5 * ball.TURN), run.rim_time - 3)
        return max(0.3, run.rim_time - self.rng.uniform(2.5, 6))

    def _wait_until(self, begun: int, seconds: float) -> None:
        self.scene.wait(max(0.0, seconds - (self.scene.t - begun) / SECOND))

    def _take_out_running_ball(self) -> None:
        self.scene.pause(0.5, 1)
        self._call_no_spin_and_take_out()
        self.scene.pause(6, 10)
        self.key("round_over")

    def _call_no_spin_and_take_out(self) -> None:
        """The hand may be seen in the wheel, and the ball as it leaves it."""
        called, lines, rng = self.key("no_spin"), self._wheel.lines, self.rng
        if called and self.scene.chance(0.6):
            lines.pulse("object", rng.uniform(300, 900))
        self._wheel.take_out()
        if called and self.scene.chance(0.4):
            lines.pulse("outside", rng.uniform(5, 40), after=0.3)

    def _never_lands(self, fault: str) -> None:
        """The ball has left the rim and will not count; it is taken out or looked for."""
        scene, wheel = self.scene, self._wheel
        if fault == "under-minimum-revolutions":
            scene.pause(0.6, 1)
            self._call_no_spin_and_take_out()
        elif fault == "ball-expelled":
            scene.pause(0.1, 0.6)
            wheel.lines.pulse("outside", self.rng.uniform(5, 15))
            scene.pause(10, 20)
        else:
            until = scene.t + FLOATS_FOR * SECOND
            while scene.t < until:
                scene.pause(1.5, 3)
                wheel.drop()
            self.key("no_spin")
        scene.pause(3, 6)
        self.key("round_over")

    def equipment_fails(self) -> None:
        """A sensor at the track stays dark."""
        self._wheel.lines.pulse(self.rng.choice(("track-a", "track-b")), self.rng.uniform(31_000, 40_000))
        self.scene.wait(41)
