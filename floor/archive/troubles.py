"""Troubles in the archive's database: the runs and signed heads of tables, and the findings.

A finding is stored in `troubles`, is critical, and is reported once. Several instances share their knowledge through
the database. The judgement is made in floor/identity.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.journal.statements import is_genuine
from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.identity.approved import KEY, Approved
from pitwatch.floor.identity.finding import Ended, Finding
from pitwatch.floor.identity.judging import Judge, Statement, claim_of, statement
from pitwatch.floor.identity.past import MOST_HEADS, MOST_RUNS, Claim, Past, Run
from pitwatch.floor.message import Message
from pitwatch.rules.text.one_line import one_line

JUDGE_EVERY = 1.0
"""Seconds."""
MOST_LOGGED = 100
"""Lines about one table in one run of the archive; all of it is in `troubles`."""

OF_TABLE = "(site, table_id) = (:site, :table_id)"
RUNS = f"SELECT * FROM runs WHERE {OF_TABLE} ORDER BY last DESC LIMIT {MOST_RUNS}"
HEADS = f"SELECT key, sequence, hash FROM heads WHERE {OF_TABLE} ORDER BY sequence DESC LIMIT {MOST_HEADS}"
TOLD = f"SELECT kind, subject, heard FROM troubles WHERE {OF_TABLE} ORDER BY at"
STANDING = "SELECT site, table_id, kind, at, told FROM troubles WHERE over_at IS NULL ORDER BY site, table_id, at, kind"

COUNTED = f"{OF_TABLE} AND sequence > :after AND coalesce(name, '') <> 'record_lost'"
SINCE = f"""
    SELECT boot, min(sequence) AS first, max(sequence) AS last, min(CASE WHEN synced THEN at END) AS began
    FROM events WHERE {COUNTED} GROUP BY boot
"""
STARTS = f"SELECT boot, sequence, payload FROM events WHERE {COUNTED} AND kind = 'system' AND name = 'started'"
NEWEST_CHECKPOINT = f"""
    SELECT payload FROM events WHERE {OF_TABLE} AND sequence BETWEEN :first AND :last AND kind = 'checkpoint'
    AND boot = :boot ORDER BY sequence DESC LIMIT 1
"""

PUT_RUN = """
    INSERT INTO runs VALUES (:site, :table_id, :boot, :first, :last, :met, :began, :committed, :refused, :aside, :below,
        :key, :claim_sequence, :claim_boot, :claim_last)
    ON CONFLICT (site, table_id, boot) DO UPDATE SET
        first = CASE WHEN excluded.first < runs.first THEN excluded.first ELSE runs.first END,
        last = CASE WHEN excluded.last > runs.last THEN excluded.last ELSE runs.last END,
        began = CASE WHEN runs.began = 0 OR (excluded.began > 0 AND excluded.began < runs.began)
            THEN excluded.began ELSE runs.began END,
        committed = CASE WHEN excluded.committed > runs.committed THEN excluded.committed ELSE runs.committed END,
        refused = excluded.refused, aside = runs.aside OR excluded.aside, below = runs.below OR excluded.below,
        key = CASE WHEN runs.key = '' THEN excluded.key ELSE runs.key END,
        claim_sequence = coalesce(runs.claim_sequence, excluded.claim_sequence),
        claim_boot = coalesce(runs.claim_boot, excluded.claim_boot),
        claim_last = coalesce(runs.claim_last, excluded.claim_last)
"""
HEAD = f"SELECT hash FROM heads WHERE {OF_TABLE} AND key = :key AND sequence = :sequence"
PUT_HEAD = "INSERT INTO heads VALUES (:site, :table_id, :key, :sequence, :hash) ON CONFLICT DO NOTHING"
PUT_TROUBLE = """
    INSERT INTO troubles VALUES (:site, :table_id, :kind, :subject, :at, :told, :heard, :said, NULL)
    ON CONFLICT (site, table_id, kind, subject) DO UPDATE SET at = excluded.at, over_at = NULL
    WHERE troubles.kind IN ('not_approved', 'not_cosigned') AND troubles.over_at IS NOT NULL
"""
END_TROUBLE = f"""
    UPDATE troubles SET over_at = :at
    WHERE {OF_TABLE} AND kind = :kind AND subject = :subject AND over_at IS NULL
"""

log = logging.getLogger("pitwatch.archive")


class Troubles:
    """`take` what is stored, `run` beside it. `shared`: other instances hear what this one does not."""

    def __init__(self, store: Store, approved: Approved, shared: bool = False):
        self._store = store
        self._shared = shared
        self._judge = Judge(approved)
        self._logged: dict[str, int] = {}
        self._untold = ""

    async def take(self, messages: Sequence[Message]) -> None:
        """Note what was stored, before it is settled. Raises StoreError."""
        for table in dict.fromkeys(message.table for message in messages):
            if table not in self._judge.pasts:
                await self._load(table)
        now = time.time()
        signed: list[tuple[Message, Statement]] = []
        heads: list[dict[str, Any]] = []
        for message in messages:
            self._judge.hear(message, now)
            if (said := statement(message)) is not None:
                signed.append((message, said))
        found: list[Finding] = []
        if signed:
            verdicts = await asyncio.to_thread(_verified, [said for _, said in signed])
            for (message, said), genuine in zip(signed, verdicts, strict=True):
                if isinstance(genuine, SigningError):
                    self._say(str(genuine))
                    continue
                head = {**_of(message.table), "key": said.key, "sequence": said.sequence}
                fresh = not await self._store.ask(HEAD, **head)
                found += self._judge.signed(message, said, genuine, now, fresh)
                if genuine and said.table == message.table:
                    heads.append(head | {"hash": said.hash})
        try:
            for table in dict.fromkeys(message.table for message in messages):
                await self._write(table)
            for head in heads:
                await self._store.change(PUT_HEAD, **head)
            await self.tell(found, [])
        except RefusedError as error:  # what the database takes as an event and not here stops nobody's messages
            self._say(f"not every finding can be stored: {error}")

    async def run(self) -> None:
        """Judge until cancelled. Raises StoreError."""
        while True:
            await asyncio.sleep(JUDGE_EVERY)
            try:
                await self.judge()
            except RefusedError as error:
                self._say(f"not every finding can be stored: {error}")

    async def judge(self) -> None:
        """Once. Raises StoreError."""
        if self._shared:
            for table in sorted(self._judge.due):
                _merge(self._judge.past(table), await self._store.ask(RUNS, **_of(table)))
        found, ended = self._judge.judge(time.time())
        await self.tell(found, ended)

    async def tell(self, found: list[Finding], ended: list[Ended]) -> None:
        """Store, and log what is new. Raises StoreError."""
        for each in found:
            values = {"kind": each.kind, "subject": _plain(each.subject), "told": _plain(each.told)}
            values |= {"heard": _json(each.heard), "said": _json(each.said), "at": iso(datetime.now(UTC))}
            new = await self._store.change(PUT_TROUBLE, **_of(each.table), **values)
            logged = self._logged[each.table] = self._logged.get(each.table, 0) + bool(new)
            if new and logged <= MOST_LOGGED:
                log.critical("%s: %s: %s", each.table, each.kind, _plain(each.told))
        for over in ended:
            values = {"kind": over.kind, "subject": _plain(over.subject), "at": iso(datetime.now(UTC))}
            if await self._store.change(END_TROUBLE, **_of(over.table), **values):
                log.info("%s: %s is over: %s", over.table, over.kind, _plain(over.subject))

    async def _load(self, table: str) -> None:
        past = await past_of(self._store, table)
        told = {}
        for row in await self._store.ask(TOLD, **_of(table)):
            told[row["kind"], row["subject"]] = str(msgspec.json.decode(row["heard"]).get("boot", ""))
        self._judge.told[table] = told
        self._judge.pasts[table] = past
        self._judge.due.add(table)

    async def _write(self, table: str) -> None:
        past = self._judge.pasts.get(table)
        for boot in sorted(past.changed) if past is not None else ():
            assert past is not None
            run = past.runs.get(boot)
            if run is not None:
                values = {name: getattr(run, name) for name in Run.__struct_fields__ if name != "claim"}
                claim = run.claim
                values["claim_sequence"] = claim.sequence if claim else None
                values["claim_boot"] = claim.boot if claim else None
                values["claim_last"] = claim.last if claim else None
                await self._store.change(PUT_RUN, **_of(table), **values)
            past.changed.discard(boot)

    def _say(self, what: str) -> None:
        if what != self._untold:
            self._untold = what
            log.warning("%s", what)


async def past_of(store: Store, table: str) -> Past:
    """What is known of a table, and what its events say beyond that: all, in an archive of an older Pitwatch. Raises
    StoreError."""
    past = Past()
    _merge(past, await store.ask(RUNS, **_of(table)))
    for row in reversed(await store.ask(HEADS, **_of(table))):
        past.sign(row["key"], row["sequence"], row["hash"])
    after = max((run.last for run in past.runs.values()), default=0)
    found = await store.ask(SINCE, **_of(table), after=after)
    began = {row["boot"]: _seconds(row["began"]) for row in found}
    for row in sorted(found, key=lambda row: (began[row["boot"]], row["first"])):
        run = past.runs.get(row["boot"])
        if run is None:
            run = Run(boot=row["boot"], first=row["first"], last=row["last"], met=began[row["boot"]] or 1.0)
            run.began, run.key = began[run.boot], await _key_of(store, table, row)
        run.first, run.last = min(run.first, row["first"]), max(run.last, row["last"])
        past.add(run)
        past.changed.add(run.boot)
    for row in await store.ask(STARTS, **_of(table), after=after) if found else ():
        run = past.runs.get(row["boot"])
        if run is not None and run.claim is None:
            run.claim = claim_of(row["sequence"], _data(row["payload"]).get("detail"))
    return past


async def _key_of(store: Store, table: str, run: dict[str, Any]) -> str:
    values = {name: run[name] for name in ("boot", "first", "last")}
    for row in await store.ask(NEWEST_CHECKPOINT, **_of(table), **values):
        with contextlib.suppress(msgspec.ValidationError, SigningError):
            said: CheckpointData = msgspec.convert(_data(row["payload"]), CheckpointData)
            if KEY.match(said.key) and said.sequence >= run["first"] - 1 and is_genuine(said):
                return said.key
    return ""


def _merge(past: Past, rows: Sequence[dict[str, Any]]) -> None:
    for row in sorted(rows, key=lambda row: row["met"]):
        fields = {name: row[name] for name in Run.__struct_fields__ if name != "claim"}
        run = Run(**fields | {name: bool(row[name]) for name in ("aside", "below")})
        if row["claim_sequence"] is not None:
            run.claim = Claim(row["claim_sequence"], row["claim_boot"], row["claim_last"])
        known = past.runs.get(run.boot)
        if known is not None:
            run.first, run.last = min(run.first, known.first), max(run.last, known.last)
            run.began = min(run.began or known.began, known.began or run.began)
            run.committed = max(run.committed, known.committed)
            run.key, run.claim = run.key or known.key, run.claim or known.claim
            run.below, run.aside = run.below or known.below, run.aside or known.aside
        past.add(run)


def _verified(statements: list[Statement]) -> list[bool | SigningError]:
    found: list[bool | SigningError] = []
    for said in statements:
        try:
            found.append(is_genuine(said))
        except SigningError as error:
            found.append(error)
    return found


def _of(table: str) -> dict[str, str]:
    site, _, table_id = table.partition("/")
    return {"site": site, "table_id": table_id}


def _data(payload: str) -> dict[str, Any]:
    try:
        data = msgspec.json.decode(payload)["data"]
    except (msgspec.DecodeError, KeyError, TypeError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _seconds(at: str | None) -> float:
    return datetime.fromisoformat(at).timestamp() if at else 0.0


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value)


def _plain(text: str) -> str:
    """In ASCII, which every database takes in every encoding."""
    return one_line(text.encode("ascii", "backslashreplace").decode())
