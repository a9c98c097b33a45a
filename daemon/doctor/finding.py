"""One result of `pitwatch doctor`."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """`what` was tried, whether it is well, what was seen, and how to mend it."""

    what: str
    well: bool
    seen: str
    mend: str = ""
