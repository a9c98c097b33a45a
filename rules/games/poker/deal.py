"""One hand of poker as it is dealt: which street each card belongs to, and to which rule's judge it is shown.

    street_by_street
                 from street to street; `course` says where the deal stands
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

from pitwatch.rules.games.poker.burns import BURN, TOGETHER_NS
from pitwatch.rules.games.poker.hand import Card, Hand
from pitwatch.rules.games.poker.street_by_street import StreetByStreet
from pitwatch.rules.games.poker.streets import COMMUNITY


class Deal(StreetByStreet):
    """Where each card of a hand of poker goes."""

    # -- a card for a hand

    def seat(self, position: str, card: Card, t: int) -> None:
        """A card lies down before a patron."""
        self._burns.another_lies()
        hand = self.course.hands.setdefault(position, Hand())
        if self._taken_back.moved(position, card):
            pass
        elif self._to_folded(position):
            self.stub.card_out(card)
        elif self._comes_back(position, hand, card):
            self.back.lies_again(position, card)
        else:
            self._taken_back.card_comes(position)
            self._taken_back.replaced(position, self.expects(position))
            if self._draws.replaces(position):
                self._draw(position, hand, card)
            else:
                self._to_hand(position, hand, card, t)
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
        held = hand.away == 0 or self.back.may_have_held(position, card)
        return not self.expects(position) and self.back.moves(position, card) and held

    def _to_hand(self, position: str, hand: Hand, card: Card, t: int) -> None:
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
        elif self._draws.out_of_turn(hand, card):
            if not self._burns.holding:  # else the board may be a street behind
                self._betting.out_of_turn(position)
            hand.replace(card)
            self.stub.card_out(card)
            return
        elif self._streets.draws and self.course.street_done and self.course.live > 1:
            too_many, cards = self._draws.too_many(position, hand), self._counts.too_many(position)
            self.slow.wait(position, t, too_many if self.course.at > 0 else cards)
        else:
            self._counts.judge_hand(position, coming=1)
        hand.receive(card)
        self.stub.card_out(card)

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
        self._draw_goes_on()
        self._draws.judge_discard(position, card)
        hand.replace(card)
        self.stub.card_out(card)
        self.stub.judge_last_card(position)

    def _draw_goes_on(self) -> None:
        following = self._streets.next_draw(self.course.at)
        if not self.course.here.draw and following is not None:
            self._counts.street_over(self.lifts_seen)
            self._counts.judge_owed()
            self.stub.judge(following)
            self.course.turn_to(following)
            self._burns.draw_begins()
            self._draws.begins()
        self._betting.called = False

    def lift(self, position: str, card: Card, t: int) -> None:
        """A card is taken from a hand, or from the board."""
        if position == BURN:
            self._burns.lifted(card)
        self._taken_back.lifted(position, card)
        hand = self.course.hands.get(position)
        if hand is not None and hand.received[-1] != card and self.slow.replaced(position, t):
            self._draw_goes_on()
            hand.swap(card)
            self.showdown.look()
            self.back.mucked += 1
            self.lifts_seen = True
        elif hand is not None:
            self._draws.judge(position, hand)
            hand.lift(card)
            self.back.mucked += 1
            self.lifts_seen = True
            self._taken_back.taken_from(position)
            if not hand.live:
                self.showdown.lifted(position)

    # -- a card for the board

    def community(self, card: Card, t: int) -> None:
        """A card lies down on the board."""
        self._burns.another_lies()
        if self.back.pushed_forward(card):
            return
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
        self.stub.card_out(card)
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

    def discard(self, card: Card, t: int) -> None:
        """A card lies on the discard pile: folded or discarded, or burned in a house that burns there."""
        if self._taken_back.put_aside(card):
            self.back.mucked -= self.back.mucked > 0
        elif not self.back.mucked:
            self.burn(card, t)
        else:
            self.back.mucked -= 1
            if card is None:
                self._burns.unsure()

    def burn(self, card: Card, t: int) -> None:
        if not self.course.begun:
            self.verdicts.in_doubt = True
            return
        if self._burns.turned(card) or self._taken_back.put_aside(card):
            return
        if self._burns.told_late(card, t):
            self._sight.burned()
            self.stub.card_out(card)
            return
        self._taken_back.card_comes(BURN)
        self._sight.burned()
        self._settle_single()
        following = self.course.following
        if following is not None:
            self.stub.judge(following)
        self.stub.card_out(card)
        self._burns.burn(card)
