"""Whether a packet-dealt round is served in the order that its document fixes. Knows no counts."""

from __future__ import annotations

from collections.abc import Sequence

from rules.desk import Desk
from rules.games.carnival.deal_plan import HANDS, DealPlan
from rules.seats import is_seat

RULE = "packet-order"
LEFT = "the dealer's left"
BANK = "the left of the player who banks"


class DealOrder:
    """Only a position's first card or packet counts: dealt one at a time, cards go round again. `bank` is the seat that
    banks in this round, if any; where the hands begin there, their order shows only while it is known."""

    def __init__(self, desk: Desk, plan: DealPlan, bank: str | None):
        self._desk = desk
        self._plan = plan
        self._bank = bank
        self._served: dict[str, str] = {}
        """Who was served latest, by group: the hands are one."""
        self._had: set[str] = set()
        self.machine = False
        """Whether the shuffler is known to deal this round."""

    def first(self, position: str) -> bool:
        """Whether nothing was served there so far."""
        return position not in self._had

    def served(self, position: str, seen: dict[str, list[int]]) -> None:
        """The first card or packet of a position; `seen`: journal sequences by position."""
        self._had.add(position)
        group = HANDS if is_seat(position) else position
        for later in self._later(group):
            if later in self._served:
                self._breach(position, self._served[later], self._order(), seen)
                return
        latest = self._served.get(HANDS) if group == HANDS else None
        if latest is not None and self._passed(position, latest):
            self._breach(position, latest, f"from {BANK if self._plan.from_bank else LEFT} to the right", seen)
            return
        self._served[group] = position

    def _later(self, group: str) -> Sequence[str]:
        return [each for each in (HANDS, *self._plan.fixed) if group in self._plan.before(each, self.machine)]

    def _order(self) -> str:
        names = sorted((HANDS, *self._plan.fixed), key=lambda each: len(self._plan.before(each, self.machine)))
        return ", ".join(names)

    def _passed(self, position: str, latest: str) -> bool:
        if self._plan.from_bank and self._bank is None:
            return False
        return self._plan.turn(position, self._bank) < self._plan.turn(latest, self._bank)

    def _breach(self, position: str, after: str, order: str, seen: dict[str, list[int]]) -> None:
        self._desk.breach(RULE, {"position": position, "after": after}, {"order": order}, seen.get(after, []))
