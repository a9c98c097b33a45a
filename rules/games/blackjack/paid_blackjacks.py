"""Players' blackjacks: paid and removed before others draw where the dealer cannot have one, else left until everybody
has two cards. Document toledo-2020, lines 135 and 144.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.hole_card import HoleCard
from pitwatch.rules.games.blackjack.layout import Layout
from pitwatch.rules.games.blackjack.players import Players
from pitwatch.rules.play.seats import DEALER, is_seat, seat_of

NOT_REMOVED = "blackjack-not-removed"
REMOVED_EARLY = "blackjack-removed-early"


class PaidBlackjacks:
    """`breach(rule, observed, required, positions, once, besides)` is the procedure's.

    Option of the book: `buster-blackjack`, for whose sake a blackjack may stay."""

    def __init__(self, desk: Desk, hole: HoleCard, layout: Layout, players: Players, breach: Callable[..., None]):
        self._desk = desk
        self._hole = hole
        self._layout = layout
        self._players = players
        self._breach = breach
        self.clear()

    def clear(self) -> None:
        """A round opens."""
        self._lifted: dict[str, tuple[int, list[int]]] = {}
        """Blackjacks lifted while the first cards are dealt: how many the dealer had, and the journal's sequences."""

    def judge_left(self, position: str) -> None:
        """This hand has its third card, and a blackjack against a low up card still lies elsewhere (135)."""
        if self._hole.may_be_blackjack is not False or self._desk.option("buster-blackjack"):
            return
        if not self._players.sees_clearing or self._layout.unplaced:
            return
        for other, cards in self._players.cards.items():
            if seat_of(other) == seat_of(position) or not is_seat(other) or self._layout.lifted_some(other):
                continue
            if self._players.is_blackjack(other, cards):
                self._breach(
                    NOT_REMOVED,
                    {"blackjack": other, "third_card": position},
                    {"blackjack": "paid and removed first"},
                    [other],
                    other,
                )

    def lifted(self, position: str) -> None:
        """A card is lifted while the first cards are dealt: a blackjack against an ace or ten stays until everybody has
        two (144), unless it is laid back."""
        cards = self._players.cards
        if not is_seat(position) or not self._hole.may_be_blackjack:
            return
        if self._players.is_blackjack(position, cards.get(position, [])):
            _, seqs = self._lifted.get(position, (0, []))
            self._lifted[position] = len(cards[DEALER]), [*seqs, self._desk.seq]

    def judge_removed(self) -> None:
        """The deal goes on: what has been lifted and not laid back was taken away."""
        for position, (dealers, seqs) in self._lifted.items():
            if self._layout.gone(position, self._players.cards):
                self._breach(
                    REMOVED_EARLY,
                    {"blackjack": position, "dealer_cards": dealers},
                    {"blackjack": "left until all have two cards"},
                    [position],
                    position,
                    seqs,
                )
        self._lifted = {}
