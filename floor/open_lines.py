"""What an archive knows to be open: read there, shown by a view that begins its work. Opens nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from pitwatch.floor.identity.finding import Finding
from pitwatch.floor.message import Message


class Dated(NamedTuple):
    """`at`: when it happened, in seconds since 1970, by the archive's corrected time."""

    message: Message
    at: float


class OpenLines(NamedTuple):
    """`reached`: the highest sequence stored of each table, as SITE/TABLE. `ended`: tables whose newest stored status
    is lost or stopping. `lacking`: records that the archive misses below `reached`. `more`: there are more
    irregularities than these."""

    irregularities: list[Dated]
    standing: list[Dated]
    acknowledgements: list[Dated]
    troubles: list[tuple[Finding, float]]
    reached: dict[str, int]
    ended: frozenset[str]
    lacking: int
    more: bool


AskArchive = Callable[[], Awaitable[OpenLines]]
"""Raises ConnectionError, in one line, if the archive cannot answer now."""
