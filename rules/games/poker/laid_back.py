"""Cards that were lifted from a hand or from the board, or lay there unread, and now lie on the felt with their face.
They are no cards dealt. Judges nothing.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.burns import BURN, Burns
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Card
from pitwatch.rules.games.poker.showdown import Showdown
from pitwatch.rules.games.poker.streets import COMMUNITY
from pitwatch.rules.games.poker.taken_back import TakenBack
from pitwatch.rules.games.poker.verdicts import Verdicts


class LaidBack:
    def __init__(self, course: Course, burns: Burns, taken_back: TakenBack, showdown: Showdown, verdicts: Verdicts):
        self._course = course
        self._burns = burns
        self._taken_back = taken_back
        self._showdown = showdown
        self._verdicts = verdicts
        self.mucked = 0
        """Cards lifted from hands that are still to lie on the discard pile."""

    def moves(self, position: str, card: Card) -> bool:
        """Whether this is a card that was lifted from the hand, or one that lay there unread."""
        hand = self._course.hands.get(position)
        return hand is not None and (hand.away > 0 or (card is not None and None in hand.on))

    def may_have_held(self, position: str, card: Card) -> bool:
        """Whether this may be a card that the hand was dealt, as far as faces were read."""
        hand = self._course.hands.get(position)
        return hand is not None and (card is None or card in hand.received or None in hand.received)

    def out_of_play(self, position: str, card: Card) -> bool:
        """Whether this card was taken out of play after it lay there, and so is dealt anew if it lies there again."""
        hand = self._course.hands.get(position)
        if position == COMMUNITY:
            return not self._taken_back.off_board(card) and card not in self._course.board
        return hand is not None and card is not None and card not in hand.received and None not in hand.received

    def lies_again(self, position: str, card: Card) -> None:
        """A card that was lifted from a hand, or lay there unread, lies there with its face."""
        hand = self._course.hands.get(position)
        if position == BURN:
            self._burns.turned(card)
        if position == COMMUNITY:
            self._taken_back.laid_on_board_again(card)
        if hand is None:
            return
        if hand.away > 0:
            hand.lay_back(card)
            self.mucked -= self.mucked > 0
        elif None in hand.on:
            hand.turn(card)
        elif card not in hand.received:
            self._verdicts.in_doubt = True  # it was taken to be out of play
        self._showdown.laid_again(position)

    def shows(self, position: str, card: Card) -> None:
        """A card that lies there unread, in a hand or on the board, is read now."""
        hand = self._course.hands.get(position)
        if card is None:
            return
        if hand is not None and None in hand.on and card not in hand.received:
            hand.turn(card)
        elif position == COMMUNITY and None in self._course.board and card not in self._course.board:
            self._course.board[self._course.board.index(None)] = card

    def pushed_forward(self, card: Card) -> bool:
        """Whether a card beside a whole board is one of a hand that was shown: the dealer pushes the winning cards
        forward. An unread one may be of any hand that was lifted."""
        course = self._course
        if not course.all_dealt or card is None or card in course.board or self._burns.since:
            return False
        hands = {position: hand for position, hand in course.hands.items() if hand.away > 0}
        known = [position for position, hand in hands.items() if card in hand.received and card not in hand.on]
        unread = [p for p in self._showdown.lifted_since if p in hands and None in hands[p].received]
        if known or len(unread) == 1:
            self.lies_again((known or unread)[0], card)
        return bool(known or unread)
