"""One hand of poker as it is dealt: which street each card belongs to, and to which rule's judge it is shown.

    course       where the deal stands
    burns        a burn missing or too many
    card_counts  hands and board with too few or too many cards
    betting      a street or a card before its time
    draws        hands that are not whole after a draw
    stub         a stub that does not suffice, its last card
    taken_back   cards dealt and taken back
    showdown     what the hands held when all was dealt

Knows no ranking, no boundary of a round and no device.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.betting import Betting
from pitwatch.rules.games.poker.burn_sight import BurnSight
from pitwatch.rules.games.poker.burns import BURN, TOGETHER_NS, Burns
from pitwatch.rules.games.poker.card_counts import COUNT, CardCounts
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.draws import DRAW, Draws
from pitwatch.rules.games.poker.hand import Card, Hand
from pitwatch.rules.games.poker.showdown import Showdown
from pitwatch.rules.games.poker.streets import COMMUNITY, HANDS, Streets
from pitwatch.rules.games.poker.stub import LAST_CARD, STILL_SHORT, Stub
from pitwatch.rules.games.poker.taken_back import TakenBack
from pitwatch.rules.games.poker.verdicts import Tell, Verdicts

AFTER_SHORT = (STILL_SHORT, LAST_CARD, DRAW, COUNT)


class Deal:
    """`run_it`: hands at most that may agree to run the board twice. `tell` is called for each breach with the position
    it concerns. `seats_seen`: there may be readers at the seats."""

    def __init__(self, streets: Streets, deck: int, run_it: int, sight: BurnSight, tell: Tell, seats_seen: bool):
        self._streets = streets
        self._run_it = run_it
        self._sight = sight
        self._seats_seen = seats_seen
        self.lifts_seen = False
        """Whether the readers are known to tell of lifted cards."""
        self.course = Course(streets)
        self.verdicts = Verdicts(tell, AFTER_SHORT)
        self._burns = Burns(self.course, sight, self.verdicts)
        self._counts = CardCounts(self.course, self.verdicts)
        self._betting = Betting(self.course, self.verdicts)
        self._draws = Draws(self.course, self.verdicts)
        self.stub = Stub(self.course, self._burns, self.verdicts, deck)
        self.showdown = Showdown(self.course, self._betting)
        self._taken_back = TakenBack(self.course, self._burns, self._counts, self._betting, self.verdicts, run_it)
        self._muck = 0
        """Cards lifted from hands that are still to lie on the discard pile."""

    # -- what may come

    @property
    def complete(self) -> bool:
        """Everything is dealt, or nobody is left to be dealt to."""
        course = self.course
        if not course.begun:
            return False
        if len(course.hands) > 1 and course.live <= 1:
            return True
        return course.following is None and (self.verdicts.mixed or course.street_done)

    def expects(self, position: str) -> bool:
        """Whether the hand may be dealt a card now."""
        course = self.course
        if not course.begun or self._counts.owes(position) or self._draws.replaces(position):
            return True
        return course.awaits(position) or self._next_for_hands() is not None

    def due(self, position: str) -> bool:
        """Whether a card is to come there next, the burn before it being done where there is one."""
        if position == COMMUNITY:
            return self._burns.since > 0 or (self.course.here.to == COMMUNITY and not self.course.street_done)
        if self._counts.owes(position) or self._draws.replaces(position) or self.course.awaits(position):
            return True
        return self._burns.since > 0 and self._next_for_hands() is not None

    def _next_for_hands(self) -> int | None:
        """The street that a further card for a hand may begin; None if there is none."""
        course = self.course
        may_begin = not course.lacking() or self._burns.since > 0
        return self._streets.next(course.at, HANDS) if may_begin else None

    def moves(self, position: str, card: Card) -> bool:
        """Whether this is a card that was lifted from the hand, or one that lay there unread."""
        hand = self.course.hands.get(position)
        return hand is not None and (hand.away > 0 or (card is not None and None in hand.on))

    def may_have_held(self, position: str, card: Card) -> bool:
        """Whether this may be a card that the hand was dealt, as far as faces were read."""
        hand = self.course.hands.get(position)
        return hand is not None and (card is None or card in hand.received or None in hand.received)

    # -- a card for a hand

    def seat(self, position: str, card: Card, t: int) -> None:
        """A card lies down before a patron."""
        hand = self.course.hands.setdefault(position, Hand())
        if self._taken_back.moved(position, card):
            pass
        elif self._to_folded(position):
            self.stub.card_out()
        elif self._comes_back(position, hand, card):
            self.laid_back(position, card)
        else:
            self._taken_back.card_comes(position)
            if self._draws.replaces(position):
                self._draw(position, hand, card)
            else:
                self._to_hand(position, hand, card)
        self.course.last = t
        if self._streets.draws or self.course.all_dealt:
            self.showdown.look()

    def _to_folded(self, position: str) -> bool:
        """Whether a folded seat gets a card with the others, where the document has it so: it plays in no hand."""
        dealing = self._burns.since > 0 or bool(self.course.lacking())
        return self._streets.deals_folded and dealing and self.course.folded(position)

    def _comes_back(self, position: str, hand: Hand, card: Card) -> bool:
        """Whether this card lay at the hand before. A lifted card that was never read comes back unread: patrons look
        at their cards whenever they like, but while the first are dealt a card is more likely a new one."""
        if hand.away > 0 and card is None and not self._draws.replaces(position):
            first_deal = self.course.at == 0 and self.course.awaits(position)
            return not first_deal
        return not self.expects(position) and self.moves(position, card)

    def _to_hand(self, position: str, hand: Hand, card: Card) -> None:
        if self.course.awaits(position):
            self._in_street(position)
        elif (following := self._next_for_hands()) is not None:
            self._turn_to(following, position)
            self._in_street(position)
        elif not self.course.begun:
            self.verdicts.in_doubt = True
        elif self._counts.owes(position):
            self._counts.pay(position)
            self._betting.late_card(position)
        elif self._streets.draws and self.course.at > 0:
            self._draws.too_many(position, hand)
        else:
            self._counts.judge_hand(position, coming=1)
        hand.receive(card)
        self.stub.card_out()

    def _in_street(self, position: str) -> None:
        """A card of the street that is being dealt; one that comes after the next street's burn comes late."""
        course = self.course
        self._counts.back(position)
        course.got[position] = course.got.get(position, 0) + 1
        self._burns.another_card(position)
        if self._burns.since > self._burns.may_be_late and self._streets.dead_cards:
            self._burns.dead_card()
        elif self._burns.since > self._burns.may_be_late:
            if any(got >= course.here.cards for got in course.got.values()):
                self._betting.late_card(position)
            else:
                self.verdicts.in_doubt = True

    def _draw(self, position: str, hand: Hand, card: Card) -> None:
        following = self._streets.next_draw(self.course.at)
        if not self.course.here.draw and following is not None:
            self._counts.street_over(self.lifts_seen)
            self._counts.judge_owed()
            self.stub.judge(following)
            self.course.turn_to(following)
            self._burns.draw_begins()
        self._betting.called = False
        hand.replace(card)
        self.stub.card_out()
        self.stub.judge_last_card(position)

    def laid_back(self, position: str, card: Card) -> None:
        """A card that was lifted from a hand, or lay there unread, lies there with its face."""
        hand = self.course.hands.get(position)
        if position == COMMUNITY:
            self._taken_back.laid_on_board_again(card)
        if hand is None:
            return
        if hand.away > 0:
            hand.lay_back(card)
            self._muck -= self._muck > 0
        elif None in hand.on:
            hand.turn(card)
        elif card not in hand.received:
            self.verdicts.in_doubt = True  # it was taken to be out of play

    def shows(self, position: str, card: Card) -> None:
        """A card that lies there unread, in a hand or on the board, is read now."""
        hand = self.course.hands.get(position)
        if card is None:
            return
        if hand is not None and None in hand.on and card not in hand.received:
            hand.turn(card)
        elif position == COMMUNITY and None in self.course.board and card not in self.course.board:
            self.course.board[self.course.board.index(None)] = card

    def lift(self, position: str, card: Card) -> None:
        """A card is taken from a hand, or from the board."""
        self._taken_back.lifted(position, card)
        hand = self.course.hands.get(position)
        if hand is not None:
            self._draws.judge(position, hand)
            hand.lift(card)
            self._muck += 1
            self.lifts_seen = True
            if not hand.live:
                self.showdown.lifted(position)

    # -- a card for the board

    def community(self, card: Card, t: int) -> None:
        """A card lies down on the board."""
        course, board = self.course, self.course.board
        self._taken_back.card_comes(COMMUNITY)
        if not course.begun and self._seats_seen:
            self.verdicts.in_doubt = True
        if card is not None and None in board and len(board) >= self._streets.board > 0:
            board[board.index(None)] = card
            return
        if not self._streets.board:
            self.stub.judge_following()
            self.verdicts.mixed = True  # the common card of a stub that ran short
        elif course.begun and course.here.to == COMMUNITY and not course.street_done and not self._board_over(t):
            course.got[COMMUNITY] += 1
        else:
            self._next_board(t)
        board.append(card)
        self.stub.card_out()
        course.last = t
        if course.all_dealt:
            self.showdown.look()

    def _board_over(self, t: int) -> bool:
        """Whether the board is left short: a burn came after its last card, and not just now."""
        over = self._burns.since > 0 and (self._betting.called or t - self.course.last > TOGETHER_NS)
        if over:
            self._counts.board_over()
        return over

    def _next_board(self, t: int) -> None:
        course = self.course
        following = self._streets.next(course.at, COMMUNITY) if course.begun else self._streets.first(COMMUNITY)
        if following is None:
            self._beyond_the_board()
            return
        self._turn_to(following, COMMUNITY, t)
        course.got[COMMUNITY] = 1

    def _beyond_the_board(self) -> None:
        """One card more than the board has: dealt again to those who agreed, or one too many on the way."""
        agreed = 0 < self.course.live <= self._run_it and self.course.again < self._streets.board
        if agreed and not self._burns.holding and (self._burns.since or self.course.again):
            self._burns.second_board()
            self.course.again += 1
            return
        self._burns.drop_held()
        self._counts.say(COMMUNITY, len(self.course.board) + 1, self._streets.board)

    # -- a card for nobody

    def discard(self, card: Card) -> None:
        """A card lies on the discard pile: folded or discarded, or burned in a house that burns there."""
        if self._taken_back.put_aside(card):
            self._muck -= self._muck > 0
        elif not self._muck:
            self.burn(card)
        else:
            self._muck -= 1
            if card is None:
                self._burns.unsure()

    def burn(self, card: Card) -> None:
        if not self.course.begun:
            self.verdicts.in_doubt = True
            return
        if self._taken_back.put_aside(card):
            return
        self._taken_back.card_comes(BURN)
        self._sight.burned()
        self._settle_single()
        following = self.course.following
        if following is not None:
            self.stub.judge(following)
        self.stub.card_out()
        self._burns.burn(card)

    # -- from street to street

    def _turn_to(self, index: int, position: str, t: int = 0) -> None:
        """The first card of a street is about to lie down."""
        street = self._streets[index]
        if self.course.begun:
            self._burns.street_over()
            self._counts.judge_owed()
            self._draws.judge_all()
            self._counts.street_over(self.lifts_seen)
            self.stub.judge(index)
            self._burns.judge_missing(street, position, t, self._betting.called)
            self._betting.premature = False
            if not self._burns.holding:
                self._betting.judge_street(street, position)
        self.course.turn_to(index)
        self._burns.street_begins()
        self._betting.called = False

    def call(self) -> None:
        """A betting round is called complete."""
        if self.course.begun:
            self._settle_single()
        self._betting.call()
        if self.course.all_dealt or self._streets.draws:
            self.showdown.look()

    def _settle_single(self) -> None:
        """A burn or a call right after the only card of a street for the hands, which no burn preceded: that card was
        one too many of the street before."""
        course = self.course
        if not (self._burns.bare and course.at > 0 and course.here.deals_hands) or list(course.got.values()) != [1]:
            return
        (position,) = course.got
        if not set(course.lacking()) - {position}:
            return
        self._burns.drop_held()
        self._burns.bare = False
        course.step_back()
        self._counts.judge_hand(position)

    # -- nothing more comes

    def settled(self) -> None:
        """No card came for a while."""
        self._judge_last_street()

    def _judge_last_street(self) -> None:
        """A hand that stays short keeps the others from no showdown."""
        before = self.course.all_dealt
        self._counts.judge_last_street()
        if self.course.all_dealt and not before:
            self.showdown.look()

    def end(self) -> None:
        """The hand is over: tell what only its end shows."""
        self._burns.hand_over()
        self._sight.round_closing()
        if not self.course.begun:
            return
        self._counts.judge_owed()
        self._draws.judge_all()
        if self.course.at == 0 or self.lifts_seen or self.course.at == self._streets.last:
            self._judge_last_street()
