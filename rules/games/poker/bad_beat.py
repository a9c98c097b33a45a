"""Bad beat jackpots: whether a hand that was shown down is one, who lost and who won it. Data of the book:

    [[tables.bad-beat]]       the dearest first
    name = "bad-beat"
    announce = "bad-beat-jackpot"                     the rule that tells of it
    losing = { hand = "four-of-a-kind", rank = "J" }  the least hand that must lose; "A T": aces full of tens
    losers = 3                                        losing hands that may share; with 1 only the best of them counts
    both-own = true                                   both hole cards must play, in every hand that shares
    pocket-pair = true                                four of a kind counts only with a pair in the hole
    ace-in-hole = true                                a full house counts only with an ace in the hole
    shares = [{ losers = [40], winner = 20, others = 40 }]   per cent, by number of losing hands

Figure `players-at-least`; `when` as in `streets`. The first share of the pot says how a hand is made up. Must not know
how the cards were dealt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pitwatch.rules.game import Game
from pitwatch.rules.games.poker.pots import Pot
from pitwatch.rules.games.poker.streets import chosen
from pitwatch.rules.hands import five_card
from pitwatch.rules.hands.poker_ranking import HEIGHT, Strength
from pitwatch.rules.play.cards import all_read, rank

Cards = Sequence[str | None]

QUADS = five_card.HANDS.index("four-of-a-kind")
FULL_HOUSE = five_card.HANDS.index("full-house")

TOO_FEW = "too-few-players"
NOT_USED = "hole-cards-not-used"


class Beat(NamedTuple):
    """`rule` tells of it: a jackpot, or why there is none though the hands are high enough."""

    rule: str
    jackpot: str
    winners: tuple[str, ...]
    losers: tuple[str, ...]
    shares: dict[str, int]
    """Per cent by position, and `others`; empty if nothing is paid."""


class BadBeat:
    """Raises KeyError if the book has the table but not the figure, or no pot."""

    def __init__(self, game: Game, options: Mapping[str, Any]):
        self._entries = chosen(game.tables.get("bad-beat", ()), options)
        self._least_players = int(game.figure("players-at-least")) if self._entries else 0
        self._pot = Pot(chosen(game.tables["pot"], options)[0], runs_count=False) if self._entries else None

    def judge(self, hands: Mapping[str, Cards], board: Cards, players: int) -> Beat | None:
        """Of the hands that were shown down, `players` having been dealt in; None if there is nothing to tell, or a
        card was not seen."""
        if self._pot is None or len(hands) < 2:
            return None
        strengths: dict[str, Strength] = {}
        for position, cards in hands.items():
            strength = self._pot.strength(cards, board)
            if strength is None:
                return None
            strengths[position] = strength
        best = max(strengths.values())
        if best[0] < QUADS:
            return None
        missed = None
        for entry in self._entries:
            beat = self._beat(entry, strengths, best, hands, board)
            if beat is None:
                continue
            if beat.rule != NOT_USED:
                return beat if players >= self._least_players else beat._replace(rule=TOO_FEW, shares={})
            missed = missed or beat
        return missed

    def _beat(
        self,
        entry: Mapping[str, Any],
        strengths: Mapping[str, Strength],
        best: Strength,
        hands: Mapping[str, Cards],
        board: Cards,
    ) -> Beat | None:
        winners = tuple(position for position, strength in strengths.items() if strength == best)
        beaten = sorted((p for p in strengths if p not in winners), key=lambda p: strengths[p], reverse=True)
        if entry["losers"] == 1:
            beaten = [p for p in beaten if strengths[p] == strengths[beaten[0]]]
        high = [p for p in beaten if strengths[p] >= _least(entry["losing"])]
        if not high:
            return None
        losers = [p for p in high if _plays(entry, strengths[p], hands[p], board)][: entry["losers"]]
        if not losers or not all(_plays(entry, best, hands[p], board) for p in winners):
            return Beat(NOT_USED, entry["name"], winners, tuple(high), {})
        return Beat(entry["announce"], entry["name"], winners, tuple(losers), _shares(entry, winners, losers))


def _least(losing: Mapping[str, str]) -> Strength:
    heights = [HEIGHT[each] for each in losing["rank"].split()]
    return (five_card.HANDS.index(losing["hand"]), *heights)


def _plays(entry: Mapping[str, Any], strength: Strength, own: Cards, board: Cards) -> bool:
    """Whether the hand is made as the jackpot wants it."""
    mine, common = all_read(own), all_read(board)
    if mine is None or common is None:
        return False
    ranks = [rank(card) for card in mine]
    heights = [HEIGHT[each] for each in ranks]
    if entry.get("pocket-pair") and strength[0] == QUADS and heights.count(strength[1]) < 2:
        return False
    if entry.get("ace-in-hole") and strength[0] == FULL_HOUSE and "A" not in ranks:
        return False
    if not entry.get("both-own"):
        return True
    rest = combinations(common, five_card.SIZE - len(mine))
    return any(five_card.strength([*mine, *some]) == strength for some in rest)


def _shares(entry: Mapping[str, Any], winners: Sequence[str], losers: Sequence[str]) -> dict[str, int]:
    share = next(each for each in entry["shares"] if len(each["losers"]) == len(losers))
    shares = dict(zip(losers, share["losers"], strict=True))
    if len(winners) == 1:
        shares[winners[0]] = share["winner"]
    return {**shares, "others": share["others"]}
