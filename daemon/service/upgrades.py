"""Reports to surveillance how the last upgrade of the board's package ended: once, in a record of the journal."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.last_upgrade import GOOD, ROLLED_BACK, last_upgrade
from pitwatch.daemon.common.whole_file import write_beside
from pitwatch.daemon.journal import Journal

EVENTS = {GOOD: "upgraded", ROLLED_BACK: "upgrade_rolled_back"}

log = logging.getLogger("pitwatch")


class UpgradeReport:
    """`look` at the start and from time to time. What was reported is noted beside the journal when the record is on
    the disk; a power cut before that repeats it, with the same time."""

    def __init__(self, journal: Journal):
        self._journal = journal
        self._mark = Path(f"{journal.path}.upgrade")
        self._reported = self._read()
        if not journal.opened_at and (outcome := last_upgrade()) is not None:
            self._reported = outcome.id  # of before this table was set up
            self._note(outcome.id)
        self._writing: tuple[str, int] | None = None

    def look(self) -> None:
        """Report what was not reported yet. Never raises."""
        self.settle()
        outcome = last_upgrade()
        if outcome is None or outcome.id == self._reported or outcome.result not in EVENTS:
            return
        detail: dict[str, Any] = {"from": outcome.before, "to": outcome.after, "at": outcome.at}
        if outcome.result == ROLLED_BACK:
            detail |= {"severity": "critical", "faults": list(outcome.faults)}
            log.error("version %s was rolled back: %s", outcome.after, "; ".join(outcome.faults))
        self._journal.note(EVENTS[outcome.result], detail)
        self._reported = outcome.id
        self._writing = outcome.id, self._journal.last

    def settle(self) -> None:
        """Note what was reported, if its record is on the disk. Never raises."""
        if self._writing is not None and self._journal.committed >= self._writing[1]:
            self._note(self._writing[0])
            self._writing = None

    def _read(self) -> str:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return self._mark.read_text(encoding="ascii").strip()
        return ""

    def _note(self, id_: str) -> None:
        with contextlib.suppress(OSError):  # it is reported again at the next start then
            write_beside(self._mark, f"{id_}\n".encode(), 0o600).replace(self._mark)
