"""Requests to a table: the verbs and the payload of each (docs/contract.md, section 6). Answers nothing."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

Verb = Literal["replay", "acknowledge", "snapshot", "consistency", "cosign", "hold", "release", "unknown"]
VERBS: tuple[Verb, ...] = ("replay", "acknowledge", "snapshot", "consistency", "cosign", "hold", "release")
WITNESS: tuple[Verb, ...] = ("consistency", "cosign")
"""What a table answers whose configuration names a witness, without naming the verbs."""

NAMED: tuple[Verb, ...] = ("hold", "release")
"""What is answered only to a client with a name."""

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


class ConsistencyRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The proof that the tree of `new` records begins with the tree of `old` records."""

    id: Identifier
    by: Text = ""
    old: Sequence
    new: Sequence


class CosignRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A witness has cosigned the head of the journal's tree: `note` is the checkpoint's note with its cosignature. The
    table keeps it if the configuration names the witness."""

    id: Identifier
    by: Text = ""
    note: Annotated[str, Meta(max_length=3_500)]


class HoldRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keeps the records `first` to `last`, or those around the irregularity `sequence`, past `keep_days`, with
    everything after them."""

    id: Identifier
    by: Identifier
    first: Sequence | UnsetType = UNSET
    last: Sequence | UnsetType = UNSET
    sequence: Sequence | UnsetType = UNSET
    reason: Annotated[str, Meta(min_length=1, max_length=200)]


class ReleaseRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ends the hold `hold`: the number that the answer to its request gave."""

    id: Identifier
    by: Identifier
    hold: Sequence
    reason: Annotated[str, Meta(min_length=1, max_length=200)]


class Asker(msgspec.Struct, frozen=True):
    """The readable part of a refused request: it addresses the answer to the client that asked."""

    id: Identifier
    by: Text = ""


Request = (
    ReplayRequest
    | AcknowledgeRequest
    | SnapshotRequest
    | ConsistencyRequest
    | CosignRequest
    | HoldRequest
    | ReleaseRequest
)

REQUESTS: dict[str, type[Request]] = {
    "replay": ReplayRequest,
    "acknowledge": AcknowledgeRequest,
    "snapshot": SnapshotRequest,
    "consistency": ConsistencyRequest,
    "cosign": CosignRequest,
    "hold": HoldRequest,
    "release": ReleaseRequest,
}
