"""Where a baccarat round begins, once that is unknown: unread faces left open where the last one ended.

By the hands to which the cards go alone; knows no face and judges nothing. Only legal play is reckoned with.
"""

from __future__ import annotations

from pitwatch.rules.games.baccarat.tableau import BANKER, INITIAL, PLAYER


class LostPlace:
    """The first four cards alternate, so a shoe gives two cards running to the player only where the second begins a
    round, and two running to the banker only where they end one. A felt that was cleared ends one as well."""

    def __init__(self) -> None:
        self._order: list[str] = []
        """The hands of the last cards that left the shoe, two at most."""
        self._lying = 0
        self._most = 0
        """Cards that lay on the felt at once since it was bare."""
        self._lifts = False
        """Whether the reader reports cards that are lifted."""

    def gap(self) -> None:
        """A card went nobody knows where, or cards may have gone by unseen."""
        self._order = []

    def drawn(self, to: str) -> bool:
        """A card leaves the shoe for a hand; whether it is sure to begin a round."""
        begins = to == PLAYER and (self._order[-1:] == [PLAYER] or self._order == [BANKER, BANKER])
        self._order = [*self._order[-1:], to]
        return begins

    def placed(self) -> bool:
        """A card is laid on the felt; whether it is sure to begin a round."""
        begins = self._lying == 0 and self._most >= 2 * INITIAL
        if self._lying == 0:
            self._most = 0
        self._lying += 1
        self._most = max(self._most, self._lying)
        return begins

    @property
    def untouched(self) -> bool:
        """Whether every card laid on the felt still lies there, so that it cannot have been cleared."""
        return self._lifts and self._lying == self._most

    def lifted(self) -> None:
        self._lifts = True
        self._lying = max(0, self._lying - 1)
