"""One irregularity for its page: as the floor's model has it, or as the archive has it, with its records."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import NamedTuple

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive.store import Store
from pitwatch.floor.evidence.collecting import collect
from pitwatch.floor.message import Message, read_message
from pitwatch.floor.watch import payloads
from pitwatch.floor.watch.concern import Acknowledgement, Concern, Kept
from pitwatch.floor.watch.pages import evidence
from pitwatch.floor.web.archive_door import AwayError
from pitwatch.floor.web.drawing.timing import Mark
from pitwatch.floor.web.open_rounds import evidence_without_cards
from pitwatch.floor.web.parts import Parts

WIRES = """
    SELECT sequence, payload, monotonic_ns FROM events WHERE (site, table_id) = (:site, :table_id) AND boot = :boot
    AND kind IN ('wire', 'observation') AND monotonic_ns BETWEEN :begin AND :end ORDER BY sequence LIMIT 300
"""
AROUND_S = 2.0
"""Seconds before and after the cited records of which the other records are drawn too."""


class Cited(NamedTuple):
    """`sequence` of a record; `known` is None if neither this server nor the archive has it."""

    sequence: int
    known: Kept | None
    told: str


class Shown(NamedTuple):
    concern: Concern
    records: list[Cited]
    marks: list[Mark]
    boot: str
    open_round: bool
    """The round may still be in play: its cards are nobody's business without the right."""


def from_model(parts: Parts, table: str, sequence: int) -> Concern | None:
    concern = parts.watching.floor.concerns.begun_by(table, sequence)
    return concern if concern is not None and concern.kind == "irregularity" else None


async def shown_of(parts: Parts, table: str, sequence: int, cards: bool) -> Shown | None:
    """None if nobody has heard of it. Raises AwayError if only the archive could know, and is away."""
    concern = from_model(parts, table, sequence)
    away: AwayError | None = None
    kept: dict[int, tuple[Kept, int]] = {}
    boot = ""
    try:
        async with parts.archive.asked() as store:
            concern, kept, boot = await _from_archive(parts, store, table, sequence, concern)
    except AwayError as error:
        away = error
    if concern is None:
        if away is not None and parts.archive.named:
            raise away
        return None
    assert isinstance(concern.data, payloads.Irregularity)
    here = parts.watching.floor.tables.get(table)
    last = here.rounds[-1][0] if here is not None and here.rounds else 0
    is_open = here is not None and sequence > last
    for number, heard in concern.evidence.items():
        kept.setdefault(number, (heard, _monotonic(heard)))
    records = []
    for number in concern.data.evidence[:100]:
        known = kept[number][0] if number in kept else None
        if known is not None and is_open and not cards:
            known = evidence_without_cards(known)
        records.append(Cited(number, known, evidence(known) if known is not None else ""))
    hide = is_open and not cards
    marks = [
        mark
        for number, (each, ns) in sorted(kept.items())
        if (mark := _mark(number, evidence_without_cards(each) if hide else each, ns, concern.data.evidence))
    ]
    return Shown(concern, records, marks, boot, is_open)


async def _from_archive(
    parts: Parts, store: Store, table: str, sequence: int, known: Concern | None
) -> tuple[Concern | None, dict[int, tuple[Kept, int]], str]:
    """What the archive has of it; `known` stays what it is, for it is live."""
    try:
        collected = await collect(store, table, sequence)
    except UsageError:
        return known, {}, ""
    messages: dict[int, Message] = {}
    for seen in collected.seen:
        with contextlib.suppress(ValueError):
            found = read_message(parts.house.mqtt.prefix, _topic(parts, table, seen.payload), seen.payload, False)
            messages[seen.sequence] = found
    concern = known
    if concern is None and (own := messages.get(sequence)) is not None and own.event is not None:
        try:
            data = msgspec.json.decode(own.event.data, type=payloads.Irregularity)
        except (msgspec.DecodeError, RecursionError):
            return None, {}, ""
        at = datetime.fromisoformat(collected.subject.time).timestamp()
        concern = Concern(table, "irregularity", own.event.id, data.severity, at, data, own)
        for done in collected.subject.acknowledgements[:1]:
            by, client = str(done.get("by") or ""), str(done.get("client") or "")
            when = datetime.fromisoformat(str(done["time"])).timestamp()
            concern.acknowledged = Acknowledgement(by, when, "table", str(done.get("note") or ""), client=client)
    kept = {
        number: (Kept(each.event.kind, bytes(each.event.data), each.event.time), int(each.event.monotonic or 0))
        for number, each in messages.items()
        if each.event is not None and each.event.kind in ("observation", "round")
    }
    if concern is not None and isinstance(concern.data, payloads.Irregularity):
        await _add_around(store, table, collected.boot, concern.data.evidence, kept)
    return concern, kept, collected.boot


async def _add_around(store: Store, table: str, boot: str, cited: list[int], kept: dict[int, tuple[Kept, int]]) -> None:
    """What else was on the wires at that time."""
    times = [ns for number, (_, ns) in kept.items() if number in cited]
    if not times:
        return
    site, _, table_id = table.partition("/")
    around = int(AROUND_S * 1e9)
    rows = await store.ask(
        WIRES, site=site, table_id=table_id, boot=boot, begin=min(times) - around, end=max(times) + around
    )
    for row in rows:
        if row["sequence"] is not None and row["sequence"] not in kept:
            with contextlib.suppress(msgspec.DecodeError, RecursionError, KeyError):
                whole = msgspec.json.decode(row["payload"])
                kind = str(whole["type"]).split(".")[1]
                data = msgspec.json.encode(whole["data"])
                kept[row["sequence"]] = (Kept(kind, data, str(whole.get("time", ""))), int(row["monotonic_ns"]))


def _mark(number: int, kept: Kept, ns: int, cited: list[int]) -> Mark | None:
    try:
        data = msgspec.json.decode(kept.data)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(data, dict) or not ns:
        return None
    if kept.kind == "wire":
        begin, end = data.get("begin"), data.get("end")
        if isinstance(begin, int | float) and isinstance(end, int | float) and end >= begin:
            told = f"{data.get('count')} events on the wires, SHA-256 {str(data.get('sha256'))[:16]}…"
            return Mark("wires", float(begin), float(end), number, told, False)
        return None
    at = data.get("t") if kept.kind == "observation" else data.get("closed")
    lane = str(data.get("device") or "round") if kept.kind == "observation" else "round"
    if not isinstance(at, int | float):
        return None
    return Mark(lane, float(at), float(at), number, evidence(kept), number in cited)


def _monotonic(kept: Kept) -> int:
    try:
        at = msgspec.json.decode(kept.data)["t"]
        return int(at * 1e9) + 1
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError):
        return 0


def _topic(parts: Parts, table: str, payload: bytes) -> str:
    return f"{parts.house.mqtt.prefix}/{table}/archived"
