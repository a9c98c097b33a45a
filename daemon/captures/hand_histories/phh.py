"""The Poker Hand History format, version of https://phh.readthedocs.io (TOML; Kim 2024, "Recording and Describing Poker
Hands"). Reads only who was dealt, showed, discarded or folded what, because no device sees amounts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from pitwatch.daemon.captures.hand_histories.hand import (
    Bet,
    Board,
    Cards,
    Dealt,
    Discarded,
    Folded,
    Hand,
    Shown,
    Step,
    card,
    seat,
)
from pitwatch.daemon.common.errors import UsageError

CARDS = re.compile(r"(?:[2-9TJQKA?][cdhs?])*\Z")


def read(path: str, content: bytes) -> list[Hand]:
    """The hands of a `.phh` (one) or a `.phhs` (many, each a table named by its number). Raises UsageError."""
    try:
        file = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: no PHH, for it is no TOML: {error}") from None
    tables = [("", file)] if "actions" in file else [(name, table) for name, table in file.items()]
    if not tables:
        raise UsageError(f"{path}: no hand; a PHH has variant and actions")
    return [_hand(path, name, table) for name, table in tables]


def _hand(path: str, name: str, table: Any) -> Hand:
    where = f"{path}: " + (f"[{name}] " if name else "")
    if not isinstance(table, dict) or not isinstance(table.get("actions"), list):
        raise UsageError(f'{where}actions: missing; a list such as ["d dh p1 AcKd", "p1 f"]')
    seats = table.get("seats")
    try:
        if seats is not None and not (isinstance(seats, list) and all(type(each) is int for each in seats)):
            raise UsageError(f"{where}seats: no list of numbers")
        steps = tuple(
            step
            for number, action in enumerate(table["actions"])
            for step in _action(f"{where}actions[{number}]", action, seats)
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    return Hand(str(table.get("hand", name or "1")), steps)


def _action(where: str, action: Any, seats: list[int] | None) -> Iterator[Step]:
    """Raises ValueError with `where`."""
    if not isinstance(action, str):
        raise ValueError(f"{where}: no text")
    words = action.partition("#")[0].split()
    try:
        match words:
            case []:
                return
            case ["d", "dh", player, cards]:
                yield Dealt(_seat(player, seats), _cards(cards))
            case ["d", "db", cards]:
                yield Board(_cards(cards))
            case [player, "f"]:
                yield Folded(_seat(player, seats))
            case [player, "sd", *cards] if len(cards) < 2:
                yield Discarded(_seat(player, seats), _cards("".join(cards)))
            case [player, "sm"]:
                yield Folded(_seat(player, seats))
            case [player, "sm", "-"]:
                yield Folded(_seat(player, seats))
            case [player, "sm", cards]:
                yield Shown(_seat(player, seats), _cards(cards))
            case [player, "pb" | "cc"] | [player, "cbr", _]:
                _seat(player, seats)
                yield Bet()
            case _:
                raise ValueError('no action; such as "d dh p1 AcKd", "d db 7s8s9s", "p1 cbr 200", "p1 f"')
    except ValueError as error:
        raise ValueError(f"{where}: {action!r}: {error}") from None


def _seat(player: str, seats: list[int] | None) -> str:
    if not re.fullmatch(r"p[1-9][0-9]?", player):
        raise ValueError(f"{player!r} is no player; such as p1")
    number = int(player[1:])
    if seats is None:
        return seat(number)
    if number > len(seats):
        raise ValueError(f"{player} has no seat in seats")
    return seat(seats[number - 1])


def _cards(text: str) -> Cards:
    if not CARDS.match(text):
        raise ValueError(f"{text!r} is no row of cards")
    return tuple(card(text[at : at + 2]) for at in range(0, len(text), 2))
