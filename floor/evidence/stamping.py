"""Has each hour's signed heads stamped by the authority that the house names (RFC 3161), and keeps the stamps.

An authority that is away, refuses or answers wrongly is reported, noted in the archive and asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.evidence.timestamps import MOST_REPLY, StampError, checked, query
from pitwatch.floor.archive.lease import leased
from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.evidence.config import TimestampSection
from pitwatch.floor.evidence.heads import Due, due, row_of
from pitwatch.floor.identity.approved import Approved
from pitwatch.rules.text.one_line import one_line

LOOK_EVERY = 20.0
"""Seconds. A lease holds for longer."""

AGAIN_AFTER = (60.0, 600.0)
"""Seconds until an authority is asked again: at first, and at most."""

PATIENCE = 15.0
"""Seconds that the authority may take."""

LEASE = "stamps"

PUT_HEAD = """
    INSERT INTO stamped_heads VALUES (:digest, :position, :site, :table_id, :key, :sequence, :hash, :head, :path)
    ON CONFLICT DO NOTHING
"""
PUT = "INSERT INTO stamps VALUES (:digest, :at, :hour, :authority, :stamped, :reply) ON CONFLICT DO NOTHING"
LAST_HOUR = "SELECT max(hour) AS hour FROM stamps"
NOT_STAMPED = """
    INSERT INTO not_stamped VALUES (:authority, :at, :at, 1, :reason) ON CONFLICT (authority) DO UPDATE
    SET at = excluded.at, times = not_stamped.times + 1, reason = excluded.reason
"""
STAMPED = "DELETE FROM not_stamped"

log = logging.getLogger("pitwatch.archive")


class Stamper:
    """One instance's way to the authority. `holder`: this instance's name, for the lease. `approved`: whose heads are
    stamped."""

    def __init__(
        self,
        store: Store,
        config: TimestampSection,
        holder: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        approved: Approved | None = None,
    ):
        self._store = store
        self._config = config
        self._holder = holder
        self._now = now
        self._approved = approved
        self._told = ""
        self._wait = 0.0
        self._not_before = 0.0

    async def run(self) -> None:
        """Until cancelled. Raises StoreError."""
        if not self._config.url:
            await asyncio.Event().wait()
        while True:
            try:
                if time.monotonic() >= self._not_before and await leased(self._store, LEASE, self._holder):
                    await self.look()
            except RefusedError as error:
                self._say(f"the stamps cannot be kept: {error}")
            await asyncio.sleep(LOOK_EVERY)

    async def look(self) -> bool:
        """Have what is due stamped; whether a stamp was stored. Raises StoreError."""
        hour = self._now().strftime("%Y-%m-%dT%H")
        last = (await self._store.ask(LAST_HOUR))[0]["hour"]
        if last is not None and last >= hour:
            return False
        try:
            what = await due(self._store, self._approved)
            if what is None:
                return False
            reply, at = await asyncio.to_thread(self._stamp, what)
        except (StampError, UsageError) as error:
            await self._failed(one_line(str(error)))
            return False
        await self._keep(what, hour, at, reply)
        return True

    def _stamp(self, what: Due) -> tuple[bytes, datetime]:
        """Raises StampError, UsageError."""
        data = what.stamped.encode()
        asked = query(data)
        try:
            ca = Path(self._config.ca).read_bytes()
        except OSError as error:
            raise UsageError(f"{self._config.ca}: cannot be read: {error.strerror}") from None
        reply = _posted(self._config.url, asked)
        return reply, checked(reply, data, ca, asked).at

    async def _keep(self, what: Due, hour: str, at: datetime, reply: bytes) -> None:
        digest = hashlib.sha256(what.stamped.encode()).hexdigest()
        for head in what.heads:
            await self._store.change(PUT_HEAD, **row_of(head, digest))
        authority = one_line(self._config.url)
        values = {"digest": digest, "at": iso(at), "hour": hour, "authority": authority, "stamped": what.stamped}
        await self._store.change(PUT, **values, reply=reply)  # last: without it, nothing of the above counts
        await self._store.change(STAMPED)
        self._wait = self._not_before = 0.0
        if self._told:
            log.info("the time-stamp authority %s answers again", authority)
            self._told = ""
        log.info("%d heads of tables existed before %s, says %s", len(what.heads), iso(at), authority)

    async def _failed(self, reason: str) -> None:
        self._wait = min(max(self._wait * 2, AGAIN_AFTER[0]), AGAIN_AFTER[1])
        self._not_before = time.monotonic() + self._wait
        authority = one_line(self._config.url)
        values = {"authority": authority, "at": iso(datetime.now(UTC)), "reason": reason}
        await self._store.change(NOT_STAMPED, **values)
        self._say(f"the heads of this hour have no time stamp: {authority}: {reason}; asking again")

    def _say(self, what: str) -> None:
        if what != self._told:
            self._told = what
            log.warning("%s", what)


def _posted(url: str, asked: bytes) -> bytes:
    """The authority's answer. Raises StampError."""
    request = urllib.request.Request(url, asked, {"Content-Type": "application/timestamp-query"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            kind = answer.headers.get_content_type()
            reply, ends = b"", time.monotonic() + PATIENCE
            while len(reply) <= MOST_REPLY and (part := answer.read1(MOST_REPLY + 1)):
                reply += part
                if time.monotonic() > ends:  # byte by byte, each in time
                    raise StampError(f"the authority takes longer than {PATIENCE:.0f} s for its answer")
    except urllib.error.HTTPError as error:
        error.close()
        raise StampError(f"the authority answers HTTP {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise StampError(f"the authority cannot be reached: {reason or type(error).__name__}") from None
    if kind != "application/timestamp-reply":
        raise StampError(f"the authority answers with {kind}, which is no time stamp")
    return reply
