"""How the last upgrade of this board ended, as `pitwatch upgrade` wrote it down. Reads one small file."""

from __future__ import annotations

from pathlib import Path

import msgspec

HOME = Path("/opt/pitwatch")
"""Where the Debian package is; the service sees it, read-only."""

GOOD, ROLLED_BACK, UNCHECKED = "good", "rolled_back", "unchecked"


class Outcome(msgspec.Struct, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """`before`, `after`: the versions of an upgrade. `result`: one of the words above; a neighbouring version may know
    another. `faults`: why the version before was put back, one line each."""

    id: str
    at: str
    before: str
    after: str
    result: str
    faults: tuple[str, ...] = ()


def outcome_file(home: Path) -> Path:
    return home / "upgrade" / "outcome.json"


def last_upgrade(home: Path | None = None) -> Outcome | None:
    """None if there was none, as on a board without the package. Never raises."""
    try:
        return msgspec.json.decode(outcome_file(home or HOME).read_bytes(), type=Outcome)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
