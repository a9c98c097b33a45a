"""A card drawn in error that is not wasted: it begins the next round, which may be one without wagers (a phantom hand).

Table `card-in-error` of the book: the rules after which this is so. Knows no draw and no hand.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.closed import WRONG_DRAWS


class CardInError:
    """`latest`: the card drawn last. `carried`: the card that begins the next round. `phantom`: that round may be one
    that nobody bets on, and so nobody calls."""

    def __init__(self, desk: Desk):
        self._rules = frozenset(desk.game.tables.get("card-in-error", ()))
        self.latest: str | None = None
        self.carried: list[str | None] = []
        self.phantom = False

    def breached(self, rule: str, observed: dict[str, Any]) -> None:
        if rule not in self._rules:
            return
        self.phantom = True
        if rule in WRONG_DRAWS and observed.get("drew") is not False:
            self.carried = [self.latest]

    def called(self) -> None:
        """A round is called: wagers lie, and it is no phantom."""
        self.phantom = False

    def taken(self) -> list[str | None]:
        """The carried card, or none; it is carried no longer."""
        carried, self.carried = self.carried, []
        return carried
