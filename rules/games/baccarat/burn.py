"""The burn that opens a shoe: the first card is turned face up, then as many are drawn as it is worth.

Belongs to any game whose book has the table `burn` (rank to number of cards). Tells the procedure which cards of a shoe
that does not know where they go are burn cards; must not know what is dealt after them.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.play.cards import rank

BURN, DISCARD = "burn", "discard"

HELD = 4
"""So many cards past the burn, still no call, are a round that nobody called, not cards burnt too many."""


class Burn:
    """Armed by the start of a shoe, over with the call or the first card of a round.

    A shoe of which no burn card was seen at all is not judged: the cards may have been taken out by hand.
    """

    def __init__(self, desk: Desk):
        self._desk = desk
        self._worth: dict[str, int] = desk.game.tables.get("burn", {})
        self._emptied = False
        self._open = False
        self._clear()

    def _clear(self) -> None:
        self._first: str | None = None
        self._cards = 0
        self._seqs: list[int] = []
        self._guessed: list[Observation] = []
        self._rack: int | None = None
        self._by_reader = False
        self._complete = True
        """False if not all cards of the burn can have been seen."""

    @property
    def required(self) -> int | None:
        """Cards that follow the first; None if that was not read, or is no card of the game."""
        return self._worth.get(rank(self._first)) if self._first else None

    def shoe_started(self) -> None:
        self._clear()
        self._open = bool(self._worth)

    def emptied(self) -> None:
        self._emptied = True

    def cards_counted(self, cards: int | None) -> None:
        """The discard rack's count, of use only if the rack was seen empty and no round was dealt since."""
        if self._open and self._emptied:
            self._rack = cards

    def abandon(self) -> None:
        """Cards may have gone unseen."""
        self._complete = False

    def note(self, card: str | None, by_reader: bool, counts: bool = True) -> None:
        """A card that a device says was burnt. `counts`: it was drawn as part of the game."""
        if not self._open:
            return
        if not counts:
            self.abandon()
            return
        if not self._cards:
            self._first = card
        self._cards += 1
        self._seqs.append(self._desk.seq)
        self._by_reader = by_reader

    def guess(self, observation: Observation, card: str | None, called: bool) -> bool:
        """Whether a card of unknown position belongs to the burn. `called`: a call will say when the burn is over."""
        if not self._open or (self.unknown and not called):
            return False
        required = self.required
        due = 1 + (max(self._worth.values()) if required is None else required) if self._cards else 1
        if self._cards >= due and (required is None or not called):
            return False
        self.note(card, by_reader=False)
        if self._cards > due:
            self._guessed.append(observation)
        return True

    @property
    def unknown(self) -> bool:
        """Whether it is unknown where the burn ends: its first card was not read and no call will come."""
        return self._open and self._cards > 0 and self.required is None

    def held(self) -> list[Observation]:
        """Cards taken for the burn that are a whole round nobody called; empty until there are enough of them."""
        if len(self._guessed) < HELD:
            return []
        held, self._guessed = self._guessed, []
        self._cards -= len(held)
        del self._seqs[-len(held) :]
        return held

    def over(self) -> None:
        """A round begins: judge the burn, once a shoe."""
        opened, self._open, emptied = self._open, False, self._emptied
        self._emptied = False
        required = self.required
        if not opened or required is None or not self._complete:
            return
        burned = self._cards - 1
        if self._by_reader and burned == 0:
            # only the turned card lay where a reader sees it; the rest went to the rack
            if self._rack is None or not emptied:
                return
            burned = self._rack - 1
        if burned != required:
            self._desk.breach(
                "burn-count-wrong",
                {"first_card": self._first, "burned": burned},
                {"burned": required},
                self._seqs,
            )
