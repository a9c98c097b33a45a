"""The shim between SQLite and the disk, and what can be made of what it wrote down. For tests only."""

from __future__ import annotations

import functools
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

WRITE, SYNC, TRUNCATE, UNLINK = 1, 2, 3, 4
HEADER = struct.Struct("<IIqqq")
SECTOR = 512


class Act(NamedTuple):
    """What was done to a file (1: the database, 2: its write-ahead file) at a wall time in ns."""

    kind: int
    file: int
    offset: int
    data: bytes
    wall_ns: int


Survives = Callable[[Act], bool]
"""Whether a part of what was not synced, a sector or a change of length, is there after a power cut."""


@functools.cache
def library() -> Path | None:
    """The shim, compiled; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    path = Path(tempfile.mkdtemp(prefix="pitwatch-shim-")) / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl", "-lpthread"], check=True)
    return path


def environment(
    journal: Path, log: Path | None = None, die_at: int = 0, refuse: Path | None = None, arm: Path | None = None
) -> dict[str, str]:
    """What makes a process go through the shim."""
    found = {"LD_PRELOAD": str(library()), "FAULTS_MATCH": str(journal)}
    if log is not None:
        found["FAULTS_LOG"] = str(log)
    if refuse is not None:
        found["FAULTS_REFUSE"] = str(refuse)
    if die_at:
        found["FAULTS_DIE_AT"] = str(die_at)
    if arm is not None:
        found["FAULTS_ARM"] = str(arm)
    return found


def acts(log: Path) -> Iterator[Act]:
    data = log.read_bytes()
    at = 0
    while at + HEADER.size <= len(data):
        kind, file, offset, length, wall_ns = HEADER.unpack_from(data, at)
        at += HEADER.size
        body = data[at : at + length] if kind == WRITE else b""
        at += len(body)
        yield Act(kind, file, offset, body, wall_ns)


class Disk:
    """The two files as a disk holds them: what was synced is there, of the rest any part may be. `content` of the
    database, if there was one before the first act."""

    def __init__(self, content: bytes | None = None) -> None:
        self._synced: dict[int, bytearray | None] = {1: None if content is None else bytearray(content), 2: None}
        self._since: dict[int, list[Act]] = {1: [], 2: []}

    def take(self, act: Act) -> None:
        if act.kind == SYNC:
            self._synced[act.file] = _after(self._synced[act.file], self._since[act.file])
            self._since[act.file] = []
        else:
            self._since[act.file].append(act)

    def cut(self, survives: Survives, amid: Act | None = None) -> tuple[bytes | None, bytes | None]:
        """Database and write-ahead file as a power cut at this instant, or in the middle of an act, may leave them:
        with those parts of what was not synced that survive. None: no such file."""
        database, ahead = (self._left(file, survives, amid) for file in (1, 2))
        return database, ahead

    def _left(self, file: int, survives: Survives, amid: Act | None) -> bytes | None:
        synced = self._synced[file]
        open_ = self._since[file] + ([amid] if amid is not None and amid.file == file and amid.kind != SYNC else [])
        kept = [part for act in open_ for part in _parts(act) if survives(part)]
        content = _after(None if synced is None else bytearray(synced), kept)
        return None if content is None else bytes(content)


def lay_down(journal: Path, database: bytes | None, ahead: bytes | None) -> None:
    """Write the two files of a journal, into a folder that has nothing else."""
    for left in journal.parent.iterdir():
        left.unlink()
    for path, content in ((journal, database), (Path(f"{journal}-wal"), ahead)):
        if content is not None:
            path.write_bytes(content)


def _parts(act: Act) -> Iterator[Act]:
    """A write as its sectors, of which each is there or not."""
    if act.kind != WRITE:
        yield act
        return
    at = 0
    while at < len(act.data):
        size = SECTOR - (act.offset + at) % SECTOR
        yield act._replace(offset=act.offset + at, data=act.data[at : at + size])
        at += size


def _after(content: bytearray | None, done: list[Act]) -> bytearray | None:
    for act in done:
        if act.kind == UNLINK:
            content = None
            continue
        content = bytearray() if content is None else content
        if act.kind == TRUNCATE:
            content = content[: act.offset].ljust(act.offset, b"\0")
        else:
            if len(content) < act.offset:
                content.extend(bytes(act.offset - len(content)))
            content[act.offset : act.offset + len(act.data)] = act.data
    return content
