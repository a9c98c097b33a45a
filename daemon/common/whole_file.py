"""Writes a file completely or not at all. Independent of the content."""

from __future__ import annotations

import os
from pathlib import Path


def write_beside(path: Path, content: bytes, mode: int) -> Path:
    """All of it on the disk beside `path`, to be renamed to it; of this mode from the beginning. Raises OSError."""
    part = path.with_name(path.name + ".new")
    part.unlink(missing_ok=True)
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(fd)
    return part


def sync_folder(folder: Path) -> None:
    """What was made, renamed or removed in it is on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
