"""A hand of poker from a history, in order. Independent of formats and devices."""

from __future__ import annotations

from typing import NamedTuple

from pitwatch.devices.vocabulary import is_card, is_seat

Cards = tuple[str | None, ...]


class Dealt(NamedTuple):
    """Cards to a seat; None is a card that nobody showed."""

    seat: str
    cards: Cards


class Board(NamedTuple):
    cards: Cards


class Discarded(NamedTuple):
    seat: str
    cards: Cards


class Folded(NamedTuple):
    """The hand is out, its cards are taken away."""

    seat: str


class Shown(NamedTuple):
    seat: str
    cards: Cards


class Bet(NamedTuple):
    """Somebody acted and no card moved."""


Step = Dealt | Board | Discarded | Folded | Shown | Bet


class Hand(NamedTuple):
    name: str
    steps: tuple[Step, ...]


def seat(number: int) -> str:
    """ "seat-N". Raises ValueError beyond the nine that a table can name."""
    name = f"seat-{number}"
    if not is_seat(name):
        raise ValueError(f"player {number} has no seat; seats 1 to 9 have names")
    return name


def card(text: str) -> str | None:
    """A card such as "Td", "10d" or "td"; None for "??". Raises ValueError."""
    if text == "??":
        return None
    read = text.upper().replace("10", "T")
    if not is_card(read):
        raise ValueError(f'{text!r} is no card; such as "Td", or "??" for one that nobody saw')
    return read
