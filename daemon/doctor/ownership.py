"""Checks who owns the files of a table: files that another user created or copied block the daemon.
Changes nothing.
"""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from pitwatch.daemon.journal.checkpoints import key_path
from pitwatch.daemon.journal.holding import lock_file


def in_the_way(journal: Path) -> list[Path]:
    """The files of a journal that are there and that this process may not write; its key, that it may not read."""
    written = [journal, Path(f"{journal}-wal"), Path(f"{journal}-shm"), lock_file(journal)]
    files = [file for file in written if os.path.exists(file) and not os.access(file, os.R_OK | os.W_OK)]
    key = key_path(journal)
    return [*files, key] if os.path.exists(key) and not os.access(key, os.R_OK) else files


def out_of_reach(path: str) -> Path | None:
    """What keeps this user from reading a file: the first folder that he may not enter, or the file itself; None if
    nothing does, or no such file is there."""
    file = Path(path).absolute()
    for folder in reversed(file.parents):
        if folder.is_dir() and not os.access(folder, os.X_OK):
            return folder
    return file if file.is_file() and not os.access(file, os.R_OK) else None


def owner(path: Path) -> str:
    """The name of the user whose file it is, else his number. Raises OSError."""
    number = os.stat(path).st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
