"""Standard input, output and error in any state: closed, full, or on a terminal that lacks characters.

Independent of commands.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any

OUTPUT = "standard output"
"""What an error names that met it there."""

STANDARD = (0, 1, 2)
"""Descriptors of input, output and errors."""


class _Output(io.FileIO):
    """Standard output whose errors name it."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = OUTPUT
            raise


def settle(json: bool) -> None:
    """A closed stream leads nowhere, so that no other file gets its descriptor and printing needs no check. JSON is
    UTF-8 whatever the terminal is; of text, what cannot be shown is escaped."""
    while (fd := os.open(os.devnull, os.O_RDWR)) in STANDARD:
        pass
    os.close(fd)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
    if sys.stdout is not sys.__stdout__:  # a replaced stream
        return
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(1, "w", closefd=False)),
        encoding="utf-8" if json or sys.stdout is None else sys.stdout.encoding,
        errors="backslashreplace",
        line_buffering=os.isatty(1),
    )


def nothing_more(stream: int = 1) -> None:
    """Standard output, or errors (2), leads nowhere from now on. What could not be written would otherwise fail again
    as the process ends, and since Python 3.13 change its exit code for errors too."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
