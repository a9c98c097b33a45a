"""Whether a packet-dealt round is served in the order that its document fixes. Knows no counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.carnival.deal_plan import HANDS, DealPlan
from pitwatch.rules.play.seats import DEALER, is_seat

RULE = "packet-order"
LEFT = "the dealer's left"
BANK = "the left of the player who banks"


class DealOrder:
    """Only a position's first card or packet counts: dealt one at a time, cards go round again. `bank` is the seat that
    banks in this round, if any; where the hands begin there and it is not known, they must only go round the table,
    wherever they begin. Where they begin elsewhere and a player banks, nobody knows who, the last seat served may be
    the dealer's hand."""

    def __init__(self, desk: Desk, plan: DealPlan, bank: str | None):
        self._desk = desk
        self._plan = plan
        self._bank = bank
        self._served: dict[str, str] = {}
        """Who was served latest, by group: the hands are one."""
        self._had: set[str] = set()
        self._round: list[str] = []
        """The hands in the order in which they were served."""
        self._perhaps_bank: tuple[str, str] | None = None
        """A seat that was served after its turn, and the one served before it, if it may be the seat that banks."""
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
        if group in (HANDS, DEALER) and self._perhaps_bank is not None:
            self._breach(*self._perhaps_bank, self._round_the_table(), seen)
            self._perhaps_bank = None
        latest = self._served.get(HANDS) if group == HANDS else None
        if latest is not None and self._passed(position, latest):
            if self._may_bank():
                self._perhaps_bank = (position, latest)
            else:
                self._breach(position, latest, self._round_the_table(), seen)
            return
        self._served[group] = position
        if group == HANDS:
            self._round.append(position)

    def _later(self, group: str) -> Sequence[str]:
        return [each for each in (HANDS, *self._plan.fixed) if group in self._plan.before(each, self.machine)]

    def _order(self) -> str:
        """Who is served before whom; of others the document does not say when."""
        before = {each: self._plan.before(each, self.machine) for each in (HANDS, *self._plan.fixed)}
        placed = [each for each in before if before[each] or any(each in earlier for earlier in before.values())]
        return ", ".join(sorted(placed, key=lambda each: len(before[each])))

    def _round_the_table(self) -> str:
        return f"from {BANK if self._plan.from_bank else LEFT} to the right"

    def _may_bank(self) -> bool:
        """Whether the seat just served may hold the dealer's hand."""
        return self._plan.banked and self._bank is None and DEALER in self._plan.fixed and DEALER not in self._served

    def _passed(self, position: str, latest: str) -> bool:
        if self._plan.from_bank and self._bank is None:
            return not self._goes_round([*self._round, position])
        return self._plan.turn(position, self._bank) < self._plan.turn(latest, self._bank)

    def _goes_round(self, hands: list[str]) -> bool:
        """Whether the hands come in turn from some place on: the numbers fall once at most, and then stay below those
        of the first."""
        turns = [self._plan.turn(hand, None) for hand in hands]
        falls = sum(after < before for before, after in pairwise(turns))
        return falls == 0 or (falls == 1 and turns[-1] < turns[0])

    def _breach(self, position: str, after: str, order: str, seen: dict[str, list[int]]) -> None:
        self._desk.breach(RULE, {"position": position, "after": after}, {"order": order}, seen.get(after, []))
