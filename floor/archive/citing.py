"""Which records an irregularity names as its evidence: they are kept as long as it is."""

from __future__ import annotations

import msgspec

MOST_SEQUENCE = 2**53
MOST = 1_000
"""Records of one irregularity."""


class _Data(msgspec.Struct):
    evidence: list[int] = []


class _Told(msgspec.Struct):
    data: _Data


def cited(kind: str, payload: str) -> list[int]:
    """Numbers of records of its table; none for another kind of event, and for what no table writes."""
    if kind != "irregularity":
        return []
    try:
        evidence = msgspec.json.decode(payload, type=_Told).data.evidence
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return []
    return sorted({number for number in evidence if 0 <= number <= MOST_SEQUENCE})[:MOST]
