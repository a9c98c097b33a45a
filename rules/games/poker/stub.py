"""The stub of a poker hand: whether it suffices for each street, what its burn cards add, who may get its last card."""

from __future__ import annotations

from pitwatch.rules.games.poker.burns import Burns
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.streets import HANDS, Street
from pitwatch.rules.games.poker.verdicts import Verdicts

SHORT = "stub-short"
STILL_SHORT = "stub-plus-burns-short"
LAST_CARD = "stub-last-card-used"


class Stub:
    """`deck`: the cards that a hand begins with."""

    def __init__(self, course: Course, burns: Burns, verdicts: Verdicts, deck: int):
        self._course = course
        self._burns = burns
        self._verdicts = verdicts
        self._deck = deck
        self._out = 0
        self._judged = -1
        self._short: tuple[Street, int] | None = None
        """The street for which it was short, and the cards that street still needed."""

    def card_out(self) -> None:
        self._out += 1

    def judge(self, index: int) -> None:
        """Before a street is dealt: whether the cards that are left suffice for it."""
        if self._judged == index or self._verdicts.mixed:
            return
        self._judged = index
        street, left = self._course.streets[index], self._deck - self._out
        owed = self._owing(street)
        need = owed + (street.burn or 0 if street.needs_burn and not self._burns.since else 0)
        if left < need:
            self._verdicts.say(SHORT, {"street": street.id, "cards_left": left}, {"cards": need}, None, street.id)
            self._verdicts.short = True
            self._short = (street, owed)

    def judge_following(self) -> None:
        """The crew turns to what a short stub asks for before the next street is dealt."""
        course = self._course
        following = course.following if course.begun and not course.here.draw else None
        if following is not None:
            self.judge(following)

    @property
    def short_ahead(self) -> bool:
        """Whether the stub cannot serve the next street as it stands: cards that were out may come again."""
        course = self._course
        if not course.begun or not course.street_done:
            return False
        following = course.following
        return following is not None and self._deck - self._out < self._owing(course.streets[following])

    def _owing(self, street: Street) -> int:
        live = [self._course.hands[each] for each in self._course.in_play()]
        if street.draw:
            return sum(hand.away for hand in live)
        return street.cards * (len(live) if street.to == HANDS else 1)

    def mix(self) -> None:
        """Burn cards, or discards, are shuffled into it: whether that is enough."""
        self.judge_following()
        if self._short is not None and not self._verdicts.mixed:
            street, owed = self._short
            left = self._deck - self._out + len(self._burns.burned)
            if street.deals_hands and left < owed:
                observed = {"street": street.id, "cards_left": left}
                self._verdicts.say(STILL_SHORT, observed, {"cards": owed}, None, street.id)
        self._verdicts.mixed = True

    def judge_last_card(self, position: str) -> None:
        """A hand drew a card: the last one goes to nobody while others still wait for theirs."""
        owed = sum(each.away for each in self._course.hands.values() if each.live)
        if self._out == self._deck and owed and not self._verdicts.mixed:
            required = {"last_card": "only for the last card owed"}
            self._verdicts.say(LAST_CARD, {"cards_owed": owed}, required, position, None)
