"""The blackjack dealer's own hand: looked at for a blackjack, drawn to by the house's rule, or pushed to the middle as
a board; and the patrons' blackjacks that are paid before. Must not know what patrons do with their hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.dealers.blackjack.hand import Hand, Worth
from pitwatch.sim_hw.dealers.blackjack.layout import Layout
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.scene import Scene

BOARD = "community"


class DealersTurn:
    """`peek`: the lines of the device that looks at the hole card."""

    def __init__(
        self, scene: Scene, game: Game, options: Mapping[str, Any], house: House, layout: Layout, peek: Contacts
    ):
        self._scene = scene
        self._house = house
        self._worth = Worth(house.count)
        self._layout = layout
        self._peek = peek
        self._naturals: list[dict[str, Any]] = game.tables.get("naturals", [])
        self._board: dict[str, int] | None = game.tables.get("board")
        self._always = bool("always-completes" in game.figures and game.figures["always-completes"].value) or any(
            options.get(name) is True for name in game.tables.get("completes-hand-for", ())
        )
        self._looks = (
            "peek-from" in game.figures or self._board is not None or "drawn-after-dealer-blackjack" in game.rules
        )

    def looks_for_blackjack(self) -> bool:
        """The peek tells, where there is one; without it nobody knows before the hole card is turned. Returns whether
        there is one."""
        scene, peek, own = self._scene, self._peek, self._layout.dealer
        if len(own.cards) < 2 or not self._looks or not peek.has("hole-checked"):
            return False
        if not self._may_be_blackjack(own.cards[0]):
            return False
        scene.pause(2, 5)
        blackjack = self._worth.natural(own)
        peek.set("hole-checked", 1)
        if blackjack:
            peek.set("blackjack", 1, after=0.1)
        scene.pause(1, 2)
        peek.set("hole-checked", 0)
        peek.set("blackjack", 0)
        scene.pause(0.5, 1)
        return blackjack

    def _may_be_blackjack(self, up: str) -> bool:
        """Whether the up card is worth a look: it begins one of the book's naturals, or counts ten or an ace."""
        if not self._naturals:
            return self._worth.of_card(up) >= 10
        return any({up, up[0]} & {*one, *other} for one, other in (each["cards"] for each in self._naturals))

    def pays_blackjacks(self) -> None:
        """Against a low up card: announced, paid and removed before any third card (135)."""
        layout = self._layout
        if self._worth.of_card(layout.dealer.cards[0]) >= 10:
            return
        for hand in list(layout.hands):
            if self._worth.natural(hand):
                self._scene.pause(1, 2)
                layout.take_in(hand)

    def draws(self, fault: str | None) -> None:
        """By the house's rule, and nothing if no hand waits for it (498-499, 512)."""
        layout = self._layout
        live = [hand for hand in layout.hands if not hand.out and not self._worth.natural(hand)]
        if not live and not self._always:
            return
        while fault != "dealer-stood-against-rule" and self._must_draw():
            self._scene.pause(0.5, 1.5)
            layout.give(layout.dealer)
        if fault == "dealer-drew-against-rule":
            layout.give(layout.dealer)

    def _must_draw(self) -> bool:
        return self._house.dealer_stands([*self._layout.dealer.cards]) is False

    def fills_board(self, fault: str | None) -> None:
        """Where the game goes on with a board: the dealer's hand is pushed to the middle and filled up; the dealer gets
        two more cards."""
        if self._board is None:
            return
        scene, layout, felt = self._scene, self._layout, self._layout.felt
        for hand in layout.hands:
            if not hand.out:
                layout.take_in(hand)
        cards, board, hole = layout.dealer.cards, Hand(BOARD), Hand(DEALER)
        if felt.there:
            felt.gather(DEALER, cards, 0.1)
            for card in self._pushed(self._board):
                felt.lay(BOARD, card)
                scene.wait(0.1)
        wrong = scene.rng.choice((-1, 1)) if fault == "community-count" else 0
        for _ in range(max(0, self._board["cards"] - len(cards) + wrong)):
            layout.give(board)
        for _ in range(self._board["hole"]):
            layout.give(hole)
        scene.pause(2, 5)
        layout.hands += [board, hole]

    def _pushed(self, board: Mapping[str, int]) -> list[str]:
        """The dealer's first cards, which the board was begun with."""
        return self._layout.dealer.cards[: board["cards"]]

    def takes_in_own(self) -> None:
        """The dealer's own cards leave the layout (494), from the board where they were pushed to it."""
        layout = self._layout
        if self._board is None:
            layout.take_in(layout.dealer)
        else:
            for card in self._pushed(self._board):
                layout.felt.lift(BOARD, card)
