"""The service of a witness (C2SP tlog-witness): answers `add-checkpoint`. Independent of HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.note import Key, Note, NoteError, verified
from pitwatch.daemon.tlog.note import parse as parse_note
from pitwatch.floor.witness.cosigner import genuine
from pitwatch.floor.witness.cosigning import ContradictedError, Cosigning, StaleError, UnprovenError
from pitwatch.floor.witness.heads import CONTRADICTS, Log
from pitwatch.floor.witness.protocol import SIZE_TYPE, parse

TEXT = "text/plain; charset=utf-8"

log = logging.getLogger("pitwatch.witness")


class Answer(NamedTuple):
    status: int
    body: str
    type: str = TEXT


class Service:
    """`logs`: the keys of each log by its origin, the newest last. A log that goes on with another key begins anew: a
    board was replaced, and whoever configured the key knows it."""

    def __init__(self, cosigning: Cosigning, logs: Mapping[str, Sequence[Key]]):
        self._cosigning = cosigning
        self._logs = logs

    async def add_checkpoint(self, body: bytes) -> Answer:
        """Raises SigningError and StoreError."""
        try:
            asked = parse(body)
            note = parse_note(asked.note)
            said = Checkpoint.parse(note.text)
        except NoteError as error:
            return Answer(400, f"{error}\n")
        keys = self._logs.get(said.origin)
        if keys is None:
            return Answer(404, "this witness does not know the log\n")
        key = await asyncio.to_thread(_signer, note, keys)
        if key is None:
            return Answer(403, "no signature is genuine and by a key that this witness trusts\n")
        if asked.old > said.size:
            return Answer(400, f"the old size is {asked.old}, and the checkpoint has {said.size}\n")
        its = Log(said.origin, key.der)
        try:
            cosigned = await self._cosigning.cosign(its, said, note, asked.old, asked.proof)
        except StaleError as refused:
            return Answer(409, f"{refused.known.size}\n", SIZE_TYPE)
        except ContradictedError as refused:
            await self._cosigning.heads.hold(its, said, note.format(), CONTRADICTS)
            log.critical(
                "%s has signed two heads of %d records with different roots. Keep both: %r and %r",
                said.origin, said.size, refused.known.note, note.format(),
            )  # fmt: skip
            return Answer(409, f"{refused.known.size}\n", SIZE_TYPE)
        except UnprovenError as refused:
            # Anybody may send a genuine note with a wrong proof: this alone shows nothing of the log.
            log.warning("%s: the head of %d records is not cosigned: %s", said.origin, said.size, refused)
            return Answer(422, f"{refused}\n")
        return Answer(200, cosigned.signatures[-1].line())


def _signer(note: Note, keys: Sequence[Key]) -> Key | None:
    """The newest key by which it is signed."""
    for key in reversed(keys):
        try:
            if verified(note, [key], genuine):
                return key
        except NoteError:
            continue
    return None
