"""Which irregularities, standing alerts and troubles are open, for a view that begins. Changes no event."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive import gaps
from pitwatch.floor.archive.database import existing
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.identity.finding import Finding
from pitwatch.floor.message import read_message
from pitwatch.floor.open_lines import AskArchive, Dated, OpenLines

MOST_OPEN = 1_000
"""Irregularities that are given, the newest; a view keeps 2,000 lines."""
PAGE = 2_000
"""Irregularities that are read at once."""
MOST_PAGES = 25
MOST_ACKNOWLEDGEMENTS = 500
"""That are given, the newest."""

COLUMNS = "site, table_id, id, sequence, subtopic, at, synced, payload"
IRREGULARITIES = f"""
    SELECT {COLUMNS} FROM events WHERE kind = 'irregularity' AND sequence IS NOT NULL
    ORDER BY at DESC, site, table_id, id LIMIT {PAGE} OFFSET :behind
"""
# The time of a record made before the clock was set says nothing of what it acknowledges.
ACKNOWLEDGED = f"""
    SELECT {COLUMNS} FROM events WHERE kind = 'request' AND payload LIKE :holds
    AND (at >= :since OR NOT synced)
"""
STANDING = f"""
    SELECT {COLUMNS} FROM events WHERE kind = 'alert' AND raised AND NOT EXISTS (
        SELECT 1 FROM events AS later WHERE later.kind = 'alert' AND later.name = events.name
        AND (later.site, later.table_id) = (events.site, events.table_id) AND later.sequence > events.sequence)
    ORDER BY at, site, table_id, id
"""
TROUBLES = """
    SELECT site, table_id, kind, subject, at, told, heard, said FROM troubles WHERE over_at IS NULL
    ORDER BY at, site, table_id, kind, subject
"""
REACHED = """
    SELECT site, table_id, sequence FROM (
        SELECT site, table_id, (
            SELECT max(r.sequence) FROM event_rows AS r WHERE r.table_ref = event_tables.table_ref) AS sequence
        FROM event_tables) AS tables WHERE sequence IS NOT NULL
"""
ENDED = """
    SELECT DISTINCT site, table_id FROM events WHERE kind = 'status' AND name IN ('lost', 'stopping') AND NOT EXISTS (
        SELECT 1 FROM events AS later WHERE later.kind = 'status' AND later.at > events.at
        AND (later.site, later.table_id) = (events.site, events.table_id))
"""

Found = dict[str, Any]
Acknowledged = dict[tuple[str, int], list[Found]]
"""Requests by table and by the sequence that they acknowledge."""


class _Data(msgspec.Struct):
    verb: str = ""
    accepted: bool = False
    arguments: dict[str, Any] = {}


class _Request(msgspec.Struct):
    data: _Data


def asking(database: str, prefix: str) -> AskArchive:
    """Asks the archive at this address: a connection for each question, none between them."""

    async def ask() -> OpenLines:
        try:
            store = existing(database)
            try:
                await store.open()
                return await open_now(store, prefix)
            finally:
                with contextlib.suppress(StoreError):
                    await store.close()
        except (StoreError, UsageError) as error:
            raise ConnectionError(str(error)) from None
        except (ValueError, RecursionError) as error:  # what this program did not write
            raise ConnectionError(f"the archive holds what cannot be read: {error}") from None

    return ask


async def open_now(store: Store, prefix: str) -> OpenLines:
    """`prefix` of the topics. Raises StoreError."""
    # First how far it is, then what is open: what is stored in between is not taken for known.
    reached = {_table(row): int(row["sequence"]) for row in await store.ask(REACHED)}
    ended = frozenset(_table(row) for row in await store.ask(ENDED))
    standing = await store.ask(STANDING)
    since = min((row["at"] for row in standing), default=None)
    done: Acknowledged = {}
    if since is not None:
        await _add_acknowledged(store, since, done)
    open_ones: list[Found] = []
    more = False
    for page in range(MOST_PAGES):
        rows = await store.ask(IRREGULARITIES, behind=page * PAGE)
        if rows:
            await _add_acknowledged(store, rows[-1]["at"], done)
        open_ones += [row for row in rows if not _is_acknowledged(row, done)]
        more = len(rows) == PAGE
        if not more or len(open_ones) > MOST_OPEN:
            break
    requests = sorted({row["id"]: row for rows in done.values() for row in rows}.values(), key=lambda row: row["at"])
    return OpenLines(
        _dated(reversed(open_ones[:MOST_OPEN]), prefix),
        _dated(standing, prefix),
        _dated(requests[-MOST_ACKNOWLEDGEMENTS:], prefix),
        [(_finding(row), _seconds(row["at"])) for row in await store.ask(TROUBLES)],
        reached,
        ended,
        sum(gap.last - gap.first + 1 for gap in await gaps.gaps(store)),
        more or len(open_ones) > MOST_OPEN,
    )


async def _add_acknowledged(store: Store, since: str, done: Acknowledged) -> None:
    """What has been acknowledged since that time, besides what is there."""
    for row in await store.ask(ACKNOWLEDGED, since=since, holds="%acknowledge%"):
        try:
            request = msgspec.json.decode(row["payload"], type=_Request).data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        of = request.arguments.get("sequence")
        if request.verb == "acknowledge" and request.accepted and isinstance(of, int) and row["sequence"] is not None:
            those = done.setdefault((_table(row), of), [])
            if all(row["id"] != each["id"] for each in those):
                those.append(row)


def _is_acknowledged(row: Found, done: Acknowledged) -> bool:
    """By a request after it. A new board may give a sequence again that an older request acknowledged."""
    for request in done.get((_table(row), row["sequence"]), ()):
        dated = row["synced"] and request["synced"]
        if request["sequence"] > row["sequence"] and not (dated and request["at"] < row["at"]):
            return True
    return False


def _dated(rows: Any, prefix: str) -> list[Dated]:
    found = []
    for row in rows:
        topic = f"{prefix}/{_table(row)}/{row['subtopic']}"
        with contextlib.suppress(ValueError):  # stored by an older Pitwatch, which took more
            found.append(Dated(read_message(prefix, topic, row["payload"].encode(), False), _seconds(row["at"])))
    return found


def _finding(row: Found) -> Finding:
    heard, said = (msgspec.json.decode(row[name]) for name in ("heard", "said"))
    return Finding(_table(row), row["kind"], row["subject"], row["told"], heard, said)


def _table(row: Found) -> str:
    return f"{row['site']}/{row['table_id']}"


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
