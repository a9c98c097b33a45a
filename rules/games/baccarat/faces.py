"""The faces of cards that a reader under the felt shows unread: the shoe may have read them, and they show when they
are turned, lifted and laid again, or read at a second try. Document columbus-2016, lines 2284-2288; toledo-2020, 3844.

Judges nothing; knows no tableau.
"""

from __future__ import annotations

from pitwatch.rules.games.baccarat.tableau import HANDS, INITIAL

Cards = list[str | None]

SECOND_TRY_NS = 400_000_000
"""A card that is read so soon after an unread one was laid there is that one: nobody deals two so fast to one place."""


class Faces:
    def __init__(self) -> None:
        self._drawn: list[tuple[str | None, str | None]] = []
        """Place and face of cards that left the shoe and are not laid yet."""
        self.began()

    def began(self) -> None:
        self._laid_at: dict[str, int] = {}
        self._dealt: Cards = []
        """The first cards as they were laid."""
        self.guessed = False
        """A card was taken for one that is turned; it may have been a new one."""

    def forget(self, but_last: int = 0) -> None:
        """The round is over; `but_last`: so many of the cards drawn last are of the next."""
        self._drawn = self._drawn[-but_last:] if but_last else []

    def drew(self, to: str | None, card: str | None) -> None:
        self._drawn.append((to, card))

    def laid(self, t: int, to: str, card: str | None) -> str | None:
        """A new card is laid at a hand; its face, if the reader or the shoe knows it."""
        self._laid_at[to] = t
        if len(self._dealt) < 2 * INITIAL:
            self._dealt.append(card)
        for each in self._drawn:
            if each[0] in (to, None) and (card is None or each[1] in (card, None)):
                self._drawn.remove(each)
                return card if card is not None else each[1]
        return card

    def shows_again(self, t: int, to: str, card: str | None, hand: Cards, all_laid: bool | None) -> bool:
        """Whether this is a card that lies there already. `all_laid`: whether all cards out of the shoe lie on the
        felt; None if no shoe says so."""
        if card is None or to not in HANDS:
            return False
        if hand and hand[-1] is None and t - self._laid_at.get(to, t) <= SECOND_TRY_NS:
            return True
        if all_laid is not None:
            return all_laid and (card in hand or None in hand)
        backs = len(self._dealt) == 2 * INITIAL and not any(self._dealt)
        turned = backs and len(hand) >= INITIAL and None in hand
        self.guessed = self.guessed or turned
        return turned


def show(card: str | None, hand: Cards, another: bool = False) -> None:
    """A card of the hand shows its face; it may be known already, unless it is surely `another` than those read."""
    if card is not None and None in hand and (another or card not in hand):
        hand[hand.index(None)] = card
