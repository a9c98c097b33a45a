"""A baccarat round that is closed: what may still be said of it once its last card lies.

Without a panel a round closes on its last card, so a card too many and the shoe's own result come after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.tableau import BANKER, INITIAL, PLAYER, Tableau

WRONG_DRAWS = ("third-card-rule", "more-than-one-extra-card")


class ClosedRound:
    """`sound`: seen whole from a clean boundary, so that it may be judged; `declared`: the shoe has reported its
    result;
    `broken`: (rule, once) put out already."""

    def __init__(
        self,
        desk: Desk,
        number: int,
        hands: dict[str, list[str | None]],
        evidence: Iterable[int],
        sound: bool,
        declared: bool,
        broken: Iterable[tuple[str, object]],
    ):
        self._desk = desk
        self.number = number
        self.hands = hands
        self.evidence = list(evidence)
        self.sound = sound
        self.declared = declared
        self._broken = set(broken)

    def too_many(self, hand: str, card: str | None, evidence: Iterable[int] = ()) -> None:
        """A card to a hand of this round, which had all its cards."""
        self.hands[hand].append(card)
        extra = len(self.hands[hand]) - INITIAL
        if extra > 1:
            observed = {"hand": hand, "extra_cards": extra}
            self._break("more-than-one-extra-card", observed, {"extra_cards": 1}, evidence, once=hand)
        else:
            self._break("third-card-rule", {"hand": hand, "drew": True}, {"drew": False}, evidence)

    def one_more(self, tableau: Tableau, observed: dict[str, Any], evidence: Iterable[int] = ()) -> None:
        """A card too many, of which nobody knows for which hand."""
        rule = tableau.overdrawn(self.hands[PLAYER], self.hands[BANKER])
        self._break(rule, {**observed, "drew": True}, {"drew": False}, evidence)

    def declare(
        self,
        tableau: Tableau,
        said: dict[str, Any],
        since: dict[str, list[str | None]],
        placed: bool,
        evidence: Iterable[int],
    ) -> None:
        """The shoe reports its result. Cards drawn `since` the round closed were cards too many of it; `placed`: where
        they went is known, not only reckoned."""
        self.declared = True
        evidence = list(evidence)
        for hand, cards in since.items():
            for card in cards:
                if placed:
                    self.too_many(hand, card, evidence)
                else:
                    self.one_more(tableau, {"hand": None}, evidence)
        player, banker = self.hands[PLAYER], self.hands[BANKER]
        observed, required = tableau.differs(player, banker, said.get("winner"), said.get("pairs"))
        if observed and not any(rule in WRONG_DRAWS for rule, _ in self._broken):
            self._break("result-mismatch", observed, required)

    def _break(
        self,
        rule: str,
        observed: dict[str, Any],
        required: dict[str, Any],
        evidence: Iterable[int] = (),
        once: object = None,
    ) -> None:
        if self.sound and (rule, once) not in self._broken:
            self._broken.add((rule, once))
            self._desk.breach(rule, observed, required, [*self.evidence, *evidence], round_number=self.number)
