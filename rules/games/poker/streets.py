"""How a poker hand is dealt, as its book says: `[[tables.street]]`, one entry a dealing round.

    id = "turn"
    to = "community"          or "hands": every hand still in play
    cards = "turn-cards"      the figure that says how many (each hand gets so many; the board in all)
    draw = "draw-at-most"     instead of `cards`: a hand may replace up to so many
    burn = "burn"             the figure that says how many are burned before it; without it the document says nothing
    burn-optional = true      a burn is in place but nobody writes that it must be
    when = { game = "omaha" } the entry belongs to houses with this option only

Table `burn-again`: a street that was taken back gets another burn when it is dealt again; without it the document does
not say. Rules `card-dealt-off-table` and `forced-bet-fold` say that cards are dealt out of the usual order.

Figure `hole-cards-kept`: cards that a hand keeps of those, where it must discard. Knows no ranking and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pitwatch.rules.game import Game

HANDS = "hands"
COMMUNITY = "community"


class Street(NamedTuple):
    id: str
    to: str
    cards: int
    """Cards to each hand, or to the board; 0 in a draw."""
    draw: int
    """Cards a hand may replace at most; 0 if this is no draw."""
    burn: int | None
    """Cards burned before it; None if the document does not say."""
    burn_optional: bool

    @property
    def deals_hands(self) -> bool:
        return self.to == HANDS and not self.draw

    @property
    def needs_burn(self) -> bool:
        """Whether dealing it without a burn is a fault."""
        return bool(self.burn) and not self.burn_optional


def chosen(entries: Iterable[dict[str, Any]], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of a table that belong to a house with these options."""
    return [each for each in entries if all(options.get(k) == v for k, v in each.get("when", {}).items())]


class Streets:
    """Raises KeyError if the book has no such table, or names a figure that it does not state."""

    def __init__(self, game: Game, options: Mapping[str, Any]):
        self.all = tuple(
            Street(
                id=entry["id"],
                to=entry["to"],
                cards=int(game.figure(entry["cards"])) if "cards" in entry else 0,
                draw=int(game.figure(entry["draw"])) if "draw" in entry else 0,
                burn=int(game.figure(entry["burn"])) if "burn" in entry else None,
                burn_optional=bool(entry.get("burn-optional", False)),
            )
            for entry in chosen(game.tables["street"], options)
        )
        self.last = len(self.all) - 1
        self.draws = any(street.draw for street in self.all)
        self.board = sum(street.cards for street in self.all if street.to == COMMUNITY)
        """Community cards of a whole hand."""
        self.burn_again = bool(game.tables.get("burn-again", False))
        self.dead_cards = "card-dealt-off-table" in game.rules
        """Whether a dead card is replaced when the street is dealt, and becomes the next burn."""
        self.deals_folded = "forced-bet-fold" in game.rules
        """Whether a seat whose hand is folded goes on receiving cards until there is a bet."""
        kept = game.figures.get("hole-cards-kept")
        self.kept: int = self.need(self.last) if kept is None else int(kept.value)
        """Cards that a hand may hold at the showdown."""

    def __getitem__(self, index: int) -> Street:
        return self.all[index]

    def next(self, index: int, to: str) -> int | None:
        """The next street after `index` that deals to `to`, past draws in which nobody drew; None if there is none."""
        for following in range(index + 1, len(self.all)):
            street = self.all[following]
            if street.to == to and not street.draw:
                return following
            if not street.draw:
                return None
        return None

    def first(self, to: str) -> int | None:
        """The first street that deals to `to`."""
        return next((i for i, street in enumerate(self.all) if street.to == to and not street.draw), None)

    def next_draw(self, index: int) -> int | None:
        """The street after `index`, if it is a draw."""
        following = index + 1
        return following if following < len(self.all) and self.all[following].draw else None

    def next_dealt(self, index: int) -> int | None:
        """The next street after `index` that is no draw; None if there is none."""
        return next((i for i in range(index + 1, len(self.all)) if not self.all[i].draw), None)

    def need(self, index: int) -> int:
        """The cards that every hand has been dealt by the end of this street, draws left out."""
        return sum(street.cards for street in self.all[: index + 1] if street.deals_hands)
