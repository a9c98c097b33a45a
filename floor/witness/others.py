"""Witnesses outside the house: the archive sends them what it has cosigned, and keeps their cosignatures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.cosignature import with_cosignature
from pitwatch.daemon.tlog.note import Note, parse
from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Store
from pitwatch.floor.identity.finding import NOT_COSIGNED, SPLIT_VIEW, Ended, Finding
from pitwatch.floor.witness.heads import Heads, Known, Log, in_base64
from pitwatch.floor.witness.outside import ContradictsError, ElsewhereError, Outside, OutsideError

AGAIN_AFTER = 60.0
"""Seconds after which a witness is asked again that did not cosign."""
REFUSED_FOR = 600.0
"""The same, where asking again will not help before somebody has changed something."""
LATE = 3600.0
"""Seconds for which a head may wait for a witness's cosignature."""

COSIGNED = "SELECT max(size) AS size FROM cosignatures WHERE origin = :origin AND key = :key AND witness = :witness"
SINCE = """
    SELECT min(at) AS at FROM cosignatures WHERE origin = :origin AND key = :key AND witness = :witness AND size > :size
"""

Proof = Callable[[Log, int, int], Awaitable[list[bytes]]]
"""Of a log, from one size to another. It may raise."""

log = logging.getLogger("pitwatch.archive")


class Others:
    """`own`: the name of the house's own witness, whose heads are sent."""

    def __init__(self, store: Store, heads: Heads, own: str, others: Sequence[Outside], proof: Proof):
        self._store = store
        self._heads = heads
        self._own = own
        self._others = others
        self._proof = proof
        self._not_before: dict[tuple[Log, str], float] = {}
        self._why: dict[tuple[Log, str], str] = {}
        self._late: set[tuple[Log, str]] = set()

    async def look(self, its: Log) -> tuple[list[Finding], list[Ended]]:
        """Ask those that have not cosigned the newest head of a log yet. Raises what `proof` raises, and StoreError."""
        found: list[Finding] = []
        ended: list[Ended] = []
        known = await self._heads.known(its)
        for each in self._others if known.note else ():
            here = (its, each.name)
            (row,) = await self._store.ask(COSIGNED, origin=its.origin, key=its.key, witness=each.name)
            cosigned = row["size"] or 0
            if cosigned < known.size and self._heads.clock() >= self._not_before.get(here, 0.0):
                found += await self._ask(each, its, known, cosigned)
                (row,) = await self._store.ask(COSIGNED, origin=its.origin, key=its.key, witness=each.name)
                cosigned = row["size"] or 0
            subject = f"witness {each.name}"
            if await self._is_late(its, cosigned):
                self._late.add(here)
                told = f"{each.name} has not cosigned its head for an hour: {self._why.get(here, 'it was not asked')}"
                found.append(Finding(its.table, NOT_COSIGNED, subject, told, {"size": cosigned}, {"size": known.size}))
            else:
                self._late.discard(here)
                ended.append(Ended(its.table, NOT_COSIGNED, subject))
        return found, ended

    async def _ask(self, each: Outside, its: Log, known: Known, cosigned: int) -> list[Finding]:
        note, here = parse(known.note), (its, each.name)
        try:
            try:
                await self._send(each, its, note, cosigned, known.size)
            except ElsewhereError as error:
                if error.size > known.size:
                    raise
                await self._send(each, its, note, error.size, known.size)
        except ContradictsError as error:
            self._failed(here, str(error), REFUSED_FOR)
            told = (
                f"{each.name} has cosigned another past than this archive: {error}. This table's journal has two pasts."
            )
            told += " Keep both heads: ask its operator for the one that it cosigned"
            said = {"size": known.size, "root": in_base64(known.root), "note": known.note}
            heard = {"witness": each.name, "size": cosigned}
            return [Finding(its.table, SPLIT_VIEW, f"witness {each.name}", told, heard, said)]
        except OutsideError as error:
            self._failed(here, str(error), AGAIN_AFTER if error.passing else REFUSED_FOR)
        else:
            self._why.pop(here, None)
            self._not_before.pop(here, None)
        return []

    async def _send(self, each: Outside, its: Log, note: Note, old: int, size: int) -> None:
        """Raises OutsideError, and what `proof` raises."""
        proof = await self._proof(its, old, size) if 0 < old < size else []
        signature, at = await asyncio.to_thread(each.add_checkpoint, old, proof, note, size)
        cosigned = with_cosignature(note, signature).format()
        when = iso(datetime.fromtimestamp(at, UTC))
        await self._heads.keep(its, each.name, Checkpoint.parse(note.text), cosigned, when)

    async def _is_late(self, its: Log, cosigned: int) -> bool:
        (row,) = await self._store.ask(SINCE, origin=its.origin, key=its.key, witness=self._own, size=cosigned)
        since = row["at"]
        return since is not None and self._heads.clock() - datetime.fromisoformat(since).timestamp() > LATE

    def _failed(self, here: tuple[Log, str], why: str, seconds: float) -> None:
        self._not_before[here] = self._heads.clock() + seconds
        if self._why.get(here) != why:
            self._why[here] = why
            log.warning("%s: witness %s: %s", here[0].table, here[1], why)
