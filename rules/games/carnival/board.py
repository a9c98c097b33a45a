"""The community cards of one round: in which order they were turned, and which of them the dealer burned.

Cards that lie face down are read as they are laid; a card that is lifted and laid back was turned, or looked at. Knows
no game and judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

APART_NS = 5_000_000_000
"""Cards taken from the felt together at a round's end, or laid there together, follow each other closer than this; one
that is burned, or turned after the patrons have decided, comes alone."""


class Board:
    """`burned`: how many cards the dealer burns once they are dealt."""

    def __init__(self, burned: int):
        self._burned = burned
        self._turned: list[str] = []
        self._gone: list[tuple[int, str]] = []
        self._aside: list[str] = []
        self._shown: list[int] = []
        self.burned_too_many: list[str] = []
        """Cards that were burned face down after those that are to be, while the hands lay there."""

    def lifted(self, card: str | None, t: int) -> None:
        if card is not None:
            self._gone.append((t, card))

    def laid_back(self, card: str | None) -> None:
        self._gone = [each for each in self._gone if each[1] != card]
        self._aside = [each for each in self._aside if each != card]
        self.burned_too_many = [each for each in self.burned_too_many if each != card]
        if card is not None and card not in self._turned:
            self._turned.append(card)

    def shown(self, card: str | None, t: int) -> None:
        """A card is seen on the board for the first time, after all hands were dealt."""
        if card is not None and (not self._shown or t - self._shown[-1] >= APART_NS):
            self._shown.append(t)

    def burns(self, card: str | None, in_play: bool) -> None:
        """A community card lies with the burned cards; `in_play`: no hand was taken away so far."""
        if card is None:
            return
        if len(self._aside) < self._burned:
            self._aside.append(card)
        elif in_play and card not in (*self._turned, *self._aside) and self._burned:
            self.burned_too_many.append(card)

    @property
    def turned_apart(self) -> int:
        """How many cards showed one after another, as cards are turned: on a felt that shows none that lies face
        down."""
        return 0 if self._aside or self._gone else len(self._shown)

    def cards(self, pile: Sequence[str | None]) -> list[str | None]:
        """The community cards as they count, of those that were laid: those seen turned first, in the order they were,
        then the others as laid. Without the burned ones, where it is known which those are: once as many were turned
        as count, those that were not."""
        if self._burned and not self._aside and len(self._turned) == len(pile) - self._burned:
            return list(self._turned)
        left = [card for card in pile if card not in self._out(pile)]
        turned: list[str | None] = [card for card in self._turned if card in left]
        return turned + [card for card in left if card not in turned]

    def _out(self, pile: Sequence[str | None]) -> Sequence[str]:
        """The burned cards; those that left the board long before any other if nobody saw where they went."""
        if self._aside or not self._burned:
            return [*self._aside, *self.burned_too_many]
        gone = self._gone
        if len(gone) < self._burned or (
            len(gone) > self._burned and gone[self._burned][0] - gone[self._burned - 1][0] < APART_NS
        ):
            return ()
        return [card for _, card in gone[: self._burned]]
