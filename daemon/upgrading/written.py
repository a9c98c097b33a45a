"""How far an upgrade has come, on disk: whoever goes on after a power cut goes on from there.

`pending.json` is there from the moment when a newer version is complete on disk until it is decided which one stays;
`outcome.json` is the last decision. Both are written whole or not at all.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.common.last_upgrade import Outcome, last_upgrade, outcome_file
from pitwatch.daemon.common.whole_file import sync_folder, write_beside

STAGED, CHECKING, ROLLING_BACK = "staged", "checking", "rolling_back"


class TableBefore(msgspec.Struct, frozen=True, kw_only=True):
    """A table that was watched before the upgrade. `online`: the devices that were on line. `fault`: what was wrong
    with its journal already. `within_s`: seconds that its configuration gives it to be as before."""

    name: str
    status: str
    journal: str | None = None
    boot: str = ""
    last: int = 0
    online: tuple[str, ...] = ()
    fault: str | None = None
    within_s: int = 90


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """`was`, `into`: the names of the trees; `before`, `after`: their versions. `interrupted`: how many times the check
    was begun and did not end."""

    id: str
    step: str
    was: str
    into: str
    before: str
    after: str
    tables: tuple[TableBefore, ...] = ()
    faults: tuple[str, ...] = ()
    interrupted: int = 0


class Written:
    """The two files in `home`/upgrade. Raises OSError where they cannot be written."""

    def __init__(self, home: Path):
        self._home = home
        self._pending = home / "upgrade" / "pending.json"

    def pending(self) -> Pending | None:
        """None if nothing is left to do."""
        try:
            found = msgspec.json.decode(self._pending.read_bytes(), type=Pending)
        except (OSError, msgspec.DecodeError):
            return None
        outcome = self.outcome()
        return None if outcome is not None and outcome.id == found.id else found

    def outcome(self) -> Outcome | None:
        return last_upgrade(self._home)

    def begin(self, **fields: Any) -> Pending:
        """Those of `Pending`, but for its id."""
        return self.go_on(Pending(id=secrets.token_hex(8), **fields))

    def go_on(self, pending: Pending) -> Pending:
        _write(self._pending, pending)
        return pending

    def end(self, pending: Pending, result: str, faults: tuple[str, ...] = ()) -> Outcome:
        """Decided; nothing is pending any more."""
        outcome = Outcome(
            id=pending.id,
            at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            before=pending.before,
            after=pending.after,
            result=result,
            faults=faults,
        )
        _write(outcome_file(self._home), outcome)
        self.clear()
        return outcome

    def clear(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._pending.unlink()
            sync_folder(self._pending.parent)


def _write(path: Path, content: msgspec.Struct) -> None:
    path.parent.mkdir(mode=0o755, exist_ok=True)
    os.replace(write_beside(path, msgspec.json.encode(content) + b"\n", 0o644), path)
    sync_folder(path.parent)
