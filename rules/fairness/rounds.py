"""What the feeds of wheel and dice share: one count of the ledgers for each closed round that may count."""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.fairness.ledgers import Counted, Ledgers
from pitwatch.rules.records import Round


class RoundFeed:
    """A feed of `ledgers`. `wake`: something waits to be counted once the round's record is out."""

    ledgers: Ledgers

    def __init__(self, wake: Callable[[], None]):
        self._wake = wake

    def closed(self, round_: Round) -> Counted:
        counted = self._counted(round_)
        if counted:
            self.ledgers.take(counted, round_.round)
            self._wake()
        return counted

    def count(self) -> None:
        self.ledgers.count()

    def finish(self) -> None:
        self.ledgers.finish()

    def _counted(self, round_: Round) -> Counted:
        """The places that go up by this round, by monitor; none if it does not count."""
        raise NotImplementedError
