"""Blazing 7's: the hands that the progressive meter pays, made of a player's first two cards and the dealer's up card.

Document Section Two, lines 368-435. Which of them a pay table takes from the meter stands in the book. What becomes
of the meter itself is the progressive watcher's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.cards import all_read, rank, suit
from rules.desk import Desk
from rules.seats import DEALER, is_seat, seat_order

RED = "DH"


class Sevens:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._lit: dict[str, int] = {}
        self._unverified: int | None = None
        self._locked = False
        self._reported: set[str] = set()

    def round_opened(self) -> None:
        """A jackpot of an earlier round is still to be verified only while the meter is locked out."""
        self._reported = set()
        if not self._locked:
            self._unverified = None

    def coin_in(self, seat: str) -> None:
        """The coin-in light of a seat is lit."""
        self._lit[seat] = self._desk.seq

    def coin_in_cleared(self, seat: str) -> None:
        self._lit.pop(seat, None)

    def locked(self) -> None:
        self._locked = True

    def verified(self) -> None:
        """The meter is unlocked: the jackpot before it has been verified (410)."""
        self._locked = False
        self._unverified = None

    def jackpot(self, seat: str, hand: str | None) -> None:
        """The controller itself reports a jackpot."""
        if seat not in self._reported:
            self._report(seat, {"seat": seat, "hand": hand}, [])

    def look(self, cards: Mapping[str, list[str | None]], seqs: Mapping[str, list[int]]) -> None:
        """The initial deal is over: report each meter hand with its light lit."""
        table = self._desk.game.tables.get("sevens", {}).get(self._desk.option("progressive"))
        if not table:
            return
        up = cards.get(DEALER, [])[:1]
        for position in sorted((each for each in cards if is_seat(each)), key=seat_order):
            hand = [*cards[position][:2], *up]
            named = _name(hand, table)
            if named is not None and position in self._lit:
                evidence = [self._lit[position], *seqs.get(position, ()), *seqs.get(DEALER, ())]
                self._report(position, {"seat": position, "hand": named, "cards": hand}, evidence)

    def _report(self, seat: str, observed: dict[str, Any], evidence: list[int]) -> None:
        desk = self._desk
        desk.breach("progressive-jackpot-hand", observed, {"meter": "locked out until verified"}, evidence, once=seat)
        self._reported.add(seat)
        if self._unverified is not None:
            first = [self._unverified, *evidence]
            desk.breach("second-jackpot-hand", observed, {"pays": "the reset jackpot"}, first, once=seat)
        else:
            self._unverified = desk.seq
        if len(self._reported) > 1:
            order = sorted(self._reported, key=seat_order, reverse=True)
            desk.breach("multiple-jackpots-same-round", {"seats": order[::-1]}, {"pay_in_order": order})


def _name(cards: list[str | None], table: Mapping[str, str]) -> str | None:
    """The meter hand that three cards make by a pay table, {"same-suit": name, …}; None if none or a card is unread."""
    read = all_read(cards)
    if read is None or len(read) != 3 or any(rank(card) != "7" for card in read):
        return None
    suits = {suit(card) for card in read}
    if len(suits) == 1 and table.get("same-suit"):
        return table["same-suit"]
    if suits == {"D"} and table.get("all-diamonds"):
        return table["all-diamonds"]
    if len({each in RED for each in suits}) == 1 and table.get("same-color"):
        return table["same-color"]
    return None
