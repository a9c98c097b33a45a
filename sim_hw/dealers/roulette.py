"""Roulette at an automatic wheel and at one that the dealer spins by hand. Document: Section Eight, lines 1638-1750."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.devices.protocols import slingshot2
from pitwatch.sim_hw.dealers.dealer import LID, Dealer, Fault
from pitwatch.sim_hw.devices.slingshot import SlingshotWheel
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"roulette": ["wheel/slingshot2", "AutomaticRoulette"]}


class AutomaticRoulette(Dealer):
    """A Slingshot 2 wheel launches by itself; the dealer calls no more bets and pays."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "same-direction-spin": Fault("the wheel launches with the rotor and warns of it; no spin is called"),
        "late-no-more-bets": Fault("no more bets is not called", ("panel#no-more-bets",)),
        "settled-after-no-spin": Fault("no spin is called, the ball is left in the wheel", ("panel#no-spin",)),
        "result-mismatch": Fault("the bare number line names another number than the state"),
        "spin-counter-skip": Fault("the wheel's counter jumps by more than one"),
        "equipment-malfunction": Fault("the wheel warns of a sensor, motor or encoder for a few seconds"),
        "tampering-suspected": LID,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec = table.of("wheel", "slingshot2")
        assert spec is not None
        self._wheel = SlingshotWheel(scene, spec)

    def begin(self) -> None:
        self._wheel.open_bets()

    def play(self, fault: str | None) -> None:
        scene, wheel = self.scene, self._wheel
        self.pick_moment(3)
        scene.wait(wheel.betting_time())
        self.disturb(fault)
        wheel.launch(with_rotor=fault == "same-direction-spin")
        if fault == "same-direction-spin":
            self._call_no_spin()
            return
        scene.wait(wheel.rim_time)
        self.disturb(fault)
        landing = wheel.call()
        if fault != "late-no-more-bets":
            self.key("no_more_bets")
        begun = scene.t
        if fault == "settled-after-no-spin":
            scene.pause(1, 15)
            self.key("no_spin")
        scene.wait(max(0.0, landing - (scene.t - begun) / 1e9))
        wheel.rest(
            misread=fault == "result-mismatch",
            skip=self.rng.randint(1, 5) if fault == "spin-counter-skip" else 0,
        )
        self.disturb(fault)
        scene.wait(wheel.result_time())
        self.key("round_over")
        wheel.next_game()
        if fault == "spin-counter-skip":
            self.play(None)  # the next launch shows the jump

    def _call_no_spin(self) -> None:
        """The mis-spin is called, the ball taken out, the game started again."""
        self.scene.pause(1, 3)
        self.key("no_spin")
        self.scene.pause(3, 8)
        self.key("round_over")
        self._wheel.void()

    def equipment_fails(self) -> None:
        """The wheel warns of a component."""
        self._wheel.warn |= slingshot2.COMPONENT_FAULT
        self.scene.pause(1.2, 4)
        self._wheel.warn &= ~slingshot2.COMPONENT_FAULT
        self.scene.wait(0.6)
