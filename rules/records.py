"""The output of the rules: rounds, irregularities and alerts, as they are journalled and published.

Shapes are the contract (docs/contract.md, sections 3 and 6). Must not know how they are stored or sent.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

Category = Literal["procedure", "misdeal", "no-spin", "no-roll", "equipment", "integrity", "jackpot"]
Severity = Literal["notice", "warning", "alert", "critical"]
Disposition = Literal[
    "none-stated", "correct-and-continue", "hand-void", "all-hands-void", "no-spin", "no-roll",
    "verify-and-hand-shuffle", "verify-and-reshuffle", "finish-round-then-reshuffle", "inspect", "replace-set",
    "lock-out",
]  # fmt: skip

VOIDING: frozenset[str] = frozenset({"all-hands-void", "no-spin", "no-roll"})
"""Dispositions after which the round, spin or roll does not count."""


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """Where the rule is written: the document's file name, its section, its line numbers, and its title for people."""

    document: str
    section: str
    lines: str
    title: str = ""


class Irregularity(msgspec.Struct, frozen=True, kw_only=True):
    """A breach of a written rule. `rule` is BOOK/GAME/RULE-ID; `evidence` holds journal sequences, in order."""

    rule: str
    category: Category
    severity: Severity
    round: int | None
    observed: dict[str, Any]
    required: dict[str, Any]
    disposition: Disposition
    instruction: str
    notify: tuple[str, ...]
    citation: Citation
    evidence: tuple[int, ...]

    kind = "irregularity"


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One round of play, spin or roll. Times in seconds of the board's monotonic clock."""

    round: int
    game: str
    opened: float
    closed: float
    partial: bool
    void: str | None
    cards: dict[str, list[str | None]]
    counts: dict[str, int]
    result: dict[str, Any]
    irregularities: tuple[str, ...]
    not_observable: tuple[str, ...] | UnsetType = UNSET
    """Rules of the book that this table can judge but could not in this round: a device was off line or not aligned."""

    kind = "round"


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that lasts, raised or cleared. `since` in seconds of the board's monotonic clock."""

    key: str
    raised: bool
    condition: str
    device: str
    since: float
    detail: dict[str, Any] = {}

    kind = "alert"


Record = Round | Irregularity | Alert


def seconds(t: int) -> float:
    """Integer nanoseconds as the seconds that records carry."""
    return t / 1_000_000_000
