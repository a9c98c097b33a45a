"""Evidence packages of what the archive has, made and verified by the code of `pitwatch evidence`."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.evidence import custody, making, package, verifying
from pitwatch.daemon.evidence.verifying_heads import Trust
from pitwatch.daemon.journal.signing import Signer, SigningError
from pitwatch.floor.evidence.collecting import collect
from pitwatch.floor.evidence.custody import earlier, record
from pitwatch.floor.web.archive_door import AwayError
from pitwatch.floor.web.parts import Parts


class Made(NamedTuple):
    """`name` without an ending; `content` of the zip; `manifest`: the SHA-256 that stands for all of it."""

    name: str
    content: bytes
    manifest: str


async def made(parts: Parts, table: str, sequence: int, by: str) -> Made:
    """The package of one irregularity; that it was made is kept in the archive. Raises AwayError, UsageError."""
    ca = await _ca(parts)
    signer = Signer(Path(parts.house.evidence.key))
    async with parts.archive.asked() as store:
        collected = await collect(store, table, sequence, ca)
        entry = custody.entry(table, sequence, by, ["pitwatch", "web"], datetime.now(UTC))
        before = sorted({encode(each): each for each in await earlier(store, table, sequence)}.values(), key=_at)
        material = making.Material(
            subject=collected.subject, custody=[*before, entry], seen=collected.seen, camera=collected.camera
        )
        try:
            files = await asyncio.to_thread(lambda: package.sealed(making.make(material), signer))
        except SigningError as error:
            raise UsageError(str(error)) from None
        await record(store, msgspec.structs.replace(entry, manifest=package.digest_of(files)))
    name = f"{table.replace('/', '-')}-{sequence}"
    return Made(name, await asyncio.to_thread(package.zipped, name, files), package.digest_of(files))


async def verified(parts: Parts, of: Made, table: str) -> list[str]:
    """What a third party finds in the package, line by line. The keys are those that the house has approved for the
    table, and the archive's own, which signed the package. Raises UsageError."""
    own = await asyncio.to_thread(Signer(Path(parts.house.evidence.key)).prepare)
    keys = frozenset({own, *parts.house.approved.of(table, "key")})
    trust = Trust(keys=keys, ca=await _ca(parts))

    def verify() -> list[str]:
        with tempfile.TemporaryDirectory(prefix="pitwatch-web-") as folder:
            path = Path(folder) / f"{of.name}.zip"
            path.write_bytes(of.content)
            return list(verifying.lines_of(verifying.verify(path, trust)))

    return await asyncio.to_thread(verify)


def _at(entry: custody.Entry) -> str:
    return entry.at


async def _ca(parts: Parts) -> bytes | None:
    path = parts.house.timestamp.ca
    if not path:
        return None
    try:
        return await asyncio.to_thread(Path(path).read_bytes)
    except OSError as error:
        raise AwayError(f"{path}: cannot be read: {error.strerror}") from None
