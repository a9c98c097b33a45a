"""One result of `pitwatch doctor`."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True, rename={"fix": "mend"}):
    """`what` was tested, the result, what was found, and how to fix a fault, which JSON names `mend`."""

    what: str
    well: bool
    seen: str
    fix: str = ""
