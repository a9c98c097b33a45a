"""The burns of a poker hand: one too many before a street, or a street dealt without one.

Whether a reader sees burns at all is `burn_sight`'s. Knows no other rule of the deal.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.burn_sight import BurnSight, Missed
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Card
from pitwatch.rules.games.poker.streets import COMMUNITY, Street
from pitwatch.rules.games.poker.verdicts import Verdicts

BURN = "burn"
EXTRA = "burn-extra"

TOGETHER_NS = 3_000_000_000
"""Board cards that lie down within this time may have been dealt together, as a flop is."""


class Burns:
    def __init__(self, course: Course, sight: BurnSight, verdicts: Verdicts):
        self._course = course
        self._sight = sight
        self._verdicts = verdicts
        self.burned: list[Card] = []
        self.since = 0
        """Burns since this street began."""
        self.bare = False
        """No burn was seen before the street that is being dealt."""
        self._unsure = False
        self._late: Missed | None = None
        """The burn missed before the street that is being dealt, while it may yet be laid: a dealer may hold it."""
        self._second: list[bool] = []
        """For each card of a board that is run a second time: whether a burn came before it."""
        self._of_dealt = 0
        """Cards of this street that were laid on the burn pile, no burn having been seen before it."""
        self._again = False
        """The street to come was dealt after a burn and taken back."""
        self._spare = 0
        """Cards that may lie on the burn pile besides the burn: taken back, or out of play with those."""
        self._held: tuple[Street, str, Missed] | None = None
        """A street, where its first card lies and the burn missed before it, if that card may prove to be one too many
        of the street before."""

    def unsure(self) -> None:
        """What was taken for a discard may have been a burn."""
        self._unsure = True

    def burn(self, card: Card) -> None:
        self.burned.append(card)
        self.since += 1
        following = self._course.following
        if following is None:
            return
        street = self._course.streets[following]
        if street.burn is not None and self.since > street.burn + self.may_be_late + self._spare:
            observed = {"street": street.id, "burned": self.since}
            self._verdicts.say(EXTRA, observed, {"burned": street.burn}, BURN, street.id)

    def judge_missing(self, street: Street, position: str, t: int, called: bool) -> None:
        """The first card of a street. Without a burn before it a single card may still belong to the street before,
        unless the betting on that was called complete."""
        course = self._course
        self._settle_late(street.burn or 0)
        if not street.needs_burn or self._unsure or self._verdicts.quiet:
            return
        if self._again and not course.streets.burn_again:
            return
        self._sight.street()
        if self.since:
            return
        missed: Missed = ({"street": street.id, "burned": 0}, {"burned": street.burn}, position)
        together = street.to == course.here.to == COMMUNITY and t - course.last <= TOGETHER_NS
        if not called and (together or (street.deals_hands and len(course.in_play()) > 1)):
            self._held = (street, position, missed)
        else:
            self._late = missed

    @property
    def may_be_late(self) -> int:
        """Burns of the street that is being dealt that may be laid after its first card."""
        return (self._course.here.burn or 0) if self.bare and self._course.begun else 0

    def _settle_late(self, due: int) -> None:
        """Another street begins, which has so many burns, or none does: whether the burn was laid late."""
        late, self._late = self._late, None
        if late is not None and self.since <= due:
            self._sight.missed(late)

    def hand_over(self) -> None:
        self.tell_held()
        self._settle_late(0)
        self._judge_second_board()

    def second_board(self) -> None:
        """A card of the second board."""
        self._second.append(self.since > 0)
        self.since = 0

    def _judge_second_board(self) -> None:
        """Which streets it has tells only its end: the river, the turn and the river, or all of them."""
        streets: list[Street] = []
        for street in reversed(self._course.streets.all):
            if street.to == COMMUNITY and sum(each.cards for each in streets) < len(self._second):
                streets.insert(0, street)
        missed: list[Missed] = []
        first = 0
        for street in streets:
            if street.needs_burn and first < len(self._second) and not self._second[first]:
                missed.append(({"street": street.id, "burned": 0}, {"burned": street.burn}, COMMUNITY))
            first += street.cards
        for each in missed[: len(missed) - self.since] if self.since else missed:  # the last may have been laid late
            self._sight.missed(each)

    @property
    def holding(self) -> bool:
        """Whether the street's first card may yet belong to the street before."""
        return self._held is not None

    def drop_held(self) -> None:
        """It did: no burn is missing."""
        self._held = None

    def tell_held(self) -> None:
        """It did not."""
        held, self._held = self._held, None
        if held is not None:
            self._late = held[2]

    def another_card(self, position: str) -> None:
        """A card of the same street lies elsewhere: the first belonged to it."""
        if self._held is not None and position != self._held[1]:
            self.tell_held()

    def street_over(self) -> None:
        """Another street begins. Board cards prove nothing by that: they may all be of one street."""
        if self._held is not None and self._held[0].to != COMMUNITY:
            self.tell_held()

    def street_begins(self) -> None:
        self.bare = self.since == 0
        self.since, self._unsure = 0, False
        self._of_dealt, self._again, self._spare = 0, False, 0

    def made_of_dealt(self, card: Card) -> None:
        """A card of this street is laid on the burn pile: without a burn before the street it is made that burn."""
        if self.bare:
            self._sight.burned()
            self.burned.append(card)
            self._of_dealt += 1

    def dead_card(self) -> None:
        """A card that is out of play may lie on the burn pile besides the burn."""
        self._spare += 1

    def street_taken_back(self) -> None:
        """The street that was being dealt is to come once more. A burn that was missed before it was missed indeed."""
        self.drop_held()
        late, self._late = self._late, None
        if late is not None and not self.since:
            self._sight.missed(late)
        self.since, self._again = self._of_dealt, not self.bare
        self._of_dealt, self._spare = 0, 1 + len(self._course.in_play())
        self.bare = False

    def draw_begins(self) -> None:
        self.since = 0
