"""What the hands of a poker game against the dealer come to, once their cards are seen. Data of the book:

    [tables] ranking                  which evaluator ranks the hands
    [figures.dealer-qualifies]        {hand, rank}: the least hand with which the dealer qualifies
    [[tables.wager]]                  a wager on the hand alone: name, of (hand, dealer), ranking, pays by hand
    [[tables.progressive]]            hand, of (name in the ranking), optional top rank and suit

Judges nothing and follows no deal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rules import five_card, three_card
from rules.book import Game
from rules.cards import all_read, suit
from rules.seats import DEALER, is_seat


class Ranking(NamedTuple):
    """`strength(cards)` compares as hands do and begins with the hand's place in `hands`, lowest first."""

    hands: tuple[str, ...]
    strength: Callable[[Sequence[str]], tuple[int, ...]]
    heights: dict[str, int]


RANKINGS = {"three-card": Ranking(three_card.HANDS, three_card.strength, three_card.HEIGHT)}

NAMERS: dict[str, Callable[[Sequence[str]], str]] = {
    "three-card": three_card.hand_name,
    "best-five": five_card.best_name,
}
"""What a side wager goes by: the name of a hand in a ranking."""

NOT_SEEN = None


class Showdown:
    """Raises KeyError for a ranking that nobody knows."""

    def __init__(self, game: Game):
        self._ranking = RANKINGS[game.tables["ranking"]]
        self._wagers: list[dict[str, Any]] = game.tables.get("wager", [])
        self._progressive: list[dict[str, Any]] = game.tables.get("progressive", [])
        least = game.figures.get("dealer-qualifies")
        self._least: tuple[int, ...] | None = None
        if least is not None:
            place = self._ranking.hands.index(least.value["hand"])
            self._least = (place, self._ranking.heights[least.value["rank"]])

    def _strength(self, cards: Sequence[str | None]) -> tuple[int, ...] | None:
        read = all_read(cards)
        if read is None or len(set(read)) < len(read):
            return None
        try:
            return self._ranking.strength(read)
        except ValueError:
            return None

    def result(self, cards: dict[str, list[str | None]], positions: Sequence[str]) -> dict[str, Any]:
        """The result of a round by position: None wherever the faces were not seen.

        A hand has `hand`, `against_dealer` (higher, equal, lower), and `wagers`: by wager on the hand alone, the name
        of the hand that wins it. The dealer has `hand` and `qualifies`.
        """
        dealer = self._strength(cards.get(DEALER, []))
        result: dict[str, Any] = {}
        for position in positions:
            strength = self._strength(cards.get(position, []))
            name = NOT_SEEN if strength is None else self._ranking.hands[strength[0]]
            if position == DEALER:
                qualifies = strength >= self._least if strength is not None and self._least is not None else NOT_SEEN
                result[position] = {"hand": name, "qualifies": qualifies}
            elif is_seat(position):
                result[position] = {
                    "hand": name,
                    "against_dealer": _against(strength, dealer),
                    "wagers": self._wins(cards, position) if strength is not None else NOT_SEEN,
                }
        return result

    def _wins(self, cards: dict[str, list[str | None]], position: str) -> dict[str, str | None]:
        """The wagers that win, by name; None where cards that count were not seen."""
        wins: dict[str, str | None] = {}
        for wager in self._wagers:
            places = [position if of == "hand" else of for of in wager["of"]]
            read = all_read([card for place in places for card in cards.get(place, [])])
            if any(self._strength(cards.get(place, [])) is None for place in places) or read is None:
                wins[wager["name"]] = NOT_SEEN
            elif len(set(read)) == len(read):
                name = NAMERS[wager["ranking"]](read)
                if name in wager["pays"]:
                    wins[wager["name"]] = name
        names = self.progressive(cards.get(position, []))
        if names:
            wins["progressive"] = names[0]
        return wins

    def progressive(self, cards: Sequence[str | None]) -> tuple[str, ...] | None:
        """The progressive hands that these cards are, the best paid first; None if they were not all seen."""
        strength, read = self._strength(cards), all_read(cards)
        if strength is None or read is None:
            return NOT_SEEN
        name = self._ranking.hands[strength[0]]
        return tuple(entry["hand"] for entry in self._progressive if _is(entry, name, strength, read, self._ranking))


def _is(entry: dict[str, Any], name: str, strength: tuple[int, ...], cards: list[str], ranking: Ranking) -> bool:
    top, suited = entry.get("top"), entry.get("suit")
    return (
        name == entry["of"]
        and (top is None or strength[1] == ranking.heights[top])
        and (suited is None or all(suit(card) == suited for card in cards))
    )


def _against(strength: tuple[int, ...] | None, dealer: tuple[int, ...] | None) -> str | None:
    if strength is None or dealer is None:
        return NOT_SEEN
    return "equal" if strength == dealer else "higher" if strength > dealer else "lower"
