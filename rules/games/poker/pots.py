"""Who wins a poker pot, once the cards are seen. Data of the book: `[[tables.pot]]`, one entry a share of the pot.

    name = "low"
    ranking = "ace-to-five"      a name of `RANKINGS`
    own = 2                      so many of the hand's own cards, and the rest of the five from the board; without it
    board = 3                    any five of both; `board = 0`: the hand's own cards only
    qualifies = "eight"          a low that is not eight or better wins nothing

Judges nothing and follows no deal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pitwatch.rules.game import Game
from pitwatch.rules.games.poker.streets import chosen
from pitwatch.rules.hands import five_card, low_hand, mexican_hand
from pitwatch.rules.hands.poker_ranking import Strength
from pitwatch.rules.play.cards import all_read

NOT_SEEN = None


class Ranking(NamedTuple):
    """`strength` raises ValueError for what is no hand; `spelt` names a strength for people."""

    strength: Callable[[Sequence[str]], Strength]
    spelt: Callable[[Strength], str]


def _runs_count(cards: Sequence[str]) -> Strength:
    return low_hand.ace_to_five(cards, runs_count=True)


RANKINGS = {
    "high": Ranking(five_card.strength, lambda strength: five_card.HANDS[strength[0]]),
    "ace-to-five": Ranking(low_hand.ace_to_five, low_hand.spelt),
    "ace-to-five-runs-count": Ranking(_runs_count, low_hand.spelt),
    "deuce-to-seven": Ranking(low_hand.deuce_to_seven, low_hand.spelt_deuce_to_seven),
    "badugi": Ranking(low_hand.badugi, low_hand.spelt_badugi),
    "mexican": Ranking(mexican_hand.strength, lambda strength: mexican_hand.HANDS[strength[0]]),
}

RUNS = "straights-and-flushes"
"""The house's option where the document contradicts itself on whether they count against a low hand."""


class Pot:
    """One share of the pot."""

    def __init__(self, entry: Mapping[str, Any], runs_count: bool):
        self.name: str = entry["name"]
        ranking = entry["ranking"]
        self._ranking = RANKINGS[f"{ranking}-runs-count" if runs_count and ranking == "ace-to-five" else ranking]
        self._own: int | None = entry.get("own")
        self._board: int | None = entry.get("board")
        self._eight = entry.get("qualifies") == "eight"

    def strength(self, own: Sequence[str | None], board: Sequence[str | None]) -> Strength | None:
        """What a hand comes to; None if its cards were not all seen or do not make one."""
        mine, common = all_read(own), all_read(board) if self._board != 0 else []
        if mine is None or common is None:
            return NOT_SEEN
        try:
            if self._own is None or self._board is None:
                return self._ranking.strength([*mine, *common])
            hands = [[*a, *b] for a in combinations(mine, self._own) for b in combinations(common, self._board)]
            return max(self._ranking.strength(hand) for hand in hands)
        except ValueError:
            return NOT_SEEN

    def spelt(self, strength: Strength) -> str:
        return self._ranking.spelt(strength)

    def wins(self, strength: Strength) -> bool:
        """Whether a hand of this strength may win this share at all."""
        return not self._eight or low_hand.is_eight_or_better(strength)


class Pots:
    """`when` as in `rules.games.poker.streets`. Raises KeyError for a ranking that nobody knows."""

    def __init__(self, game: Game, options: Mapping[str, Any]):
        runs_count = options.get(RUNS) == "count"
        self.all = [Pot(entry, runs_count) for entry in chosen(game.tables.get("pot", ()), options)]

    def result(self, hands: Mapping[str, Sequence[str | None]], *boards: Sequence[str | None]) -> dict[str, Any]:
        """The result by position and who wins which share: None wherever the faces were not seen.

        A single hand left wins whatever it holds. A second board has shares of its own: "high/2".
        """
        result: dict[str, Any] = {position: {} for position in hands}
        winners: dict[str, list[str] | None] = {}
        for number, board in enumerate(boards, start=1):
            for pot in self.all:
                name = pot.name if number == 1 else f"{pot.name}/{number}"
                strengths = {position: pot.strength(cards, board) for position, cards in hands.items()}
                for position, strength in strengths.items():
                    result[position][name] = None if strength is None else pot.spelt(strength)
                winners[name] = _winners(pot, strengths)
        if self.all:
            result["winners"] = winners
        return result


def _winners(pot: Pot, strengths: Mapping[str, Strength | None]) -> list[str] | None:
    if len(strengths) == 1:
        return list(strengths)
    seen = {position: strength for position, strength in strengths.items() if strength is not None}
    if len(seen) < len(strengths):
        return NOT_SEEN
    good = {position: strength for position, strength in seen.items() if pot.wins(strength)}
    best = max(good.values(), default=None)
    return [position for position, strength in good.items() if strength == best]
