"""Matched'em: three cards of different rank on the squares, then cards of a second deck until one matches a square.

The squares are "community"; the second deck's cards lie at the dealer's right ("dealer"), or where a table does not
tell them apart at "community" too: the squares come first. A card of a rank that lies already is replaced.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.play.card_game import Lifted, position_of
from pitwatch.rules.play.cards import all_read, is_card, rank
from pitwatch.rules.play.laid_again import LaidAgain
from pitwatch.rules.play.seats import DEALER

FAMILIES = {"matched": "Matched"}

COMMUNITY = "community"
SQUARES = 3


class Matched(LaidAgain):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._lifts_seen = desk.has("card_position.card_removed")
        self._begin()

    def _begin(self) -> None:
        self._squares: list[tuple[str | None, int]] = []
        self._laid: list[str | None] = []
        """Every card that was dealt to the squares, replaced or not."""
        self._second: list[tuple[str | None, int]] = []
        self._match: int | None = None
        """The square matched, from 1."""
        self._sources: set[str] = set()
        self._off_the_book = False

    def began(self) -> None:
        self._begin()

    # -- boundaries

    def before_card_placed(self, observation: Observation) -> None:
        self._next_round(observation)
        super().before_card_placed(observation)
        self._sources.add(observation.device)

    def before_card_drawn(self, observation: Observation) -> None:
        if not self.reader:
            self._next_round(observation)
        super().before_card_drawn(observation)
        if not self.reader:
            self._sources.add(observation.device)

    def where(self, position: str | None, card: str | None) -> str | None:
        """A shoe that does not say where a card goes deals the squares first."""
        return position or COMMUNITY

    def _next_round(self, observation: Observation) -> None:
        """A square that is dealt to after the match is the next round's first."""
        if self._match is None or self.where(position_of(observation), None) != COMMUNITY or not self._tells_apart():
            return
        if observation.event != "card_placed" or self.cleared or self.laid_again(observation) is None:
            self.close()

    def _tells_apart(self) -> bool:
        """Whether the second deck's cards lie elsewhere than the squares, or nothing shows where a round ends: then no
        card can be known to come past the match."""
        return DEALER in self.cards or not (self.panel or self.desk.has("shuffler.shuffle_started"))

    def before_key_pressed(self, observation: Observation) -> None:
        """Wagers are laid when the squares are dealt, so "no more bets" comes in the middle; a round over is what shows
        a clean beginning from one that was missed."""
        key = observation.data.get("key")
        if key == "no_more_bets" and self.desk.round is not None and not self._second and self.called is None:
            self.called = self.desk.seq
            return
        super().before_key_pressed(observation)
        if key == "round_over":
            self.desk.boundary()

    def before_shuffle_started(self, observation: Observation) -> None:
        if not self.panel:
            self.close()
        self.desk.boundary()

    def on_key_pressed(self, observation: Observation) -> None:
        if observation.data.get("key") == "misdeal" and self.desk.round is not None:
            self._off_the_book = True
            self.desk.round.void = self.desk.round.void or "misdeal"

    # -- cards

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position not in (COMMUNITY, DEALER):
            return
        if position == COMMUNITY and not self._second and not self._squares_over():
            self._square(card)
            return
        if not self._second:
            self._judge_squares()
        self._judge_alike(card, [face for face, _ in self._second])
        self._second.append((card, self.desk.seq))
        if self._match is not None:
            self._breach(
                "dealt-past-match", {"card": card, "after": len(self._second) - 1}, {"cards": "none after the match"}
            )
        else:
            self._match = self._matches(card)

    def _square(self, card: str | None) -> None:
        """The next square; where lifting does not show, one after a rank that lies already is taken to replace it."""
        self._judge_alike(card, self._laid)
        self._laid.append(card)
        double = None if self._lifts_seen else self._double()
        if double is not None:
            self._squares[double] = card, self.desk.seq
        else:
            self._squares.append((card, self.desk.seq))

    def comes_back(self, lifted: Lifted, position: str | None) -> bool:
        """The second deck may hold the same card as one that was taken from the squares, to be replaced or for good."""
        at, card = lifted
        if at != COMMUNITY or not self._squares_over():
            return True
        lying = [None, *(face for face, _ in (*self._squares, *self._second))]
        return card in lying and self.where(position, None) == COMMUNITY

    def lifted(self, position: str | None, card: str | None) -> None:
        """A card taken from the squares before the second deck is dealt is one that is replaced."""
        double = self._double()
        if position == COMMUNITY and not self._second and double is not None:
            faces = [face for face, _ in self._squares]
            if card is None or card in faces:
                del self._squares[double if card is None else faces.index(card)]

    def relaid(self, position: str | None, card: str | None) -> None:
        """A square that seemed to be replaced was only lifted."""
        if position == COMMUNITY and not self._second and card not in [face for face, _ in self._squares]:
            self._squares.append((card, self.desk.seq))

    def read(self, position: str | None, card: str) -> None:
        cards = self._second if position == DEALER or self._second else self._squares
        at = next((at for at, (face, _) in enumerate(cards) if face is None), None)
        if at is not None:
            cards[at] = card, cards[at][1]
        if self._match is None and self._second and at == len(self._second) - 1:
            self._match = self._matches(card)

    def _double(self) -> int | None:
        """The index of a square whose rank lies on one before it."""
        ranks = [rank(face) if face is not None and is_card(face) else None for face, _ in self._squares]
        return next((at for at, each in enumerate(ranks) if each is not None and each in ranks[:at]), None)

    def _squares_over(self) -> bool:
        """Whether the squares are dealt: all three, and no rank twice or wagers called all the same."""
        return len(self._squares) >= SQUARES and (self._double() is None or self.called is not None)

    def _matches(self, card: str | None) -> int | None:
        if card is None or not is_card(card):
            return None
        for number, (face, _) in enumerate(self._squares[:SQUARES], start=1):
            if face is not None and is_card(face) and rank(face) == rank(card):
                return number
        return None

    # -- judging

    def _judged(self) -> bool:
        round_ = self.desk.round
        clouded = self._sources & self.desk.availability.clouded
        return round_ is not None and round_.void is None and not self._off_the_book and not clouded

    def _breach(self, rule: str, observed: dict[str, Any], required: dict[str, Any]) -> None:
        if self._judged():
            self.desk.breach(rule, observed, required, [seq for _, seq in self._squares])

    def _judge_squares(self) -> None:
        while len(self._squares) > SQUARES and (double := self._double()) is not None:
            del self._squares[double]  # four cards on three squares: it was replaced, though nobody saw it go
        faces = [face for face, _ in self._squares]
        if not self._lifts_seen and len(faces) < SQUARES <= len(self._laid):
            faces = self._laid  # whichever was not replaced: three squares show two ranks
        elif self._double() is None:
            return
        self._breach("duplicate-square-card", {"squares": faces}, {"ranks": "all different"})

    def _judge_alike(self, card: str | None, before: list[str | None]) -> None:
        """The decks are never mixed (442): in each of them every card is once."""
        if card is not None and card in before and self._judged():
            self.desk.breach("duplicate-card", {"card": card, "times": 2}, {"at_most": 1}, once=card)

    def _read(self) -> bool:
        """Whether every card of the round was read."""
        return all_read([card for card, _ in (*self._squares, *self._second)]) is not None

    def complete(self) -> bool:
        return self._match is not None

    def ended(self) -> tuple[dict[str, Any], bool]:
        squares = [face for face, _ in self._squares]
        whole = self.desk.round is not None and not self.desk.round.partial
        if whole and self._second and self._match is None and self._read() and len(squares) >= SQUARES:
            self._breach("ended-without-match", {"cards": len(self._second)}, {"dealt": "until a square is matched"})
        partial = bool(self._sources & self.desk.availability.clouded)
        return {"squares": squares, **self._winning(squares)}, partial

    def _winning(self, squares: list[str | None]) -> dict[str, Any]:
        """The square matched, after how many cards, and whether card and suit are the same (Copy) or it came first
        (Door). None where the cards do not show it."""
        if self._match is None:
            return {"match": None}
        at = next(n for n, (card, _) in enumerate(self._second) if self._matches(card) == self._match)
        card = self._second[at][0]
        return {"match": self._match, "cards": at + 1, "copy": card == squares[self._match - 1], "door": at == 0}
