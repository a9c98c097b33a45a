"""The files that a house has written for its tables before their boards are there. Sends nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError

FOLDER = "enrol"
"""In the house's folder: FOLDER/SITE/TABLE.toml."""
MOST_BYTES = 32768
"""Of a table's file that is handed over."""


def table_file(house: Path, table: str) -> str:
    """The table's file, "" if the house has written none. Raises UsageError if it is of another table or unreadable."""
    path = house / FOLDER / f"{table}.toml"
    if not path.exists():
        return ""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: is not TOML: {error}") from None
    if len(text.encode()) > MOST_BYTES:
        raise UsageError(f"{path}: has more than {MOST_BYTES} bytes, and cannot be handed over")
    own = data.get("table")
    named = f"{own.get('site')}/{own.get('id')}" if isinstance(own, dict) else ""
    if named != table:
        raise UsageError(f'{path}: is of "{named}"; [table] must say site and id of {table}')
    return text


def with_broker(text: str, mqtt: str) -> str:
    """The table's file with the house's [mqtt] section, unless it has its own."""
    if not text or "mqtt" in tomllib.loads(text):
        return text
    return f"{text.rstrip()}\n\n{mqtt}"
