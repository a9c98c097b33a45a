"""The signed statements in archived messages."""

from __future__ import annotations

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData


class _Envelope(msgspec.Struct):
    data: msgspec.Raw


def checkpoint_in(payload: str) -> CheckpointData | None:
    """The checkpoint in an archived message; None if it cannot be read. Its signature is not verified."""
    try:
        return msgspec.json.decode(msgspec.json.decode(payload, type=_Envelope).data, type=CheckpointData)
    except (msgspec.DecodeError, RecursionError):
        return None
