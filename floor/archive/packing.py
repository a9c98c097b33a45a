"""What is stored of an event's message: what its columns do not say already. The view `events` makes the message anew,
byte for byte (steps/versions/step_0008_compact.py has the same text in SQL).
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from pitwatch.floor.archive.row import Row, iso

WHOLE, ENVELOPED, DATA, OBSERVED = range(4)
"""Forms of a stored message: all of it; what follows the envelope's attributes; the data; of an observation, its time
and its own data."""


Sort = tuple[str, str, str | None, str | None, str | None, bool | None, bool | None, bool | None, str | None]
"""Kind, subtopic, name, device, severity, raised, partial, earlier, void."""


class Packed(NamedTuple):
    """`time`: that of the message if it is not the event's, else empty; `body` is what `form` says."""

    form: int
    time: str
    body: str


def packed(row: Row) -> Packed:
    """Every message comes back as it was: one that no table writes like this is stored whole."""
    at = iso(row.at)
    begin = row.payload.find('"time":"') + 8
    time = row.payload[begin : begin + len(at)]
    head = attributes(row, time)
    if (
        row.sequence is None
        or row.id != f"{row.table_id}/{row.boot}/{row.sequence}"
        or not row.payload.startswith(head)
    ):
        return Packed(WHOLE, "", row.payload)
    time = "" if time == at else time
    rest = row.payload[len(head) :]
    if not (rest.startswith(',"data":') and rest.endswith("}")):
        return Packed(ENVELOPED, time, rest)
    data = rest[8:-1]
    middle = f',"device":"{row.device}","event":"{row.name}","data":'
    t, found, inner = data.partition(middle)
    known = row.kind == "observation" and row.device is not None and row.name is not None
    if known and found and t.startswith('{"t":') and "|" not in t and inner.endswith("}"):
        return Packed(OBSERVED, time, f"{t[5:]}|{inner[:-1]}")
    return Packed(DATA, time, data)


def attributes(row: Row, time: str) -> str:
    """The envelope up to the number, as a table writes it."""
    return (
        f'{{"specversion":"1.0","id":"{row.table_id}/{row.boot}/{row.sequence}","source":"/{row.site}/{row.table_id}",'
        f'"type":"pitwatch.{row.kind}.v1","time":"{time}","datacontenttype":"application/json","bootid":"{row.boot}",'
        f'"monotonic":"{row.monotonic_ns}","clocksynced":{"true" if row.synced else "false"},"sequence":{row.sequence}'
    )


def sort_of(row: Row) -> Sort:
    """What a row has in common with others."""
    return (
        row.kind, row.subtopic, row.name, row.device, row.severity, row.raised, row.partial, row.earlier, row.void,
    )  # fmt: skip


def sort_key(sort: tuple[object, ...]) -> str:
    """By which it is found: a digest, since an index takes no text of any length."""
    return hashlib.sha256(json.dumps(sort).encode()).hexdigest()
