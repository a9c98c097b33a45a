"""The order and the draws of an open baccarat round against the tableau: which rule a card breaks, or a missing one.

Must not know how a round opens or closes; whether a card was seen rightly is for `Sight`.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.closed import WRONG_DRAWS
from pitwatch.rules.games.baccarat.sight import Sight
from pitwatch.rules.games.baccarat.tableau import BANKER, INITIAL, PLAYER, Tableau
from pitwatch.rules.hands.points import Card

Cards = list[Card]

ORDER = "wrong-initial-sequence"
FIRST = (PLAYER, BANKER, PLAYER, BANKER)
"""Where the first cards of a round go."""


class Draws:
    """`evidence`: journal sequences of the round's cards."""

    def __init__(self, desk: Desk, tableau: Tableau, sight: Sight):
        self._desk = desk
        self._tableau = tableau
        self._sight = sight
        self.evidence: list[int] = []
        rule = desk.game.rules.get(ORDER)
        self._felt_shows_order = rule is not None and any("card_position" in need for need in rule.needs)
        """False where the document lets the banker's cards wait beside the felt."""
        self._out: list[str | None] = []
        """Where the cards out of the shoe go, as it says itself, while a reader under the felt places them."""

    def began(self) -> None:
        self.evidence = []

    def drew(self, to: str | None) -> None:
        """The shoe let out a card that a reader under the felt will place."""
        self._out.append(to)

    def ended(self, cards: int, ahead: int) -> None:
        """The round of so many cards is over; `ahead`: cards of the next that are out of the shoe already."""
        at = max(0, len(self._out) - ahead)
        out, self._out = self._out[:at], self._out[at:]
        if self._felt_shows_order or len(out) != cards or None in out or not self._sight.placed:
            return
        for number, (to, due) in enumerate(zip(out, FIRST, strict=False), 1):
            if to != due:
                self.breach(ORDER, {"card": number, "to": to}, {"to": due})
                return

    def dealt(self, position: str, player: Cards, banker: Cards, laid: bool) -> None:
        """Judge the card just dealt; with the banker's second, a player's third that was dealt before it. `laid`: a
        reader under the felt shows it."""
        hand = player if position == PLAYER else banker
        if len(hand) > INITIAL + 1:
            extra = len(hand) - INITIAL
            observed = {"hand": position, "extra_cards": extra}
            self.breach("more-than-one-extra-card", observed, {"extra_cards": 1}, once=position)
            return
        if self._felt_shows_order or not laid:
            self._initial(position, player, banker)
        if position == PLAYER and len(player) == INITIAL + 1 and len(banker) >= INITIAL:
            allowed = self._tableau.next_cards(player[:INITIAL], banker)
        elif position == BANKER and len(banker) == INITIAL + 1 and len(player) >= INITIAL:
            allowed = self._tableau.next_cards(player, banker[:INITIAL])
        elif position == BANKER and len(banker) == INITIAL and len(player) == INITIAL + 1:
            position = PLAYER
            allowed = self._tableau.next_cards(player[:INITIAL], banker)
        else:
            return
        if position in allowed or not self._sight.placed:
            return
        due = self._due(allowed)
        if due == PLAYER:
            self._third_card({"hand": PLAYER, "drew": False}, {"drew": True}, player, banker)
        else:
            self._third_card({"hand": position, "drew": True}, {"drew": False}, player, banker)

    def _initial(self, position: str, player: Cards, banker: Cards) -> None:
        """The first four cards go to the player and the banker in turn."""
        before = (player[:-1], banker) if position == PLAYER else (player, banker[:-1])
        if len(before[0]) >= INITIAL and len(before[1]) >= INITIAL:
            return
        due = self._due(self._tableau.next_cards(*before))
        if position != due and self._sight.placed:
            card = len(player) + len(banker)
            self.breach(ORDER, {"card": card, "to": position}, {"to": due})

    def unplaced(self, player: Cards, banker: Cards, observed: dict[str, Any]) -> None:
        """A card, nobody knows for which hand, when neither may draw."""
        rule = self._tableau.overdrawn(player, banker)
        self.breach(rule, {**observed, "drew": True}, {"drew": False})

    def missing(self, player: Cards, banker: Cards) -> None:
        """The round is over: a hand that had to draw and did not."""
        due = self._due(self._tableau.next_cards(player, banker))
        if due is not None:
            self._third_card({"hand": due, "drew": False}, {"drew": True}, player, banker)

    @staticmethod
    def _due(hands: frozenset[str | None]) -> str | None:
        """The hand that must draw; None if none must, or it is left open."""
        return next(iter(hands)) if len(hands) == 1 else None

    def _third_card(self, observed: dict[str, Any], required: dict[str, Any], player: Cards, banker: Cards) -> None:
        """The first wrong draw of a round; what follows from it is not counted against the dealer again."""
        points = {name: self._tableau.count(hand[:INITIAL]) for name, hand in ((PLAYER, player), (BANKER, banker))}
        self.breach("third-card-rule", {**observed, "two_card_points": points}, required)

    def breach(self, rule: str, observed: dict[str, Any], required: dict[str, Any], once: object = None) -> None:
        if self._sight.judged:
            self._desk.breach(rule, observed, required, self.evidence, once=once)
        if rule in WRONG_DRAWS:
            self._sight.beware()
