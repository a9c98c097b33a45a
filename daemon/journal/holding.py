"""Locks a journal for one daemon. One lock is a file beside the journal, which also records how far it was written. The
other is on the journal's own file, by whatever name it is opened.

If a journal cannot be read at all, that file is the only source of its last number, and newer than the delivery mark.
Independent of the journal's content.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import stat
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.board import board_boot
from pitwatch.daemon.journal.store import StoreError

FORM = "{:36} {:19} {:19} {:12}\n"


IN_USE = "in use by another pitwatch; one table has one daemon"

log = logging.getLogger("pitwatch.journal")


def real(path: Path) -> Path:
    """The journal's own path, where `path` is a symbolic link to it."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def lock_file(path: Path) -> Path:
    """The file that holds the journal at `path`, beside the journal itself; it stays when the daemon ends."""
    return Path(f"{real(path)}.lock")


class Hold:
    """Holds the journal at `path` against other processes from now until it is released. Raises StoreError.

    It says in which start of the board (`board`), how far (`delivered`, `last`) and in which run of the process (`boot`
    of the last record) the journal was written last: "" and 0 if unknown. Not synced: after a power cut it lags.
    """

    def __init__(self, path: Path):
        self._path = real(path)
        self._lock = lock_file(path)
        self.served = os.path.exists(self._lock)
        """The file at this path has served as a journal before."""
        self._file = _exclusive(self._path)
        self._journal: int | None = None
        self._lost = False
        try:
            self._cover()
        except StoreError:
            os.close(self._file)
            raise
        self._board = board_boot()
        self.board, self.delivered, self.last, self.boot = "", 0, 0, ""
        try:
            words = os.pread(self._file, 128, 0).decode("ascii").split()
            self.board, self.delivered, self.last = words[0], int(words[1]), int(words[2])
            self.boot = words[3]
        except (OSError, ValueError, IndexError):
            return
        finally:
            self.note(self.delivered, self.last, self.boot)

    def note(self, delivered: int, last: int, boot: str) -> None:
        """Have it say so. Never raises: where it cannot be written, nothing depends on it."""
        self.delivered, self.last, self.boot = delivered, last, boot
        with contextlib.suppress(OSError):
            os.pwrite(self._file, FORM.format(self._board, delivered, last, boot).encode(), 0)

    def look(self) -> dict[str, Any] | None:
        """Hold the journal's file if it is another than before, and make the lock file anew if it is gone. Returns
        what befell the lock file, once for each time."""
        with contextlib.suppress(StoreError):
            self._cover()
        if not stat.S_ISREG(os.fstat(self._file).st_mode) or _same(self._file, self._lock):
            self._lost = False
            return None
        try:
            renewed = _exclusive(self._path)
        except StoreError as error:
            told, self._lost = self._lost, True
            log.error("%s: was removed or replaced, and cannot be made anew: %s", self._lock, error)
            return None if told else {"file": self._lock.name, "made_anew": False}
        os.close(self._file)
        self._file, self._lost = renewed, False
        self.note(self.delivered, self.last, self.boot)
        log.error("%s: was removed or replaced; made anew", self._lock)
        return {"file": self._lock.name, "made_anew": True}

    def release(self) -> None:
        """Let another have the journal; to be called when it is closed."""
        for file in (self._file, self._journal):
            if file is not None:
                os.close(file)

    def withdraw(self) -> None:
        """The file at this path is not a journal: release it, and leave no sign that it served as one."""
        if not self.served:
            with contextlib.suppress(OSError):
                os.unlink(self._lock)
        self.release()

    def _cover(self) -> None:
        """Hold the file itself: the lock file can be removed, and there may be another name for the journal. Its
        descriptor stays open, since closing one would take SQLite's own locks away. Raises StoreError if another
        process holds it."""
        if self._journal is not None and _same(self._journal, self._path):
            return
        if not self._path.is_file():
            return
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # opening the journal reports the reason
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise StoreError(f"{self._path}: {IN_USE}") from None
        except OSError as error:
            log.debug("%s: not held itself: %s", self._path, error)  # a disk without such locks
        if self._journal is not None:
            os.close(self._journal)
        self._journal = file


def _same(file: int, path: Path) -> bool:
    """Whether a path leads to an open file."""
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(file), os.stat(path))
    return False


def _exclusive(path: Path) -> int:
    """The descriptor that holds it. On a disk that takes no new file the folder itself is held."""
    try:
        lock = os.open(lock_file(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise StoreError(_refused(path, error)) from None
        lock = _for_reading(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise StoreError(f"{path}: {IN_USE}") from None
    return lock


def _refused(path: Path, error: OSError) -> str:
    lock = lock_file(path)
    if os.path.exists(lock):
        return f"{lock}: cannot be written: {error.strerror}; it is another user's: doctor says how to fix that"
    return f"{path}: cannot be written: {error.strerror}; name a folder that the daemon may write"


def _for_reading(path: Path) -> int:
    try:
        return os.open(lock_file(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
