"""Poker against the dealer, dealt in packets or one card at a time: follows a round, and shows what it sees to who
judges it. How many cards, to whom and how hands rank is the book's.

    deal_plan      what the book says of the deal
    cards_dealt    the cards as `packets` of the shuffler and the `felt` show them; `dealt`: how far the round is dealt
    card_counts    positions with too few or too many cards, or with some and no wager
    deal_order     who is served when; `one_at_a_time` by hand
    board          which community cards count
    folds          hands that were folded
    fresh_deck     no round from a deck that was not shuffled
    showdown       what the hands come to; `premium_hand` those that a supervisor verifies

A packet whose position nobody tells goes to the hands in play in the order of the deal, as long as the felt shows
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.carnival.card_counts import COUNT, CardCounts
from pitwatch.rules.games.carnival.cards_dealt import CardsDealt
from pitwatch.rules.games.carnival.deal_order import DealOrder
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY
from pitwatch.rules.games.carnival.fresh_deck import FreshDeck
from pitwatch.rules.games.carnival.premium_hand import PremiumHands
from pitwatch.rules.games.carnival.showdown import Showdown
from pitwatch.rules.play.card_game import card_of, position_of
from pitwatch.rules.play.late_wager import LateWagers
from pitwatch.rules.play.seats import ASIDE, DEALER, is_seat

FAMILIES = {"carnival-poker": "Carnival"}

SETTLED_NS = 10_000_000_000
"""The last hand complete and no card for this time: the deal is over, and a hand that is short stays short."""


class Carnival(CardsDealt):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._showdown = Showdown(desk.game)
        self._shufflers = {device.id for device in desk.table.devices if device.type == "shuffler"}
        self._bank_sensors = {device.id for device in desk.table.provides("seats.bank_moved")}
        self._banks: str | None = None
        """The seat with the bank marker now; None if the house banks, or nobody knows."""
        self._fresh = FreshDeck(desk)
        self._premium = PremiumHands(desk)
        self._begin()

    def _begin(self, late: LateWagers | None = None) -> None:
        """`late`: wagers that changed since the round was called."""
        bank = self._banks
        self._late = late or LateWagers(self.desk)
        if self.hands is not None:
            self.hands = self._plan.in_order(self.hands, bank)
        hands = self.hands or []
        known = bool(hands) and not self._late.seats and not (self._plan.from_bank and bank is None)
        self._deal_begins(hands, known, bank)
        self._order = DealOrder(self.desk, self._plan, bank)
        self._card_counts = CardCounts(
            self.desk, self._plan, self._packets, self._felt, self._dealt, self._late, hands, self._evidence
        )
        self._premium.round_opens()
        self._sources: set[str] = set()
        self.deadline = None

    def _begin_again(self) -> None:
        """Who plays or banks changes after the call, before the first card."""
        self.hands = self.seats.in_play()
        self._begin(self._late)

    def began(self) -> None:
        super().began()
        self._begin()

    # -- boundaries

    def before_shuffle_completed(self, observation: Observation) -> None:
        super().before_shuffle_completed(observation)
        self._fresh.shuffled()
        self._one_at_a_time.shuffled(by_hand=False)

    def begins_with(self, cards: object) -> bool:
        return cards == self._plan.begins_with

    def before_card_placed(self, observation: Observation) -> None:
        super().before_card_placed(observation)
        placed = self._placed(observation)
        if self.desk.round is not None and self._lies_already(position_of(placed), card_of(placed)):
            self.desk.round.again = self.desk.seq
        self._sources.add(observation.device)

    def before_card_drawn(self, observation: Observation) -> None:
        """Where a shoe is all there is, a complete round is over when the next card goes to a patron."""
        if (
            not (self.panel or self.reader or self._shuffler)
            and observation.data.get("to") != DEALER
            and self.complete()
        ):
            self.close()
        super().before_card_drawn(observation)
        if not self.reader:
            self._sources.add(observation.device)

    def before_packet_dispensed(self, observation: Observation) -> None:
        super().before_packet_dispensed(observation)
        self._sources.add(observation.device)
        self._fresh.packet(first=not self._order.machine)
        self._order.machine = True

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "misdeal" and self._all_seen():
            self._card_counts.judge_passed_over()
        super().on_key_pressed(observation)
        if key == "hand_shuffled":
            self._fresh.shuffled()
            self._one_at_a_time.shuffled(by_hand=True)
        self._premium.key(key)

    def on_credential_presented(self, observation: Observation) -> None:
        self._premium.credential(observation.data.get("credential"))

    def on_bank_moved(self, observation: Observation) -> None:
        seat = observation.data.get("seat")
        self._banks = seat if is_seat(seat) else None
        if self.desk.round is not None and self.called is not None and self.first is None:
            self._begin_again()  # no card is dealt yet: the first goes to the left of this player

    # -- what makes it doubtful

    def on_jammed(self, observation: Observation) -> None:
        self._fresh.doubt()

    def on_stopped(self, observation: Observation) -> None:
        self._fresh.doubt()

    def on_count_failed(self, observation: Observation) -> None:
        self._fresh.doubt()

    def missed(self, observation: Observation) -> None:
        if observation.device in self._shufflers:
            self._fresh.doubt()
        if observation.device in self._bank_sensors:
            self._banks = None

    def on_device_fault(self, observation: Observation) -> None:
        self._in_doubt = self._in_doubt or observation.device in self._sources
        if observation.device in self._shufflers:
            self._fresh.doubt()

    # -- wagers

    def on_seat_taken(self, observation: Observation) -> None:
        super().on_seat_taken(observation)
        self._wager(observation.data.get("seat"), "laid")

    def on_seat_left(self, observation: Observation) -> None:
        super().on_seat_left(observation)
        self._wager(observation.data.get("seat"), "taken back")

    def _wager(self, seat: str | None, what: str) -> None:
        """A wager changes after the call; before the first card the hands in play are still those that lie there, and
        whether that one is dealt in is the crew's to say."""
        if self.desk.round is None or seat is None or self.called is None:
            return
        changes = seat != self._bank and (seat in (self.hands or ())) == (what == "taken back")
        if self.first is None:
            if changes:
                self._late.seen(seat, what, dealing=False)
            self._late.seats.add(seat)
            self._begin_again()
        elif changes and not self.complete():
            self._late.seen(seat, what)

    def on_reader_error(self, observation: Observation) -> None:
        self._in_doubt = True

    # -- packets

    def packet(self, position: str | None, count: int) -> None:
        if not self._judged():
            return
        self._late.deal_goes_on(self.called)
        if count <= 0:
            self._in_doubt = True
            self._packets.unread(position)
        elif position is None:
            if not self._packets.is_rest(count, self._deck, self._dealt.complete):
                self._next_packet(count)
        elif position not in ASIDE:
            self._saw(position)
            cards = self._packets.add(position, count)
            self._served(position)
            self._card_counts.judge_excess(position, cards)
        self._packets.out += count
        self._settle()

    def _next_packet(self, count: int) -> None:
        """A packet of which only the size is known."""
        packet = self._packets.next(count)
        if packet is None:
            if not self._in_doubt:
                self._card_counts.packet_over(felt_will_show=self.reader)
            return
        if packet.position is not None:
            self._saw(packet.position)
            if not self._felt.piles:
                self.counts[packet.position] = self._packets.by_position[packet.position]
        self._card_counts.judge_packet(packet, may_be_elsewhere=self.reader and count in self._plan.sizes)

    def laid(self, position: str) -> None:
        if not self._judged():
            return
        self._late.deal_goes_on(self.called)
        self._saw(position)
        if position != COMMUNITY or self._dealt_now():
            self._served(position)
        self.laid_back(position)
        self._settle()

    # -- judging

    def _judged(self) -> bool:
        """Whether what is dealt now still counts: not after a misdeal, nor after another rule voided the round."""
        round_ = self.desk.round
        return round_ is not None and round_.void in (None, COUNT) and not self.off_the_book

    def _served(self, position: str) -> None:
        if self._order.first(position) and not self._card_counts.unbet(position):
            self._order.served(position, self._seen)

    def laid_back(self, position: str) -> None:
        if self._judged():
            self._card_counts.judge_excess(position, len(self._felt.of(position)))

    def _settle(self) -> None:
        self.deadline = self.desk.t + SETTLED_NS if self._dealt.last_served else None

    def tick(self) -> None:
        if self.desk.round is not None:
            self._judge_short()

    def _all_seen(self) -> bool:
        clouded = self._sources & self.desk.availability.clouded
        return self.first is not None and not self._in_doubt and not clouded and self._judged()

    def _judge_short(self) -> None:
        """Only where every card was seen that was dealt."""
        if self._all_seen():
            self._card_counts.judge_short(self.reader, self._order.machine)
            self._card_counts.judge_board(self._board)
            if not self._order.machine and self._dealt.hands_exact:
                self._one_at_a_time.judge(self._late.seats)

    # -- the end

    def ended(self) -> tuple[dict[str, Any], bool]:
        self.deadline = None
        self._judge_short()
        self._one_at_a_time.round_over()
        self._forget_counts_of_seen_cards()
        positions, seats = self._dealt.positions(), self._dealt.seats()
        cards = {**self._felt.piles}
        if COMMUNITY in cards:
            cards[COMMUNITY] = self._board.cards(cards[COMMUNITY])
        round_ = self.desk.round
        if round_ is not None:
            round_.hands = {each: self._progressive(cards, each) for each in seats}
            if COMMUNITY in cards:
                round_.cards[COMMUNITY] = cards[COMMUNITY]
            if round_.void is None:
                played = [each for each in seats if each not in self._folds.folded()]
                premium = {each: self._showdown.premium(cards, each) for each in played}
                self._premium.judge({each: hand for each, hand in premium.items() if hand}, self._seen)
        partial = bool(self._sources & self.desk.availability.clouded)
        result = self._showdown.result(cards, [each for each in positions if each != COMMUNITY])
        for each in self._forfeit():
            (result[each]["wagers"] or {}).pop("progressive", None)
        return result, partial

    def _forfeit(self) -> set[str]:
        """Folded hands that do not qualify for the progressive."""
        return set() if self._showdown.folded_qualify else self._folds.folded() & set(self._dealt.seats())

    def _progressive(self, cards: Mapping[str, Sequence[str | None]], position: str) -> tuple[str, ...] | None:
        """The progressive hands at a position; None if its cards were not seen, or perhaps folded."""
        if position not in self._forfeit():
            return self._showdown.progressive(cards, position)
        return () if self._folds.surely(cards.get(position, ())) else None
