"""Writes Python's traceback to a file when the process is killed for a fault. The next start reads the file.

systemd's watchdog kills a hanging loop with SIGABRT, so the traceback shows where it hung.
"""

from __future__ import annotations

import contextlib
import faulthandler
import re
from pathlib import Path
from typing import NamedTuple, TextIO

import msgspec

from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.readable import decoded

FATAL = re.compile(r"Fatal Python error: (.+)")
FRAME = re.compile(r'File "(?:[^"]*/)?([^/"]+/[^/"]+|[^/"]+)", line (\d+) in (\S+)')
ABORTED = "Aborted"
MOST = 100_000


class LastRun(NamedTuple):
    """How the run before ended: whether it was asked to stop, and in which start of the board it ran ("": unknown)."""

    stopped: bool
    board: str


class LastWords:
    """`take` what an earlier run left, then `listen` for this one's."""

    def __init__(self, path: Path):
        self._path = path
        self._file: TextIO | None = None

    def take(self) -> str:
        """Why and where the run before was killed for a fault, "" if it was not. Never raises."""
        try:
            text = self._path.read_text(errors="replace")[:MOST]
        except OSError:
            return ""
        fatal = FATAL.search(text)
        if fatal is None:
            return ""
        # The watchdog's signal reaches any thread, but what hung is the loop: that of the main thread, reported last.
        # A crash is the thread's it happened in.
        at = text.rfind("(most recent call first)") if fatal[1] == ABORTED else text.find("Current thread")
        frame = FRAME.search(text, max(at, 0))
        return fatal[1] + (f" in {frame[3]}, {frame[1]} line {frame[2]}" if frame else "")

    def listen(self) -> None:
        """Have a fatal fault of this process written down. Where there is no room for it, go without."""
        with contextlib.suppress(OSError):
            self._file = self._path.open("w")
            faulthandler.enable(self._file)


def cause_of_start(last: LastRun | None, board: str, fatal: str) -> str:
    """Why the process had to be started, from how the run before ended.

    `first`: there was none; `stopped`: it was asked to stop; `watchdog`: its loop hung; `crashed`; `power`: the board
    itself was started since; `killed`: none of these.
    """
    if last is None:
        return "first"
    if last.stopped:
        return "stopped"
    if fatal.startswith(ABORTED):
        return "watchdog"
    if fatal:
        return "crashed"
    return "killed" if last.board.replace("-", "") in (board.replace("-", ""), "") else "power"


def was_stopped(newest: list[Record]) -> bool:
    """Whether the last run of the process, whose newest records these are, was asked to stop."""
    return any(
        _event(record) == "stopped" for record in newest if record.kind == "system" and record.boot == newest[-1].boot
    )


class Happened(msgspec.Struct):
    """Of `SystemData`, whatever word: a newer version may have written others."""

    event: str


def _event(record: Record) -> str:
    found = decoded(record, Happened)
    return found.event if found is not None else ""
