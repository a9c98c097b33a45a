"""Requests to a table: the verbs and the payload of each (docs/contract.md, section 6). Answers nothing."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Verb = Literal["replay", "acknowledge", "snapshot", "unknown"]
VERBS: tuple[Verb, ...] = ("replay", "acknowledge", "snapshot")

MOST_BYTES = 4_096
"""Most bytes of a request."""

MOST_RECORDS = 500
"""Most records that one request may have sent again."""

Text = Annotated[str, Meta(max_length=64)]
Identifier = Annotated[str, Meta(min_length=1, max_length=64)]
Sequence = Annotated[int, Meta(ge=1, le=2**53)]


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sends the records `first` to `last` again on `response/replay`, unchanged, then the response."""

    id: Identifier
    by: Text = ""
    first: Sequence
    last: Sequence


class AcknowledgeRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person `by` has seen the record `sequence`."""

    id: Identifier
    by: Identifier
    sequence: Sequence
    note: Annotated[str, Meta(max_length=200)] = ""


class SnapshotRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Returns the present state of the table."""

    id: Identifier
    by: Text = ""


class Asker(msgspec.Struct, frozen=True):
    """The readable part of a refused request: it addresses the answer to the client that asked."""

    id: Identifier
    by: Text = ""


REQUESTS: dict[str, type[ReplayRequest | AcknowledgeRequest | SnapshotRequest]] = {
    "replay": ReplayRequest,
    "acknowledge": AcknowledgeRequest,
    "snapshot": SnapshotRequest,
}
