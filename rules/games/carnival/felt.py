"""The cards as they lie on a carnival layout, position by position: laid, lifted, laid back, moved, read only later.

Knows no game and judges nothing.
"""

from __future__ import annotations

from collections import Counter

from pitwatch.rules.games.carnival.deal_plan import COMMUNITY
from pitwatch.rules.play.seats import is_seat

Cards = list[str | None]


class Felt:
    """One round's. `lifted`: position and face of cards that were taken from it, as the procedure keeps them."""

    def __init__(self, lifted: list[tuple[str | None, str | None]]):
        self._lifted = lifted
        self._unread_lifted: dict[str, int] = {}
        self.piles: dict[str, Cards] = {}
        self.board_before_hands: int | None = None
        """How many community cards lay there when the first card of a hand was laid; None before that."""
        self.board_among_hands = False
        """Whether a hand had cards before and got another after a community card was laid: the reader shows those that
        lie face down."""
        self._begun: set[str] = set()
        """The hands that had cards when the first community card was laid."""

    def of(self, position: str) -> Cards:
        return self.piles.get(position, [])

    def lay(self, position: str, card: str | None) -> None:
        """A card that is new to the felt."""
        if is_seat(position) and self.board_before_hands is None:
            self.board_before_hands = len(self.of(COMMUNITY))
        if position == COMMUNITY and not self.of(COMMUNITY):
            self._begun = {each for each, pile in self.piles.items() if pile and is_seat(each)}
        self.board_among_hands = self.board_among_hands or position in self._begun
        self.piles.setdefault(position, []).append(card)

    def lay_back(self, position: str, card: str | None) -> bool:
        """Whether this is a card that was lifted: moved from another position, or read this time only."""
        pile = self.piles.setdefault(position, [])
        for lifted in self._lifted:
            origin, face = lifted
            if origin is not None and (face == card or (card is None and origin == position)):
                self._lifted.remove(lifted)
                if face in self.of(origin):
                    self.piles[origin].remove(face)
                pile.append(face)
                return True
        return False

    def lay_back_unread(self, position: str, card: str | None) -> bool:
        """Whether this is a card that was lifted from there before anybody had read it."""
        if not self._unread_lifted.get(position):
            return False
        self._unread_lifted[position] -= 1
        self.read(position, card)
        return True

    def one_less(self, position: str) -> None:
        """Of the cards laid there one that was not read was told as two."""
        self.piles[position].remove(None)

    def read(self, position: str, card: str | None) -> None:
        """A card that lay there unread is this one."""
        pile = self.piles[position]
        if None in pile and card not in pile:
            pile[pile.index(None)] = card

    def lift_unread(self, position: str) -> None:
        """Any card that lies there; if it was read when it was laid, nobody knows which."""
        away = self._unread_lifted.get(position, 0)
        if len(self.of(position)) > away + sum(origin == position for origin, _ in self._lifted):
            self._unread_lifted[position] = away + 1

    def shows(self, position: str, card: str) -> bool:
        """Whether a card that lay there unread shows its face as it is lifted."""
        pile = self.of(position)
        if card in pile or None not in pile:
            return False
        self.read(position, card)
        return True

    def away(self) -> list[str]:
        """Positions whose cards were all lifted."""
        gone = Counter(self._unread_lifted)
        gone.update(origin for origin, _ in self._lifted if origin is not None)
        return [position for position, pile in self.piles.items() if 0 < len(pile) <= gone[position]]

    @property
    def cleared(self) -> bool:
        """Whether every card of the round has been taken away."""
        laid = sum(len(pile) for pile in self.piles.values())
        return 0 < laid == len(self._lifted) + sum(self._unread_lifted.values())

    def record(self, cards: dict[str, Cards]) -> None:
        """Makes the round's cards what lies here, each card once."""
        for position in (*self.piles, *cards):
            if position in self.piles:
                cards[position] = list(self.piles[position])
        for position in [position for position, pile in cards.items() if not pile]:
            del cards[position]
