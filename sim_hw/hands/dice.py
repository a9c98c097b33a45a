"""A hand that throws dice: which faces, where they come to rest, whether they strike the far end."""

from __future__ import annotations

from typing import Any

from pitwatch.sim_hw.devices.dice import OFF_LINES, ThrownDice
from pitwatch.sim_hw.hands.act import BY_CHANCE, Act, Ask, CannotActError
from pitwatch.sim_hw.hands.lines import Lines

FACES = (BY_CHANCE, "1", "2", "3", "4", "5", "6")
OFF = "one goes off the table"
PLACES = {
    "both on the layout": "layout",
    OFF: "off",
    "one on the other": "stacked",
    "one on the chip bank": "bank",
    "one on a rail": "rail",
    "one in the bowl": "bowl",
}
STRIKE = {"both strike the far end": None, "one strikes the far end": 1, "none strikes the far end": 0}
TOGETHER, LATE = "leave the hand together", "the second leaves late"


class DiceHand(Lines):
    """The beams over a craps table; the camera, where there is one, sees what was thrown."""

    def acts(self) -> tuple[Act, ...]:
        asks = (
            Ask("first", "first die", FACES),
            Ask("second", "second die", FACES),
            Ask("place", "at rest", tuple(PLACES)),
            Ask("strike", "far end", tuple(STRIKE)),
            Ask("release", "release", (TOGETHER, LATE)),
            Ask("dice", "dice", ("2", "3", "1")),
        )
        return (
            Act("throw", "Throw the dice", self._throw, asks, plays=True),
            Act("bowl", "Dice into the bowl", self._bowl, (Ask("dice", "dice", low=1, high=8, usual=5),), plays=True),
        )

    @property
    def _dice(self) -> ThrownDice:
        dice = self.scene.devices[self.spec.id]
        assert isinstance(dice, ThrownDice)
        return dice

    def picture(self) -> dict[str, Any]:
        return {**super().picture(), "dice": [{"face": face, "at": at} for face, at in self._dice.rest]}

    def _throw(self, first: str, second: str, place: str, strike: str, release: str, dice: str) -> None:
        off = place == OFF
        if off and not any(line in self.spec.lines for line in OFF_LINES):
            raise CannotActError(f"no line of the table shows a die that goes off it; it has none of {OFF_LINES}")
        rng = self.scene.rng
        self._dice.throw(
            int(dice),
            None if release == TOGETHER else 0.6,
            STRIKE[strike],
            int(off),
            "layout" if off else PLACES[place],
            [rng.randint(1, 6) if face == BY_CHANCE else int(face) for face in (first, second)],
        )

    def _bowl(self, dice: float) -> None:
        self._dice.into_bowl(int(dice))
