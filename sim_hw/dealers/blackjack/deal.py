"""The initial deal: who is dealt to, in which order, and what goes wrong in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.blackjack.deal import left_of, spot_by_spot
from pitwatch.sim_hw.dealers.blackjack.layout import Layout
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene


class Deal:
    """`order`: "hands" and "dealer" as cards go round; `spots`: hands that a seat is dealt."""

    def __init__(self, scene: Scene, game: Game, options: Mapping[str, Any], seats: Seats, layout: Layout):
        self._scene = scene
        self._seats = seats
        self._layout = layout
        self.order: list[str] = list(game.tables["initial-deal"])
        self.spots = int(game.figures["hands-a-seat"].value) if "hands-a-seat" in game.figures else 1
        self._from_bank = game.tables.get("deal-starts") == "bank-left"
        self._spot_by_spot = options.get("spots-dealt") == "spot-by-spot"

    def places(self) -> list[str]:
        """The hands of the round in the order of the deal."""
        seats = self._seats.wagers
        hands = [seat if spot == 1 else f"{seat}/{spot}" for seat in seats for spot in range(1, self.spots + 1)]
        if self._from_bank and self._seats.banker is not None:
            return left_of(self._seats.banker, hands)[0]
        return spot_by_spot(hands)[0] if self._spot_by_spot else hands

    def play(self, fault: str | None) -> None:
        """One card to each wager from the dealer's left, one to the dealer, and again (473-477)."""
        rng, layout = self._scene.rng, self._layout
        victim = rng.choice(layout.hands)
        wrong_pass = rng.randrange(2)
        # A third card to the last hand looks like a hole card that the dealer forgot: it is out of order, not too many.
        too_many = self._scene.chance(0.5) and victim is not layout.hands[-1]
        for number, step in enumerate(self.order):
            if step == "dealer":
                if fault == "blackjack-removed-early" and number > 1:
                    layout.take_in(layout.hands[0])
                if fault == "wrong-card-count-dealer" and number > 1:
                    return
                layout.give(layout.dealer)
                continue
            order = list(layout.hands)
            if fault == "wrong-initial-sequence" and number // 2 == wrong_pass:
                first = rng.randrange(len(order) - 1)
                order[first], order[first + 1] = order[first + 1], order[first]
            for hand in order:
                if fault == "wrong-card-count-player" and hand is victim and number > 1:
                    for _ in range(2 if too_many else 0):
                        layout.give(hand)
                else:
                    layout.give(hand)
        if fault == "wrong-card-count-player":
            layout.take_in(victim)  # the hand is void (444)
