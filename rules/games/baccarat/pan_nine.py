"""Pan 9: three cards to each hand round the table, one more to a hand that asks for it, the banking player by a chart.

Boundaries: DESIGN section 2. Without a panel a round ends when the felt was cleared; a shoe alone does not show a draw
from the next round's first card, and nothing is judged once it matters. Must not know figures: counts, cards and the
chart are the book's.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.sight import MISDEAL
from pitwatch.rules.hands.points import Points
from pitwatch.rules.play.card_game import LOST_NS, CardGame, card_of, position_of
from pitwatch.rules.play.cards import all_read, suit
from pitwatch.rules.play.seats import DEALER, in_seat_order, is_seat

FAMILIES = {"pan-9": "PanNine"}

RED = "DH"
NINE = 9


class PanNine(CardGame):
    """Figures of the book: `cards-a-hand`, `cards-at-most`. Tables: `values`, `dealer` (counts on which the banking
    player draws, and stands), `bonus` (hands of nine, best first)."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        tables = desk.game.tables
        self._points = Points(tables["values"])
        self._draws = frozenset(tables["dealer"]["draws"])
        self._stands = frozenset(tables["dealer"]["stands"])
        self._bonus: list[dict[str, Any]] = tables["bonus"]
        self._first: int = desk.figure("cards-a-hand")
        self._most: int = desk.figure("cards-at-most")
        self._readers = {device.id for device in desk.table.devices if device.type in ("shoe", "card_position")}
        self._bank: str | None = None
        self._keys_used = False
        self._muddled = False
        """Nobody said where the last round ended."""
        self._let_out = False
        """The shoe has let out a card that is not laid yet."""
        self._lifted_at = 0
        """When a card was lifted last, in ns."""
        self._clear()

    def _clear(self) -> None:
        self._blind = self._muddled
        self._seqs: dict[str, list[int]] = {}

    def began(self) -> None:
        if self.hands is not None:
            self.hands = [seat for seat in self.hands if seat != self._bank]
        self._clear()

    # -- where a round ends

    def before_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key in ("no_more_bets", "round_over"):
            self._muddled, self._keys_used = False, True
        elif key == MISDEAL and self.desk.round is not None:
            self.desk.round.void = self.desk.round.void or MISDEAL
        super().before_key_pressed(observation)

    def before_shoe_started(self, observation: Observation) -> None:
        self._muddled = False
        super().before_shoe_started(observation)

    def before_shuffle_started(self, observation: Observation) -> None:
        """The idle cards may be shuffled while a round is dealt."""
        if self.desk.round is None:
            self._muddled = False
            self.desk.boundary()

    def before_card_drawn(self, observation: Observation) -> None:
        if not self.reader:
            self._end_if_over(position_of(observation))
            super().before_card_drawn(observation)

    def before_card_placed(self, observation: Observation) -> None:
        to, card = position_of(observation), card_of(observation)
        in_hand = self.desk.t - self._lifted_at > LOST_NS
        if self._let_out or (self.complete() and in_hand) or self.lifted_as(to, card) is None:
            self._end_if_over(to)
        super().before_card_placed(observation)

    def _end_if_over(self, to: str | None) -> None:
        """With a reader once the felt was cleared, one card perhaps that was not seen to be lifted."""
        if self.desk.round is None or (self.panel and self._keys_used) or not self.cards:
            return
        laid = sum(len(cards) for cards in self.cards.values())
        if self.reader:
            if self._lifted and len(self._lifted) >= laid - (self.complete() and laid > self._first):
                self.close()
        elif to is not None and self.complete():
            if is_seat(to) and len(self.cards[DEALER]) > self._first:
                self.close()
            else:  # a draw, or the first card of the next round
                self._muddled = self._blind = True
                if len(self.cards.get(to, ())) >= self._most:
                    self.close()

    # -- cards

    def on_bank_moved(self, observation: Observation) -> None:
        self._bank = observation.data.get("seat")
        self._count_wagers()

    def on_card_removed(self, observation: Observation) -> None:
        """A card that lay unread is read as it is lifted, or is lifted unread."""
        self._lifted_at = self.desk.t
        position, card = position_of(observation), card_of(observation)
        pile = self.cards.get(position or "", [])
        if card is None and sum(at == position for at, _ in self._lifted) < len(pile):
            self._lifted.append((position, None))
        elif card is not None and card not in pile and None in pile:
            pile[pile.index(None)] = card
        super().on_card_removed(observation)

    def on_card_drawn(self, observation: Observation) -> None:
        self._let_out = self.reader
        super().on_card_drawn(observation)

    def on_card_placed(self, observation: Observation) -> None:
        """Of a card lifted there and one laid there, one unread: they are the same."""
        position, card = position_of(observation), card_of(observation)
        lifted = self.lifted_as(position, card)
        if lifted is None and not self._let_out:
            self._leaves_another_hand(card)
        self._let_out = False
        if lifted is not None and card is None:
            observation = Observation(
                observation.t, observation.device, observation.event, {**observation.data, "card": lifted[1]}
            )
        elif lifted == (position, None):
            pile = self.cards.get(position or "", [])
            if card not in pile and None in pile:
                pile[pile.index(None)] = card
            if card in pile:
                self._lifted[self._lifted.index(lifted)] = position, card
        super().on_card_placed(observation)

    def _leaves_another_hand(self, card: str | None) -> None:
        """A card that was lifted from another hand lay at the wrong place."""
        for position, face in self._lifted:
            if card is not None and face == card and position in self._seqs:
                self._lifted.remove((position, face))
                self.cards[position].remove(card)
                self._seqs[position].pop()
                if not self.cards[position]:
                    del self.cards[position], self._seqs[position]
                return

    def dealt(self, position: str | None, card: str | None) -> None:
        if position is None:
            self._blind = True
            return
        if position != DEALER and not is_seat(position):
            return
        self._seqs.setdefault(position, []).append(self.desk.seq)
        count = len(self.cards[position])
        if count > self._most:
            self._breach("wrong-card-count", position, {"cards": count}, {"at_most": self._most})
        elif position == DEALER and count == self._first + 1:
            points = self._points.count(self.cards[DEALER][: self._first])
            if points in self._stands:
                self._breach("dealer-drew-against-rule", DEALER, {"points": points, "drew": True}, {"drew": False})
        elif count <= self._first:
            self._judge_turn(position, count)

    def _judge_turn(self, position: str, count: int) -> None:
        """No hand is two cards ahead of another; who had none so far shows that only with its first card."""
        got = {hand: len(self.cards[hand]) for hand in self._seqs}
        behind = [hand for hand, cards in got.items() if cards < count - 1]
        ahead = [hand for hand, cards in got.items() if cards > count + 1 or (count == 1 and cards > 1)]
        if behind:
            observed = {"position": position, "card": count, "waiting": in_seat_order(behind)}
        elif ahead:
            observed = {"position": ahead[0], "card": got[ahead[0]], "waiting": [position]}
        else:
            return
        self._breach("wrong-initial-sequence", None, observed, {"dealt": "one at a time"})

    def _breach(self, rule: str, position: str | None, observed: dict[str, Any], required: dict[str, Any]) -> None:
        if self._sound():
            where = {"position": position} if position is not None else {}
            evidence = self._seqs.get(position or "", ())
            self.desk.breach(rule, {**where, **observed}, required, evidence, once=position)

    def on_seat_taken(self, observation: Observation) -> None:
        """A wager that comes while the hands are dealt, where none lay when the first card came."""
        super().on_seat_taken(observation)
        self._count_wagers()
        seat = observation.data.get("seat")
        if self.hands is None or seat in self.hands or seat == self._bank or not self._seqs or self.complete():
            return
        if self._sound():
            dealt = sum(map(len, self._seqs.values()))
            self.desk.breach("late-wager", {"seat": seat, "cards_dealt": dealt}, {"cards_dealt": 0}, once=seat)

    def on_seat_left(self, observation: Observation) -> None:
        super().on_seat_left(observation)
        self._count_wagers()

    def _count_wagers(self) -> None:
        if self.desk.round is not None and not self.cards:
            self.hands = self.seats.in_play()
            self.began()

    # -- what was not seen

    def _sound(self) -> bool:
        """Whether what is dealt may be judged; after a misdeal that was called it is dealt again."""
        round_ = self.desk.round
        return round_ is not None and round_.void != MISDEAL and self._seen_whole()

    def _seen_whole(self) -> bool:
        source = "card_position.card_placed" if self.reader else "shoe.card_drawn"
        round_ = self.desk.round
        return round_ is not None and not round_.partial and not self._blind and self.desk.availability.sees(source)

    def on_reader_error(self, observation: Observation) -> None:
        self._blind = True

    def missed(self, observation: Observation) -> None:
        if observation.device in self._readers and self.desk.round is not None:
            self._blind = self.desk.round.partial = True

    # -- the round closes

    def complete(self) -> bool:
        """Whether every hand that was dealt to has its cards."""
        hands = [cards for position, cards in self.cards.items() if position == DEALER or is_seat(position)]
        return len(self.cards.get(DEALER, ())) >= self._first and all(len(cards) >= self._first for cards in hands)

    def ended(self) -> tuple[dict[str, Any], bool]:
        if self._seqs:
            self._judge_short()
            self._judge_stood()
        partial = not self._seen_whole() or not self._seqs
        result = {hand: self._summary(hand) for hand in in_seat_order(self._seqs)}
        return result, partial

    def _judge_short(self) -> None:
        for hand in dict.fromkeys([*self._seqs, *([DEALER] if len(self._seqs) > 1 else [])]):
            count = len(self.cards.get(hand, ()))
            if count < self._first:
                self._breach("wrong-card-count", hand, {"cards": count}, {"at_least": self._first})

    def _judge_stood(self) -> None:
        cards = self.cards.get(DEALER, [])
        points = self._points.count(cards)
        if len(cards) == self._first and points in self._draws:
            self._breach("dealer-stood-against-rule", DEALER, {"points": points, "drew": False}, {"drew": True})

    def _summary(self, hand: str) -> dict[str, Any]:
        points = self._points.count(self.cards[hand])
        summary: dict[str, Any] = {"points": points, "cards": len(self.cards[hand])}
        return summary if hand == DEALER else {**summary, "hand": self._nine(self.cards[hand])}

    def _nine(self, cards: list[str | None]) -> str | None:
        """The bonus hand that these cards are, best first."""
        read = all_read(cards)
        if read is None or self._points.count(read) != NINE:
            return None
        suits = {suit(card) for card in read}
        alike = {"", "suit" if len(suits) == 1 else "", "color" if len({each in RED for each in suits}) == 1 else ""}
        for each in self._bonus:
            if each["cards"] == len(read) and each["alike"] in alike:
                return str(each["name"])
        return None
