"""The packets of a round of pai gow, and how everybody will set them in two parts: rightly, or as a fault wants it.

Knows no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pitwatch.rules.games.pai_gow.house_way import HouseWay
from pitwatch.rules.hands.joker_hands import WILD, Ranking
from pitwatch.rules.play.cards import DECK, JOKER
from pitwatch.sim_hw.dealers.pai_gow.faults import SETTINGS
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

UNREADABLE = None
Pile = list[str | None]


class Cards:
    """`size`: cards of a packet; `left_over`: how many should be once all are dealt, `rest` how many are; `piles`: by
    position; `front`: what each will set in front."""

    def __init__(self, scene: Scene, table: SimTable, ring: Sequence[str]):
        """`ring`: the positions that get a packet."""
        game = table.game
        self._scene = scene
        self._rng = scene.rng
        self._ring = ring
        self.size = int(game.figure("cards-per-hand"))
        self.left_over = int(game.figures["cards-left-over"].value) if "cards-left-over" in game.figures else 0
        self._wrong_by = (1,) if "single-exposed-card" in game.rules else (-1, 1)
        """One too few may have replaced a card that was exposed."""
        self.deck_size = len(ring) * self.size + self.left_over
        joker = table.options.get("joker") or game.tables.get("joker")
        self._ranking = Ranking(joker, game.tables["ace-to-five"]) if joker else None
        chart: dict[str, Any] | None = game.tables.get("house-way")
        self._house_way = HouseWay(chart, self._ranking, joker == WILD) if chart and self._ranking else None
        self.piles: dict[str, Pile] = {}
        self.front: dict[str, Pile] = {}
        self.rest = 0

    def prepare(self, fault: str | None, hands: Sequence[str], house: str | None) -> None:
        """`hands`: the positions that are played; `house`: that of them which must be set the house's way."""
        while True:
            cards = self._shuffled()
            self.piles = {at: [cards.pop() for _ in range(self.size)] for at in self._ring}
            self.rest = len(cards)
            self._spoil(fault, cards, hands)
            if self._choose_settings(fault, hands, house):
                break

    def _shuffled(self) -> Pile:
        """A deck; tiles have no names that a reader knows."""
        if self._ranking is None:
            return [UNREADABLE] * self.deck_size
        cards: Pile = [*DECK, JOKER]
        self._rng.shuffle(cards)
        return cards

    def _spoil(self, fault: str | None, cards: Pile, hands: Sequence[str]) -> None:
        """What is wrong with the packets, or with the `cards` left over."""
        if fault == "remaining-cards-not-four":
            self.rest += self._rng.choice(self._wrong_by)
        elif fault == "duplicate-card":
            one, other = self._rng.sample(hands, 2)
            self.piles[one][0] = next(card for card in self.piles[other] if card != JOKER)
        elif fault == "wrong-card-count":
            pile = self.piles[self._rng.choice(hands)]
            if cards and self._scene.chance(0.5):
                pile.append(cards.pop())
                self.rest -= 1
            else:
                pile.pop()
                self.rest += 1

    def _choose_settings(self, fault: str | None, hands: Sequence[str], house: str | None) -> bool:
        """Which cards everybody will set in front; False if these cards do not allow of the fault."""
        self.front = {}
        wrong = None
        if fault in SETTINGS:
            others = [at for at in hands if at != house]
            wrong = house if fault == "house-way-not-followed" else self._rng.choice(others)
        for at in hands:
            front = self._front_of(self.piles[at], fault if at == wrong else None)
            if front is None:
                return False
            self.front[at] = front
        return True

    def _front_of(self, pile: Pile, fault: str | None) -> Pile | None:
        ranking = self._ranking
        if ranking is None or len(pile) != self.size:
            return pile[:2]
        cards = [card for card in pile if card is not None]
        if fault == "fouled-count":
            return list(cards[:3])
        way = self._house_way.lows(cards) if self._house_way is not None else None
        fronts = [list(two) for two in combinations(cards, 2)]
        self._rng.shuffle(fronts)
        for front in fronts:
            foul = ranking.foul([card for card in cards if card not in front], front)
            fits = way is None or frozenset(front) in way
            if fault == "foul-hand":
                right = foul
            elif fault == "house-way-not-followed":
                right = way is not None and not fits and not foul
            else:
                right = not foul and fits
            if right:
                return list(front)
        return None
