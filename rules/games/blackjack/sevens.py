"""Blazing 7's: the hands that come off the meter, made of a player's first two cards and the dealer's up card.

Document Section Two, lines 371-435. Which of them a pay table takes from the meter stands in the book. Jackpots and the
lock-out are the progressive watcher's; here hands get their names, and who is paid first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.play.cards import all_read, rank, suit
from pitwatch.rules.play.seats import DEALER, is_seat, seat_order

Cards = Mapping[str, list[str | None]]
RED = "DH"


class Sevens:
    """Table of the book: `sevens`, by pay table {"same-suit" | "same-color" | "all-diamonds": name of the hand}."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self._table: dict[str, Any] = desk.game.tables.get("sevens", {}).get(desk.option("progressive"), {})
        self._lit: dict[str, int] = {}

    def coin_in(self, seat: str) -> None:
        """The coin-in light of a seat is lit."""
        self._lit[seat] = self._desk.seq

    def coin_in_cleared(self, seat: str) -> None:
        self._lit.pop(seat, None)

    def look(self, cards: Cards) -> dict[str, tuple[str, ...] | None]:
        """The initial deal is over: the meter hand at each seat, () for none, None if its cards were not all read."""
        up = cards.get(DEALER, [])[:1]
        hands = {seat: self._name([*cards[seat][:2], *up]) for seat in sorted(cards, key=seat_order) if is_seat(seat)}
        winners = [seat for seat, names in hands.items() if names and seat in self._lit]
        if len(winners) > 1:
            self._desk.breach(
                "multiple-jackpots-same-round",
                {"seats": winners},
                {"pay_in_order": winners[::-1]},
                [self._lit[seat] for seat in winners],
            )
        return hands

    def _name(self, cards: list[str | None]) -> tuple[str, ...] | None:
        read = all_read(cards)
        if read is None or len(read) != 3:
            return None
        if not self._table or any(rank(card) != "7" for card in read):
            return ()
        suits = {suit(card) for card in read}
        kinds = {
            "same-suit": len(suits) == 1,
            "all-diamonds": suits == {"D"},
            "same-color": len({each in RED for each in suits}) == 1,
        }
        return next(((self._table[kind],) for kind, made in kinds.items() if made and kind in self._table), ())
