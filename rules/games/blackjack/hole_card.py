"""The dealer's hole card in blackjack: looked at where the up card may be of a blackjack, no cards after one, and not
turned over while players draw.

Figure of the book: `peek-from`, the least worth of an up card for which the dealer looks.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.hand import Count
from pitwatch.rules.games.blackjack.layout import Layout
from pitwatch.rules.play.seats import DEALER

AFTER_BLACKJACK = "drawn-after-dealer-blackjack"
MALFUNCTION = "equipment-malfunction"
EARLY = "hole-card-early"


class HoleCard:
    """`breach(rule, observed, required, positions, once)` is the procedure's."""

    def __init__(self, desk: Desk, count: Count, layout: Layout, breach: Callable[..., None]):
        figure = desk.game.figures.get("peek-from")
        self._peek_from: int = figure.value if figure is not None else 0
        self._desk = desk
        self._count = count
        self._layout = layout
        self._breach = breach
        self.clear()

    def clear(self) -> None:
        self._looked = False
        self._said: bool | None = None
        self._said_by: tuple[str, int] = ("", 0)
        """Device and journal sequence of the last look."""
        self._blackjack: int | None = None
        """Journal sequence of the look that showed a blackjack."""

    def looked(self, blackjack: bool | None, device: str) -> None:
        """The dealer has looked at the hole card, with a device that says what it is of, or None."""
        self._looked = True
        self._said, self._said_by = blackjack, (device, self._desk.seq)
        if blackjack and self._desk.round is not None:
            self._blackjack = self._desk.seq

    @property
    def blackjack(self) -> bool:
        """Whether the dealer looked and has a blackjack: the round is over."""
        return self._blackjack is not None

    @property
    def may_be_blackjack(self) -> bool | None:
        """Whether the up card may be of a blackjack; None if it was not seen."""
        dealer = self._desk.round.cards.get(DEALER) if self._desk.round is not None else None
        worth = self._count.worth(dealer[0]) if dealer else None
        return None if worth is None else worth >= self._peek_from

    @property
    def checked(self) -> bool | None:
        """Whether the dealer has looked for a blackjack; None if there was no need, or it cannot be seen."""
        if not self.may_be_blackjack or not self._desk.has("peek.hole_card_checked"):
            return None
        return self._looked

    def judge_drawn(self, position: str | None, watched: bool) -> None:
        """A card came out of the shoe, to a position if anybody knows; `watched`: all of the round was seen."""
        if self._blackjack is not None and watched:
            observed = {"drawn_to": position, "dealer": "blackjack"}
            self._desk.breach(
                AFTER_BLACKJACK, observed, {"cards": "none after the dealer's blackjack"}, [self._blackjack]
            )

    def judge_look(self, dealer: list[str | None], sure: bool) -> None:
        """The round is over. What the device said of the hole card, against the hand that was turned."""
        device, seq = self._said_by
        if self._said is None or not sure or self._layout.guessed or len(dealer) < 2 or None in dealer[:2]:
            return
        if self._count.natural(dealer[:2]) != self._said:
            observed = {"device": device, "type": "peek", "said_blackjack": self._said, "hand": dealer[:2]}
            required = {"device": "working properly"}
            self._desk.breach(MALFUNCTION, observed, required, [seq], once=device, always=True)

    def judge_turned(self, position: str) -> None:
        """A player draws."""
        if self._layout.turned:
            self._breach(EARLY, {"drawn_to": position}, {"hole_card": "face down"}, [position])
