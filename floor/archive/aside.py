"""Messages that cannot be a row of `events`: stored as received, counted and reported, so that they block nothing."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime

from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.rules.text.one_line import one_line

UNREADABLE, IMPOSSIBLE, REFUSED, CONFLICT = "unreadable", "impossible", "refused", "conflict"
"""Kinds of trouble: no event at all; an event that no table would send; an event that the database does not take;
another record under an id that is known, which is a forgery or a fault."""

MOST_TOLD = 10_000
"""Tables and kinds of trouble that one line each is written about."""

PUT = """
    INSERT INTO put_aside VALUES (:digest, :site, :table_id, :topic, :at, :trouble, :reason, :message)
    ON CONFLICT DO NOTHING
"""

BY_TABLE = """
    SELECT site, table_id, trouble, count(*) AS messages, max(at) AS last_at, max(reason) AS reason FROM put_aside
    GROUP BY site, table_id, trouble ORDER BY site, table_id, trouble
"""

log = logging.getLogger("pitwatch.archive")


class Aside:
    """One instance's way there. A message that comes again is there once."""

    def __init__(self, store: Store):
        self._store = store
        self._told: set[tuple[str, str]] = set()
        self.count = 0
        """Messages put aside since the start."""

    async def put(self, table: str, topic: str, message: bytes, trouble: str, reason: str) -> None:
        """`table` is SITE/TABLE or empty. Raises StoreError if the database is away."""
        table, topic, reason = _plain(table), _plain(topic), _plain(reason)
        site, _, table_id = table.partition("/")
        try:
            new = await self._store.change(
                PUT,
                digest=hashlib.sha256(topic.encode() + b"\0" + message).hexdigest(),
                site=site,
                table_id=table_id,
                topic=topic,
                at=iso(datetime.now(UTC)),
                trouble=trouble,
                reason=reason,
                message=message,
            )
        except RefusedError as error:  # too large for any column: said, and gone
            log.error("%s: a message of %d bytes could be kept nowhere: %s", topic, len(message), error)
            new = 1
        self.count += new
        if new and (table, trouble) not in self._told and len(self._told) < MOST_TOLD:
            self._told.add((table, trouble))
            level = logging.CRITICAL if trouble == CONFLICT else logging.WARNING
            log.log(level, "put aside, more of this table and kind untold (pitwatch archive gaps): %s", reason)


def _plain(text: str) -> str:
    """In ASCII, which every database takes in every encoding."""
    return one_line(text.encode("ascii", "backslashreplace").decode())
