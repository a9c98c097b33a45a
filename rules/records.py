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

    says: str = ""
    """The rule's own sentence, which a reader needs first; empty in records of earlier versions."""
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
    counted: dict[str, list[int]] | UnsetType = UNSET
    """The statistics that this round counts in, each with the places of its counts that went up."""

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


StatisticLevel = Literal["record", "notice", "alert", "critical"]


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """What a stretch of play adds up to. Times in seconds; a mean is null where no round shows it. The phases are those
    of docs/archive.md, Pace."""

    rounds: int
    partial: int
    open_s: float
    """Rounds and the time between them."""
    rounds_an_hour: float | None
    seats_a_round: float | None
    """Null without seat sensors."""
    bets_open_s: float | None
    no_more_bets_s: float | None
    result_s: float | None
    next_s: float | None
    shuffle_s: float
    """Shuffles outside rounds."""
    jam_s: float
    voids_per_100: float | None
    irregularities_per_100: float | None


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a table is played, as far as this run of the daemon saw it. `open`: false once no round was seen for the
    house's `idle_minutes`; `since`: when that began, in seconds of the board's monotonic clock; `target`: rounds an
    hour that the house expects; `dealer`: who deals, as in the name of a signature."""

    game: str
    open: bool
    since: float
    target: float | None
    dealer: str | None
    hour: Played
    """The last hour."""
    turn: Played
    """Since this dealer took over."""
    opening: Played
    """Since the table opened."""


class Statistic(msgspec.Struct, frozen=True, kw_only=True):
    """How a monitor stands (docs/fairness.md). `key`: what it is kept apart by, "" for one that is not; `epoch`: goes
    up when the equipment is changed or serviced; `since`: number of the first round that counts, 0 for none yet; `n`:
    outcomes counted; `ln_e`: natural logarithm of E; `r` and `c`: the alarm is at r = c."""

    monitor: str
    key: str
    epoch: int
    since: int
    n: int
    ln_e: float
    r: float
    c: float
    level: StatisticLevel
    told: dict[str, Any] | None
    """The suspicion that has gained most: `kind`, `cells` (places of `counts`), `lift`. Below `notice` it means
    nothing."""
    counts: tuple[int, ...] | UnsetType = UNSET
    """Outcomes by place; absent for cards."""
    pace: Pace | UnsetType = UNSET
    """Of the monitor `pace` only."""

    kind = "statistic"


class StatisticState(msgspec.Struct, frozen=True, kw_only=True):
    """What a later run needs to go on with a monitor. It stays in the journal. `equipment`: what is counted; `upto`:
    the last round that counts in it; `level` by its number; `numbers`: R of each bet, little-endian doubles in base64;
    `recent`: the newest outcomes, bytes in base64."""

    monitor: str
    key: str
    equipment: str
    epoch: int
    since: int
    upto: int
    level: int
    counts: tuple[int, ...]
    numbers: str
    recent: str

    kind = "statistic_state"


class Kept(msgspec.Struct, frozen=True):
    """What an earlier run left of its monitors: their states, and the rounds since by number with their `counted`."""

    states: tuple[StatisticState, ...] = ()
    counted: tuple[tuple[int, dict[str, list[int]]], ...] = ()


NOTHING_KEPT = Kept()

Record = Round | Irregularity | Alert | Statistic | StatisticState


def seconds(t: int) -> float:
    """Integer nanoseconds as the seconds that records carry."""
    return t / 1_000_000_000
