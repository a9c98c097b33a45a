"""The cards that a fault of blackjack needs: they are looked for further on in the shoe and swapped to where they will
be dealt. Knows which cards, not what is done with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.rules.game import Game
from pitwatch.rules.games.blackjack.house import House
from pitwatch.sim_hw.dealers.blackjack.faults import CHART, RIGGED, Rigged
from pitwatch.sim_hw.dealers.blackjack.patrons import Patrons
from pitwatch.sim_hw.dealers.cards import Stack

WITH_CARDS = (*RIGGED, CHART, "split-too-often")
"""Faults that need certain cards."""


class Rigging:
    """`order`: "hands" and "dealer" as cards go round in the deal."""

    def __init__(self, game: Game, house: House, patrons: Patrons, order: Sequence[str]):
        self._house = house
        self._patrons = patrons
        self._order = order
        self._naturals = game.tables.get("naturals")
        self._progressive = bool(game.tables.get("progressive"))

    def prepare(self, fault: str, stack: Stack, hands: int) -> None:
        """The first hand dealt to, who acts first, gets the fault's cards; two hands where two are to have a
        jackpot."""
        rigged = self._cards_for(fault)
        alike = 2 if fault == "multiple-jackpots-same-round" else 1
        at = 0
        passes = {"hands": 0, "dealer": 0}
        for step in self._order:
            number = passes[step]
            passes[step] += 1
            for index in range(hands if step == "hands" else 1):
                wish = rigged.dealer if step == "dealer" else rigged.first if index < alike else rigged.others
                stack.want(at, wish[number])
                at += 1
        for number, rank in enumerate(rigged.then):
            stack.want(at + number, rank)

    def _cards_for(self, fault: str) -> Rigged:
        """As this game's rules want them."""
        if fault == CHART:
            stands_early = self._house.player_stands(["TS", "9S"])
            return Rigged(then="4") if stands_early else RIGGED["player-drew-on-21"]
        if fault == "split-too-often":
            limit = self._patrons.split_limit
            rank = min("8K", key=limit)
            return Rigged(first=2 * rank, then=(limit(rank) - 1) * rank + "TTTTT")
        if fault == "drawn-after-dealer-blackjack" and self._naturals:
            (one, *_), (other, *_) = self._naturals[0]["cards"]
            return Rigged(dealer=(other, one))
        return RIGGED[fault]

    def avoid_jackpot(self, stack: Stack, hands: int) -> None:
        """A hand that takes the meter, which stops the game, is only planned: the dealer's up card is changed."""
        if self._progressive and stack.peek(hands)[0] == "7":
            stack.want(hands, "8")
