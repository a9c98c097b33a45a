"""The community cards of one round: in which order they were turned, and which of them the dealer burned.

Cards that lie face down are read as they are laid; a card that is lifted and laid back was turned, or looked at. Knows
no game and judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

APART_NS = 5_000_000_000
"""Cards taken from the felt together at a round's end follow each other closer than this; a burned one goes alone."""


class Board:
    """`burned`: how many cards the dealer burns once they are dealt."""

    def __init__(self, burned: int):
        self._burned = burned
        self._turned: list[str] = []
        self._gone: list[tuple[int, str]] = []
        self._aside: list[str] = []

    def lifted(self, card: str | None, t: int) -> None:
        if card is not None:
            self._gone.append((t, card))

    def laid_back(self, card: str | None) -> None:
        self._gone = [each for each in self._gone if each[1] != card]
        if card is not None and card not in self._turned:
            self._turned.append(card)

    def burns(self, card: str | None) -> None:
        """A community card lies with the burned cards."""
        if card is not None and len(self._aside) < self._burned:
            self._aside.append(card)

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
            return self._aside
        gone = self._gone
        if len(gone) < self._burned or (
            len(gone) > self._burned and gone[self._burned][0] - gone[self._burned - 1][0] < APART_NS
        ):
            return ()
        return [card for _, card in gone[: self._burned]]
