"""Hand histories of poker as captures: `capture(path, text, config)` gives the lines that a replay takes.

Two formats, distinguished by the file's name: PHH (`.phh`, `.phhs`) and PokerGFX exports (`.json`). A history holds
cards and actions, not devices, so each card becomes what a reader under the felt would see of it. It holds no burn
cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from pitwatch.daemon.captures.capture import Line
from pitwatch.daemon.captures.hand_histories import phh, pokergfx
from pitwatch.daemon.captures.hand_histories.seen import observations
from pitwatch.daemon.config import Config

READERS = {".phh": phh.read, ".phhs": phh.read, ".json": pokergfx.read}
"""By the file's suffix. A capture is `.jsonl` or has any other name."""


def is_one(path: str) -> bool:
    """Whether the name is that of a hand history."""
    return PurePath(path).suffix.lower() in READERS


def capture(path: str, content: bytes, config: Config) -> Iterator[tuple[int, Line]]:
    """(number of the hand, line) for the table's own reader and panel. Raises UsageError."""
    hands = READERS[PurePath(path).suffix.lower()](path, content)
    return observations(path, hands, config)
