"""The file beside a journal that holds it for one daemon, and what it says of the journal in a line.

That line is the only thing that is known of a journal that cannot be read at all, and newer than the delivery mark.
Knows nothing of what is in the journal.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from daemon.board import board_boot
from daemon.store import StoreError

FORM = "{:36} {:19} {:19} {:12}\n"


def lock_file(path: Path) -> Path:
    """The file that holds the journal at `path`; it stays when the daemon ends."""
    return Path(f"{path}.lock")


class Hold:
    """Holds the journal at `path` against other processes from now until it is released. Raises StoreError.

    It says in which start of the board (`board`), how far (`delivered`, `last`) and in which run of the process (`boot`
    of the last record) the journal was written last: "" and 0 if unknown. Not synced: after a power cut it lags.
    """

    def __init__(self, path: Path):
        self._lock = lock_file(path)
        self.served = os.path.exists(self._lock)
        """The file at this path has served as a journal before."""
        self._file = _exclusive(path)
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

    def release(self) -> None:
        """Let another have the journal."""
        os.close(self._file)

    def withdraw(self) -> None:
        """The file at this path is no journal: let go of it, and leave nothing that says it had served as one."""
        if not self.served:
            with contextlib.suppress(OSError):
                os.unlink(self._lock)
        self.release()


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
        raise StoreError(f"{path}: in use by another pitwatch; one table has one daemon") from None
    return lock


def _refused(path: Path, error: OSError) -> str:
    lock = lock_file(path)
    if os.path.exists(lock):
        return f"{lock}: cannot be written: {error.strerror}; it is another user's: doctor says how to mend that"
    return f"{path}: cannot be written: {error.strerror}; name a folder that the daemon may write"


def _for_reading(path: Path) -> int:
    try:
        return os.open(lock_file(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
