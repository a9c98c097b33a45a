"""Signed heads in what tables publish: each genuine one is stored as it came, for the witness."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.journal.statements import CHECKPOINT, noted
from pitwatch.daemon.tlog.checkpoint import MOST_SIZE, Checkpoint
from pitwatch.daemon.tlog.note import NoteError
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.identity.approved import KEY
from pitwatch.floor.identity.finding import FORGED, Ended, Finding
from pitwatch.floor.message import Message
from pitwatch.floor.witness.heads import Heads, Log, of_table

WITHOUT_NOTE = """
    INSERT INTO tree_heads VALUES (:site, :table_id, :origin, :key, :size, '', '', '', :at, NULL) ON CONFLICT DO NOTHING
"""
log = logging.getLogger("pitwatch.archive")

Tell = Callable[[list[Finding], list[Ended]], Awaitable[None]]
"""Stores and reports findings, and those that are over."""


class Arriving:
    """`came` is called with the table of each new head."""

    def __init__(self, store: Store, heads: Heads, tell: Tell, came: Callable[[str], object]):
        self._store = store
        self._heads = heads
        self._tell = tell
        self._came = came

    async def take(self, messages: Sequence[Message]) -> None:
        """Keep the heads in messages. Raises StoreError; what the database does not take stops nobody's messages."""
        try:
            await self._take(messages)
        except RefusedError as error:
            log.warning("not all heads can be kept: %s", error)

    async def _take(self, messages: Sequence[Message]) -> None:
        every = [(message, said) for message in messages if (said := _checkpoint(message)) is not None]
        made = [each for each in every if each[1].note is not None]
        for message, said in every:
            if said.note is None:
                await self._without_note(message.table, said)
        if not made:
            return
        verdicts = await asyncio.to_thread(_verified, [said for _, said in made])
        found: list[Finding] = []
        for (message, said), head in zip(made, verdicts, strict=True):
            assert message.event is not None
            if isinstance(head, SigningError):
                log.warning("%s: %s", message.table, head)
            elif isinstance(head, NoteError) or said.table != message.table or not head.size:
                why = head if isinstance(head, NoteError) else f"it is of table {said.table}"
                told = (
                    f"the note of checkpoint {message.event.sequence} is forged: {why}. Keep the message, and look at "
                )
                told += "who may publish as this table"
                now = {"boot": message.event.bootid, "record": message.event.sequence, "note": said.note}
                found.append(Finding(message.table, FORGED, f"note {message.event.id[:200]}", told, {}, now))
            else:
                its = Log(head.origin, said.key, message.table)
                try:
                    if await self._heads.hold(its, head, said.note or "", boot=message.event.bootid):
                        self._came(message.table)
                except RefusedError as error:
                    log.warning("%s: its head cannot be kept: %s", message.table, error)
        if found:
            await self._tell(found, [])

    async def _without_note(self, table: str, said: CheckpointData) -> None:
        """A head that cannot be cosigned, of a table whose heads could: it waits for one that covers it."""
        for its in await self._heads.logs(table):
            if its.key == said.key and 0 < said.sequence <= MOST_SIZE:
                of = {**of_table(table), "origin": its.origin, "key": its.key, "size": said.sequence}
                await self._store.change(WITHOUT_NOTE, **of, at=self._heads.clock())


def _checkpoint(message: Message) -> CheckpointData | None:
    event = message.event
    if event is None or event.kind != CHECKPOINT:
        return None
    try:
        said = msgspec.json.decode(event.data, type=CheckpointData)
    except (ValueError, RecursionError):
        return None
    return said if KEY.match(said.key) else None


def _verified(said: list[CheckpointData]) -> list[Checkpoint | NoteError | SigningError]:
    found: list[Checkpoint | NoteError | SigningError] = []
    for each in said:
        try:
            found.append(noted(each))
        except (NoteError, SigningError) as error:
            found.append(error)
    return found
