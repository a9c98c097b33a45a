"""How pai gow hands are set: the two parts of a hand, a foul hand, the House Way, and what the hands come to.

Sees the cards only where readers do; the low hand is the second hand of its seat ("seat-3/2"). Follows no deal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.pai_gow.house_way import HouseWay
from pitwatch.rules.hands.joker_hands import WILD, Ranking, bonus_names, name_of
from pitwatch.rules.play.cards import JOKER, all_read, rank
from pitwatch.rules.play.piles import Cards, Piles

LOW = "/2"
FIVE, TWO = 5, 2


class Fault(NamedTuple):
    rule: str
    hand: str
    observed: dict[str, Any]
    required: dict[str, Any]


class Setting:
    """A game without a ranking of cards (tiles) has nothing to judge here and shows no hands."""

    def __init__(self, desk: Desk, cards_per_hand: int):
        tables = desk.game.tables
        self._size = cards_per_hand
        joker = desk.option("joker") or tables.get("joker")
        self._ranking = Ranking(joker, tables["ace-to-five"]) if joker else None
        chart = tables.get("house-way")
        self._house_way = HouseWay(chart, self._ranking, joker == WILD) if chart and self._ranking else None
        self._wagers: list[dict[str, Any]] = tables.get("wager", [])
        self._push_when: str = tables.get("push-when-high-card", "")
        self.clear()

    def clear(self) -> None:
        self._set: dict[str, tuple[Cards, Cards]] = {}
        self._misset: dict[str, tuple[int, int]] = {}

    def look(self, hand: str, felt: Piles) -> None:
        """Players set and set again: what counts is the last time that all their cards lay in two parts."""
        high, low = felt.lying(hand), felt.lying(hand + LOW)
        if low and len(high) + len(low) == self._size:
            if len(low) == TWO:
                self._set[hand] = high, low
            else:
                self._misset[hand] = len(high), len(low)

    def faults(self, house: str | None) -> Iterable[Fault]:
        """What was set wrongly; `house` is the hand that the dealer sets."""
        ranking = self._ranking
        if ranking is None:
            return
        for hand, (high, low) in self._misset.items():
            if hand not in self._set and hand != house:
                yield Fault("fouled-count", hand, {"high": high, "low": low}, {"high": FIVE, "low": TWO})
        for hand in self._set:
            parts = self._parts(hand)
            if parts is None:
                continue
            five, two = parts
            observed = {"high": five, "low": two}
            if hand == house:
                lows = self._house_way.lows([*five, *two]) if self._house_way is not None else None
                if lows and frozenset(two) not in lows:
                    yield Fault("house-way-not-followed", hand, observed, {"low": sorted(lows[0])})
            elif ranking.foul(five, two):
                yield Fault("foul-hand", hand, observed, {"high": "outranks low"})

    def _parts(self, hand: str) -> tuple[list[str], list[str]] | None:
        """The hand of five and the hand of two as they were set; None if they were not, or not all read."""
        high, low = self._set.get(hand, ([None], [None]))
        five, two = all_read(high), all_read(low)
        return None if five is None or two is None or len({*five, *two}) < self._size else (five, two)

    def result(self, felt: Piles, hands: Iterable[str], house: str | None, house_name: str) -> dict[str, Any]:
        """By position: the best hand of the cards, the bonus wager it wins, how it was set. The dealer's hand also
        shows what the House Way asks for. None wherever the faces were not seen."""
        result = {house_name: self._house_hand(felt, house, house_name)}
        for hand in hands:
            result[hand] = self._hand(felt, hand)
        return result

    def _cards(self, felt: Piles, hand: str | None) -> list[str] | None:
        read = all_read(felt.of(hand)) if hand is not None else None
        return read if read is not None and len(set(read)) == len(read) == self._size else None

    def _hand(self, felt: Piles, hand: str | None) -> dict[str, Any]:
        cards = self._cards(felt, hand)
        if self._ranking is None or cards is None or hand is None:
            return {"hand": None}
        fives = self._ranking.fives(cards)
        shown: dict[str, Any] = {"hand": name_of(max(fives.values()))}
        if self._wagers:
            names = bonus_names(fives, cards)
            shown["wagers"] = {
                wager["name"]: next((name for name in wager["pays"] if name in names), None) for wager in self._wagers
            }
        parts = self._parts(hand)
        if parts is not None:
            shown["high"], shown["low"] = parts
        return shown

    def _house_hand(self, felt: Piles, house: str | None, house_name: str) -> dict[str, Any]:
        shown = self._hand(felt, house)
        shown.pop("wagers", None)
        if house != house_name:
            shown["seat"] = house
        cards = self._cards(felt, house)
        if cards is None or self._ranking is None:
            return shown
        lows = self._house_way.lows(cards) if self._house_way is not None else None
        shown["house_way"] = {"low": sorted(lows[0])} if lows else None
        if self._push_when:
            best = max(cards, key=self._ranking.height)
            top = "A" if best == JOKER else rank(best)
            shown["push"] = shown["hand"] == "high-card" and top in self._push_when
        return shown
