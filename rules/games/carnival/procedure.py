"""Poker against the dealer, dealt in packets or one card at a time: follows a round, and shows what it sees to who
judges it. How many cards, to whom and how hands rank is the book's.

    deal_plan      what the book says of the deal
    packets, felt  the cards as the shuffler dispenses them, and as they lie
    dealt          how far the round is dealt
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
from pitwatch.rules.games.carnival.board import Board
from pitwatch.rules.games.carnival.card_counts import COUNT, CardCounts
from pitwatch.rules.games.carnival.deal_order import DealOrder
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from pitwatch.rules.games.carnival.dealt import Dealt
from pitwatch.rules.games.carnival.felt import Felt
from pitwatch.rules.games.carnival.folds import Folds
from pitwatch.rules.games.carnival.fresh_deck import FreshDeck
from pitwatch.rules.games.carnival.one_at_a_time import OneAtATime
from pitwatch.rules.games.carnival.packets import Packets
from pitwatch.rules.games.carnival.premium_hand import PremiumHands
from pitwatch.rules.games.carnival.showdown import Showdown
from pitwatch.rules.play.card_game import card_of, position_of
from pitwatch.rules.play.flickers import Flickers
from pitwatch.rules.play.late_wager import LateWagers
from pitwatch.rules.play.packet_game import PacketGame
from pitwatch.rules.play.seats import ASIDE, DEALER, is_seat
from pitwatch.rules.watchers.deck import decks_in_use, whole_set

FAMILIES = {"carnival-poker": "Carnival"}

SETTLED_NS = 10_000_000_000
"""The last hand complete and no card for this time: the deal is over, and a hand that is short stays short."""


class Carnival(PacketGame):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._plan = DealPlan(desk.game)
        self._showdown = Showdown(desk.game)
        self._shuffler = desk.has("shuffler.packet_dispensed")
        self._shufflers = {device.id for device in desk.table.devices if device.type == "shuffler"}
        self._bank_sensors = {device.id for device in desk.table.provides("seats.bank_moved")}
        self._banks: str | None = None
        """The seat with the bank marker now; None if the house banks, or nobody knows."""
        self._reads_backs = False
        """Whether the reader is known to see community cards that lie face down."""
        self._one_deck = decks_in_use(desk.game, desk.options) == 1
        self._deck = whole_set(desk.game, desk.options)
        self._fresh = FreshDeck(desk)
        self._premium = PremiumHands(desk)
        self._one_at_a_time = OneAtATime(desk, self._plan)
        self._begin()

    def _begin(self, late: LateWagers | None = None) -> None:
        """`late`: wagers that changed since the round was called."""
        self._bank = self._banks
        self._late = late or LateWagers(self.desk)
        if self.hands is not None:
            self.hands = self._plan.in_order(self.hands, self._bank)
        hands = self.hands or []
        known = bool(hands) and not self._late.seats and not (self._plan.from_bank and self._bank is None)
        self._packets = Packets(self._plan, self._plan.packets(hands) if known else [])
        self._felt = Felt(self._lifted)
        self._flickers = Flickers()
        self._folds = Folds()
        self._dealt = Dealt(self._plan, self._packets, self._felt, hands, self._bank)
        self._laps: list[str] = self._plan.laps(hands) if known else []
        self._order = DealOrder(self.desk, self._plan, self._bank)
        self._board = Board(self._plan.burned)
        self._card_counts = CardCounts(
            self.desk, self._plan, self._packets, self._felt, self._dealt, self._late, hands, self._evidence
        )
        self._premium.round_opens()
        self._one_at_a_time.round_opens()
        self._seen: dict[str, list[int]] = {}
        self._sources: set[str] = set()
        self._in_doubt = False
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

    # -- whose cards they are

    def _placed(self, observation: Observation) -> Observation:
        """The same with the position as the game knows it."""
        to = observation.data.get("to")
        place = self._plan.place(to, self._bank) if isinstance(to, str) else to
        if place == to:
            return observation
        return Observation(observation.t, observation.device, observation.event, {**observation.data, "to": place})

    def on_card_drawn(self, observation: Observation) -> None:
        super().on_card_drawn(self._placed(observation))

    def on_card_placed(self, observation: Observation) -> None:
        observation = self._placed(observation)
        card = card_of(observation)
        self._folds.laid(position_of(observation), card, self._felt.away())
        if observation.data.get("to") == COMMUNITY and (COMMUNITY, card) in self._lifted:
            self._board.laid_back(card)
        super().on_card_placed(observation)

    def on_card_removed(self, observation: Observation) -> None:
        super().on_card_removed(self._placed(observation))

    def on_packet_dispensed(self, observation: Observation) -> None:
        super().on_packet_dispensed(self._placed(observation))

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

    # -- cards on the felt

    def where(self, position: str | None, card: str | None) -> str | None:
        """A shoe that does not know where its cards go: dealt by hand, they go round one at a time."""
        if position is not None or self.reader or self.desk.round is None or not self._laps:
            return position
        return self._laps.pop(0)

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None or position in ASIDE:
            if position == "burn" and card in self._felt.of(COMMUNITY):
                self._board.burns(card, in_play=not any(map(is_seat, self._felt.away())))
            self._in_doubt = self._in_doubt or position is None
            return
        felt = self._felt
        if felt.lay_back(position, card):
            self._judge_excess(position)
        elif felt.lay_back_unread(position, card):
            self._turned(position, card)
        elif self._lies_already(position, card):
            pass
        elif card is not None and None in felt.of(position) and self._is_turned(position):
            felt.read(position, card)
            self._turned(position, card)
        else:
            if position == COMMUNITY and self._dealt.hands_complete:
                self._board.shown(card, self.desk.t)
            felt.lay(position, card)
            self._one_at_a_time.laid(position)
            self._flickers.laid(self.desk.t, position, card)
            over = None in felt.of(position) and len(felt.of(position)) > self._plan.need(position)
            if over and self._flickers.one_card(position.__eq__):
                felt.one_less(position)
                self._one_at_a_time.doubtful = True
            felt.record(self.cards)
            self._judge_laid(position)
            return
        felt.record(self.cards)

    def _turned(self, position: str, card: str | None) -> None:
        """A card that lay there unread was turned."""
        if position == COMMUNITY:
            self._board.laid_back(card)

    def _lies_already(self, position: str | None, card: str | None) -> bool:
        """Whether the reader shows a card of the single deck again where all lie that belong there."""
        pile = self._felt.of(position or "")
        full = position is not None and len(pile) >= self._plan.need(position) > 0
        return self._one_deck and full and card is not None and card in pile

    def _is_turned(self, position: str) -> bool:
        """Whether a card that is read at a position where one lay unread is that one: all is dealt."""
        return len(self._felt.of(position)) >= self._plan.need(position) and self.complete()

    def _judge_laid(self, position: str) -> None:
        if not self._judged():
            return
        self._late.deal_goes_on(self.called)
        self._saw(position)
        if position != COMMUNITY or self._dealt_now():
            self._served(position)
        self._judge_excess(position)
        self._settle()

    def lifted(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None:
            return
        if position == COMMUNITY:
            self._board.lifted(card, self.desk.t)
        if card is None:
            self._felt.lift_unread(position)
        elif self._felt.shows(position, card):
            self._lifted.append((position, card))
            self._felt.record(self.cards)
        if self._felt.cleared:
            self.cleared()
            if not self._shuffler and self.called is None and self.complete():
                self.close()

    # -- judging

    def _judged(self) -> bool:
        """Whether what is dealt now still counts: not after a misdeal, nor after another rule voided the round."""
        round_ = self.desk.round
        return round_ is not None and round_.void in (None, COUNT) and not self.off_the_book

    def _saw(self, position: str) -> None:
        self._seen.setdefault(position, []).append(self.desk.seq)

    def _evidence(self, position: str) -> list[int]:
        return self._seen.get(position, []) or ([] if self.first is None else [self.first])

    def _served(self, position: str) -> None:
        if self._order.first(position) and not self._card_counts.unbet(position):
            self._order.served(position, self._seen)

    def _judge_excess(self, position: str) -> None:
        if self._judged():
            self._card_counts.judge_excess(position, len(self._felt.of(position)))

    def complete(self) -> bool:
        return self._dealt.complete

    def dealt_out(self) -> bool:
        return self._dealt.surely_complete or self._packets.out == self._deck

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

    def _dealt_now(self) -> bool:
        """Whether a community card on the felt is dealt, not only turned now: some readers see no card that lies face
        down. A card that comes while hands are dealt shows that this one does; so does a whole board of which no card
        was read, where the hands were told likewise."""
        whole = self._dealt.hands_exact and len(self._felt.of(COMMUNITY)) == self._plan.need(COMMUNITY)
        backs = whole and not any(card for pile in self._felt.piles.values() for card in pile)
        self._reads_backs = self._reads_backs or not self._dealt.hands_complete
        return self._reads_backs or backs

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

    def _forget_counts_of_seen_cards(self) -> None:
        for position in list(self.counts):
            pile = self._felt.of(position)
            if None not in pile and len(pile) >= self.counts[position]:
                del self.counts[position]
