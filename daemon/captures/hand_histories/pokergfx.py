"""Exports of PokerGFX 3.2: JSON with `Hands[]`, each with `Players[]` (hole cards) and `Events[]` (folds, board cards).

An export does not contain the order in which players were dealt: cards come in order of the players' numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from pitwatch.daemon.captures.hand_histories.hand import Bet, Board, Cards, Dealt, Folded, Hand, Step, card, seat
from pitwatch.daemon.common.errors import UsageError

RIGHT = 'a PokerGFX export is {"Hands": [{"Players": [...], "Events": [...]}]}'


def read(path: str, content: bytes) -> list[Hand]:
    """The hands of an export, but for those in which nobody was dealt in. Raises UsageError."""
    try:
        file = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not readable: {error}; {RIGHT}") from None
    hands = file.get("Hands") if isinstance(file, dict) else None
    if not isinstance(hands, list):
        raise UsageError(f"{path}: Hands: missing; {RIGHT}")
    found = []
    for number, entry in enumerate(hands):
        try:
            name = str(entry.get("HandNum", number + 1))
            steps = (*_dealt(entry.get("Players") or ()), *_played(entry.get("Events") or ()))
        except (ValueError, TypeError, AttributeError) as error:
            raise UsageError(f"{path}: Hands[{number}]: {error}; {RIGHT}") from None
        if any(isinstance(step, Dealt) for step in steps):
            found.append(Hand(name, steps))
    return found


def _dealt(players: Iterable[dict[str, Any]]) -> Iterator[Step]:
    """Cards of those who sit in. Who shows none ("") has as many unread ones as the others hold."""
    held = {}
    for player in players:
        if not player.get("SittingOut"):
            held[seat(player["PlayerNum"])] = _cards(player.get("HoleCards"))
    most = max(map(len, held.values()), default=0) or 2
    for place, cards in sorted(held.items()):
        yield Dealt(place, cards or (None,) * most)


def _played(events: Iterable[dict[str, Any]]) -> Iterator[Step]:
    for event in events:
        match str(event.get("EventType", "")).replace("_", " "):
            case "FOLD":
                yield Folded(seat(event["PlayerNum"]))
            case "BOARD CARD":
                yield Board(_cards(event.get("BoardCards")))
            case _:
                yield Bet()


def _cards(value: Any) -> Cards:
    """ "qd", "10d 9d", ["10d 9d"] or ["7s", "7h"]; none for "" and null."""
    texts = [value] if isinstance(value, str) else value or []
    return tuple(card(word) for text in texts for word in text.split())
