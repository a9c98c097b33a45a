"""One result of `pitwatch doctor`."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """`what` was tested, the result, what was found, and how to fix a fault."""

    what: str
    well: bool
    seen: str
    mend: str = ""
