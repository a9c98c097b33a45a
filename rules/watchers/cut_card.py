"""The cut card, whatever the game: when it comes out, and what is dealt after it before a reshuffle.

Figures of the book: `rounds-after-cut-card` (rounds that may still begin when it comes out during a round) and
`rounds-when-cut-card-first` (when it is the first card of one, that round included).
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.play.card_game import RESHUFFLED
from pitwatch.rules.play.seats import ASIDE

WATCHER = {"turn": 70, "class": "CutCard"}
RULES = ("cut-card-first-card", "cut-card-mid-round", "dealt-past-cut-card", "dealt-past-last-hand")

DEALT_PAST = ("dealt-past-last-hand", "dealt-past-cut-card")
TELLING = (
    "shoe.shoe_started", "shuffler.shuffle_started", "shuffler.shuffle_completed",
    *(f"panel.key_pressed:{key}" for key in RESHUFFLED),
)  # fmt: skip
"""Events that may show it. Where no device has any, a round past the last is the first of a shoe that was filled
unseen."""


class CutCard(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        figures = desk.game.figures
        self._governed = {"rounds-after-cut-card", "rounds-when-cut-card-first"} <= figures.keys()
        self._shoes = {device.id for device in desk.table.devices if device.type == "shoe"}
        self._dealing: int | None = None
        """The round of which a card has been seen."""
        self._in_hand: bool
        """A card is out of the shoe and not yet laid where a reader opens the round."""
        self._fresh()

    def _fresh(self) -> None:
        self._cut: int | None = None
        self._left = 0
        self._in_hand = False

    # -- it comes out

    def on_cut_card_drawn(self, observation: Observation) -> None:
        if not self._governed or self._cut is not None:
            return
        desk = self.desk
        self._cut = desk.seq
        during = self._in_hand or (desk.round is not None and desk.round.number == self._dealing)
        self._left = desk.figure("rounds-after-cut-card" if during else "rounds-when-cut-card-first")
        self._left += self._in_hand  # the round of that card is still to be opened
        if during:
            desk.breach("cut-card-mid-round", {"cut_card": "during a round"}, {"then": "finish the round, reshuffle"})
        else:
            desk.breach("cut-card-first-card", {"cut_card": "first card of a round"}, {"then": "reshuffle"})

    # -- rounds after it

    def on_card_drawn(self, observation: Observation) -> None:
        """A round counts from its first card: a call alone deals nothing."""
        desk = self.desk
        if observation.data.get("to") in ASIDE:
            return
        self._in_hand = desk.round is None
        if desk.round is None or desk.round.number == self._dealing:
            return
        self._dealing = desk.round.number
        if desk.round.partial:
            self._fresh()  # it may be the end of the round before
        if self._cut is None:
            return
        self._left -= 1
        if self._left < 0 and not self.desk.has(*TELLING):
            self._fresh()
        elif self._left < 0:
            for rule in DEALT_PAST:
                desk.breach(rule, {"rounds_past_the_last": -self._left}, {"then": "reshuffle"}, [self._cut])

    on_card_placed = on_packet_dispensed = on_card_drawn

    # -- a reshuffle, or one that may have gone unseen

    def on_shoe_started(self, observation: Observation) -> None:
        self._fresh()

    def on_shuffle_started(self, observation: Observation) -> None:
        self._fresh()

    def on_shuffle_completed(self, observation: Observation) -> None:
        self._fresh()

    def on_key_pressed(self, observation: Observation) -> None:
        if observation.data.get("key") in RESHUFFLED:
            self._fresh()

    def missed(self, observation: Observation) -> None:
        if observation.device in self._shoes:
            self._fresh()
