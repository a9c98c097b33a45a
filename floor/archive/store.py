"""The database interface of the archive, for every back end. SQL is written once, with `:name` for a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pitwatch.floor.archive.keep import Rule
from pitwatch.floor.archive.row import Row

if TYPE_CHECKING:
    from pitwatch.floor.archive.removing import Spared

NAMED = re.compile(r"(?<=[\s(,=]):([a-z_]+)")

OF_TABLE = "table_ref = (SELECT table_ref FROM event_tables WHERE (site, table_id) = (:site, :table_id))"
"""Confines a question about `events` to one table, by a number that both databases find in an index, in order."""


class StoreError(Exception):
    """The database cannot be used now; one line says why. It may be back later."""


class RefusedError(StoreError):
    """The database is there, but it does not take these data; one line says why. Again they will be refused again."""


class Latest(NamedTuple):
    """The newest health of a table: when, up to where the broker had its records then, and the message."""

    site: str
    table_id: str
    at: str
    delivered: int
    payload: str


Change = tuple[str, dict[str, Any]]
"""A statement and its values."""


class Store(Protocol):
    """Every method raises StoreError; RefusedError where the data are at fault and another's could be stored."""

    size: str
    """SQL for the bytes of the database."""

    hour: str
    """SQL for the hour of `at` as 2026-11-28T03."""

    async def open(self) -> None:
        """Connect, and make the tables that are not there. Again after a StoreError."""

    async def put(self, rows: Sequence[Row], latest: Sequence[Latest]) -> list[Row]:
        """Store what is not there yet, all of it or nothing, safe on disk; returns what is new."""

    async def ask(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """The rows of a query, times as text."""

    async def change(self, sql: str, **values: Any) -> int:
        """Run a statement; returns how many rows it changed."""

    async def change_all(self, changes: Sequence[Change]) -> bool:
        """Run statements in one transaction. If one of them changes no row, none is run, and this returns False."""

    unmonthly: str
    """SQL: of `event_rows AS r`, what is in no month's partition."""

    async def remove_months(self, rules: Sequence[Rule], spared: Spared, now: datetime) -> int:
        """Remove months that the rules no longer keep; how many events. 0 where events are not stored by month."""

    async def close(self) -> None: ...
