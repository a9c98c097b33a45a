"""Craps: a shooter throws, a stickperson minds the dice; any book that is played with dice.

A throw is seen by the beams (release, far end, over the rails) and by a camera that reads the dice at rest.
"""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.play.point_cycle import SEVEN, PointCycle
from pitwatch.sim_hw.dealers.dealer import LID, Dealer, Fault
from pitwatch.sim_hw.devices.dice import ThrownDice
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"craps": ["dice/lines", "Craps"]}

SET = 5
"""Dice in a stick."""

OFF = "dice#off-floor | dice#rail-left | dice#rail-right"
CAMERA = "dice/ndjson"
INSPECTED = "panel#dice-inspected | panel#supervisor | @supervisor"


class Craps(Dealer):
    """One call of `play` is one roll, or two where the fault shows only in the next."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "die-off-table": Fault("a die goes over the rail; a supervisor examines it", (OFF, INSPECTED)),
        "die-on-die": Fault("a die comes to rest on the other", (CAMERA,)),
        "die-on-chip-bank": Fault("a die comes to rest on the chip bank", (CAMERA,)),
        "die-in-cup-or-on-rail": Fault("a die comes to rest in the cup or on a rail", (CAMERA,)),
        "far-end-not-hit": Fault("a die, or both, stop short of the far end", ("dice#end-wall", CAMERA)),
        "dice-not-released-together": Fault("the second die leaves the hand late", ("dice#release",)),
        "dice-count-wrong": Fault("three dice are thrown, or the set is not five", ("dice#release", "dice#bowl")),
        "die-returned-uninspected": Fault(
            "a die goes over the rail, comes back to the others and is in play again unexamined",
            (OFF, "dice#bowl"),
            ("die-off-table",),
        ),
        "die-lost": Fault(
            "a die goes over the rail and is not found: four come back to the bowl",
            (OFF, "dice#bowl", "panel#dice-set-changed"),
            ("die-off-table",),
        ),
        "equipment-malfunction": Fault("something lies in the release beam", ("dice#release",)),
        "tampering-suspected": LID,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        self._beams = self.contacts("dice")
        self._dice = ThrownDice(scene, self._beams, table.of("dice", "ndjson"))
        self._cycle = PointCycle(table.game.tables["come-out"], known=True)
        self._went_off = False  # since the set was last counted: one too few would be a lost one

    def begin(self) -> None:
        self._offer_dice()

    def play(self, fault: str | None) -> None:
        self.pick_moment(2)
        self.disturb(fault)
        miscounted = fault == "dice-count-wrong" and self.scene.chance(0.5)
        total: int | None
        if fault is None:
            total = self._throw()
        elif miscounted:
            self._collect(SET + 1 if self._went_off else self.rng.choice((SET - 1, SET + 1)))
            self._offer_dice()
            total = self._throw()
        else:
            total = self._faulty_throw(fault)
        self.disturb(fault)
        self._after(total)
        self.scene.pause(6, 20)

    def finish(self) -> None:
        """The last roll counts: nobody calls No roll any more."""
        self.scene.wait(1)
        if not self.key("round_over"):
            self._into_bowl(SET)
        super().finish()

    # -- the roll

    def _faulty_throw(self, fault: str) -> int | None:
        """A throw that breaks a rule, and what the crew does about it; None if the roll does not count."""
        if fault in ("die-off-table", "die-returned-uninspected", "die-lost"):
            self._throw(off=self.rng.choice((1, 1, 2)) if fault != "die-lost" else 1)
            self._fetch(fault)
            if fault != "die-returned-uninspected":
                return None
            self._offer_dice()
            return self._throw()
        places = {
            "die-on-die": ("stacked",),
            "die-on-chip-bank": ("bank",),
            "die-in-cup-or-on-rail": ("rail", "bowl"),
        }
        if fault in places:
            self._throw(place=self.rng.choice(places[fault]))
        elif fault == "far-end-not-hit":
            self._throw(strikes=self.rng.choice((0, 1)))
        elif fault == "dice-not-released-together":
            self._throw(apart=self.rng.choice((self.rng.uniform(0.32, 0.9), self.rng.uniform(1.1, 1.7))))
        elif fault == "dice-count-wrong":
            self._throw(dice=3)
        else:
            return self._throw()
        self.scene.wait(0.5)
        self.key("no_roll")
        return None

    def _throw(
        self, dice: int = 2, apart: float | None = None, strikes: int | None = None, off: int = 0, place: str = "layout"
    ) -> int:
        """Throw: `apart` seconds between the dice (together: hundredths), `strikes` at the far end, `off` over the
        rail; one die comes to rest at `place`. Returns the total."""
        return self._dice.throw(dice, apart, strikes, off, place)

    def _after(self, total: int | None) -> None:
        """Follow the point; after a seven-out the next shooter gets the dice."""
        if total is None:
            return
        shooting = self._cycle.point is not None
        self._cycle.take(total)
        if shooting and total == SEVEN:
            self._collect(SET)
            self._offer_dice()

    # -- the dice between the rolls

    def _fetch(self, fault: str) -> None:
        """A die went over the rail: it is looked for, examined, and comes back. Or not."""
        self._went_off = True
        self.scene.pause(5, 15)
        if fault == "die-off-table":
            if not (self.scene.chance(0.5) and self.badge("supervisor", "boxperson", "pit-manager")):
                self.key("dice_inspected") or self.key("supervisor") or self.badge("supervisor", "boxperson")
        elif fault == "die-lost":
            self._collect(SET - 1)
            self.key("dice_set_changed")
            self._went_off = False
            self._offer_dice()

    def _collect(self, dice: int) -> None:
        """All dice go through the chute into the bowl, where they are counted."""
        self.scene.pause(1, 3)
        self._into_bowl(dice)
        self._went_off = self._went_off and dice != SET

    def _offer_dice(self) -> None:
        """The shooter takes two of the five; the other three go back to the cup."""
        self.scene.pause(4, 10)
        self._into_bowl(SET - 2)

    def _into_bowl(self, dice: int) -> None:
        self._dice.into_bowl(dice)

    def equipment_fails(self) -> None:
        """Something lies in the release beam."""
        self._beams.pulse("release", self.rng.uniform(11_000, 20_000))
        self.scene.wait(22)
