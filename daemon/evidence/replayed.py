"""Judges wire data again by the table's configuration: whether the same irregularity comes of them.

The answer for the wires of the package is part of it, so anybody with that configuration gets the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import msgspec

from pitwatch.daemon.captures import capture
from pitwatch.daemon.captures.capture import CaptureError, Line
from pitwatch.daemon.captures.rehearing import Rehearing
from pitwatch.daemon.captures.replaying import Replay, Tape
from pitwatch.daemon.config import Config
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.exporting import Header, fields
from pitwatch.rules.records import Irregularity

JUDGED = frozenset({"round", "irregularity"})
WIRES = "wires.jsonl"


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """`answer`: the bytes that `pitwatch replay` prints for the wires of the package. `same_alone`, `same_in_full`:
    whether the irregularity is among the verdicts on these wires, and on all that the journal kept around them; null
    where there were none, `fault` says what stood in the way."""

    answer: bytes
    same_alone: bool | None
    same_in_full: bool | None
    fault: str | None = None


def answer(config: Config, wires: bytes, name: str = WIRES) -> bytes:
    """The bytes that `pitwatch replay` prints for a capture. Raises CaptureError."""
    return _played(config, capture.lines(name, io.BytesIO(wires)), name)[0]


def replay(config: Config, said: Irregularity, wires: bytes, stretch: list[Record]) -> Replayed:
    """`wires` of the package, and the wire records that it does not hold."""
    out, alone, in_full, fault = b"", None, None, None
    try:
        if wires:
            out, told = _played(config, capture.lines(WIRES, io.BytesIO(wires)), WIRES)
            alone = _among(said, told)
        if stretch:
            header = encode(Header(begins_after=0, hash_before=""))
            exported = [encode({**fields(each), "hash": ""}) for each in stretch]
            heard = Rehearing("the journal's wires", header, exported).stretches()
            in_full = any(_among(said, _played(config, lines, "the journal's wires")[1]) for lines in heard)
    except CaptureError as error:
        fault = str(error)
    return Replayed(answer=out, same_alone=alone, same_in_full=in_full, fault=fault)


def _played(config: Config, lines: Iterable[tuple[int, Line]], path: str) -> tuple[bytes, list[Any]]:
    out = io.BytesIO()
    told: list[Any] = []

    def put(kind: str, sequence: int, data: Any) -> None:
        out.write(encode({"type": f"pitwatch.{kind}.v1", "sequence": sequence, "data": data}) + b"\n")
        told.append(data)

    Replay(config, Tape(JUDGED, put)).run(lines, path)
    return out.getvalue(), told


def _among(said: Irregularity, told: list[Any]) -> bool:
    """Whether this was found too: rounds and records are numbered anew in a replay, and
    a record of an earlier version lacks the rule's sentence."""
    return _plain(said) in [_plain(each) for each in told if isinstance(each, Irregularity)]


def _plain(said: Irregularity) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(said, round=None, evidence=(), says=""), order="deterministic")
