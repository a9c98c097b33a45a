"""What a package is about, whichever of journal and archive says it: the irregularity with what belongs to it."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.contract.messages import RequestData, SystemData, utc
from pitwatch.daemon.evidence.gathering import Gathered
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.judged_by import prints_of
from pitwatch.daemon.journal.right_time import RightTimes
from pitwatch.rules.records import Irregularity


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """`time` is UTC, right as far as it is known; `synced` and `corrected` say how. `fingerprints`: by what the table
    judged. `gone`: records of the evidence that are not there."""

    table: str
    sequence: int
    said: Irregularity
    time: str
    synced: bool
    corrected: bool
    monotonic_ns: int
    round: dict[str, Any] | None
    fingerprints: dict[str, str]
    started: dict[str, Any] | None
    clock: list[int]
    acknowledgements: list[dict[str, Any]]
    gone: list[int]


def of_journal(found: Gathered) -> Subject:
    """Of what was gathered of a journal."""
    record = found.irregularity
    right = RightTimes(found.clock)
    corrected = not record.synced and right.of(record) != record.wall_ns
    started = msgspec.json.decode(found.started.body, type=SystemData).detail if found.started is not None else None
    return Subject(
        table=found.table,
        sequence=record.seq,
        said=found.said,
        time=utc(right.of(record)),
        synced=record.synced,
        corrected=corrected,
        monotonic_ns=record.t_ns,
        round=msgspec.json.decode(found.round.body) if found.round is not None else None,
        fingerprints=prints_of(found.integrity.body) if found.integrity is not None else {},
        started=started,
        clock=[each.seq for each in found.clock],
        acknowledgements=[_acknowledged(each, right) for each in found.acknowledgements],
        gone=found.gone,
    )


def _acknowledged(record: Record, right: RightTimes) -> dict[str, Any]:
    asked = msgspec.json.decode(record.body, type=RequestData)
    return acknowledged(asked, utc(right.of(record)), record.seq)


def acknowledged(asked: RequestData, time: str, sequence: int) -> dict[str, Any]:
    """Who has seen it, as package.json has it."""
    client = asked.client if isinstance(asked.client, str) else None
    note = str(asked.arguments.get("note", ""))
    return {"sequence": sequence, "time": time, "by": asked.by, "client": client, "note": note}
