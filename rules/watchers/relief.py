"""Relief: a dealer who takes over a live game burns the first card before dealing; on a dead game nobody need, unless
the book has the figure `relief-burns-on-dead-game`, true.

Whatever the card game. A change of dealer shows as the panel's key, or as another dealer's credential. A card that
left the shoe for nobody knows where may have been the burn, and proves nothing.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.people import DEALER as DEALER_ROLE
from pitwatch.rules.play.seats import ASIDE, Seats

WATCHER = {"turn": 80, "class": "Relief"}
RULES = ("relief-dealer-no-burn", "accidental-burn")

RULE = "relief-dealer-no-burn"
BY_ACCIDENT = "accidental-burn"
"""Of a book whose relieving dealer burns nothing."""
LIVE_NS = 300_000_000_000
"""Without sight of the wagers, a game counts as live this long after its last round; the document gives no figure."""


class Relief(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._seats = Seats(desk)
        figure = desk.game.figures.get("relief-burns-on-dead-game")
        self._always: bool = figure is not None and figure.value
        self._dealer: str | None = None
        self._relieved: int | None = None
        self._in_round: int | None = None
        self._burned = False
        self._undeclared = 0
        self._last_close: int | None = None

    # -- a dealer takes over

    def on_key_pressed(self, observation: Observation) -> None:
        if observation.data.get("key") == "dealer_change":
            self._change()

    def on_credential_presented(self, observation: Observation) -> None:
        credential = observation.data.get("credential")
        if credential is None or self.desk.table.people.get(credential) != DEALER_ROLE:
            return
        if self._dealer is not None and self._dealer != credential:
            self._change()
        self._dealer = credential

    def _change(self) -> None:
        if not (self._always or self._live()):
            return
        self._relieved, self._undeclared = self.desk.seq, 0
        if self.desk.round is not None and not self.desk.round.cards:
            self._in_round = self._relieved

    def _live(self) -> bool:
        """Play is going on: a round, wagers, or a round a short while ago where no sensor shows wagers."""
        if self.desk.round is not None:
            return True
        if self._seats.sensed:
            return bool(self._seats.in_play())
        return self._last_close is not None and self.desk.t - self._last_close <= LIVE_NS

    def on_seat_taken(self, observation: Observation) -> None:
        self._seats.on_seat_taken(observation)

    def on_seat_left(self, observation: Observation) -> None:
        self._seats.on_seat_left(observation)

    # -- the next card

    def round_opened(self) -> None:
        self._in_round = self._relieved

    def round_closing(self) -> None:
        self._last_close = self.desk.t

    def on_card_drawn(self, observation: Observation) -> None:
        position = observation.data.get("to")
        if position in ASIDE:
            if "outside" not in observation.data:
                self._burn()
        elif position is not None:
            self._dealt()
        elif self.desk.has("card_position.card_placed"):
            self._undeclared += 1
        else:
            self._forget()

    def on_card_placed(self, observation: Observation) -> None:
        """Under the felt a burn may not show; that the very first card drawn lies at a hand does."""
        if observation.data.get("to") in ASIDE:
            self._burn()
        elif self._undeclared == 1:
            self._dealt()
        elif self._undeclared > 1:
            self._forget()

    def _burn(self) -> None:
        self._burned = True
        if self._relieved is not None and self.desk.round is None:
            self.desk.breach(BY_ACCIDENT, {"first_card": "burned"}, {"first_card": "dealt"}, [self._relieved])
            if BY_ACCIDENT in self.desk.game.rules:
                self._forget()

    def _dealt(self) -> None:
        """A relief in the middle of a round is judged at the first card of the next."""
        if self._relieved is not None and self._relieved == self._in_round:
            if not self._burned:
                self.desk.breach(RULE, {"first_card": "dealt"}, {"first_card": "burned"}, [self._relieved])
            self._relieved = None
        if self._relieved is None:
            self._burned = False

    def _forget(self) -> None:
        self._relieved = None

    def on_device_online(self, observation: Observation) -> None:
        """A dealer may have taken over, and burned, while the shoe was not heard."""
        self.missed(observation)

    def missed(self, observation: Observation) -> None:
        """A burn may have gone unseen while the shoe was not heard."""
        if any(device.id == observation.device and device.type == "shoe" for device in self.desk.table.devices):
            self._forget()
