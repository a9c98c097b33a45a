"""The House Way: how seven cards are set into a high hand of five and a low hand of two, as the book's chart says.

    [tables.house-way]
    two-pair = [{ high = "AKQ", low = "…", keep-with = "A" }, …]   first entry whose ranks fit the pairs
    four-of-a-kind = [{ ranks = "JT9", keep-with = "K" }, …]       likewise
    …

Without `keep-with` such a hand is always split; with it, it is kept together if a card so high can go into the low
hand; `keep-with = "any"` keeps it always. Where a chart leaves open what to do, so does this: no setting is wrong then.
Knows no deal and no devices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from pitwatch.rules.hands.joker_hands import HANDS, Ranking
from pitwatch.rules.hands.poker_ranking import HEIGHT
from pitwatch.rules.play.cards import JOKER, RANKS

ANY = "any"
OPEN = "open"
PAIR_IN_FRONT = "pair-in-front"
HIGHEST_LOW = "highest-low"

Low = frozenset[str]
"""The two cards of a low hand."""

_RANK_OF = {height: each for each, height in HEIGHT.items()}
_COMPLETE = tuple(HANDS.index(name) for name in ("straight", "flush", "straight-flush", "royal-flush"))


class HouseWay:
    """`chart` is the book's table. Other keys of it:

    quads-with-pair        true: the pair goes low and the four stay; absent: the chart does not say
    five-aces              "kings-else-aces", "aces": what goes low
    complete-with-pair     "pair-low": keep a straight or flush if the pair can go low, else not said;
                           "highest-low": keep it, whatever gives the highest low hand
    complete-with-two-pair "two-pair": as two pair; "pair-in-front": a pair low if a complete hand stays, else as that;
                           "open": the chart asks for two things
    complete-with-three    "open": likewise; absent: the pair low if the complete hand stays
    broadway-open          true: with a ten to an ace the chart asks for something that can be read in two ways
    """

    def __init__(self, chart: Mapping[str, Any], ranking: Ranking, wild: bool):
        self._chart = chart
        self._ranking = ranking
        self._wild = wild

    def lows(self, cards: Sequence[str]) -> list[Low] | None:
        """The low hands that keep to the chart; None if it leaves them open, or there are not seven known cards."""
        if len(cards) != 7 or len(set(cards)) < 7 or (self._wild and JOKER in cards):
            return None
        return _Setting(self._chart, self._ranking, cards).lows()


class _Setting:
    def __init__(self, chart: Mapping[str, Any], ranking: Ranking, cards: Sequence[str]):
        self._chart = chart
        self._ranking = ranking
        self._cards = list(cards)
        self._height = {card: ranking.height(card) for card in cards}
        self._times = Counter(self._height.values())
        self._singles = self._of(1)

    def _of(self, times: int) -> list[int]:
        """Heights held so often, highest first."""
        return sorted((height for height, held in self._times.items() if held == times), reverse=True)

    def _with(self, *heights: int) -> list[Low]:
        """Every two cards of these heights."""
        wanted = sorted(heights)
        lows = (frozenset(two) for two in combinations(self._cards, 2))
        return [low for low in lows if sorted(self._height[card] for card in low) == wanted]

    def _rest(self, low: Low) -> list[str]:
        return [card for card in self._cards if card not in low]

    def _complete(self) -> list[Low]:
        """Low hands beside which a straight or flush stays high."""
        lows = (frozenset(two) for two in combinations(self._cards, 2))
        return [low for low in lows if self._ranking.five(self._rest(low))[0] in _COMPLETE]

    def _highest(self, lows: list[Low]) -> list[Low]:
        best = max(self._ranking.two(sorted(low)) for low in lows)
        return [low for low in lows if self._ranking.two(sorted(low)) == best]

    def lows(self) -> list[Low] | None:
        if max(self._times.values()) == 5:
            return self._five_aces()
        complete = self._complete()
        if complete and JOKER in self._cards:
            return None
        fours, threes, pairs = self._of(4), self._of(3), self._of(2)
        if fours:
            return self._four(fours[0], threes, pairs)
        if len(threes) == 2:
            return self._with(threes[0], threes[0])
        if threes:
            return self._three(threes[0], pairs, complete)
        if len(pairs) == 3:
            return self._with(pairs[0], pairs[0])
        if len(pairs) == 2:
            return self._two_pair(pairs, complete)
        if complete:
            return self._complete_hand(pairs, complete)
        if pairs:
            return self._with(*self._singles[:2])
        return self._with(*self._singles[1:3])

    def _five_aces(self) -> list[Low] | None:
        way = self._chart.get("five-aces")
        if way is None:
            return None
        king, ace = HEIGHT["K"], HEIGHT["A"]
        return self._with(king, king) if way == "kings-else-aces" and self._times[king] == 2 else self._with(ace, ace)

    def _four(self, four: int, threes: list[int], pairs: list[int]) -> list[Low] | None:
        if threes:
            return self._with(threes[0], threes[0])
        if pairs:
            return self._with(pairs[0], pairs[0]) if self._chart.get("quads-with-pair") else None
        return self._kept_or_split("four-of-a-kind", [four], [four, four])

    def _three(self, three: int, pairs: list[int], complete: list[Low]) -> list[Low] | None:
        if pairs:
            return self._with(pairs[0], pairs[0])
        if complete:
            kept = [low for low in self._with(three, three) if low in complete]
            return kept if kept and self._chart.get("complete-with-three") != OPEN else None
        if three == HEIGHT["A"]:
            return self._with(three, self._singles[0])
        return self._with(*self._singles[:2])

    def _two_pair(self, pairs: list[int], complete: list[Low]) -> list[Low] | None:
        way = self._chart.get("complete-with-two-pair") if complete else None
        if way == OPEN:
            return None
        if way == PAIR_IN_FRONT:
            kept = [low for pair in pairs for low in self._with(pair, pair) if low in complete]
            if kept:
                return kept
        return self._kept_or_split("two-pair", pairs, [pairs[1], pairs[1]])

    def _kept_or_split(self, name: str, held: list[int], split: list[int]) -> list[Low] | None:
        for entry in self._chart[name]:
            wanted = [entry.get("ranks", entry.get("high", RANKS)), entry.get("low", RANKS)]
            if all(_RANK_OF[height] in ranks for height, ranks in zip(held, wanted, strict=False)):
                least = entry.get("keep-with")
                keep = least == ANY or (least is not None and self._singles[0] >= HEIGHT[least])
                return self._with(*self._singles[:2]) if keep else self._with(*split)
        return None

    def _complete_hand(self, pairs: list[int], complete: list[Low]) -> list[Low] | None:
        if self._chart.get("broadway-open") and all(self._times[HEIGHT[rank]] for rank in "AKQJT"):
            return None
        if pairs and self._chart["complete-with-pair"] != HIGHEST_LOW:
            return [low for low in self._with(pairs[0], pairs[0]) if low in complete] or None
        return self._highest(complete)
