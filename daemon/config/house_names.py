"""Names of a house's tables and clients: which are valid, and which a broker would treat as the same.

A name appears in a certificate, access lists, topics, folders and queue names, and must be valid in all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import NAME, is_table

HOUSE = "house"
"""The name of a house that gives none."""

NO_HOUSE = 'is no name of a house; up to 64 letters, digits, ".", - and _ are right, best a domain: house.example'

_HOUSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z", re.ASCII)

MOST = 64
"""Characters of a common name (RFC 5280, ub-common-name)."""


def is_house(name: str) -> bool:
    """Whether a house may have this name. No two houses of one surveillance should have the same."""
    return bool(_HOUSE.match(name))


def check_table(name: str, where: str = "") -> None:
    """Raises UsageError in one line unless this is SITE/TABLE. `where` the name was found begins the line."""
    if not is_table(name) or any(part.startswith("-") for part in name.split("/")):
        raise UsageError(f"{where}{quoted(name)} is no table; SITE/TABLE of letters, digits, - and _ is right")
    _short(name, where)


def check_client(name: str, where: str = "") -> None:
    """Raises UsageError in one line unless this is a name for a client."""
    if not NAME.match(name) or name.startswith("-"):
        raise UsageError(f"{where}{quoted(name)} is no name; letters, digits, - and _ are right")
    _short(name, where)


def _short(name: str, where: str) -> None:
    if len(name) > MOST:
        raise UsageError(f"{where}{quoted(name)} has {len(name)} characters; a certificate has room for {MOST}")


def client_id(table: str) -> str:
    """Under which SITE/TABLE connects. No two tables have one id: a name has no dot."""
    site, _, name = table.partition("/")
    return f"pitwatch-{site}{'.' if '-' in site else '-'}{name}"


def client_ids(table: str, tables: Iterable[str]) -> list[str]:
    """Those of this one of the `tables`: its own, and that of earlier programs where nobody else has it."""
    own, before = client_id(table), f"pitwatch-{table.replace('/', '-')}"
    others = {client_id(other) for other in tables} | {
        f"pitwatch-{other.replace('/', '-')}" for other in tables if other != table
    }
    return [own] if own == before or before in others else [own, before]


def check_apart(tables: Sequence[str], clients: Iterable[str]) -> None:
    """Raises UsageError in one line if a client has a name that is a table's at the broker."""
    taken = {each: table for table in tables for each in client_ids(table, ())}
    for name in clients:
        for each, table in taken.items():
            if each == name or each.startswith(f"{name}."):
                raise UsageError(f"{quoted(name)} is the name under which {table} connects; give the client another")


def quoted(name: str) -> str:
    """The name in ASCII on one line, whatever is in it."""
    text = json.dumps(name)
    return text if len(text) <= 80 else text[:77] + "..."
