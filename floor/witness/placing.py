"""One table's signed heads: each is cosigned, or found to be part of what was cosigned, or contradicts it."""

from __future__ import annotations

import base64
from collections import Counter
from typing import Any, NamedTuple, Protocol

import msgspec

from pitwatch.daemon.contract.messages import ResponseData
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import ProofError, verify_consistency
from pitwatch.daemon.tlog.note import Note, parse
from pitwatch.floor.archive.store import Store
from pitwatch.floor.identity.approved import Approved
from pitwatch.floor.identity.finding import SPLIT_VIEW, Finding
from pitwatch.floor.witness.arriving import Tell
from pitwatch.floor.witness.cosigning import ContradictedError, Cosigning, StaleError, UnprovenError
from pitwatch.floor.witness.heads import (
    CONTRADICTS,
    COSIGNED,
    NOT_TRUSTED,
    OLDER,
    RETIRED,
    Known,
    Log,
    in_base64,
    of_table,
)
from pitwatch.rules.text.one_line import one_line

AT_ONCE = 4
"""Heads of one log that are placed at a time: a table answers ten requests a minute."""
MOST_IN_TURN = 100
"""New heads of one log, beyond which the newest is cosigned first: they take a minute for ten."""
TRIES = 2
"""Proofs of one head that must fail before it is a finding."""

TWO_PASTS = """
    SELECT said FROM troubles WHERE site = :site AND table_id = :table_id AND kind = :kind AND over_at IS NULL
"""
OF_HEAD = "site = :site AND table_id = :table_id AND key = :key AND size = :size"
JUDGE = f"UPDATE tree_heads SET verdict = :verdict WHERE {OF_HEAD} AND root = :root"
OTHERS = f"SELECT note FROM tree_heads WHERE {OF_HEAD} AND root <> :root AND root <> '' ORDER BY at"
COVERED = """
    UPDATE tree_heads SET verdict = 'older'
    WHERE site = :site AND table_id = :table_id AND key = :key AND size <= :size AND root = '' AND verdict IS NULL
"""


class Asks(Protocol):
    """How tables are asked. Raises ConnectionError without a broker, TimeoutError if no answer comes."""

    async def consistency(self, table: str, old: int, new: int) -> ResponseData: ...
    async def cosign(self, table: str, note: str) -> ResponseData: ...


class NoProofError(Exception):
    """The table gives none; one line. `size`: how many records it has, if it says so. `lasting`: it never will."""

    def __init__(self, why: str, size: int | None = None, lasting: bool = False):
        super().__init__(why)
        self.size = size
        self.lasting = lasting


class Head(NamedTuple):
    """A signed head as it came, in the run `boot`."""

    log: Log
    said: Checkpoint
    note: Note
    boot: str


def head_of(row: dict[str, Any]) -> Head:
    """Of a row of `tree_heads`."""
    note = parse(row["note"])
    its = Log(row["origin"], row["key"], f"{row['site']}/{row['table_id']}")
    return Head(its, Checkpoint.parse(note.text), note, row["boot"])


class OtherBoardError(NoProofError):
    """A board with another key answers."""

    def __init__(self, key: str | None):
        super().__init__("a board with another key answers", lasting=True)
        self.key = key


async def proof_of(asks: Asks, its: Log, old: int, new: int) -> list[bytes]:
    """Raises NoProofError, ConnectionError and TimeoutError."""
    answer = await asks.consistency(its.table, old, new)
    size = None if answer.size is msgspec.UNSET else answer.size
    if answer.key is not msgspec.UNSET and answer.key != its.key:
        raise OtherBoardError(answer.key)
    if not answer.ok or answer.proof is msgspec.UNSET:
        lasting = "not answered here" in answer.reason
        raise NoProofError(f"it gives no proof: {one_line(answer.reason)}", None if lasting else size, lasting)
    try:
        return [base64.b64decode(each, validate=True) for each in answer.proof]
    except ValueError:
        raise NoProofError("it gives a proof that is not in base64", size) from None


class Placing:
    """Every method raises StoreError, SigningError, and what `proof_of` raises."""

    def __init__(self, store: Store, cosigning: Cosigning, approved: Approved, asks: Asks, tell: Tell):
        self._store = store
        self._cosigning = cosigning
        self._heads = cosigning.heads
        self._approved = approved
        self._asks = asks
        self._tell = tell
        self._failed: Counter[tuple[Log, int, bytes]] = Counter()

    async def place(self, its: Log, heads: list[Head]) -> None:
        """New heads of one log, in the order of their size, some of them at a time; call again for what is left. Each
        is proven before a later one is cosigned, unless there are very many."""
        if await self._has_other_name(its, heads):
            return
        if not await self._is_trusted(its):
            for head in heads:
                await self._judged(head, NOT_TRUSTED)
            return
        try:
            await self._place(its, heads)
        except OtherBoardError as error:
            if not self._is_later(its, error.key):
                raise
            for head in heads:
                await self._judged(head, RETIRED)

    async def _place(self, its: Log, heads: list[Head]) -> None:
        for head in [heads[-1], *heads[:AT_ONCE]] if len(heads) > MOST_IN_TURN else heads[:AT_ONCE]:
            known = await self._heads.known(its)
            if await self._is_split(head):
                continue
            if head.said.size <= known.size:
                await self._find(head, known)
            elif await self._has_two_pasts(its):
                raise NoProofError("it has two pasts, and neither is cosigned before somebody has closed that trouble")
            else:
                await self._cosign(head, known)
        known = await self._heads.known(its)
        await self._store.change(COVERED, **of_table(its.table), key=its.key, size=known.size)

    async def _cosign(self, head: Head, known: Known) -> None:
        said = head.said
        try:
            proof = await proof_of(self._asks, head.log, known.size, said.size) if known.note else []
            await self._cosigning.cosign(head.log, said, head.note, known.size, proof)
        except StaleError:
            return  # another instance was faster
        except ContradictedError:
            await self._contradicts(head, known, "has another root than the cosigned one")
        except UnprovenError:
            await self._suspect(head, known, f"is not proven to continue the cosigned one of {known.size} records")
        except NoProofError as error:
            if error.size is None or error.size >= said.size:
                raise
            await self._suspect(head, known, f"was signed, and the table has only {error.size} records now", error.size)
        else:
            await self._judged(head, COSIGNED)

    async def _find(self, head: Head, known: Known) -> None:
        """Whether a head is part of what was cosigned."""
        said = head.said
        if said.size == known.size and said.root == known.root:
            await self._judged(head, OLDER)
            return
        if said.size == known.size:
            await self._contradicts(head, known, "has another root than the cosigned one")
            return
        try:
            proof = await proof_of(self._asks, head.log, said.size, known.size)
            verify_consistency(said.size, said.root, known.size, known.root, proof)
        except ProofError:
            await self._suspect(head, known, f"is not part of the cosigned one of {known.size} records")
        except NoProofError as error:
            if error.size is None or error.size >= known.size:
                raise
            why = f"comes from a journal of {error.size} records, and {known.size} were cosigned"
            await self._suspect(head, known, why, error.size)
        else:
            await self._judged(head, OLDER)

    async def _has_other_name(self, its: Log, heads: list[Head]) -> bool:
        """Whether the same key has signed a log of another name for this table, which would begin anew by that."""
        for other in await self._heads.logs(its.table):
            if other.key == its.key and other.origin != its.origin:
                known = await self._heads.known(other)
                for head in heads:
                    await self._contradicts(
                        head, known, f"is of the log {its.origin}, and before it was {other.origin}"
                    )
                return True
        return False

    async def _is_trusted(self, its: Log) -> bool:
        """Whether the house has approved the key, or else nobody else's was cosigned before."""
        approved = self._approved.of(its.table, "key")
        if approved:
            return its.key in approved
        logs = await self._heads.logs(its.table)
        return not logs or its == logs[0]

    def _is_later(self, its: Log, key: str | None) -> bool:
        """Whether the house has approved a key after that of the log: its board was replaced and proves no more."""
        approved = self._approved.of(its.table, "key")
        return its.key in approved and key in approved[approved.index(its.key) + 1 :]

    async def _has_two_pasts(self, its: Log) -> bool:
        """Whether that was found, and nobody has closed it yet."""
        rows = await self._store.ask(TWO_PASTS, **of_table(its.table), kind=SPLIT_VIEW)
        return any(msgspec.json.decode(row["said"]).get("key") == its.key for row in rows)

    async def _is_split(self, head: Head) -> bool:
        """Whether another head of the same size was signed, which nothing excuses."""
        of = of_table(head.log.table) | {"key": head.log.key}
        others = await self._store.ask(OTHERS, **of, size=head.said.size, root=in_base64(head.said.root))
        if not others:
            return False
        known = Known(head.said.size, Checkpoint.parse(parse(others[0]["note"]).text).root, others[0]["note"])
        await self._contradicts(head, known, "was signed twice, with different roots")
        return True

    async def _suspect(self, head: Head, known: Known, why: str, records: int | None = None) -> None:
        """A proof failed, or the table has so few `records` that there can be none. It is a finding when it fails
        again: one answer may be another board's, or of the moment. Until then nothing later is cosigned."""
        which = (head.log, head.said.size, head.said.root)
        self._failed[which] += 1
        if self._failed[which] < TRIES:
            raise NoProofError(f"the signed head of {head.said.size} records {why}; it is asked again")
        del self._failed[which]
        await self._contradicts(head, known, why, records)

    async def _contradicts(self, head: Head, known: Known, why: str, records: int | None = None) -> None:
        said = head.said
        told = f"the signed head of {said.size} records {why}: this table's journal has two pasts. It was cut off, put "
        told += (
            "back or rewritten, or a second board has the table's name or key. Keep both heads; find out whose board it"
        )
        told += " is; hold its journal against the archive (pitwatch archive verify)"
        heard = {"size": known.size, "root": in_base64(known.root), "note": known.note}
        now = {
            "boot": head.boot,
            "key": head.log.key,
            "size": said.size,
            "root": in_base64(said.root),
            "note": head.note.format(),
        }
        now |= {} if records is None else {"records": records}
        await self._tell([Finding(head.log.table, SPLIT_VIEW, f"run {head.boot}", told, heard, now)], [])
        await self._judged(head, CONTRADICTS)

    async def _judged(self, head: Head, verdict: str) -> None:
        of = of_table(head.log.table) | {"key": head.log.key}
        await self._store.change(JUDGE, **of, size=head.said.size, root=in_base64(head.said.root), verdict=verdict)
