"""Poker against the dealer, dealt in packets or one card at a time: who got how many cards, in which order, and what
the hands come to. How many, to whom and how hands rank is the book's: see `deal_plan` and `showdown`.

Cards are counted twice where the table can: as the shuffler dispenses them and as they lie on the felt. A packet whose
position nobody tells goes to the hands in play in the order of the deal, as long as the felt shows nothing else.
"""

from __future__ import annotations

from typing import Any

from devices.observation import Observation
from rules.card_game import CardGame, card_of
from rules.desk import Desk
from rules.games.carnival.board import Board
from rules.games.carnival.deal_order import DealOrder
from rules.games.carnival.deal_plan import COMMUNITY, HANDS, DealPlan
from rules.games.carnival.fresh_deck import FreshDeck
from rules.games.carnival.packets import Packets
from rules.games.carnival.premium_hand import PremiumHands
from rules.games.carnival.showdown import Showdown
from rules.late_wager import LateWagers
from rules.seats import DEALER, is_seat, seat_of, seat_order

SETTLED_NS = 10_000_000_000
"""The last hand complete and no card for this time: the deal is over, and a hand that is short stays short."""

ASIDE = ("burn", "discard")

COUNT = "wrong-card-count"


class Carnival(CardGame):
    SHUFFLE_CLOSES = True

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
        self._fresh = FreshDeck(desk)
        self._premium = PremiumHands(desk)
        self._begin()

    def _begin(self) -> None:
        self._bank = self._banks
        if self.hands is not None:
            self.hands = self._plan.in_order(self.hands, self._bank)
        hands = self.hands or []
        known = bool(hands) and not (self._plan.from_bank and self._bank is None)
        self._packets = Packets(self._plan, self._plan.packets(hands) if known else [])
        self._laps: list[str] = self._plan.laps(hands) if known else []
        self._order = DealOrder(self.desk, self._plan, self._bank)
        self._board = Board(self._plan.burned)
        self._board_at_deal: int | None = None
        self._late = LateWagers(self.desk)
        self._premium.round_opens()
        self._felt: dict[str, list[str | None]] = {}
        self._unread_lifted: dict[str, int] = {}
        self._seen: dict[str, list[int]] = {}
        self._sources: set[str] = set()
        self._told: set[str] = set()
        self._told_of_packets = 0
        self._in_doubt = False
        self._off_the_book = False
        self.deadline = None

    def began(self) -> None:
        self._begin()

    # -- boundaries

    def before_shuffle_started(self, observation: Observation) -> None:
        """A panel that is not used bounds nothing; cards shuffled after a void round are no longer that round's."""
        round_ = self.desk.round
        if round_ is not None and self.panel:
            if round_.void is not None:
                self._off_the_book = True
            elif self.called is None and self.complete():
                self.close()
        super().before_shuffle_started(observation)

    def before_shuffle_completed(self, observation: Observation) -> None:
        self._fresh.shuffled()

    def before_card_placed(self, observation: Observation) -> None:
        super().before_card_placed(observation)
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
        """A misdeal is called: the round does not count, and what is dealt again is not judged as this round's."""
        key = observation.data.get("key")
        if key == "misdeal" and self.desk.round is not None:
            self._off_the_book = True
            self.desk.round.void = self.desk.round.void or "misdeal"
        elif key == "hand_shuffled":
            self._fresh.shuffled()
        self._premium.key(key)

    def on_credential_presented(self, observation: Observation) -> None:
        self._premium.credential(observation.data.get("credential"))

    def on_bank_moved(self, observation: Observation) -> None:
        seat = observation.data.get("seat")
        self._banks = seat if is_seat(seat) else None

    # -- what makes it doubtful

    def on_jammed(self, observation: Observation) -> None:
        self._fresh.doubt()

    def on_stopped(self, observation: Observation) -> None:
        self._fresh.doubt()

    def on_count_failed(self, observation: Observation) -> None:
        self._fresh.doubt()

    def on_device_offline(self, observation: Observation) -> None:
        self._unwatched(observation.device)

    def on_edges_lost(self, observation: Observation) -> None:
        self._unwatched(observation.device)

    def on_bytes_discarded(self, observation: Observation) -> None:
        self._unwatched(observation.device)

    def _unwatched(self, device: str) -> None:
        if device in self._shufflers:
            self._fresh.doubt()
        if device in self._bank_sensors:
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
        """A wager changes in the middle of the deal."""
        round_ = self.desk.round
        if round_ is None or seat is None or None in (self.called, self.first) or self.complete():
            return
        if seat != self._bank and (seat in (self.hands or ())) == (what == "taken back"):
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
            self._next_packet(count)
        elif position not in ASIDE:
            self._saw(position)
            cards = self._packets.add(position, count)
            self._served(position)
            self._judge_excess(position, cards)
        self._settle()

    def _next_packet(self, count: int) -> None:
        """A packet of which only the size is known."""
        packet = self._packets.next(count)
        if packet is None:
            if self._in_doubt:
                return
            self._packets.over += 1
            if not self.reader:
                self._breach_packet({"packets": "more than the hands"}, {"packets": len(self._packets.slots)})
            return
        if packet.position is not None:
            self._saw(packet.position)
            if not self._felt:
                self.counts[packet.position] = self._packets.by_position[packet.position]
        misplaced = self.reader and count in self._plan.sizes  # of another position perhaps: the felt will show
        if packet.cards > packet.should and not misplaced:
            self._breach_packet({"position": packet.position, "cards": packet.cards}, {"cards": packet.should})

    def _breach_packet(self, observed: dict[str, Any], required: dict[str, Any]) -> None:
        """The machine dealt too much; that the felt then shows the same is no second breach."""
        self._told_of_packets += self.desk.breach(COUNT, observed, required, self._evidence(), once=self.desk.seq)

    # -- cards on the felt

    def where(self, position: str | None, card: str | None) -> str | None:
        """A shoe that does not know where its cards go: dealt by hand, they go round one at a time."""
        if position is not None or self.reader or self.desk.round is None or not self._laps:
            return position
        return self._laps.pop(0)

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None or position in ASIDE:
            if position == "burn" and card in self._felt.get(COMMUNITY, ()):
                self._board.burns(card)
            self._in_doubt = self._in_doubt or position is None
            return
        pile = self._felt.setdefault(position, [])
        if self._laid_back(position, card):
            self._record()
            return
        if card is not None and None in pile and len(pile) >= self._plan.need(position) and self.complete():
            pile[pile.index(None)] = card
            self._record()
            return
        if is_seat(position) and self._board_at_deal is None:
            self._board_at_deal = len(self._felt.get(COMMUNITY, ()))
        pile.append(card)
        self._record()
        if self._judged():
            self._late.deal_goes_on(self.called)
            self._saw(position)
            if position != COMMUNITY or self._dealt_now():
                self._served(position)
            self._judge_excess(position, len(pile))
            self._settle()

    def lifted(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None:
            return
        if position == COMMUNITY:
            self._board.lifted(card, self.desk.t)
        if card is None and None in self._felt.get(position, ()):
            self._unread_lifted[position] = self._unread_lifted.get(position, 0) + 1
        if not self._shuffler and self.called is None and self._cleared() and self.complete():
            self.close()

    def _cleared(self) -> bool:
        """Whether every card of the round has been taken from the felt."""
        on_felt = sum(len(pile) for pile in self._felt.values())
        return 0 < on_felt == len(self._lifted) + sum(self._unread_lifted.values())

    def _laid_back(self, position: str, card: str | None) -> bool:
        """Whether this is a card that was lifted from the felt: moved from another position, or read this time only."""
        pile = self._felt[position]
        for lifted in self._lifted:
            origin, face = lifted
            if origin is not None and (face == card or (card is None and origin == position)):
                self._lifted.remove(lifted)
                if face in self._felt.get(origin, ()):
                    self._felt[origin].remove(face)
                pile.append(face)
                self._judge_excess(position, len(pile))
                return True
        if self._unread_lifted.get(position):
            self._unread_lifted[position] -= 1
            if None in pile:
                pile[pile.index(None)] = card
            return True
        return False

    def _record(self) -> None:
        """The round's cards are what lies on the felt, each card once."""
        for position in (*self._felt, *self.cards):
            if position in self._felt:
                self.cards[position] = list(self._felt[position])
        for position in [position for position, pile in self.cards.items() if not pile]:
            del self.cards[position]

    # -- judging

    def _judged(self) -> bool:
        """Whether what is dealt now still counts: not after a misdeal, nor after another rule voided the round."""
        round_ = self.desk.round
        return round_ is not None and round_.void in (None, COUNT) and not self._off_the_book

    def _saw(self, position: str) -> None:
        self._seen.setdefault(position, []).append(self.desk.seq)

    def _evidence(self, position: str | None = None) -> list[int]:
        return self._seen.get(position or "", []) or ([] if self.first is None else [self.first])

    def _served(self, position: str) -> None:
        if self._order.first(position) and not self._unbet(position):
            self._order.served(position, self._seen)

    def _judge_excess(self, position: str, cards: int) -> None:
        need = self._plan.need(position)
        if not need or not self._judged():
            return
        if self._unbet(position):
            self.desk.breach(
                "unbet-pile",
                {"position": position},
                {"positions": list(self.hands or ())},
                self._evidence(position),
                once=position,
            )
        elif cards > need and position not in self._told:
            self._told.add(position)
            self._packets.over -= position in self._felt
            if self._told_of_packets and position in self._felt:
                self._told_of_packets -= 1
                return
            self._breach_count(position, cards, need)

    def _unbet(self, position: str) -> bool:
        """Whether this is a seat without a wager, where it is known which have one."""
        if not is_seat(position) or not self.hands or seat_of(position) in self._late.seats:
            return False
        return seat_of(position) not in map(seat_of, self.hands)

    def _breach_count(self, position: str, cards: int, need: int) -> None:
        self.desk.breach(
            COUNT, {"position": position, "cards": cards}, {"cards": need}, self._evidence(position), once=position
        )

    def _count(self, position: str) -> int:
        """The community cards may show on the felt only when they are turned."""
        felt, packets = len(self._felt.get(position, ())), self._packets.by_position.get(position, 0)
        return max(felt, packets) if position == COMMUNITY else felt or packets

    def _positions(self) -> list[str]:
        """Every position that is to have a hand: hands in play, else what was dealt, and those of every round."""
        seats = self.hands or [each for each in (*self._felt, *self._packets.by_position) if is_seat(each)]
        return [*sorted(set(seats), key=seat_order), *self._plan.fixed]

    def complete(self) -> bool:
        if self._packets.for_nobody and not self._felt and not self._packets.by_position:
            return len(self._packets.for_nobody) > len(self._plan.fixed)
        positions = self._positions()
        return any(is_seat(each) for each in positions) and all(self._has_all(each) for each in positions)

    def _has_all(self, position: str) -> bool:
        """A reader that sees no card lying face down sees the burned ones never."""
        burned = self._plan.burned if position == COMMUNITY else 0
        return self._count(position) >= self._plan.need(position) - burned

    def _settle(self) -> None:
        last = self._plan.last or (self.hands[-1] if self.hands else None)
        settled = last is not None and all(self._count(each) >= self._plan.need(each) for each in (last, DEALER))
        self.deadline = self.desk.t + SETTLED_NS if settled else None

    def tick(self) -> None:
        if self.desk.round is not None:
            self._judge_short()

    def _judge_short(self) -> None:
        """Only where every card was seen that was dealt."""
        clouded = self._sources & self.desk.availability.clouded
        if self.first is None or self._in_doubt or clouded or not self._judged():
            return
        if self.reader and self._packets.over > sum(map(self._unbet, self._felt)):
            self._packets.over = 0  # else it lies at a seat without a wager, or on another hand, and is told as that
            self._breach_packet({"packets": "more than the hands"}, {"packets": len(self._packets.slots)})
        for position in self._positions():
            cards, need = self._count(position), self._plan.need(position)
            if seat_of(position) in self._late.seats:
                continue
            nobody_knows = (self._packets.for_nobody and not cards) or (
                position == COMMUNITY and not self._board_short()
            )
            if cards < need and not nobody_knows and position not in self._told:
                self._told.add(position)
                self._breach_count(position, cards, need)
        for index, cards in self._packets.incomplete() if not self._felt else ():
            sizes = {"cards": max(self._plan.sizes)}
            self.desk.breach(COUNT, {"position": None, "cards": cards}, sizes, self._evidence(), once=("packet", index))

    def _dealt_now(self) -> bool:
        """Whether a community card on the felt is dealt, not only turned now: some readers see no card that lies face
        down. A card that comes while hands are dealt shows that this one does."""
        seats = [each for each in self._positions() if is_seat(each)]
        if not seats or any(self._count(each) < self._plan.need(each) for each in seats):
            self._reads_backs = True
        return self._reads_backs

    def _board_short(self) -> bool:
        """Whether too few community cards were dealt, not only too few turned: the shuffler counted them, or they lay
        on the felt before the hands came."""
        if self._packets.by_position.get(COMMUNITY):
            return True
        return COMMUNITY in self._plan.before(HANDS, self._order.machine) and bool(self._board_at_deal)

    # -- the end

    def ended(self) -> tuple[dict[str, Any], bool]:
        self.deadline = None
        self._judge_short()
        self._forget_counts_of_seen_cards()
        positions = self._positions()
        cards = {**self._felt}
        if COMMUNITY in cards:
            cards[COMMUNITY] = self._board.cards(cards[COMMUNITY])
        seats = [each for each in positions if is_seat(each)]
        round_ = self.desk.round
        if round_ is not None:
            round_.hands = {each: self._showdown.progressive(cards, each) for each in seats}
            if COMMUNITY in cards:
                round_.cards[COMMUNITY] = cards[COMMUNITY]
            if round_.void is None:
                premium = {each: self._showdown.premium(cards, each) for each in seats}
                self._premium.judge({each: hand for each, hand in premium.items() if hand}, self._seen)
        partial = bool(self._sources & self.desk.availability.clouded)
        return self._showdown.result(cards, [each for each in positions if each != COMMUNITY]), partial

    def _forget_counts_of_seen_cards(self) -> None:
        for position in list(self.counts):
            pile = self._felt.get(position, [])
            if None not in pile and len(pile) >= self.counts[position]:
                del self.counts[position]
