"""A hand at a shoe that reads its cards: one that follows baccarat, and one that only names cards."""

from __future__ import annotations

from typing import Any

from pitwatch.rules.games.baccarat.tableau import BANKER, PLAYER, Tableau
from pitwatch.sim_hw.dealers.baccarat.shoe import ShoeInPlay
from pitwatch.sim_hw.dealers.cards import CUT_CARD_FROM_BACK, Stack
from pitwatch.sim_hw.devices.angel_eye import AngelEyeShoe
from pitwatch.sim_hw.devices.shoes import LineShoe, ReportingShoe, shoe_of
from pitwatch.sim_hw.hands.act import BY_CHANCE, Act, Ask, CannotActError, Hand
from pitwatch.sim_hw.hands.cards import CARD, Deck
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

AS_DEALT = "as the cards say"


class BaccaratShoeHand(Hand):
    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec):
        super().__init__(scene, table, spec)
        figure = table.game.figures.get("decks")
        self._decks = int(table.options.get("decks") or (figure.value if figure is not None else 8))
        self._tableau = Tableau(table.game.tables, dict(table.options))
        self._shoe: ShoeInPlay | None = None

    @property
    def _device(self) -> AngelEyeShoe:
        device = self.scene.devices[self.spec.id]
        assert isinstance(device, AngelEyeShoe)
        return device

    def acts(self) -> tuple[Act, ...]:
        to, winner = (
            Ask("to", "to", (PLAYER, BANKER, "burn")),
            Ask("winner", "winner", (AS_DEALT, PLAYER, BANKER, "tie")),
        )
        return (
            Act("card", "Draw a card", self._card, (to, CARD), plays=True),
            Act("result", "Let the shoe declare", self._result, (winner,), plays=True),
            Act("new-shoe", "Begin a new shoe", self._new_shoe, plays=True),
            Act("unread", "Draw a card that it cannot read", self._unread, plays=True),
        )

    def picture(self) -> dict[str, Any]:
        return {"laid": {hand: list(cards) for hand, cards in self._device.hands.items()}}

    def _in_play(self) -> ShoeInPlay:
        """What is in the shoe; after the dealer dealt from it, cards enough of a shoe of its own."""
        if self._shoe is None:
            self._shoe = ShoeInPlay(self.scene, self.table.game, self._decks, self._device)
            self._shoe.stack = Stack(self.scene.rng, self._decks, CUT_CARD_FROM_BACK)
        return self._shoe

    def _card(self, to: str, card: str) -> None:
        shoe, number = self._in_play(), self._device.dealt(to) + 1
        if number > 10:
            raise CannotActError(f"{to} has {number - 1} cards already; let the shoe declare")
        if not shoe.stack.left:
            raise CannotActError("the shoe is empty; begin a new one")
        if card != BY_CHANCE:
            try:
                shoe.stack.want(0, card)
            except ValueError as error:
                raise CannotActError(f"{error}; begin a new shoe") from None
        if to == "burn":
            shoe.burn(number)
        else:
            shoe.draw(to, number, joker=False, in_round=self._device.dealt(PLAYER) > 0)

    def _result(self, winner: str) -> None:
        hands = self._device.hands
        player, banker = hands.get(PLAYER, []), hands.get(BANKER, [])
        if not (self._device.dealt(PLAYER) and self._device.dealt(BANKER)):
            raise CannotActError("no round is dealt; draw cards to player and banker first")
        if winner == AS_DEALT:
            winner = str(self._tableau.result(player, banker)["winner"])
        self._device.result(winner, sorted(self._tableau.pairs(player, banker) or ()))

    def _new_shoe(self) -> None:
        self._shoe = ShoeInPlay(self.scene, self.table.game, self._decks, self._device)
        self._shoe.fill(wrongly=False)

    def _unread(self) -> None:
        self._device.no_card()


class ShoeHand(Hand):
    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec, deck: Deck):
        super().__init__(scene, table, spec)
        self._deck = deck
        if spec.id not in scene.devices:
            shoe_of(scene, spec)

    @property
    def _shoe(self) -> LineShoe | ReportingShoe:
        shoe = self.scene.devices[self.spec.id]
        assert isinstance(shoe, LineShoe | ReportingShoe)
        return shoe

    def acts(self) -> tuple[Act, ...]:
        to = Ask("to", "to", ("player", "banker", "dealer", *self.table.seats, "burn"))
        acts = [
            Act("card", "Draw a card", self._card, (to, CARD), plays=True),
            Act("cut-card", "Draw the cut card", self._shoe.cut_card, plays=True),
        ]
        if self.spec.protocol == "ndjson":
            acts.append(Act("new-shoe", "Begin a new shoe", self._new_shoe, plays=True))
        return tuple(acts)

    def picture(self) -> dict[str, Any]:
        return {"drawn": [card for card, _ in self._shoe.drawn]}

    def _card(self, to: str, card: str) -> None:
        self._shoe.draw(self._deck.draw(card), to)

    def _new_shoe(self) -> None:
        self._deck.shuffle()
        self._shoe.start(int(self.table.options.get("decks") or 1))
