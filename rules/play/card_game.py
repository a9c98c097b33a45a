"""What all card games share: how a round opens and closes, and where its cards go.

Knows no game. Boundaries: DESIGN section 2, "Round boundaries".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.play.seats import ASIDE, Seats

LOST_NS = 250_000_000
"""A card that lies again so soon after one was lifted there is the same: the reader lost it for a moment, for nobody
takes one card up and lays another there."""

CLEAR_NS = 10_000_000_000
"""No card has lain on the felt for this time since a round was dealt out: a card that comes now is of the next one."""

RESHUFFLED = ("hand_shuffled", "deck_changed")
"""Panel keys that report a fresh shoe or deck."""

Lifted = tuple[str | None, str | None]
"""Where a card lay, and its face."""


def position_of(observation: Observation) -> str | None:
    """Where the device says the card or packet went; None if it does not know."""
    to = observation.data.get("to")
    return to if isinstance(to, str) else None


def card_of(observation: Observation) -> str | None:
    """The card's face; None if it was not read."""
    card = observation.data.get("card")
    return card if isinstance(card, str) else None


class CardGame(Part):
    """Base of the card families. A family says what its hands must look like; it overrides

    `began()`            a round has opened; `self.hands` are the hands in play (None if nobody says)
    `dealt(pos, card)`   a card lies at a position (already in the round's `cards`); pos None = unknown
    `packet(pos, n)`     n unseen cards went to a position (already in the round's `counts`)
    `lifted(pos, card)`  a card was taken from a position (still in the round's `cards`)
    `relaid(pos, card)`  a card that was lifted from a position lies there again
    `wager(seat, what)`  a wager was "laid" or "taken away"; the seat may be unknown (None)
    `complete()`         whether the game itself requires nothing more of this round
    `ended()`            judge what only the end shows; returns (result, partial)

    `where(pos, card)`   the position of a card, where the game's fixed order gives one that the device does not know

    A card is placed once: by the position reader where the table has one on line, else by the shoe's own `to`. A card
    that is lifted and laid back at the same position (a patron looked at it) is not dealt again.
    """

    SELF_CLOSING = False
    """True if a round without a panel closes as soon as it is complete (baccarat)."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.seats = Seats(desk)
        self._lifted: list[Lifted] = []
        self.hands: list[str] | None = None
        self.called: int | None = None
        """Journal sequence of this round's "no more bets", if it was called."""
        self.first: int | None = None
        """Journal sequence of this round's first card or packet."""

    # -- for the families

    def began(self) -> None: ...

    def where(self, position: str | None, card: str | None) -> str | None:
        return position

    def dealt(self, position: str | None, card: str | None) -> None: ...

    def packet(self, position: str | None, count: int) -> None: ...

    def lifted(self, position: str | None, card: str | None) -> None: ...

    def relaid(self, position: str | None, card: str | None) -> None: ...

    def complete(self) -> bool:
        raise NotImplementedError

    def ended(self) -> tuple[dict[str, Any], bool]:
        raise NotImplementedError

    @property
    def panel(self) -> bool:
        """Whether keys bound the rounds."""
        return self.desk.availability.on_line("panel.key_pressed")

    @property
    def reader(self) -> bool:
        """Whether a reader under the felt places the cards."""
        return self.desk.availability.on_line("card_position.card_placed")

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
        self._lifted = []
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
            if self._called_late():
                self.called = self.desk.seq
                return
            self.close()
            self.desk.boundary()
            self._open(self.desk.seq)
        elif key == "round_over":
            self.close()

    def _called_late(self) -> bool:
        """Whether "no more bets" comes in the middle of a round seen from its first card."""
        round_ = self.desk.round
        if round_ is None or round_.partial or self.called is not None or self.first is None:
            return False
        return not self.complete()

    def before_shuffle_started(self, observation: Observation) -> None:
        self.desk.boundary()

    def before_shoe_started(self, observation: Observation) -> None:
        self.close()
        self.desk.boundary()

    def before_card_drawn(self, observation: Observation) -> None:
        if position_of(observation) not in ASIDE:
            self._first_card()

    def before_card_placed(self, observation: Observation) -> None:
        if position_of(observation) not in ASIDE:
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
        card = card_of(observation)
        position = self.where(position_of(observation), card)
        if (position, card) in self._lifted:
            self._lifted.remove((position, card))
            self.relaid(position, card)
            return
        round_ = self.desk.round
        if round_ is not None and position is not None:
            round_.cards.setdefault(position, []).append(card)
        self.dealt(position, card)
        if self.SELF_CLOSING and not self.panel and self.desk.round is not None and self.complete():
            self.close()

    def on_card_removed(self, observation: Observation) -> None:
        position, card = position_of(observation), card_of(observation)
        if self.desk.round is not None and card is not None and card in self.cards.get(position or "", ()):
            self._lifted.append((position, card))
        self.lifted(position, card)

    def lifted_as(self, position: str | None, card: str | None, among: Sequence[Lifted] | None = None) -> Lifted | None:
        """Which of the lifted cards one that is laid here may be: the same, else one from here of which either was not
        read. `among`: those that may be laid here again, if that is not all from here and no other. None: it is a new
        one."""
        among = [each for each in self._lifted if each[0] == position] if among is None else among
        here = [each for each in among if each[0] == position]
        same = [each for each in (here if card is None else (*here, *among)) if each[1] == card]
        return next(iter(same or [each for each in here if None in (card, each[1])]), None)

    def on_packet_dispensed(self, observation: Observation) -> None:
        position, count = position_of(observation), observation.data.get("cards")
        dealt = count if isinstance(count, int) and not isinstance(count, bool) else 0
        round_ = self.desk.round
        if round_ is not None and position is not None and dealt:
            round_.counts[position] = round_.counts.get(position, 0) + dealt
        self.packet(position, dealt)

    # -- seats

    def on_seat_taken(self, observation: Observation) -> None:
        self.seats.on_seat_taken(observation)
        self.wager(observation.data.get("seat"), "laid")

    def on_seat_left(self, observation: Observation) -> None:
        self.seats.on_seat_left(observation)
        self.wager(observation.data.get("seat"), "taken away")

    def wager(self, seat: str | None, what: str) -> None:
        """See above."""

    def finish(self) -> None:
        """The stream ends: a complete round is whole, any other is partial. What only the end of a round shows is
        judged if nothing was still to come: neither a card nor the call that it is over."""
        round_ = self.desk.round
        if round_ is not None:
            complete = self.complete()
            round_.partial = round_.partial or (round_.void is None and not complete)
            self.desk.broken_off = self.panel or not complete
            self.close()
