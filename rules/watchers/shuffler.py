"""The shuffler, whatever the game: a fault means one thing while it shuffles and another while a round is dealt."""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part

WATCHER = {"turn": 40, "class": "Shuffler"}
RULES = ("shuffler-fault-during-shuffle", "shuffler-fault-during-deal", "shuffle-count-failed")

DURING_SHUFFLE = "shuffler-fault-during-shuffle"
DURING_DEAL = "shuffler-fault-during-deal"
SETTLED_NS = 10_000_000_000
"""No packet for so long, then a community card is shown: it is turned, not dealt."""


class Shuffler(Part):
    """Follows each shuffler's phase. A batch machine shuffles one deck while the other is played: its phase decides,
    not the round's, so a fault while the idle deck is shuffled voids nothing. It stops at the end of every cycle and
    after the last card dealt: to stop is a fault only while it shuffles or deals (document lines 71, 87). A jam is one
    at any time, unless the book has the figure `shuffler-may-fail-once-delivered`, true: then a machine that has
    delivered all cards of the round cannot fail any more."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        figure = desk.game.figures.get("shuffler-may-fail-once-delivered")
        self._may_fail: bool = figure is not None and figure.value
        self._shuffling: dict[str, int] = {}
        self._faulty: set[str] = set()
        self._left: dict[str, int] = {}
        """Cards still in the machine, of those whose shuffle was completed and counted."""
        self._emptied: set[str] = set()
        """Machines out of which the cards were taken, and that have dispensed none since."""
        self._packet: int | None = None
        """When the last packet was dispensed (ns)."""
        self._turned = False
        """A community card of the open round was turned: play goes on, so all were delivered."""

    def on_shuffle_started(self, observation: Observation) -> None:
        self._shuffling[observation.device] = self.desk.seq
        self._faulty.discard(observation.device)
        self._left.pop(observation.device, None)
        self._emptied.discard(observation.device)

    def on_shuffle_completed(self, observation: Observation) -> None:
        self._over(observation)
        cards = observation.data.get("cards")
        if isinstance(cards, int):
            self._left[observation.device] = cards

    def on_packet_dispensed(self, observation: Observation) -> None:
        self._over(observation)
        device, cards = observation.device, observation.data.get("cards")
        self._emptied.discard(device)
        self._packet, self._turned = self.desk.t, False
        if device in self._left and isinstance(cards, int):
            self._left[device] = max(0, self._left[device] - cards)

    def on_cards_removed(self, observation: Observation) -> None:
        self._emptied.add(observation.device)

    def round_opened(self) -> None:
        self._turned = False

    def on_card_placed(self, observation: Observation) -> None:
        """Right after a packet the cards are laid, and some readers see the face of a card that lies face down."""
        long_ago = self._packet is not None and self.desk.t - self._packet >= SETTLED_NS
        turned = observation.data.get("to") == "community" and observation.data.get("card") is not None
        self._turned = self._turned or (long_ago and turned)

    def _delivered(self, device: str) -> bool:
        """Whether the machine has no card of the open round left to deal. Taking cards out and turning some show it
        only where a machine need not work to the end of the round."""
        over = self._may_fail and (self._turned or device in self._emptied)
        return over or self._left.get(device) == 0 or self.desk.dealt_out()

    def _over(self, observation: Observation) -> None:
        self._shuffling.pop(observation.device, None)
        self._faulty.discard(observation.device)

    def on_jammed(self, observation: Observation) -> None:
        self._fault(observation, "jammed")

    def on_stopped(self, observation: Observation) -> None:
        self._fault(observation, "stopped")

    def _fault(self, observation: Observation, what: str) -> None:
        """A jam that also stops the machine is one fault, until it is cleared or the machine works again."""
        device = observation.device
        if device in self._faulty:
            return
        started = self._shuffling.get(device)
        dealing = started is None and self.desk.round is not None and DURING_DEAL in self.desk.game.rules
        at_rest = started is None and (not dealing or self._delivered(device))
        if (what == "stopped" and at_rest) or (self._may_fail and started is None and self._delivered(device)):
            return
        self._faulty.add(device)
        if dealing:
            self.desk.breach(
                DURING_DEAL, {"shuffler": what, "while": "a round is dealt"}, {"shuffler": "deals all cards"}
            )
        else:
            phase = "shuffling" if started is not None else "idle"
            self.desk.breach(
                DURING_SHUFFLE,
                {"shuffler": what, "while": phase},
                {"shuffler": "completes its cycle"},
                [] if started is None else [started],
                once=self.desk.seq,
            )

    def on_jam_cleared(self, observation: Observation) -> None:
        self._faulty.discard(observation.device)

    def on_count_failed(self, observation: Observation) -> None:
        device = observation.device
        started = self._shuffling.pop(device, None)
        self._faulty.add(device)
        self.desk.breach(
            "shuffle-count-failed",
            {"cards": observation.data.get("cards")},
            {"cards": "the full count"},
            [] if started is None else [started],
            once=self.desk.seq,
        )
