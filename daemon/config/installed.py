"""Where the tables of a board are installed, and which of them a name means: systemd/pitwatch@.service runs the table
FOLDER/NAME.toml and gives it the folder STATE/NAME for its journal."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import ConfigError, UsageError
from pitwatch.daemon.config import config
from pitwatch.daemon.config.config import Config
from pitwatch.daemon.config.sections import NAME, is_table, read_toml
from pitwatch.rules.text.did_you_mean import did_you_mean

FOLDER = Path("/etc/pitwatch")
STATE = Path("/var/lib/pitwatch")


class NoSuchTableError(UsageError):
    """No installed table has this name."""


UNIT = re.compile(r"pitwatch@(?P<name>.+?)(\.service)?\Z")


def load(given: str) -> Config:
    """The configuration in the file `given`, or of the installed table of that name: SITE/TABLE, or what stands behind
    `pitwatch@`. The journal of such a table is where its service keeps it. Raises UsageError."""
    path = find(given)
    if path is None:
        return config.load(given)
    table = config.load(path)
    if table.journal.is_absolute():  # as journal.path or STATE_DIRECTORY say
        return table
    return msgspec.structs.replace(table, journal=STATE / path.stem / table.journal.name)


def find(given: str) -> Path | None:
    """The file of the installed table of that name; None if `given` is the path of a file, or no table is installed.
    Raises UsageError for a name that no table has."""
    if (unit := UNIT.match(given)) is not None:
        name = unit["name"]
    elif os.path.isfile(given) or not (NAME.match(given) or is_table(given)):
        return None
    else:
        name = given
    try:
        files = {path.stem: path for path in sorted(FOLDER.iterdir()) if path.suffix == ".toml"}
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{FOLDER}: cannot be read: {error.strerror}; use the daemon's user or root") from None
    if name in files:
        return files[name]
    tables = {path: _place(path) for path in files.values()}
    found = [path for path, place in tables.items() if place == name]
    if len(found) > 1:
        raise UsageError(f"{name}: {' and '.join(map(str, found))} are both this table; name one of the files")
    if found:
        return found[0]
    if not files:
        return None
    known = [*files, *filter(None, tables.values())]
    hint = did_you_mean(name, known, f"installed: {', '.join(files)}")
    raise NoSuchTableError(f"{given}: no such file, and no table of this name in {FOLDER}; {hint}")


def _place(path: Path) -> str:
    """SITE/TABLE as the file has it; "" if it cannot be read, which whoever loads it reports."""
    try:
        data: dict[str, Any] = read_toml(path, "a table's")[1]
    except ConfigError:
        return ""
    table = data.get("table")
    return f"{table.get('site')}/{table.get('id')}" if isinstance(table, dict) else ""
