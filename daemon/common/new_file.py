"""Opens a file that must not exist yet, and leaves none in which nothing stands. Independent of the content."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pitwatch.daemon.common.errors import UsageError


@contextlib.contextmanager
def new_file(path: str | Path) -> Iterator[BinaryIO]:
    """A new file for the length of the block; an empty one is removed at its end. Raises UsageError if it exists or
    cannot be written."""
    path = Path(path)
    try:
        with path.open("x+b") as file:
            try:
                yield file
                file.flush()
            finally:
                if file.seekable() and file.tell() == 0:
                    path.unlink(missing_ok=True)
    except FileExistsError:
        raise UsageError(f"{path}: exists already; a capture is not written over, name another file") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
