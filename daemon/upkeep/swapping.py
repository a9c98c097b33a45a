"""A table's file and folder as two parts that change places with a kept pair, each in one step of the file system.

After a power cut at any moment each part is the old or the new one, whole, and `restore` puts the old ones back.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import stat
from pathlib import Path

import msgspec

from pitwatch.daemon.common.whole_file import sync_folder
from pitwatch.daemon.upkeep.table import Table

AT_FDCWD, RENAME_EXCHANGE = -100, 2
DIGESTS = "old.json"
MOST_OLD = 1 << 22
"""Bytes of one file that is copied."""


def exchange(one: Path, other: Path) -> None:
    """Let two names change places (renameat2, Linux 3.15). Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one))


def copy_folder(old: Path, new: Path) -> None:
    """Folders, regular files and links of a folder that another user owns: no link is followed. Raises OSError."""
    new.mkdir(mode=0o700)
    if not old.is_dir():
        return
    for entry in os.scandir(old):
        if entry.is_dir(follow_symlinks=False):
            copy_folder(Path(entry.path), new / entry.name)
        elif entry.is_symlink():
            os.symlink(os.readlink(entry.path), new / entry.name)
        elif entry.is_file(follow_symlinks=False):
            content = _content(entry.path)
            write(new / entry.name, content, stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode))


def write(path: Path, content: bytes, mode: int) -> None:
    """On the disk, in place of what has this name. Raises OSError."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


class Kept:
    """The pair that is not in use, in `folder`: the new one until `swap`, the old one after it."""

    def __init__(self, folder: Path, table: Table):
        self.folder = folder
        self._parts = ((table.file, folder / table.file.name), (table.folder, folder / table.folder.name))

    def exists(self) -> bool:
        return (self.folder / DIGESTS).is_file()

    def swap(self) -> None:
        """Put the new pair in use. Raises OSError; `restore` then undoes what was done."""
        old = [_digest(used) for used, _ in self._parts]
        write(self.folder / DIGESTS, msgspec.json.encode(old), 0o600)
        sync_folder(self.folder)
        for (used, kept), digest in zip(self._parts, old, strict=True):
            if not _is_there(kept):
                continue
            if digest:
                exchange(used, kept)
            else:
                kept.rename(used)
            sync_folder(used.parent)

    def restore(self) -> None:
        """Put the old pair in use again, wherever `swap` was stopped; then nothing is kept. Raises OSError."""
        old = msgspec.json.decode((self.folder / DIGESTS).read_bytes(), type=list[str])
        for (used, kept), digest in zip(self._parts, old, strict=True):
            if _digest(used) == digest:
                continue
            if digest:
                exchange(used, kept)
            else:
                used.rename(kept)
            sync_folder(used.parent)
        self.remove()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _content(path: str | Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        content = file.read(MOST_OLD + 1)
    if len(content) > MOST_OLD:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def _digest(part: Path) -> str:
    """SHA-256 of a file or a folder's files by name and content; empty if it is not there."""
    if not _is_there(part):
        return ""
    digest = hashlib.sha256(b"folder" if part.is_dir() else b"file")
    for path in sorted(part.rglob("*")) if part.is_dir() else [part]:
        content = os.fsencode(os.readlink(path)) if path.is_symlink() else _content(path) if path.is_file() else b""
        digest.update(os.fsencode(path.relative_to(part)) + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()
