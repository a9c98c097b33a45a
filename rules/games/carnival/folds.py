"""Hands that were folded: taken from the felt before the cards that come after the decision are shown.

Knows no cards but where they lie. A hand that is laid at its place again was only looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pitwatch.rules.games.carnival.deal_plan import COMMUNITY
from pitwatch.rules.play.seats import ASIDE, DEALER, is_seat


class Folds:
    """One round's."""

    def __init__(self) -> None:
        self._away: set[str] = set()
        self._aside: set[str] = set()
        self._times: Counter[tuple[str, str | None]] = Counter()

    def laid(self, position: str | None, card: str | None, lifted: Iterable[str]) -> None:
        """A card is laid or turned; `lifted`: the hands of which no card lies on the felt now."""
        if position in (DEALER, COMMUNITY):
            self._times[position, card] += card is not None
            if self._times[position, card] > 2:
                return  # dealt, then turned; that it is told again shows nothing
            self._away.update(each for each in lifted if is_seat(each))
        elif position in ASIDE and card is not None:
            self._aside.add(card)
        elif position is not None:
            self._away.discard(position)

    def folded(self) -> set[str]:
        """The hands that were folded, or that nobody laid down again."""
        return set(self._away)

    def surely(self, cards: Iterable[str | None]) -> bool:
        """Whether all cards of a folded hand were seen in the discards."""
        return self._aside.issuperset(cards)
