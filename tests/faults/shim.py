"""The shim between SQLite and the disk, and what can be made of what it wrote down. For tests only."""

from __future__ import annotations

import functools
import random
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
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
    """The two files as a disk holds them: what was synced is there, of the rest any part may be."""

    def __init__(self) -> None:
        self._synced: dict[int, bytearray | None] = {1: None, 2: None}
        self._since: dict[int, list[Act]] = {1: [], 2: []}

    def take(self, act: Act) -> None:
        if act.kind == SYNC:
            self._synced[act.file] = _after(self._synced[act.file], self._since[act.file])
            self._since[act.file] = []
        else:
            self._since[act.file].append(act)

    def cut(self, journal: Path, chance: random.Random) -> None:
        """Write the files as a power cut at this instant may leave them."""
        for file, path in ((1, journal), (2, Path(f"{journal}-wal"))):
            synced = self._synced[file]
            kept = [part for act in self._since[file] for part in _parts(act) if chance.random() < 0.5]
            content = _after(None if synced is None else bytearray(synced), kept)
            path.unlink(missing_ok=True)
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
