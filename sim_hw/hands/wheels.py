"""A hand at a roulette wheel: one that launches by itself, and one whose ball is spun by hand."""

from __future__ import annotations

from typing import Any

from pitwatch.devices.protocols import slingshot2
from pitwatch.devices.wheel_pockets import order_of
from pitwatch.sim_hw.devices.hand_wheel import HandWheel
from pitwatch.sim_hw.devices.mercury import MercuryWheel
from pitwatch.sim_hw.devices.slingshot import SlingshotWheel
from pitwatch.sim_hw.hands.act import BY_CHANCE, Act, Ask, CannotActError, Hand
from pitwatch.sim_hw.scene import SECOND, Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

AGAINST, WITH = "against the rotor", "with the rotor"
NOTHING, OTHER_NUMBER, JUMP = "nothing", "another number is announced", "the spin counter jumps"
WAY = Ask("way", "ball runs", (AGAINST, WITH))
WRONG = Ask("wrong", "goes wrong", (NOTHING, OTHER_NUMBER, JUMP))
RUNS = "a ball runs already; take it out first"


class WheelHand(Hand):
    """`_spin` counts the spins, so that one which was taken out does not go on."""

    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec):
        super().__init__(scene, table, spec)
        self._pocket = Ask("pocket", "pocket", (BY_CHANCE, *order_of(spec.settings.get("wheel", "double-zero"))))
        self._spin = 0

    def picture(self) -> dict[str, Any]:
        wheel = self.scene.devices[self.spec.id]
        assert isinstance(wheel, SlingshotWheel | HandWheel | MercuryWheel)
        return wheel.picture()

    def _begin(self) -> int:
        shown = self.picture()["ball"]
        if shown is not None and shown["place"] != "pocket":
            raise CannotActError(RUNS)
        self._spin += 1
        return self._spin


class MachineWheel(WheelHand):
    """A Slingshot 2: the person starts the launch, the machine does the rest."""

    @property
    def _wheel(self) -> SlingshotWheel:
        wheel = self.scene.devices[self.spec.id]
        assert isinstance(wheel, SlingshotWheel)
        return wheel

    def acts(self) -> tuple[Act, ...]:
        return (
            Act("launch", "Launch the ball", self._launch, (WAY, self._pocket, WRONG), plays=True),
            Act("take-out", "Take the ball out, void the spin", self._take_out, plays=True),
            Act("motor", "Set the motor", self._wheel.motor, (Ask("rpm", "rpm", low=0, high=30, usual=16),)),
            Act("warn", "Let a sensor fail for 3 s", self._warn),
        )

    def _launch(self, way: str, pocket: str, wrong: str) -> None:
        spin, wheel, scene = self._begin(), self._wheel, self.scene
        scene.wait(wheel.until_steady())  # the machine launches no ball before
        if spin != self._spin:
            return
        wheel.launch(with_rotor=way == WITH)
        scene.wait(wheel.rim_time)
        if spin != self._spin:
            return
        scene.wait(max(0.0, wheel.call()))
        if spin != self._spin:
            return
        wheel.rest(
            misread=wrong == OTHER_NUMBER,
            skip=3 if wrong == JUMP else 0,
            pocket=None if pocket == BY_CHANCE else pocket,
        )
        scene.wait(wheel.result_time())
        if spin == self._spin:
            wheel.next_game()

    def _take_out(self) -> None:
        self._spin += 1
        self._wheel.void()

    def _warn(self) -> None:
        self._wheel.warn |= slingshot2.COMPONENT_FAULT
        self.scene.wait(3)
        self._wheel.warn &= ~slingshot2.COMPONENT_FAULT


class HandSpunWheel(WheelHand):
    """Bare sensors at the wheel, or a Mercury 360 in its rim."""

    @property
    def _wheel(self) -> HandWheel | MercuryWheel:
        wheel = self.scene.devices[self.spec.id]
        assert isinstance(wheel, HandWheel | MercuryWheel)
        return wheel

    def acts(self) -> tuple[Act, ...]:
        revolutions = Ask("revolutions", "revolutions", low=1, high=30, usual=15)
        acts = [
            Act("send-rotor", "Send the rotor the other way", self._send_rotor, plays=True),
            Act("spin", "Spin the ball", self._spin_ball, (WAY, revolutions, self._pocket), plays=True),
            Act("take-out", "Take the ball out", self._take_out, plays=True),
        ]
        for line, label, milliseconds in (
            ("object", "Drop something into the wheel", 200),
            ("outside", "Let the ball jump out", 10),
            ("track-a", "Cover a track sensor for 35 s", 35_000),
        ):
            if line in self.spec.lines:
                acts.append(Act(line, label, self._pulse(line, milliseconds)))
        return tuple(acts)

    def _send_rotor(self) -> None:
        self._take_out()
        self._wheel.send_rotor()

    def _spin_ball(self, way: str, revolutions: float, pocket: str) -> None:
        spin, wheel, scene = self._begin(), self._wheel, self.scene
        wheel.take_out()
        run = wheel.spin(revolutions, with_rotor=way == WITH)
        begun = scene.t
        scene.wait(run.rim_time + 0.4)
        if spin != self._spin:
            return
        if isinstance(wheel, HandWheel):
            wheel.drop()
        scene.wait(max(0.0, run.landed - (scene.t - begun) / SECOND))
        if spin == self._spin:
            wheel.land(pocket=None if pocket == BY_CHANCE else pocket)

    def _take_out(self) -> None:
        self._spin += 1
        self._wheel.take_out()

    def _pulse(self, line: str, milliseconds: float) -> Any:
        def pulse() -> None:
            wheel = self._wheel
            assert isinstance(wheel, HandWheel)
            wheel.lines.pulse(line, milliseconds)

        return pulse
