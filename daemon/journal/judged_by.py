"""The rule book, game, configuration and program in force at a record, from the `integrity` records."""

from __future__ import annotations

import msgspec

from pitwatch.daemon.contract.messages import Fingerprints, IntegrityData

TOPIC = "integrity"


def prints_of(body: str | bytes) -> dict[str, str]:
    """Of a record of this kind: by which rule book, game, configuration and program the table judges from then on.
    Nothing of a body that is no such record's."""
    try:
        now = msgspec.json.decode(body, type=IntegrityData).now
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {what: now[what] for what in Fingerprints.__struct_fields__ if what in now}
