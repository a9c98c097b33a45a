"""The stub of a poker hand: whether it suffices for each street, what its burn cards add, who may get its last card."""

from __future__ import annotations

from pitwatch.rules.games.poker.burns import Burns
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Card
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
        self._faces: set[str] = set()
        self._judged = -1
        self._short: tuple[Street, int] | None = None
        """The street for which it was short, and the cards that street still needed."""
        self._begun: tuple[Street, int, int] | None = None
        """The street that is being dealt, the cards that were left for it after the burn, and those it needed."""

    def card_out(self, card: Card) -> None:
        """A card lies down; one that lay elsewhere before is counted once."""
        if card is None or card not in self._faces:
            self._out += 1
        if card is not None:
            self._faces.add(card)

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

    def street_begins(self, index: int) -> None:
        """The first card of a street is about to lie down."""
        street = self._course.streets[index]
        self._begun = street, self._deck - self._out, self._owing(street)

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
        self._judge_begun()
        if self._short is not None and not self._verdicts.mixed:
            street, owed = self._short
            if street is self._course.here:
                owed = sum(self._course.lacking().values())
            left = self._deck - self._out + len(self._burns.burned)
            if street.deals_hands and left < owed:
                observed = {"street": street.id, "cards_left": left}
                self._verdicts.say(STILL_SHORT, observed, {"cards": owed}, None, street.id)
        self._verdicts.mixed = True

    def _judge_begun(self) -> None:
        """The crew mixes a short stub while a street is dealt for which the burn left too few cards."""
        if self._begun is None or self._short is not None or self._verdicts.mixed or not self._course.lacking():
            return
        street, left, owed = self._begun
        if street is self._course.here and left < owed:
            self._verdicts.say(SHORT, {"street": street.id, "cards_left": left}, {"cards": owed}, None, street.id)
            self._verdicts.short = True
            self._short = (street, owed)

    def judge_last_card(self, position: str) -> None:
        """A hand drew a card: the last one goes to nobody while others still wait for theirs."""
        owed = sum(each.away for each in self._course.hands.values() if each.live)
        if self._out == self._deck and owed and not self._verdicts.mixed:
            required = {"last_card": "only for the last card owed"}
            self._verdicts.say(LAST_CARD, {"cards_owed": owed}, required, position, None)
