"""The bank that passes from player to player, whatever the game: nobody holds it for more rounds than the book allows.

Figure of the book: `bank-rounds-at-most`, rounds in a row that one seat may bank. Knows a seat, not who sits there:
that somebody else took the seat while the marker stayed shows on no sensor.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.play.seats import ASIDE

WATCHER = {"turn": 90, "class": "Bank"}
RULES = ("bank-held-too-long",)

RULE = "bank-held-too-long"


class Bank(Part):
    """A round counts for the seat that has the marker at its first card, if it was played to its end."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        figure = desk.game.figures.get("bank-rounds-at-most")
        self._at_most: int | None = figure.value if figure is not None else None
        self._sensors = {device.id for device in desk.table.provides("seats.bank_moved")}
        self._dealing: int | None = None
        """The round of which a card has been seen."""
        self._banks: str | None = None
        self._forget()

    def _forget(self) -> None:
        self._seat: str | None = None
        """The seat with the marker; None: the house has it, or nobody knows."""
        self._since: list[int] = []
        self._streak_of: str | None = None
        self._streak = 0

    def on_bank_moved(self, observation: Observation) -> None:
        self._seat = observation.data.get("seat")
        self._since = [self.desk.seq]

    def on_card_drawn(self, observation: Observation) -> None:
        round_ = self.desk.round
        if round_ is None or round_.number == self._dealing or observation.data.get("to") in ASIDE:
            return
        self._dealing, self._banks = round_.number, self._seat
        if self._at_most is None or self._banks is None or self._banks != self._streak_of:
            return
        if self._streak >= self._at_most:
            self.desk.breach(
                RULE,
                {"seat": self._banks, "rounds_running": self._streak + 1},
                {"rounds_at_most": self._at_most},
                self._since,
            )

    on_card_placed = on_packet_dispensed = on_card_drawn

    def round_closing(self) -> None:
        round_ = self.desk.round
        if round_ is None or round_.number != self._dealing or round_.void is not None:
            return
        if round_.partial:
            if self._banks != self._streak_of:
                self._streak_of = None  # played to its end or not, somebody else held it in between
            return
        self._streak = self._streak + 1 if self._banks == self._streak_of else 1
        self._streak_of = self._banks

    def missed(self, observation: Observation) -> None:
        """The marker may have gone to somebody and back."""
        if observation.device in self._sensors:
            self._forget()
