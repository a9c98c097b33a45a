"""The archive as a witness of its tables, over MQTT: cosigns their heads, hands the cosignatures to them, and reports
heads that are not cosigned.

One instance works on the heads that `arriving` has stored. No port is opened on a board: it is asked by requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from pitwatch.daemon.journal.signing import SigningError
from pitwatch.floor.archive.lease import leased
from pitwatch.floor.archive.store import RefusedError, Store, StoreError
from pitwatch.floor.identity.approved import Approved
from pitwatch.floor.identity.finding import NOT_COSIGNED, Ended, Finding
from pitwatch.floor.witness.arriving import Tell
from pitwatch.floor.witness.cosigning import Cosigning
from pitwatch.floor.witness.heads import of_table
from pitwatch.floor.witness.others import Others
from pitwatch.floor.witness.outside import Outside
from pitwatch.floor.witness.placing import MOST_IN_TURN, Asks, Head, NoProofError, Placing, head_of, proof_of
from pitwatch.rules.text.one_line import one_line

LEASE = "witness"
LOOK_EVERY = 5.0
"""Seconds."""
LATE = 3600.0
"""Seconds for which a head may wait for its cosignature."""
SILENT_FOR = 120.0
"""Seconds for which a table is not asked that gave no answer."""
ASK_EVERY = 7.0
"""Seconds between two looks at a table whose heads are not all placed: it answers ten requests a minute."""
MOST_HEADS = 4
"""Heads of one table that are placed in one look."""
AT_ONCE = 32
"""Tables that are asked at the same time."""

MOST_HEADS = MOST_IN_TURN + 1
"""New heads of one table that are read at a time."""

NEW = "SELECT DISTINCT site, table_id FROM tree_heads WHERE verdict IS NULL AND root <> ''"
NEW_OF_TABLE = """
    SELECT site, table_id, origin, key, size, root, note, boot FROM tree_heads
    WHERE site = :site AND table_id = :table_id AND verdict IS NULL AND root <> ''
"""
LOGS = """
    SELECT DISTINCT site, table_id FROM witness_heads JOIN cosignatures
    ON (witness_heads.origin, witness_heads.key) = (cosignatures.origin, cosignatures.key)
    WHERE NOT told AND table_id <> ''
"""
ALL_LOGS = "SELECT DISTINCT site, table_id FROM witness_heads WHERE table_id <> ''"
WAITING = """
    SELECT tree_heads.site, tree_heads.table_id, max(tree_heads.size) AS size
    FROM tree_heads LEFT JOIN witness_heads
    ON (witness_heads.origin, witness_heads.key) = (tree_heads.origin, tree_heads.key)
    WHERE verdict IS NULL AND tree_heads.size > coalesce(witness_heads.size, 0)
    GROUP BY tree_heads.site, tree_heads.table_id HAVING min(tree_heads.at) < :before
"""
LATE_NOW = "SELECT site, table_id FROM troubles WHERE kind = 'not_cosigned' AND subject = 'head' AND over_at IS NULL"
UNTOLD = """
    SELECT cosignatures.origin, cosignatures.key, witness, cosignatures.size, cosignatures.note
    FROM cosignatures JOIN witness_heads
    ON (witness_heads.origin, witness_heads.key) = (cosignatures.origin, cosignatures.key)
    WHERE site = :site AND table_id = :table_id AND NOT told ORDER BY cosignatures.size DESC
"""
TOLD = """
    UPDATE cosignatures SET told = TRUE
    WHERE origin = :origin AND key = :key AND witness = :witness AND size <= :size AND NOT told
"""

log = logging.getLogger("pitwatch.archive")


class Tables:
    """`run` as a task; `came` with each new head. `holder`: this instance's name. `outside`: other witnesses."""

    def __init__(
        self,
        store: Store,
        cosigning: Cosigning,
        approved: Approved,
        asks: Asks,
        tell: Tell,
        holder: str,
        outside: Sequence[Outside] = (),
    ):
        self._store = store
        self._heads = cosigning.heads
        self._asks = asks
        self._tell = tell
        self._holder = holder
        self._placing = Placing(store, cosigning, approved, asks, tell)
        self._outside = outside
        self._others = Others(
            store, self._heads, cosigning.cosigner.name, outside, lambda *which: proof_of(self._asks, *which)
        )
        self._came = asyncio.Event()
        self._not_before: dict[str, float] = {}
        self._fresh: set[str] = set()
        """Tables of which a head came since they were looked at."""
        self._why: dict[str, str] = {}
        """Why a table's head is not cosigned."""

    def came(self, table: str) -> None:
        """A new head of a table: it is there again."""
        self._not_before.pop(table, None)
        self._fresh.add(table)
        self._came.set()

    async def run(self) -> None:
        """Cosign until cancelled. Raises StoreError."""
        refused = ""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), LOOK_EVERY)
            self._came.clear()
            try:
                if await leased(self._store, LEASE, self._holder):
                    await self.look()
            except RefusedError as error:  # one table's text: storing goes on
                if str(error) != refused:
                    refused = str(error)
                    log.warning("not all heads can be cosigned: %s", error)

    async def look(self) -> None:
        """At every table once. Raises StoreError."""
        rows = [*await self._store.ask(NEW), *await self._store.ask(ALL_LOGS if self._outside else LOGS)]
        tables = dict.fromkeys(f"{row['site']}/{row['table_id']}" for row in rows)
        turns = asyncio.Semaphore(AT_ONCE)

        async def at(table: str) -> None:
            async with turns:
                await self._table(table)

        now = self._heads.clock()
        await asyncio.gather(*(at(table) for table in tables if now >= self._not_before.get(table, 0.0)))
        await self._late()

    async def _new(self, table: str) -> list[Head]:
        """Heads that are not placed, the smallest ones first, and the newest of all."""
        rows = await self._store.ask(f"{NEW_OF_TABLE} ORDER BY size, root LIMIT {MOST_HEADS}", **of_table(table))
        if len(rows) == MOST_HEADS:
            rows += await self._store.ask(f"{NEW_OF_TABLE} ORDER BY size DESC, root LIMIT 1", **of_table(table))
        return list(dict.fromkeys(map(head_of, rows)))

    async def _table(self, table: str) -> None:
        self._fresh.discard(table)
        try:
            heads = await self._new(table)
            for its in dict.fromkeys(head.log for head in heads):
                await self._placing.place(its, [head for head in heads if head.log == its][-MOST_HEADS:])
            for its in await self._heads.logs(table) if self._outside else ():
                await self._tell(*await self._others.look(its))
            await self._hand_over(table)
            self._why.pop(table, None)
            self._not_before[table] = self._heads.clock() + (ASK_EVERY if len(heads) > 1 else 0.0)
        except NoProofError as error:
            self._wait(table, SILENT_FOR if error.lasting else ASK_EVERY, str(error))
        except (ConnectionError, TimeoutError, SigningError) as error:
            self._wait(table, SILENT_FOR, str(error))
        except StoreError:
            raise
        except Exception as error:  # one table's, whatever it sends: the others go on
            log.exception("%s: fault in the program, the other tables are witnessed on", table)
            self._wait(table, SILENT_FOR, f"fault in the program: {type(error).__name__}")

    async def _hand_over(self, table: str) -> None:
        """The newest cosignature of each witness, to the table. Raises NoProofError where it takes none."""
        done: set[tuple[str, str, str]] = set()
        for row in await self._store.ask(UNTOLD, **of_table(table)):
            which = (row["origin"], row["key"], row["witness"])
            if which in done:
                continue
            done.add(which)
            answer = await self._asks.cosign(table, row["note"])
            if not answer.ok and "not answered here" in answer.reason:
                raise NoProofError(f"it takes no cosignature: {one_line(answer.reason)}", lasting=True)
            if not answer.ok:
                log.warning("%s does not keep a cosignature of %s: %s", table, row["witness"], one_line(answer.reason))
            await self._store.change(TOLD, origin=which[0], key=which[1], witness=which[2], size=row["size"])

    async def _late(self) -> None:
        """Heads that wait too long, and those that no longer do."""
        rows = await self._store.ask(WAITING, before=self._heads.clock() - LATE)
        late = {f"{row['site']}/{row['table_id']}": row["size"] for row in rows}
        found = []
        for table, size in late.items():
            why = self._why.get(table, "it was not asked")
            told = f"its head of {size} records is not cosigned for an hour: {why}. Nothing shows that its journal "
            told += "only grew. Find out why the table gives no proof"
            found.append(Finding(table, NOT_COSIGNED, "head", told, {}, {"size": size}))
        standing = [f"{row['site']}/{row['table_id']}" for row in await self._store.ask(LATE_NOW)]
        ended = [Ended(table, NOT_COSIGNED, "head") for table in standing if table not in late]
        if found or ended:
            await self._tell(found, ended)

    def _wait(self, table: str, seconds: float, why: str) -> None:
        if table not in self._fresh:  # else it has come back meanwhile
            self._not_before[table] = self._heads.clock() + seconds
        if self._why.get(table) != why:
            self._why[table] = why
            log.warning("%s: its head is not cosigned: %s", table, why)
