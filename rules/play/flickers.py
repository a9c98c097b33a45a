"""A reader under the felt that shows one card as two: it fails at it and then reads it, or the other way round.

Knows no game. Two cards laid within `WINDOW_NS` at one place may be two of a packet. So such a pair, of
which one was not read, is one card only where the hand would otherwise have too many.
"""

from __future__ import annotations

from collections.abc import Callable

WINDOW_NS = 400_000_000
"""How far apart a reader under the felt may report one card twice; `engine.read_again` says why."""


class Flickers:
    """One round's."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, str | None]] = {}
        self._pairs: list[str] = []

    def laid(self, t: int, position: str, card: str | None) -> None:
        """A card is laid that is not known to be one that lies there."""
        last = self._last.get(position)
        if last is not None and t - last[0] <= WINDOW_NS and (last[1] is None) != (card is None):
            self._pairs.append(position)
        self._last[position] = t, card

    def one_card(self, belongs: Callable[[str], bool]) -> str | None:
        """A place, of those that belong to a hand with too many cards, where one that was not read is the card that
        was reported beside it; None if there is none. Each pair is taken once."""
        for position in self._pairs:
            if belongs(position):
                self._pairs.remove(position)
                return position
        return None
