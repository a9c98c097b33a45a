"""Cards that were dealt and are taken back: the last of the board, or those of a street from the hands that got them. A
remedy that is carried out is no fault; the street that was taken back is dealt again.

A card that is lifted may be laid back, or the hand may be over. So nothing is taken back until the next card is dealt:
`card_comes` says what the lifted cards were. A board that two hands run out is slid aside, not taken back.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.betting import Betting
from pitwatch.rules.games.poker.burns import BURN, Burns
from pitwatch.rules.games.poker.card_counts import CardCounts
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Card
from pitwatch.rules.games.poker.streets import COMMUNITY
from pitwatch.rules.games.poker.verdicts import Verdicts
from pitwatch.rules.play.seats import ASIDE


class TakenBack:
    """`run_it`: hands at most that may agree to run the board twice."""

    def __init__(
        self, course: Course, burns: Burns, counts: CardCounts, betting: Betting, verdicts: Verdicts, run_it: int
    ):
        self._course = course
        self._burns = burns
        self._counts = counts
        self._betting = betting
        self._verdicts = verdicts
        self._run_it = run_it
        self._off_board: list[Card] = []
        """Lifted from the board and not laid there again."""
        self._out_of_play: list[Card] = []
        """Those of them that lie on the burn or discard pile."""
        self._excess: list[Card] = []
        """Cards too many that were taken from hands."""
        self._aside: dict[str, str] = {}
        """Cards taken from a hand that was still held and laid on the burn or discard pile: face to hand."""

    # -- what is lifted, and what was lifted

    def lifted(self, position: str, card: Card) -> None:
        if position == COMMUNITY:
            self._off_board.append(card)

    def off_board(self, card: Card) -> bool:
        """Whether the card was lifted from the board and may lie there again."""
        return card in self._off_board

    def laid_on_board_again(self, card: Card) -> None:
        """A card that was lifted from the board lies there again."""
        if card in self._off_board:
            self._off_board.remove(card)

    def taken_from(self, position: str) -> None:
        """A card was lifted from a hand that has more cards than it should get, and more is dealt: one too many."""
        course, hand = self._course, self._course.hands[position]
        if hand.live and not course.all_dealt and hand.size > course.streets.need(course.at):
            card = hand.lifted_last
            hand.give_up(card)
            self._excess.append(card)

    def replaced(self, position: str, expected: bool) -> None:
        """A card comes to a hand from which the one of this street was lifted: it takes its place, unless the next
        street may begin with it. `expected`: a card may come to it besides."""
        course, hand = self._course, self._course.hands[position]
        if not self._street_of_hands or not course.got.get(position, 0) or not hand.live or hand.away != 1:
            return
        card, following = hand.received[-1], course.following
        known = card is not None and card == hand.lifted_last
        street = course.streets[following] if following is not None else None
        burns = street is not None and (street.needs_burn or (street.burn and self._burns.burned))
        unburned = burns and not self._burns.since
        if hand.lacks_last(1) and ((known and unburned and not self._betting.called) or not expected):
            self._give_up(position, card)

    def put_aside(self, card: Card) -> bool:
        """Whether a card that is laid on the burn or discard pile was dealt before, and so is none from the stub."""
        if card is None:
            return False
        if card in self._excess:
            self._excess.remove(card)
            self._burns.perhaps_burn()
            return True
        if card in self._off_board:
            self._out_of_play.append(card)
            if self._takes_board([card], BURN):
                self._burns.made_of_dealt(card)
            return True
        source = self._held_before(card)
        if source is None or not self._street_of_hands:
            return False
        self._aside[card] = source
        self._burns.made_of_dealt(card)
        return True

    def moved(self, position: str, card: Card) -> bool:
        """Whether a card of this street moves from one hand to another, as where it goes if the card before it is made
        the burn that was missing."""
        source = self._held_before(card)
        if source is None or source == position or not self._street_of_hands:
            return False
        for face in [face for face, seat in self._aside.items() if seat == position]:
            self._give_up(position, face)
        self._give_up(source, card)
        course = self._course
        course.hands[position].receive(card)
        course.got[position] = course.got.get(position, 0) + 1
        return True

    def _held_before(self, card: Card) -> str | None:
        """The hand that holds other cards and from which this one was lifted."""
        if card is None:
            return None
        hands = self._course.hands.items()
        return next((p for p, hand in hands if hand.live and card in hand.received and card not in hand.on), None)

    @property
    def _street_of_hands(self) -> bool:
        """Whether a later street of a game without draws goes to the hands: there nobody gives a card back."""
        course = self._course
        return course.at > 0 and course.here.deals_hands and not course.streets.draws

    # -- the next card is dealt

    def card_comes(self, position: str) -> None:
        """A card from the stub is about to lie down: what was lifted and is still away was taken back."""
        course = self._course
        if not course.begun:
            return
        self._aside = {card: seat for card, seat in self._aside.items() if course.hands[seat].live}
        if self._street_of_hands:
            self._take_from_hands(position)
        if self._off_board and position in (COMMUNITY, BURN):
            self._take_from_board(position)

    def _take_from_hands(self, position: str) -> None:
        """All the cards of the street that lie at hands still held. While hands are served one may be in a patron's
        fingers: only a burn, or that they were laid aside, tells that they were taken back."""
        course, cards = self._course, self._course.here.cards
        got = [seat for seat, number in course.got.items() if number > 0]
        held = [seat for seat in got if course.hands[seat].live]
        known = position in ASIDE or bool(self._aside)
        if not got or not known or not all(course.hands[seat].lacks_last(cards) for seat in held):
            return
        for seat in held:
            for card in course.hands[seat].received[-course.got[seat] :]:
                self._give_up(seat, card)
        self._aside.clear()
        self._step_back()

    def _give_up(self, seat: str, card: Card) -> None:
        course = self._course
        course.hands[seat].give_up(card)
        course.got[seat] -= 1
        if card is not None:
            self._aside.pop(card, None)

    def _takes_board(self, cards: list[Card], position: str) -> bool:
        """Whether these are cards of the last street, or the one too many of a flop, and not a board that is taken in
        or slid aside to run it twice: that is not laid on a pile, and a burn comes before the second."""
        course, board = self._course, self._course.board
        burned = self._burns.since > 0 or position == BURN
        slid = self._runs_twice and burned and not set(cards) <= set(self._out_of_play)
        if slid or course.live < 2 or len(cards) > self._of_street:
            return False
        if self._burns.holding and len(cards) == 1:
            return cards[0] in board
        return sorted(board[-len(cards) :], key=str) == sorted(cards, key=str)

    @property
    def _of_street(self) -> int:
        """Board cards of the last street, with those of the one before while it may have been no street of its own."""
        course = self._course
        before = course.streets[course.at - 1] if self._burns.holding else None
        return course.got.get(COMMUNITY, 0) + (before.cards if before is not None and before.to == COMMUNITY else 0)

    @property
    def _runs_twice(self) -> bool:
        course = self._course
        return course.all_dealt and 0 < course.live <= self._run_it and not self._betting.premature

    def _take_from_board(self, position: str) -> None:
        """Of a street that is not taken back whole, a burn tells that the reader missed something."""
        course, cards = self._course, self._off_board
        if not self._takes_board(cards, position):
            self._forget_board()
            return
        whole = course.here.to == COMMUNITY and len(cards) % max(1, course.got.get(COMMUNITY, 0)) == 0
        if position == BURN and not whole:
            return
        self._forget_board()
        if self._burns.holding:
            self._counts.say(COMMUNITY, len(course.board), len(course.board) - 1)
        for card in cards:
            course.board.remove(card)
            course.got[COMMUNITY] -= 1
            if not course.got[COMMUNITY]:
                self._step_back()

    def _forget_board(self) -> None:
        self._off_board, self._out_of_play = [], []

    def _step_back(self) -> None:
        """The street that was taken back had not been dealt after all."""
        self._course.step_back()
        self._burns.street_taken_back()
        self._betting.street_taken_back()
