"""Pai gow, with cards or tiles: a packet to every position from the one that dice or a drawn number name, and what is
left over. How many and which way round is the book's: see `rules.games.pai_gow.start_position`; how hands are set is
`rules.games.pai_gow.setting`'s.

Packets are counted as the machine dispenses them and as they lie on the felt; a wrong one is told once.
"""

from __future__ import annotations

from typing import Any

from devices.observation import Observation
from rules.card_game import CardGame, card_of, position_of
from rules.desk import Desk
from rules.games.pai_gow.setting import Setting
from rules.games.pai_gow.start_position import StartPosition
from rules.piles import NO_HAND, Piles, hand_of
from rules.seats import DEALER, is_seat, seat_order

SECOND = 1_000_000_000
SETTLED_NS = 10 * SECOND
"""No card for so long after the deal: what is short stays short."""

LEFT_OVER_NS = 15 * SECOND
"""Cards that go to the discard rack so soon after the deal are those left over, not a hand that is collected."""

COUNT = "wrong-card-count"


class PaiGow(CardGame):
    """Figures: `cards-per-hand`, `hands-dealt`; optional `cards-left-over` and `shakes-at-least`."""

    SHUFFLE_CLOSES = True

    def __init__(self, desk: Desk):
        super().__init__(desk)
        figures = desk.game.figures
        self._need: int = desk.figure("cards-per-hand")
        self._hands_due: int = desk.figure("hands-dealt")
        self._left_over: int | None = figures["cards-left-over"].value if "cards-left-over" in figures else None
        self._shakes_due: int = figures["shakes-at-least"].value if "shakes-at-least" in figures else 0
        self._start = StartPosition(desk, self._hands_due)
        self._setting = Setting(desk, self._need)
        self._shuffler = desk.has("shuffler.packet_dispensed")
        self._lifts_seen = desk.has("card_position.card_removed")
        self._dice = {device.id for device in desk.table.devices if device.type == "dice"}
        self._bank: str | None = None
        self._shakes: list[tuple[int, int]] = []
        self._closing_shake_due = False
        self._begin()

    def _begin(self) -> None:
        self._felt = Piles()
        self._setting.clear()
        self._packets: list[int] = []
        """Packets of which nobody tells where they went."""
        self._known: dict[str, int] = {}
        """Cards by position, of packets of which the machine tells it."""
        self._seen: dict[str, list[int]] = {}
        self._sources: set[str] = set()
        self._told: set[object] = set()
        self._told_of_packets = 0
        self._first_at: str | None = None
        self._latest_at = ""
        self._burned = False
        self._aside = 0
        self._left_over_judged = False
        self._dealt_at: int | None = None
        self._moved_wagers: list[tuple[str, str, int]] = []
        self._doubt = False
        self._off_the_book = False
        self.deadline = None

    def began(self) -> None:
        self._begin()

    @property
    def _house(self) -> str | None:
        """The hand against which all others play: the dealer's, or that of the seat with the bank."""
        if self._start.with_dealer or DEALER in self._felt.hands() or DEALER in self._known:
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
        if self._first_at is None:
            self._start.number = number
            self._judge_shakes()

    def on_shaker_count(self, observation: Observation) -> None:
        """After the delivery the shaker is closed and shaken once more: that shake is not the next round's."""
        shakes = observation.data.get("shakes")
        if shakes is None:
            return
        if self._closing_shake_due and shakes <= 1:
            self._closing_shake_due = False
            return
        self._shakes.append((shakes, self.desk.seq))

    def _judge_shakes(self) -> None:
        shakes, self._shakes = self._shakes, []
        count = sum(shaken for shaken, _ in shakes)
        if shakes and count < self._shakes_due:
            self.desk.breach(
                "shaker-under-shaken", {"shakes": count}, {"at_least": self._shakes_due}, [seq for _, seq in shakes]
            )

    def on_device_offline(self, observation: Observation) -> None:
        self._unwatched(observation)

    def on_edges_lost(self, observation: Observation) -> None:
        self._unwatched(observation)

    def _unwatched(self, observation: Observation) -> None:
        if observation.device in self._dice:
            self._shakes = []

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

    def before_card_placed(self, observation: Observation) -> None:
        super().before_card_placed(observation)
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
            self._judge_shakes()

    def on_key_pressed(self, observation: Observation) -> None:
        """A misdeal is called: the round does not count, and what is dealt again is not judged as this round's."""
        if observation.data.get("key") == "misdeal" and self.desk.round is not None:
            self._off_the_book = True
            self.desk.round.void = self.desk.round.void or "misdeal"

    def on_device_fault(self, observation: Observation) -> None:
        self._doubt = self._doubt or observation.device in self._sources

    def on_reader_error(self, observation: Observation) -> None:
        self._doubt = True

    def _judged(self) -> bool:
        round_ = self.desk.round
        return round_ is not None and round_.void in (None, COUNT) and not (self._off_the_book or self._doubt)

    # -- wagers

    def on_seat_taken(self, observation: Observation) -> None:
        super().on_seat_taken(observation)
        self._wager(observation, "laid")

    def on_seat_left(self, observation: Observation) -> None:
        super().on_seat_left(observation)
        self._wager(observation, "taken away")

    def _wager(self, observation: Observation, what: str) -> None:
        seat = observation.data.get("seat")
        if self.desk.round is not None and self.first is not None and seat is not None:
            self._moved_wagers.append((seat, what, self.desk.seq))

    def _judge_wagers(self) -> None:
        """The deal goes on: what moved since its first card was no settling of wagers."""
        moved, self._moved_wagers = self._moved_wagers, []
        for seat, what, seq in moved:
            observed = {"seat": seat, "wager": what, "while": "the cards are dealt"}
            required = {"wager": "as it lay before the first card"}
            self.desk.breach("wager-touched-after-first-card", observed, required, [seq], once=seat)

    # -- packets

    def packet(self, position: str | None, count: int) -> None:
        if count <= 0:
            self._doubt = True
        if not self._judged():
            return
        if self._dealt_at is None:
            self._judge_wagers()
        if position in NO_HAND:
            self._put_aside(count)
        elif position is None:
            self._unplaced_packet(count)
        else:
            self._arrived(position)
            self._known[position] = self._known.get(position, 0) + count
            if self._known[position] > self._need:
                self._breach_packet({"position": position, "cards": self._known[position]}, ("packet", position))
        self._settle()

    def _unplaced_packet(self, count: int) -> None:
        """A packet of which only the size is known; what a packet lacked may come after it by itself."""
        if self._packets and self._packets[-1] + count <= self._need:
            self._packets[-1] += count
            return
        self._judge_last_packet()
        if len(self._packets) + len(self._known) == self._hands_due:
            self._put_aside(count)
            return
        self._packets.append(count)
        if count > self._need:
            self._judge_last_packet()

    def _count_in_order(self) -> None:
        """Where no face is seen, packets that nobody saw go anywhere are taken to go in the order of the deal."""
        for position, cards in zip(self._start.route(self._bank, self.hands), self._packets, strict=False):
            self.counts[position] = cards

    def _judge_last_packet(self) -> None:
        if self._packets and self._packets[-1] != self._need:
            number = len(self._packets)
            self._breach_packet({"packet": number, "cards": self._packets[-1]}, ("packet", number))

    def _breach_packet(self, observed: dict[str, Any], once: object) -> None:
        """That the felt then shows the same is no second breach."""
        if once not in self._told:
            self._told.add(once)
            self._told_of_packets += self.desk.breach(
                COUNT, observed, {"cards": self._need}, self._evidence(), once=once
            )

    # -- what is left over

    def _put_aside(self, count: int) -> None:
        """Cards that go to no hand: burnt before the deal is over, left over after it."""
        if self._dealt_at is None:
            self._burned = True
        elif self.desk.t - self._dealt_at <= LEFT_OVER_NS:
            self._aside += count

    def on_cards_counted(self, observation: Observation) -> None:
        """The rack's first count after the deal is of the cards left over, perhaps with packets nobody had bet on."""
        cards, dealt_at = observation.data.get("cards"), self._dealt_at
        if cards and dealt_at is not None and self.desk.t - dealt_at <= LEFT_OVER_NS and not self._aside:
            self._judge_left_over(cards)

    def _judge_left_over(self, cards: int) -> None:
        if self._left_over is None or self._left_over_judged or self._burned or not self._judged():
            return
        self._left_over_judged = True
        extra = (cards - self._left_over) % self._need
        if COUNT not in self._told_rules() and extra and cards % self._need:
            self.desk.breach("remaining-cards-not-four", {"cards": cards}, {"cards": self._left_over}, self._evidence())

    def _told_rules(self) -> set[str]:
        round_ = self.desk.round
        return {rule.rpartition("/")[2] for rule in round_.irregularities} if round_ is not None else set()

    # -- cards on the felt

    def _place(self, observation: Observation) -> None:
        position, card, round_ = position_of(observation), card_of(observation), self.desk.round
        if round_ is None or position is None:
            return
        new, hand = self._felt.lay(position, card), hand_of(position)
        round_.cards = self._felt.by_position()
        if new and self._judged():
            if hand is not None:
                self._judge_wagers()
                self._arrived(hand)
                if not self._packets and not self._known and len(self._felt.of(hand)) > self._need:
                    self._breach_count(hand)
                self._settle()
            elif position in NO_HAND:
                self._put_aside(1)
        if hand is not None:
            self._setting.look(hand, self._felt)

    def on_card_removed(self, observation: Observation) -> None:
        position, round_ = position_of(observation), self.desk.round
        if round_ is None or position is None:
            return
        self._felt.lift(position, card_of(observation))
        round_.cards = self._felt.by_position()
        if not self._shuffler and not self.panel and self._felt.cleared() and self.complete():
            self.close()

    # -- order

    def _arrived(self, position: str) -> None:
        """The first card of a packet lies at a position."""
        self._seen.setdefault(position, []).append(self.desk.seq)
        if len(self._seen[position]) > 1:
            return
        if self._first_at is None:
            self._first_at = self._latest_at = position
            expected = self._start.expected(self._bank, self.hands)
            if expected and position not in expected:
                self._breach_order({"first": position, "number": self._start.number}, {"first": expected})
        elif self._start.passed(self._first_at, self._latest_at, position):
            self._breach_order({"position": position, "after": self._latest_at}, {"order": self._start.delivers})
        else:
            self._latest_at = position

    def _breach_order(self, observed: dict[str, Any], required: dict[str, Any]) -> None:
        self.desk.breach("packet-order", observed, required, self._evidence(self._latest_at))

    def _evidence(self, position: str = "") -> list[int]:
        return self._seen.get(position, []) or ([] if self.first is None else [self.first])

    # -- counting

    def _count(self, hand: str) -> int:
        return len(self._felt.of(hand)) or self._known.get(hand, 0)

    def _dealt_hands(self) -> list[str]:
        return list(dict.fromkeys([*self._felt.hands(), *self._known]))

    def _must_have(self) -> list[str]:
        """The hands that surely are to have cards: those with a wager, and the dealer's where it has a place."""
        return [hand_of(hand) or hand for hand in self.hands or ()] + [DEALER] * self._start.with_dealer

    def complete(self) -> bool:
        if len(self._packets) + len(self._known) >= self._hands_due:
            return all(count >= self._need for count in (*self._packets[-1:], *self._known.values()))
        hands = self._dealt_hands()
        if not hands or any(self._count(hand) < self._need for hand in hands):
            return False
        return len(hands) >= self._hands_due or (bool(self.hands) and set(self._must_have()) <= set(hands))

    def _settle(self) -> None:
        if self.complete() and self._dealt_at is None:
            self._deal_over()
        full = any(self._count(hand) >= self._need for hand in self._dealt_hands())
        if full or len(self._packets) + len(self._known) >= self._hands_due:
            self.deadline = self.desk.t + SETTLED_NS

    def _deal_over(self) -> None:
        self._dealt_at = self.desk.t
        self._closing_shake_due = self._shakes_due > 0

    def tick(self) -> None:
        if self.desk.round is None:
            return
        self._judge_counts()
        if self._aside:
            self._judge_left_over(self._aside)
        if self._dealt_at is None:
            self._deal_over()

    def _judge_counts(self) -> None:
        """Only where every card was seen that was dealt."""
        if self.first is None or self._sources & self.desk.availability.clouded or not self._judged():
            return
        self._judge_last_packet()
        for hand in self._dealt_hands():
            if self._count(hand) != self._need:
                self._breach_count(hand)

    def _judge_missing(self) -> None:
        """At the end, hands that got nothing at all though others did."""
        if self._packets or self._sources & self.desk.availability.clouded or not self._judged():
            return
        for hand in self._must_have() if self._dealt_hands() else ():
            if not self._count(hand):
                self._breach_count(hand)

    def _breach_count(self, hand: str) -> None:
        if hand in self._told:
            return
        self._told.add(hand)
        if self._told_of_packets:
            self._told_of_packets -= 1
            return
        observed = {"position": hand, "cards": self._count(hand)}
        self.desk.breach(COUNT, observed, {"cards": self._need}, self._evidence(hand), once=hand)

    # -- the end

    def _judge_unbet_piles(self) -> None:
        """A packet at a position without a wager is to be taken back: it lies there no longer when the round ends.
        The player-dealer's lies at a seat that need not have one."""
        knows = self.hands and self.seats.sensed and self._lifts_seen and self._house is not None
        if not (knows and self._judged()):
            return
        for hand in self._felt.hands():
            if is_seat(hand) and hand not in (*self._must_have(), self._bank) and self._felt.lying(hand):
                observed = {"position": hand, "cards": len(self._felt.lying(hand))}
                self.desk.breach("unbet-pile", observed, {"packet": "taken to the discards"}, once=hand)

    def ended(self) -> tuple[dict[str, Any], bool]:
        self.deadline = None
        if self.desk.round is not None and not self.desk.round.partial:
            self._judge_end()
        if self._felt.hands():
            self.counts.clear()
        elif not self._known:
            self._count_in_order()
        self._start.number = None
        house = self._house
        hands = {*self._dealt_hands(), *self._must_have()} - {house, DEALER}
        result = self._setting.result(self._felt, sorted(hands, key=seat_order), house, DEALER)
        return result, bool(self._sources & self.desk.availability.clouded)

    def _judge_end(self) -> None:
        if self._aside:
            self._judge_left_over(self._aside)
        self._judge_counts()
        self._judge_missing()
        if self._judged() and COUNT not in self._told_rules():
            for fault in self._setting.faults(self._house):
                observed = {"position": fault.hand, **fault.observed}
                self.desk.breach(fault.rule, observed, fault.required, self._evidence(fault.hand), once=fault.hand)
        self._judge_unbet_piles()
