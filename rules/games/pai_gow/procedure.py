"""Pai gow, with cards or tiles: follows a round from the dice to the settling, and shows what it sees to who judges it.

shaker           shaken often enough
start_position   where the first packet goes, by the book; `delivery` whether it did, and the others in order
packet_counts    hands with too few or too many cards
left_over        the cards that remain
exposed_card     the one that was exposed as it was dealt, and is replaced
touched_wagers   wagers moved while the cards are dealt
setting          how hands are set
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.pai_gow.delivery import Delivery
from pitwatch.rules.games.pai_gow.exposed_card import ExposedCard
from pitwatch.rules.games.pai_gow.left_over import LeftOver
from pitwatch.rules.games.pai_gow.packet_counts import COUNT, PacketCounts
from pitwatch.rules.games.pai_gow.setting import Setting
from pitwatch.rules.games.pai_gow.shaker import Shaker
from pitwatch.rules.games.pai_gow.start_position import StartPosition
from pitwatch.rules.games.pai_gow.touched_wagers import TouchedWagers
from pitwatch.rules.play.card_game import card_of, position_of
from pitwatch.rules.play.flickers import Flickers
from pitwatch.rules.play.packet_game import PacketGame
from pitwatch.rules.play.piles import Piles, hand_of
from pitwatch.rules.play.seats import ASIDE, DEALER, in_seat_order, is_seat

FAMILIES = {"pai-gow": "PaiGow", "tiles": "PaiGow"}

SETTLED_NS = 10_000_000_000
"""No card for so long after the deal: what is short stays short."""


class PaiGow(PacketGame):
    """Figures: `cards-per-hand`, `hands-dealt`; what the parts of this procedure ask of the book stands with them."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._need: int = desk.figure("cards-per-hand")
        self._hands_due: int = desk.figure("hands-dealt")
        self._start = StartPosition(desk, self._hands_due)
        self._shaker = Shaker(desk)
        self._setting = Setting(desk, self._need)
        self._shuffler = desk.has("shuffler.packet_dispensed")
        self._lifts_seen = desk.has("card_position.card_removed")
        self._bank: str | None = None
        self._next_number: int | None = None
        """Shaken for the next round while this one, dealt out, is not yet called over."""
        self._begin()

    def _begin(self) -> None:
        self._felt = Piles()
        self._flickers = Flickers()
        self._packet_counts = PacketCounts(self.desk, self._felt, self._need, self._hands_due, self._evidence)
        self._delivery = Delivery(self.desk, self._start, self._evidence)
        self._left_over = LeftOver(self.desk, self._need)
        self._exposed = ExposedCard(self.desk, self._felt)
        self._wagers = TouchedWagers(self.desk)
        self._setting.clear()
        self._seen: dict[str, list[int]] = {}
        self._sources: set[str] = set()
        self._dealt = False
        self._doubt = False
        self.deadline = None

    def began(self) -> None:
        super().began()
        self._begin()

    @property
    def _house(self) -> str | None:
        """The hand against which all others play: the dealer's, or that of the seat with the bank."""
        if self._start.with_dealer or DEALER in self._packet_counts.hands():
            return DEALER
        return self._bank

    # -- the bank, the dice

    def on_bank_moved(self, observation: Observation) -> None:
        self._bank = observation.data.get("seat")

    def on_start_number(self, observation: Observation) -> None:
        self._number(observation.data.get("number"))

    def on_dice_settled(self, observation: Observation) -> None:
        """A camera over the shaker: three faces are its total."""
        faces = observation.data.get("faces")
        if isinstance(faces, list) and len(faces) == 3 and None not in faces:
            self._number(sum(faces))

    def _number(self, number: int | None) -> None:
        if self.desk.round is None:
            self._start.number = number
        elif not self._delivery.begun:
            self._start.number = number
            self._shaker.judge()
        elif self._dealt:
            self._next_number = number

    def on_shaker_count(self, observation: Observation) -> None:
        shakes = observation.data.get("shakes")
        if shakes is not None:
            self._shaker.shaken(shakes)

    def missed(self, observation: Observation) -> None:
        self._shaker.unwatched(observation.device)

    # -- boundaries

    def before_card_placed(self, observation: Observation) -> None:
        super().before_card_placed(observation)
        position, round_ = position_of(observation) or "", self.desk.round
        if round_ is not None and self._full(position) and self._felt.lies(position, card_of(observation)):
            round_.again = self.desk.seq
        self._from(observation)

    def before_card_drawn(self, observation: Observation) -> None:
        super().before_card_drawn(observation)
        if not self.reader:
            self._from(observation)

    def before_packet_dispensed(self, observation: Observation) -> None:
        super().before_packet_dispensed(observation)
        self._from(observation)

    def _from(self, observation: Observation) -> None:
        self._sources.add(observation.device)
        if self.first == self.desk.seq:
            self._shaker.judge()

    # -- what is certain

    def on_device_fault(self, observation: Observation) -> None:
        self._doubt = self._doubt or observation.device in self._sources

    def on_reader_error(self, observation: Observation) -> None:
        self._doubt = True

    def _judged(self) -> bool:
        round_ = self.desk.round
        return round_ is not None and round_.void in (None, COUNT) and not (self.off_the_book or self._doubt)

    def _all_seen(self) -> bool:
        """Whether every card was seen that was dealt."""
        return not self._sources & self.desk.availability.clouded and self._judged()

    def _miscounted(self) -> bool:
        """Whether a hand of this round had too few or too many cards."""
        round_ = self.desk.round
        return round_ is not None and COUNT in {rule.rpartition("/")[2] for rule in round_.irregularities}

    # -- wagers

    def wager(self, seat: str | None, what: str) -> None:
        if self.desk.round is None or seat is None:
            return
        if self.first is None:
            self.hands = self.seats.in_play()  # those that lie when the first card comes
        else:
            self._wagers.seen(seat, what)

    # -- packets

    def begins_with(self, cards: object) -> bool:
        return cards == self._need

    def packet(self, position: str | None, count: int) -> None:
        if count <= 0:
            self._doubt = True
        if not self._judged():
            return
        if not self._dealt or hand_of(position) is not None:  # positions without a wager get a packet too
            self._wagers.deal_goes_on()
        if position in ASIDE or (position is None and not self._packet_counts.unplaced_packet(count)):
            self._left_over.put_aside(count)
        elif position is not None:
            self._arrived(position)
            self._packet_counts.placed_packet(position, count)
        self._settle()

    # -- cards on the felt

    def _place(self, observation: Observation) -> None:
        position, card, round_ = position_of(observation), card_of(observation), self.desk.round
        if round_ is None or position is None:
            return
        hand = hand_of(position)
        if hand is not None and self._full(position):
            self._exposed.make_way(hand, card)
        new = self._felt.lay(position, card, self._full(position))
        if new and hand is not None:
            self._flickers.laid(self.desk.t, position, card)
            new = not self._told_as_two(hand)
        round_.cards = self._felt.by_position()
        if new and self._judged():
            if hand is not None:
                self._wagers.deal_goes_on()
                self._arrived(hand)
                self._packet_counts.lies(hand)
                self._settle()
            elif position in ASIDE and not self._exposed.laid_aside(card, new):
                self._left_over.put_aside(1)
        elif position in ASIDE:
            self._exposed.laid_aside(card, new)
        if hand is not None:
            self._setting.look(hand, self._felt)

    def _told_as_two(self, hand: str) -> bool:
        """Whether a hand with a card too many has one that the reader failed at and read then."""
        if len(self._felt.of(hand)) <= self._need:
            return False
        place = self._flickers.one_card(lambda position: hand_of(position) == hand)
        return place is not None and self._felt.one_less(place)

    def _full(self, position: str) -> bool:
        """Whether the hand has all its cards."""
        hand = hand_of(position)
        return hand is not None and self._packet_counts.full(hand)

    def on_card_removed(self, observation: Observation) -> None:
        position, round_ = position_of(observation), self.desk.round
        if round_ is None or position is None:
            return
        self._felt.lift(position, card_of(observation))
        round_.cards = self._felt.by_position()
        if self._felt.cleared():
            self.cleared()
            if not self._shuffler and not self.panel and self.complete():
                self.close()

    def _arrived(self, position: str) -> None:
        """A packet, or a card of one, lies at a position."""
        self._seen.setdefault(position, []).append(self.desk.seq)
        if len(self._seen[position]) == 1:
            self._delivery.arrived(position, self._bank, self.hands)

    def _evidence(self, position: str = "") -> list[int]:
        return self._seen.get(position, []) or ([] if self.first is None else [self.first])

    # -- the deal is over

    def _must_have(self) -> list[str]:
        """The hands that surely are to have cards: those with a wager, and the dealer's where it has a place."""
        return [hand_of(hand) or hand for hand in self.hands or ()] + [DEALER] * self._start.with_dealer

    def complete(self) -> bool:
        return self._packet_counts.complete(self._must_have() if self.hands else ())

    def _settle(self) -> None:
        if not self._dealt and self.complete():
            self._deal_over()
        if self._packet_counts.all_dispensed or any(
            self._packet_counts.full(hand) for hand in self._packet_counts.hands()
        ):
            self.deadline = self.desk.t + SETTLED_NS

    def _deal_over(self) -> None:
        self._dealt = True
        self._left_over.deal_over()
        self._shaker.delivered()

    def tick(self) -> None:
        if self.desk.round is None:
            return
        self._judge_counts()
        self._judge_aside()
        if not self._dealt:
            self._deal_over()

    def _judge_counts(self) -> None:
        if self.first is not None and self._all_seen():
            self._packet_counts.judge()

    def on_cards_counted(self, observation: Observation) -> None:
        cards = observation.data.get("cards")
        if cards and self._left_over.may_be_counted:
            self._judge_left_over(cards)

    def _judge_aside(self) -> None:
        aside = self._left_over.aside
        if aside and not self._exposed.only_it(aside):
            self._judge_left_over(aside)

    def _judge_left_over(self, cards: int) -> None:
        if self._judged():
            replaced = self._exposed.may_be_replaced(self.reader)
            self._left_over.judge(cards, self._miscounted(), self._evidence(), replaced)

    # -- the end

    def ended(self) -> tuple[dict[str, Any], bool]:
        self.deadline = None
        if self.desk.round is not None and not self.desk.round.partial:
            self._judge_end()
        if self._felt.hands():
            self.counts.clear()
        elif not self._packet_counts.known:
            self._count_in_order()
        self._start.number, self._next_number = self._next_number, None
        house = self._house
        hands = {*self._packet_counts.hands(), *self._must_have()} - {house, DEALER}
        result = self._setting.result(self._felt, in_seat_order(hands), house, DEALER)
        return result, bool(self._sources & self.desk.availability.clouded)

    def _count_in_order(self) -> None:
        """Where no face is seen, packets that nobody saw go anywhere are taken to go in the order of the deal."""
        route = self._start.route(self._bank, self.hands)
        for position, cards in zip(route, self._packet_counts.unplaced, strict=False):
            self.counts[position] = cards

    def _judge_end(self) -> None:
        self._judge_aside()
        self._judge_counts()
        if self._all_seen():
            self._packet_counts.judge_missing(self._must_have())
        if self._judged() and not self._miscounted():
            for fault in self._setting.faults(self._house):
                observed = {"position": fault.hand, **fault.observed}
                self.desk.breach(fault.rule, observed, fault.required, self._evidence(fault.hand), once=fault.hand)
        self._judge_unbet_piles()

    def _judge_unbet_piles(self) -> None:
        """A packet at a position without a wager is to be taken back: it lies there no longer when the round ends.
        The player-dealer's lies at a seat that need not have one."""
        knows = self.hands and self.seats.sensed and self._lifts_seen and self._house is not None
        if not (knows and self._judged()):
            return
        for hand in self._felt.hands():
            lying = len(self._felt.lying(hand))
            untouched = lying == len(self._felt.of(hand))  # else it was taken, and a card missed as it was lifted
            if is_seat(hand) and hand not in (*self._must_have(), self._bank) and untouched:
                observed = {"position": hand, "cards": lying}
                required = {"packet": "taken to the discards"}
                self.desk.breach("unbet-pile", observed, required, self._seen.get(hand, ()), once=hand)
