"""Where the deal of a poker hand stands: which street is dealt, who has got how many of its cards, who is still in.
How a game deals is the book's: see `streets`.

A fold is a hand all of whose cards are lifted. Judges nothing.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.hand import Card, Hand
from pitwatch.rules.games.poker.streets import COMMUNITY, Street, Streets


class Course:
    def __init__(self, streets: Streets):
        self.streets = streets
        self.hands: dict[str, Hand] = {}
        self.board: list[Card] = []
        self.again = 0
        """Its last cards, if they were dealt again to hands that agreed to run it twice."""
        self.board_short = False
        """A street was dealt although the board lacked cards of the one before."""
        self.at = -1
        """Which street is being dealt; -1 before the first card."""
        self.got: dict[str, int] = {}
        """Its cards by position."""
        self.gone: set[str] = set()
        """Hands that were passed over and are taken to have folded."""
        self.last = 0
        """When the last card lay down, in ns."""
        self._dealt_in: list[str] = []
        self._before: list[int] = []
        """The streets before this one, in the order in which they were dealt."""

    @property
    def boards(self) -> list[list[Card]]:
        """The board, or both that two hands ran out. Of one that is too long or too short nobody knows which
        cards count."""
        first = self.board[: len(self.board) - self.again]
        if self.board_short or len(first) > self.streets.board > 0:
            return [[None] * len(first)]
        return [first, first[: -self.again] + self.board[len(first) :]] if self.again else [first]

    @property
    def begun(self) -> bool:
        return self.at >= 0

    @property
    def here(self) -> Street:
        return self.streets[self.at]

    @property
    def following(self) -> int | None:
        """The next street that is no draw; None if there is none."""
        return self.streets.next_dealt(self.at)

    @property
    def live(self) -> int:
        """How many hands lie there."""
        return sum(hand.live for hand in self.hands.values())

    @property
    def cleared(self) -> bool:
        """Whether every card of every hand has been taken from the felt."""
        return bool(self.hands) and not self.live

    @property
    def all_dealt(self) -> bool:
        """Whether the last street has been dealt, if that is no draw."""
        return self.begun and self.at == self.streets.last and not self.here.draw and self.street_done

    @property
    def last_for_hands(self) -> bool:
        """Whether the last street that is dealt is under way and goes to the hands."""
        return self.begun and self.here.deals_hands and self.following is None

    @property
    def street_done(self) -> bool:
        if self.here.to == COMMUNITY:
            return self.got.get(COMMUNITY, 0) >= self.here.cards
        return self.here.draw > 0 or (bool(self.got) and not self.lacking())

    @property
    def supposed(self) -> list[str]:
        """The hands that this street is for."""
        return self._dealt_in if self.at else list(self.hands)

    def lacking(self) -> dict[str, int]:
        """Hands still short of cards of this street, and by how many."""
        if not self.begun or not self.here.deals_hands:
            return {}
        lacking = {each: self.here.cards - self.got.get(each, 0) for each in self.supposed if self.hands[each].live}
        return {each: cards for each, cards in lacking.items() if cards > 0}

    def awaits(self, position: str) -> bool:
        """Whether the hand has cards of this street to come."""
        return self.begun and self.here.deals_hands and self.got.get(position, 0) < self.here.cards

    def folded(self, position: str) -> bool:
        """Whether all cards of the hand have been lifted since the first street was dealt."""
        hand = self.hands.get(position)
        return hand is not None and not hand.live and self.at > 0

    def in_play(self) -> list[str]:
        return [each for each, hand in self.hands.items() if hand.live and each not in self.gone]

    def turn_to(self, index: int) -> None:
        """Another street begins, for the hands in play."""
        if self.begun:
            self._before.append(self.at)
            self._dealt_in = self.in_play()
        self.at, self.got = index, {}

    def step_back(self) -> None:
        """This street had not begun after all; the one before is dealt out."""
        self.at = self._before.pop() if self._before else self.at - 1
        served = [COMMUNITY] if self.here.to == COMMUNITY else self._dealt_in
        self.got = dict.fromkeys(served, self.here.cards)
