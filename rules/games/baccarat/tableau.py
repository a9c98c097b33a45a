"""The tableau of baccarat: what cards count, who takes a third card, who wins. Pure functions over a book's tables.

Knows no table, device or time; the draws themselves are data, since every baccarat may print its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pitwatch.rules.hands.points import Hand, Points

PLAYER, BANKER = "player", "banker"
HANDS = (PLAYER, BANKER)
INITIAL = 2
"""Cards of a hand before the draws."""

NOBODY: frozenset[str | None] = frozenset({None})
"""`Tableau.next_cards` when the round needs no more cards."""


class _Draws:
    """One reading of a printed tableau."""

    def __init__(self, printed: dict[str, Any]):
        self._ends = frozenset(printed["natural"] if printed.get("natural-ends-the-draws", True) else ())
        self._player = frozenset(printed["player-draws"])
        self._stood = frozenset(printed["banker-draws-player-stood"])
        self._after = {int(count): frozenset(thirds) for count, thirds in printed["banker-draws-after"].items()}

    def next(self, player: int, banker: int, third: int | None) -> str | None:
        """Who draws next, by the two-card counts and the count of the player's third card, if it was drawn."""
        if player in self._ends or banker in self._ends:
            return None
        if third is None:
            if player in self._player:
                return PLAYER
            return BANKER if banker in self._stood else None
        return BANKER if third in self._after.get(banker, ()) else None


class Tableau:
    """A book's `[tables]`: `values` (rank to count) and `tableau`: natural, natural-ends-the-draws (true if not
    stated), player-draws, banker-draws-player-stood, banker-draws-after (banker's count to the third-card counts on
    which it draws).

    `readings`, where the document leaves a draw open: option to its values, each with the entries of the tableau that
    it replaces; a value with more than one reading allows whatever one of them does. `options`: what the house chose.

    Raises KeyError naming the table that is missing.
    """

    def __init__(self, tables: dict[str, Any], options: dict[str, Any] | None = None):
        self._points = Points(tables["values"])
        self.value, self.count = self._points.value, self._points.count
        printed = tables["tableau"]
        self._natural = frozenset(printed["natural"])
        readings: list[dict[str, Any]] = [printed]
        for option, values in tables.get("readings", {}).items():
            chosen = values[(options or {})[option]]
            readings = [{**reading, **each} for reading in readings for each in chosen]
        self._readings = [_Draws(reading) for reading in readings]

    # -- the draws

    def _may_count(self, hand: Hand) -> Sequence[int]:
        """Every point count the hand may have, given the faces that were read."""
        count = self.count(hand)
        return range(10) if count is None else (count,)

    def next_cards(self, player: Hand, banker: Hand) -> frozenset[str | None]:
        """Where the next card goes: PLAYER, BANKER, or None if the round needs no more.

        More than one entry if unread faces, or the document, leave it open.
        """
        if len(player) < INITIAL or len(banker) < INITIAL:
            return frozenset({PLAYER if len(player) <= len(banker) and len(player) < INITIAL else BANKER})
        if len(banker) > INITIAL:
            return NOBODY
        thirds: Sequence[int | None] = self._may_count(player[2:3]) if len(player) > INITIAL else (None,)
        return frozenset(
            reading.next(p, b, third)
            for reading in self._readings
            for p in self._may_count(player[:INITIAL])
            for b in self._may_count(banker[:INITIAL])
            for third in thirds
        )

    @staticmethod
    def overdrawn(player: Hand, banker: Hand) -> str:
        """The rule that one more card breaks, whichever of two complete hands it is for."""
        full = len(player) > INITIAL and len(banker) > INITIAL
        return "more-than-one-extra-card" if full else "third-card-rule"

    # -- the result

    def result(self, player: Hand, banker: Hand) -> dict[str, Any]:
        """Winner, points, natural and margin of the hands as they lie; None where the faces were not seen."""
        counts = {PLAYER: self.count(player), BANKER: self.count(banker)}
        p, b = counts[PLAYER], counts[BANKER]
        known = p is not None and b is not None
        return {
            "winner": None if p is None or b is None else PLAYER if p > b else BANKER if b > p else "tie",
            "points": counts,
            "natural": self._is_natural(player) or self._is_natural(banker) if known else None,
            "margin": None if p is None or b is None else abs(p - b),
        }

    def _is_natural(self, hand: Hand) -> bool:
        return len(hand) == INITIAL and self.count(hand) in self._natural

    def pairs(self, player: Hand, banker: Hand) -> set[str] | None:
        """The hands whose first two cards are of one rank; None if one of the four was not read."""
        pairs = set()
        for name, hand in ((PLAYER, player), (BANKER, banker)):
            if len(hand) < INITIAL or self.count(hand[:INITIAL]) is None:
                return None
            if str(hand[0])[0] == str(hand[1])[0]:
                pairs.add(name)
        return pairs

    def differs(
        self, player: Hand, banker: Hand, winner: str | None, pairs: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """A result declared by the shoe against the cards: (what it says wrongly, what the cards say), or empty.

        Nothing is compared that the shoe does not say (`winner` None, `pairs` no list) or whose faces were not read.
        """
        said: dict[str, Any] = {}
        lies: dict[str, Any] = {}
        seen, paired = self.result(player, banker), self.pairs(player, banker)
        if winner is None or seen["winner"] is None:
            return said, lies
        if winner != seen["winner"]:
            said["winner"] = winner
            lies |= {"winner": seen["winner"], "points": seen["points"]}
        if isinstance(pairs, list) and paired is not None and {str(each) for each in pairs} != paired:
            said["pairs"], lies["pairs"] = pairs, sorted(paired)
        return said, lies

    # -- a round dealt by the book

    def deal(self, draw: Callable[[], str]) -> list[tuple[str, str]]:
        """Deal one round with cards from `draw`; the (hand, card) pairs in the order dealt. What the document leaves
        open is not drawn."""
        hands: dict[str, list[str]] = {PLAYER: [], BANKER: []}
        dealt = []
        while (hand := min(self.next_cards(hands[PLAYER], hands[BANKER]), key=str)) is not None:
            card = draw()
            hands[hand].append(card)
            dealt.append((hand, card))
        return dealt
