"""Names of a house's tables and clients: which are right.

A name stands in a certificate, in access lists, in topics, in folders and in names of queues: it must do in all.
"""

from __future__ import annotations

import json

from daemon.errors import UsageError
from daemon.sections import NAME, is_table

MOST = 64
"""Characters of a common name (RFC 5280, ub-common-name)."""


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


def quoted(name: str) -> str:
    """The name in ASCII on one line, whatever is in it."""
    text = json.dumps(name)
    return text if len(text) <= 80 else text[:77] + "..."
