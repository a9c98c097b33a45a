"""The log: lines on stderr, with systemd's priorities if systemd reads them, or as JSON."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections.abc import Iterator

PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}


class _Lines(logging.Formatter):
    def __init__(self, prefix_priority: bool):
        super().__init__("%(message)s")
        self._prefix = prefix_priority

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if self._prefix:
            return "\n".join(f"<{PRIORITIES.get(record.levelno, 6)}>{line}" for line in text.splitlines())
        return text if record.levelno == logging.INFO else f"{record.levelname.lower()}: {text}"


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps({"level": record.levelname.lower(), "message": super().format(record)})


@contextlib.contextmanager
def log_on_stderr(as_json: bool) -> Iterator[None]:
    """Has the program's own log on stderr, from INFO on, and nowhere else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if as_json else _Lines("JOURNAL_STREAM" in os.environ))
    with log_only_to(handler):
        yield


@contextlib.contextmanager
def log_only_to(handler: logging.Handler) -> Iterator[None]:
    """Leaves the log as it was: who runs a command within a program of his own gets his log back."""
    root = logging.getLogger("pitwatch")
    before = root.level, root.propagate
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    root.propagate = False
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        root.propagate = before[1]
