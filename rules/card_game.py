"""What all card games share: how a round opens and closes, and where its cards go.

Knows no game. Boundaries: DESIGN section 2, "Round boundaries".
"""

from __future__ import annotations

from typing import Any

from devices.observation import Observation
from rules.desk import Desk
from rules.part import Part
from rules.seats import Seats


class CardGame(Part):
    """Base of the card families. A family says what its hands must look like; it overrides

    `began()`            a round has opened; `self.hands` are the hands in play (None if nobody says)
    `dealt(pos, card)`   a card lies at a position (already in the round's `cards`); pos None = unknown
    `packet(pos, n)`     n unseen cards went to a position (already in the round's `counts`)
    `lifted(pos, card)`  a card was taken from a position (still in the round's `cards`)
    `complete()`         whether the game itself requires nothing more of this round
    `ended()`            judge what only the end shows; returns (result, partial)

    A card is placed once: by the position reader where the table has one, else by the shoe's own `to`.
    """

    SELF_CLOSING = False
    """True if a round without a panel closes as soon as it is complete (baccarat)."""

    SHUFFLE_CLOSES = False
    """True if a round without a panel closes when the next shuffle starts (packet-dealt games)."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.seats = Seats(desk)
        self.panel = desk.has("panel.key_pressed")
        self.reader = desk.has("card_position.card_placed")
        self.hands: list[str] | None = None
        self.called: int | None = None
        """Journal sequence of this round's "no more bets", if it was called."""
        self.first: int | None = None
        """Journal sequence of this round's first card or packet."""

    # -- for the families

    def began(self) -> None: ...

    def dealt(self, position: str | None, card: str | None) -> None: ...

    def packet(self, position: str | None, count: int) -> None: ...

    def lifted(self, position: str | None, card: str | None) -> None: ...

    def complete(self) -> bool:
        raise NotImplementedError

    def ended(self) -> tuple[dict[str, Any], bool]:
        raise NotImplementedError

    @property
    def cards(self) -> dict[str, list[str | None]]:
        """The open round's cards by position."""
        return self.desk.round.cards if self.desk.round is not None else {}

    @property
    def counts(self) -> dict[str, int]:
        """The open round's unseen cards by position."""
        return self.desk.round.counts if self.desk.round is not None else {}

    # -- boundaries

    def _open(self, called: int | None = None) -> None:
        self.hands = self.seats.in_play()
        self.called, self.first = called, None
        self.desk.open_round()
        self.began()

    def close(self) -> None:
        """Close the open round with what its family makes of it."""
        if self.desk.round is not None:
            result, partial = self.ended()
            self.desk.close_round(result, partial)

    def before_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_more_bets":
            if self.desk.round is not None and self.called is None and self.first is not None and not self.complete():
                self.called = self.desk.seq
                return
            self.close()
            self.desk.boundary()
            self._open(self.desk.seq)
        elif key == "round_over":
            self.close()

    def before_shuffle_started(self, observation: Observation) -> None:
        if self.SHUFFLE_CLOSES and not self.panel:
            self.close()
        self.desk.boundary()

    def before_shoe_started(self, observation: Observation) -> None:
        self.close()
        self.desk.boundary()

    def before_card_drawn(self, observation: Observation) -> None:
        if observation.data.get("to") not in ("burn", "discard"):
            self._first_card()

    def before_card_placed(self, observation: Observation) -> None:
        if observation.data.get("to") not in ("burn", "discard"):
            self._first_card()

    def before_packet_dispensed(self, observation: Observation) -> None:
        self._first_card()

    def _first_card(self) -> None:
        if self.desk.round is None:
            self._open()
        if self.first is None:
            self.first = self.desk.seq

    # -- where the cards go

    def on_card_drawn(self, observation: Observation) -> None:
        if not self.reader:
            self._place(observation)

    def on_card_placed(self, observation: Observation) -> None:
        self._place(observation)

    def _place(self, observation: Observation) -> None:
        position, card = observation.data.get("to"), observation.data.get("card")
        round_ = self.desk.round
        if round_ is not None and position is not None:
            round_.cards.setdefault(position, []).append(card)
        self.dealt(position, card)
        if self.SELF_CLOSING and not self.panel and self.desk.round is not None and self.complete():
            self.close()

    def on_card_removed(self, observation: Observation) -> None:
        self.lifted(observation.data.get("to"), observation.data.get("card"))

    def on_packet_dispensed(self, observation: Observation) -> None:
        position, count = observation.data.get("to"), observation.data.get("cards")
        round_ = self.desk.round
        if round_ is not None and position is not None and count is not None:
            round_.counts[position] = round_.counts.get(position, 0) + count
        self.packet(position, count or 0)

    # -- seats

    def on_seat_taken(self, observation: Observation) -> None:
        self.seats.on_seat_taken(observation)

    def on_seat_left(self, observation: Observation) -> None:
        self.seats.on_seat_left(observation)

    def finish(self) -> None:
        """The stream ends: a complete round is whole, any other is partial."""
        round_ = self.desk.round
        if round_ is not None:
            round_.partial = round_.partial or (round_.void is None and not self.complete())
            self.close()
