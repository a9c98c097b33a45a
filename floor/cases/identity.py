"""Who changed a case: a name that somebody authenticated, and by what. Never what a person types about himself.

Only doors make identities: the command line (`door`), the archive for clients that a broker authenticated, and the web
pages for an account after its login.
"""

from __future__ import annotations

from typing import Literal

import msgspec

MOST_NAME = 128
"""Characters of a name: a user name and a host's."""

Kind = Literal["certificate", "account", "system", "archive"]


class Identity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`certificate`: the name in a client certificate, as the broker or the command line verified it. `account`: a
    login of the web pages. `system`: USER@HOST, an account of the operating system at the archive's database.
    `archive`: the archive itself, by rule. Raises ValueError for a name that none can have."""

    name: str
    kind: Kind

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= MOST_NAME or not self.name.isprintable() or self.name != self.name.strip():
            raise ValueError(f"{self.name[:80]!a} is no name of 1 to {MOST_NAME} printable characters")

    def __str__(self) -> str:
        return self.name if self.kind != "system" else f"{self.name} (system account)"

    @property
    def is_person(self) -> bool:
        """Whether somebody answers for it; the archive only reports."""
        return self.kind != "archive"


ARCHIVE = Identity("pitwatch-archive", "archive")
"""Opens cases, and notes what tables report."""
