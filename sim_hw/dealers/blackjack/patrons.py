"""What blackjack patrons do with their hands: a simple strategy, within what the game's book lets them.

Knows no card but those of the hand it is asked about, and the dealer's up card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.blackjack.house import House
from pitwatch.sim_hw.dealers.blackjack.hand import Hand, Worth
from pitwatch.sim_hw.scene import Scene

MOST_HANDS = 4
"""Hands that patrons make by splitting where the book sets no limit."""


class Patrons:
    def __init__(self, scene: Scene, game: Game, options: Mapping[str, Any], house: House):
        self._scene = scene
        self._figures = game.figures
        self._options = options
        self._house = house
        self._worth = Worth(house.count)
        self._exchanges: list[int] = game.tables.get("exchange", {}).get("totals", [])

    def want_a_card(self, hand: Hand, up_card: str) -> bool:
        """They draw to twelve, or to seventeen against a high up card, where the house lets them; never with an unread
        or foreign card in hand."""
        cards = [*hand.cards]
        if self._house.count.score(cards) is None or self._house.player_stands(cards, hand.split) is not False:
            return False
        if self._house.full(cards):
            return False
        return self._worth.total(hand) < (17 if self._worth.of_card(up_card) > 6 else 12)

    @staticmethod
    def split(hand: Hand) -> bool:
        """Aces and eights, once."""
        pair = len(hand.cards) == 2 and hand.cards[0][0] == hand.cards[1][0]
        return pair and hand.cards[0][0] in "A8" and not hand.split

    def split_limit(self, card: str) -> int:
        """Hands that a hand of such cards may become."""
        kind = "aces" if card[0] == "A" else "tens" if card[0] in "TJQK" else ""
        if kind == "aces" and self._options.get("resplit-aces") is False:
            return 2
        figure = self._figures.get(f"split-hands-{kind}") or self._figures.get("split-hands")
        return int(figure.value) if figure is not None else MOST_HANDS

    def exchange(self, hand: Hand) -> bool:
        """Most give back two cards that may go back."""
        if hand.split or not self._exchanges:
            return False
        score = self._house.count.score(hand.cards)
        allowed = score is not None and not score.soft and score.total in self._exchanges
        return allowed and self._scene.chance(0.7)

    def switch(self) -> bool:
        """Some switch the second cards of their two hands."""
        return self._scene.chance(0.4)
