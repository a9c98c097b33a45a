"""A hand at a shuffler: it shuffles, jams, is cleared, counts wrongly, deals a packet."""

from __future__ import annotations

from pitwatch.rules.watchers.deck import whole_set
from pitwatch.sim_hw.dealers.carnival.packets import Packets
from pitwatch.sim_hw.devices.felt import Felt, readers
from pitwatch.sim_hw.devices.shuffler import BatchShuffler
from pitwatch.sim_hw.devices.talking_shuffler import TalkingShuffler
from pitwatch.sim_hw.hands.act import Act, Ask, Hand
from pitwatch.sim_hw.hands.cards import Deck
from pitwatch.sim_hw.hands.lines import Lines
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

RIGHT, WRONG_DECK, NO_LAMP = "all cards are there", "wrong deck: the count is wrong", "no lamp lights"
OUTCOMES = {
    RIGHT: None,
    "it jams": "shuffler-fault-during-shuffle",
    WRONG_DECK: "shuffle-count-failed",
    "a card too many is not noticed": "deck-count-mismatch",
    "a sensor fails": "equipment-malfunction",
}
"""What a machine that talks may do in its cycle, and the simulated device's word for it."""
NOBODY = "nobody"


def packet(table: SimTable) -> tuple[Ask, ...]:
    """What a packet asks for: how many cards, and where it is laid."""
    positions = readers(table)
    to = (Ask("to", "to", (*positions, NOBODY)),) if positions else ()
    return (Ask("cards", "cards", low=1, high=13, usual=3), *to)


class _Dispensing(Hand):
    """Puts out packets, whose cards are laid at a position of the felt."""

    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec, deck: Deck):
        super().__init__(scene, table, spec)
        self._deck = deck
        self._felt = Felt(scene, table)
        self._packets: Packets

    def _deal(self, cards: float, to: str = NOBODY) -> None:
        self._packets.dispense(int(cards))
        for number in range(int(cards)):
            card = self._deck.draw()
            if to != NOBODY:
                self._felt.lay(to, card, after=number * 0.04)
        self.scene.wait(0.3)


class ShufflerHand(_Dispensing, Lines):
    """A machine that is seen through its contacts."""

    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec, deck: Deck):
        super().__init__(scene, table, spec, deck)
        self._machine = BatchShuffler(scene, self.contacts)
        self._packets = Packets(scene, self._machine, TalkingShuffler(scene, table))

    def acts(self) -> tuple[Act, ...]:
        count = Ask("count", "count", (RIGHT, WRONG_DECK, NO_LAMP))
        seconds = Ask("seconds", "seconds", low=2, high=400, usual=20)
        acts = [
            Act("feed", "Feed the cards and shuffle", self._feed, (count, seconds), plays=True),
            Act("jam", "Jam it", self._jam),
            Act("clear", "Open the door and clear the jam", self._clear),
        ]
        if "card-exit" in self.spec.lines:
            acts.append(Act("packet", "Deal a packet", self._deal, packet(self.table), plays=True))
        return (*acts, *Lines.acts(self))

    def _feed(self, count: str, seconds: float) -> None:
        machine = self._machine
        machine.insert()
        machine.run(seconds)
        if count != NO_LAMP:
            machine.verdict(good=count == RIGHT)
        machine.remove()
        self._deck.shuffle()

    def _jam(self) -> None:
        self.contacts.set("jam", 1)
        self.contacts.set("motor", 0, after=0.2)

    def _clear(self) -> None:
        self.contacts.set("door", 1)
        self.scene.wait(4)
        self.contacts.set("door", 0)
        self.contacts.set("jam", 0, after=0.5)


class TalkingShufflerHand(_Dispensing):
    """A machine that reports what it does."""

    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec, deck: Deck):
        super().__init__(scene, table, spec, deck)
        self._talking = TalkingShuffler(scene, table)
        self._packets = Packets(scene, BatchShuffler(scene, Lines(scene, table, spec).contacts), self._talking)

    def acts(self) -> tuple[Act, ...]:
        return (
            Act(
                "feed",
                "Feed the cards and shuffle",
                self._feed,
                (Ask("outcome", "outcome", tuple(OUTCOMES)),),
                plays=True,
            ),
            Act("jam", "Jam it; it is cleared after a while", self._talking.jam),
            Act("packet", "Deal a packet", self._deal, packet(self.table), plays=True),
        )

    def _feed(self, outcome: str) -> None:
        self._talking.shuffle(whole_set(self.table.game, dict(self.table.options)) or 52, OUTCOMES[outcome])
        self._deck.shuffle()
