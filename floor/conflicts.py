"""Compares two messages with one id: the same record sent again, or a contradiction. Opens nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.contract.attributes import canonical
from pitwatch.daemon.contract.messages import JOURNAL_ONLY, withhold

FIELDS = ("id", "source", "type", "time", "bootid", "monotonic", "clocksynced", "sequence")
"""A record without its data; `camera`, `preroll` and `postroll` are the configuration's, and may change."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def differences(one: bytes, other: bytes) -> list[str]:
    """The fields in which two messages of one id differ, which is a forgery or a fault; none for the same record sent
    again, be it once with its cards and once without (docs/contract.md, observation). Raises ValueError for a message
    that `floor.message.read_message` refuses."""
    if one == other:
        return []
    left, right = (_read(each) for each in (one, other))
    found = [name for name in FIELDS if _encode(left.get(name)) != _encode(right.get(name))]
    data, beside = left.get("data"), right.get("data")
    if _encode(data) != _encode(beside):
        kind = _kind(left.get("type"))
        if _encode(_withheld(kind, data)) != _encode(beside) and _encode(_withheld(kind, beside)) != _encode(data):
            found.append("data")
    return found


def _read(message: bytes) -> dict[str, Any]:
    try:
        told = msgspec.json.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not an event: {str(error)[:120]}") from None
    if not isinstance(told, dict):
        raise ValueError("not an event: no object")
    if "monotonic" not in told and "monotonicns" in told:
        told["monotonic"] = told["monotonicns"]  # the table's program was updated between the two
    return told | {name: canonical(told[name]) for name in ("monotonic", "sequence") if name in told}


def _kind(type_: object) -> str:
    parts = type_.split(".") if isinstance(type_, str) else []
    return parts[1] if len(parts) == 3 else ""


def _withheld(kind: str, data: Any) -> Any:
    """As it may be published while a round is open; as it is where it is nothing that a table would send."""
    body = msgspec.json.encode(data)
    try:
        shown = JOURNAL_ONLY[kind](body) if kind in JOURNAL_ONLY else withhold(kind, body)
        return msgspec.json.decode(shown)
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError, ValueError):
        return data
