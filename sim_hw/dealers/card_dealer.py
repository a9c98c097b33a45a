"""What dealers of card games share: the felt, the discard rack, the reshuffle, and what goes wrong with a shuffler."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.watchers.deck import whole_set
from pitwatch.sim_hw.dealers.dealer import LID, Dealer, Fault
from pitwatch.sim_hw.devices.felt import Felt
from pitwatch.sim_hw.devices.shuffler import BatchShuffler
from pitwatch.sim_hw.devices.talking_shuffler import TalkingShuffler
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

CARD_THROUGH_OPTIC = 0.07
TALKS = "shuffler/ndjson"
"""A machine that reports what it does, and counts."""
AT_THE_SHUFFLE = (
    "shuffler-fault-during-shuffle", "shuffle-count-failed", "equipment-malfunction", "deck-count-mismatch",
)  # fmt: skip
"""What goes wrong with a machine that talks while it shuffles."""


class CardDealer(Dealer):
    """A fault of the machine shows at a reshuffle, which the house may order before any round."""

    MACHINE_FAULTS: ClassVar[dict[str, Fault]] = {
        "shuffler-fault-during-shuffle": Fault(
            "the shuffler jams or stops in its cycle; the cards are verified and shuffled by hand",
            (f"shuffler#jam | {TALKS}",),
        ),
        "shuffle-count-failed": Fault("the shuffler says that cards are missing", (f"shuffler#count-bad | {TALKS}",)),
        "equipment-malfunction": Fault(
            "a card sticks in the discard rack's optic, or the shuffler does not end its cycle",
            (f"discard_rack#card | shuffler#motor | {TALKS}",),
        ),
        "tampering-suspected": LID,
    }

    TALKING_FAULTS: ClassVar[dict[str, Fault]] = {
        "shuffler-fault-during-shuffle": Fault("the machine jams or stops in its cycle", (TALKS,)),
        "shuffle-count-failed": Fault("the machine counts a card too few", (TALKS,)),
        "deck-count-mismatch": Fault("the machine shuffles a card too many and does not mind", (TALKS,)),
        "equipment-malfunction": Fault("a sensor of the machine fails", (TALKS,)),
        "tampering-suspected": LID,
    }
    """The same where only a machine that talks is known of."""

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        self._machine = BatchShuffler(scene, self.contacts("shuffler"))
        self._talking = TalkingShuffler(scene, table)
        self._felt = Felt(scene, table)
        self._rack = self.contacts("discard_rack")
        self._stuck = 0
        self.shuffled_by_hand = False

    def discard(self, cards: int) -> None:
        """Cards go into the rack one behind the other."""
        self._rack.set("empty", 0)
        cards, self._stuck = cards - self._stuck, 0
        for number in range(cards):
            self._rack.pulse("card", self.rng.uniform(15, 35), after=0.1 + number * CARD_THROUGH_OPTIC)
        self.scene.wait(0.2 + cards * CARD_THROUGH_OPTIC + 1.2)

    def empty_rack(self) -> None:
        self._rack.set("empty", 1)
        self.scene.wait(0.5)

    def shuffle(self, fault: str | None = None) -> None:
        """Shuffle all cards, in the machine if the table has one; what goes wrong is put right by hand."""
        scene, machine = self.scene, self._machine
        if self._talking.there:
            self.shuffled_by_hand = False
            if not self._talking.shuffle(whole_set(self.table.game, self.table.options) or 0, fault):
                self._shuffle_by_hand()
            return
        self.shuffled_by_hand = not machine.lines.has("motor")
        if self.shuffled_by_hand:
            scene.pause(120, 240)
            self.key("hand_shuffled")
            return
        machine.insert()
        if fault == "shuffler-fault-during-shuffle":
            self._break_down()
        elif fault == "shuffle-count-failed":
            machine.run(self.shuffle_time())
            machine.verdict(good=False)
        elif fault == "equipment-malfunction":
            machine.run(self.rng.uniform(310, 340))
            machine.verdict(good=True)
        else:
            machine.run(self.shuffle_time())
            machine.verdict(good=True)
        machine.remove()
        if fault in ("shuffler-fault-during-shuffle", "shuffle-count-failed"):
            self._shuffle_by_hand()

    def shuffle_time(self) -> float:
        """Seconds of a whole cycle: minutes for eight decks, seconds for one."""
        return self.rng.uniform(60, 110)

    def _break_down(self) -> None:
        """A jam in the cycle, or a motor that stops and no lamp lights."""
        self._machine.lines.set("motor", 1)
        self.scene.wait(self.rng.uniform(0.4, 0.9) * self.shuffle_time())
        if self.scene.chance(0.6):
            self._machine.jam()
        else:
            self._machine.lines.set("motor", 0)
            self.scene.pause(5, 10)

    def _shuffle_by_hand(self) -> None:
        self.shuffled_by_hand = True
        self.scene.pause(30, 60)
        self.key("cards_verified")
        self.scene.pause(60, 120)
        self.key("hand_shuffled")

    def stick_in_rack(self) -> None:
        """A card sticks in the optic on its way in; the next hand has one fewer to go."""
        self._stuck = 1
        self._rack.pulse("card", self.rng.uniform(11_000, 16_000))
        self.scene.wait(18)
