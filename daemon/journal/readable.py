"""What a record says, as far as this version understands it: a neighbouring version may have written it."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from pitwatch.daemon.journal.chain import Record

Shape = TypeVar("Shape")


def decoded(record: Record, shape: type[Shape]) -> Shape | None:
    """The record's data in that shape; None if they do not have it. Fields that it does not name are passed over."""
    try:
        return msgspec.json.decode(record.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
