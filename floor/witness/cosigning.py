"""The decision of a witness, the same over MQTT and HTTP: cosign a head that continues the one it cosigned before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.cosignature import with_cosignature
from pitwatch.daemon.tlog.merkle import ProofError, verify_consistency
from pitwatch.daemon.tlog.note import Note
from pitwatch.floor.archive.row import iso
from pitwatch.floor.witness.cosigner import Cosigner
from pitwatch.floor.witness.heads import Heads, Known, Log


class NotCosignedError(Exception):
    """The head is not cosigned. `known`: the newest one that is."""

    def __init__(self, known: Known, why: str = ""):
        super().__init__(why)
        self.known = known


class StaleError(NotCosignedError):
    """The proof begins at another size than that of the newest cosigned head: ask for one that begins there."""


class ContradictedError(NotCosignedError):
    """Two signed heads of one size with different roots."""


class UnprovenError(NotCosignedError):
    """The proof does not prove that the head continues the newest cosigned one."""


class Cosigning:
    def __init__(self, heads: Heads, cosigner: Cosigner):
        self.heads = heads
        self.cosigner = cosigner

    async def cosign(self, log: Log, said: Checkpoint, note: Note, old: int, proof: Sequence[bytes]) -> Note:
        """The note with the cosignature, once all of it is on disk. `note` is genuine and of this log. Raises
        NotCosignedError, SigningError and StoreError."""
        known = await self.heads.known(log)
        if old != known.size:
            raise StaleError(known)
        if old == said.size and known.note and said.root != known.root:
            raise ContradictedError(known)
        try:
            verify_consistency(known.size, known.root, said.size, said.root, proof)
        except ProofError as error:
            raise UnprovenError(known, str(error)) from None
        at = int(self.heads.clock())
        when = iso(datetime.fromtimestamp(at, UTC))
        made = await asyncio.to_thread(self.cosigner.cosign, note.text, at)
        if not await self.heads.move(log, known, said, note.format(), when):
            raise StaleError(await self.heads.known(log))
        cosigned = with_cosignature(note, made)
        await self.heads.keep(log, self.cosigner.name, said, cosigned.format(), when)
        return cosigned
