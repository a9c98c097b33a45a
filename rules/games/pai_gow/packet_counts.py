"""Whether every hand of pai gow gets its number of cards, as the machine dispenses packets and as they lie on the felt.

A wrong packet is reported once: that the felt then shows the same is no second breach. Knows no order of the deal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.play.piles import Piles

COUNT = "wrong-card-count"


class PacketCounts:
    """One round's. `need`: the cards of a hand; `due`: the hands that are dealt; `evidence`: the journal sequences of
    what was dealt to a position."""

    def __init__(self, desk: Desk, felt: Piles, need: int, due: int, evidence: Callable[[str], list[int]]):
        self._desk = desk
        self._felt = felt
        self._need = need
        self._due = due
        self._evidence = evidence
        self.unplaced: list[int] = []
        """Packets of which no device reports where they went."""
        self.known: dict[str, int] = {}
        """Cards by position, of packets of which the machine reports it."""
        self._told: set[object] = set()
        self._told_of_packets = 0

    # -- packets

    @property
    def packets(self) -> int:
        return len(self.unplaced) + len(self.known)

    @property
    def all_dispensed(self) -> bool:
        return self.packets >= self._due

    def placed_packet(self, position: str, count: int) -> None:
        self.known[position] = self.known.get(position, 0) + count
        if self.known[position] > self._need:
            self._breach_packet({"position": position, "cards": self.known[position]}, ("packet", position))

    def unplaced_packet(self, count: int) -> bool:
        """A packet of which only the size is known; what a packet lacked may come after it by itself. False if all
        hands have theirs, so that it is none of them."""
        if self.unplaced and self.unplaced[-1] + count <= self._need:
            self.unplaced[-1] += count
            return True
        self._judge_last_packet()
        if self.packets == self._due:
            return False
        self.unplaced.append(count)
        if count > self._need:
            self._judge_last_packet()
        return True

    def _judge_last_packet(self) -> None:
        if self.unplaced and self.unplaced[-1] != self._need:
            number = len(self.unplaced)
            self._breach_packet({"packet": number, "cards": self.unplaced[-1]}, ("packet", number))

    def _breach_packet(self, observed: dict[str, Any], once: object) -> None:
        if once not in self._told:
            self._told.add(once)
            required = {"cards": self._need}
            self._told_of_packets += self._desk.breach(COUNT, observed, required, self._evidence(""), once=once)

    # -- hands

    def of(self, hand: str) -> int:
        return len(self._felt.of(hand)) or self.known.get(hand, 0)

    def full(self, hand: str) -> bool:
        return self.of(hand) >= self._need

    def hands(self) -> list[str]:
        """The hands that have cards."""
        return list(dict.fromkeys([*self._felt.hands(), *self.known]))

    def complete(self, must_have: Iterable[str]) -> bool:
        """Whether all has been dealt: every hand there is, or those that surely are to have cards, if that is known."""
        if self.all_dispensed:
            return all(count >= self._need for count in (*self.unplaced[-1:], *self.known.values()))
        hands, wanted = self.hands(), set(must_have)
        if not hands or not all(self.full(hand) for hand in hands):
            return False
        return len(hands) >= self._due or (bool(wanted) and wanted <= set(hands))

    def lies(self, hand: str) -> None:
        """A new card lies at a hand. Where no machine counts packets, too many are reported at once."""
        if not self.packets and len(self._felt.of(hand)) > self._need:
            self._breach(hand)

    def judge(self) -> None:
        """All is dealt: every hand that got cards has its number."""
        self._judge_last_packet()
        for hand in self.hands():
            if self.of(hand) != self._need:
                self._breach(hand)

    def judge_missing(self, must_have: Iterable[str]) -> None:
        """At the end, hands that got nothing at all though others did."""
        for hand in must_have if self.hands() and not self.unplaced else ():
            if not self.of(hand):
                self._breach(hand)

    def _breach(self, hand: str) -> None:
        if hand in self._told:
            return
        self._told.add(hand)
        if self._told_of_packets:
            self._told_of_packets -= 1
            return
        observed = {"position": hand, "cards": self.of(hand)}
        self._desk.breach(COUNT, observed, {"cards": self._need}, self._evidence(hand), once=hand)
