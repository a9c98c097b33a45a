"""What the archive has of one irregularity: the messages as received, heads that the board signed, time stamps.

Like the board's part (daemon/evidence) it takes the irregularity, its round, its evidence and who acknowledged it, and
nothing of other rounds.
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import CheckpointData, RequestData
from pitwatch.daemon.evidence.gathering import CLOCK
from pitwatch.daemon.evidence.making import Camera, Seen
from pitwatch.daemon.evidence.proofs import SignedHead, Stamped, read_head
from pitwatch.daemon.evidence.subject import Subject, acknowledged
from pitwatch.daemon.journal.judged_by import prints_of
from pitwatch.floor.archive.store import Store
from pitwatch.floor.evidence import stamps
from pitwatch.floor.evidence.cosigned import cosigned, merged
from pitwatch.rules.records import Irregularity

NEAR = 20_000
"""Records before and after an irregularity among which its round is looked for."""

OF = "(site, table_id) = (:site, :table_id)"
COLUMNS = "sequence, boot, kind, name, at, monotonic_ns, synced, payload"
THIS = f"SELECT {COLUMNS} FROM events WHERE {OF} AND sequence = :sequence ORDER BY id"
SOME = f"SELECT {COLUMNS} FROM events WHERE {OF} AND boot = :boot AND kind = :kind"
NEAREST = f"{SOME} AND sequence BETWEEN :low AND :high ORDER BY sequence"
IN_FORCE = f"""
    SELECT {COLUMNS} FROM events WHERE {OF} AND kind = 'integrity' AND sequence < :sequence
    ORDER BY sequence DESC LIMIT 1
"""
LATER = f"SELECT {COLUMNS} FROM events WHERE {OF} AND kind = :kind AND sequence > :sequence ORDER BY sequence"


class Collected(NamedTuple):
    """`boot` and `monotonic_ns` of the irregularity tell whether a journal has the same record."""

    subject: Subject
    boot: str
    seen: list[Seen]
    heads: list[SignedHead]
    camera: Camera | None


class _Envelope(msgspec.Struct):
    data: msgspec.Raw
    camera: str | UnsetType = UNSET
    preroll: int | UnsetType = UNSET
    postroll: int | UnsetType = UNSET


async def collect(store: Store, table: str, sequence: int, ca: bytes | None = None) -> Collected:
    """`table` is SITE/TABLE; `ca` vouches for the time-stamp authority. Raises UsageError, StoreError."""
    site, _, table_id = table.partition("/")
    of: dict[str, Any] = {"site": site, "table_id": table_id}
    rows = [row for row in await store.ask(THIS, **of, sequence=sequence) if row["kind"] == "irregularity"]
    if len(rows) != 1:
        what = "no irregularity" if not rows else f"{len(rows)} irregularities"
        raise UsageError(
            f"{table}: the archive has {what} of number {sequence}; pitwatch archive around lists what it has"
        )
    (row,) = rows
    envelope = msgspec.json.decode(row["payload"], type=_Envelope)
    try:
        said = msgspec.json.decode(envelope.data, type=Irregularity)
    except msgspec.DecodeError as error:
        raise UsageError(f"{table}: message {sequence} cannot be read as an irregularity: {error}") from None
    taken = {sequence: row}
    gone = []
    for named in said.evidence:
        found = [each for each in await store.ask(THIS, **of, sequence=named) if each["boot"] == row["boot"]]
        if found:
            taken[named] = found[0]
        else:
            gone.append(named)
    round_ = await _round(store, of, row, said)
    system = await store.ask(SOME, **of, boot=row["boot"], kind="system")
    started = [each for each in system if each["name"] == "started" and each["sequence"] < sequence][-1:]
    clock = [each for each in system if each["name"] in CLOCK and each["sequence"] < sequence]
    in_force = await store.ask(IN_FORCE, **of, sequence=sequence)
    asked = [each for each in await store.ask(LATER, **of, kind="request", sequence=sequence) if _of(each, sequence)]
    for each in (*started, *clock, *in_force, *asked, *([round_] if round_ else [])):
        taken[each["sequence"]] = each
    subject = Subject(
        table=table,
        sequence=sequence,
        said=said,
        time=row["at"],
        synced=bool(row["synced"]),
        corrected=not row["synced"] and bool(await _clock_of(store, of, row["boot"])),
        monotonic_ns=row["monotonic_ns"],
        round=_data(round_) if round_ else None,
        fingerprints=prints_of(msgspec.json.encode(_data(in_force[0]))) if in_force else {},
        started=_data(started[0]).get("detail") if started else None,
        clock=[each["sequence"] for each in clock],
        acknowledgements=[acknowledged(_request(each), each["at"], each["sequence"]) for each in asked],
        gone=gone,
    )
    seen = [Seen(seq, taken[seq]["payload"].encode()) for seq in sorted(taken)]
    camera = None
    if isinstance(envelope.preroll, int) and isinstance(envelope.postroll, int):
        name = envelope.camera if isinstance(envelope.camera, str) else None
        camera = Camera(name, envelope.preroll, envelope.postroll)
    return Collected(subject, row["boot"], seen, await _heads(store, table, sequence, ca), camera)


async def _round(store: Store, of: dict[str, Any], row: dict[str, Any], said: Irregularity) -> dict[str, Any] | None:
    """The nearest record of the irregularity's round."""
    if said.round is None:
        return None
    at = row["sequence"]
    rows = await store.ask(NEAREST, **of, boot=row["boot"], kind="round", low=at - NEAR, high=at + NEAR)
    found = [each for each in rows if _data(each).get("round") == said.round]
    return min(found, key=lambda each: abs(each["sequence"] - at), default=None)


async def _clock_of(store: Store, of: dict[str, Any], boot: str) -> list[dict[str, Any]]:
    return await store.ask(f"SELECT offset_ns FROM clocks WHERE {OF} AND boot = :boot", **of, boot=boot)


async def _heads(store: Store, table: str, sequence: int, ca: bytes | None) -> list[SignedHead]:
    """Signed trees that hold the record, with the cosignatures and the time stamps there are."""
    site, _, table_id = table.partition("/")
    found: dict[tuple[str, int, bytes], SignedHead] = {}

    def add(note: str, key: str, stamp: Stamped | None = None) -> None:
        head = read_head(note, key)
        if head is None or head.size < sequence:
            return
        place = key, head.size, head.root
        if (known := found.get(place)) is not None:
            head = msgspec.structs.replace(known, note=merged(known.note, [head.note]))
        found[place] = msgspec.structs.replace(head, stamp=stamp or head.stamp)

    keys: dict[str, None] = {}
    for row in await store.ask(LATER, site=site, table_id=table_id, kind="checkpoint", sequence=sequence):
        with contextlib.suppress(msgspec.ValidationError):
            said = msgspec.convert(_data(row), CheckpointData)
            if said.note is not None and said.sequence < row["sequence"]:
                keys[said.key] = None
                add(said.note, said.key)
    for each in (await stamps.of_table(store, table, ca, sequence)).genuine if ca is not None else ():
        at = each.at.strftime("%Y-%m-%dT%H:%M:%SZ")
        stamp = Stamped(head=each.head, stamped=each.stamped, reply=each.reply, at=at, authority=each.authority)
        add(each.head.head.text, each.head.head.key, stamp)
    for key in keys:
        for note in (await cosigned(store, table, key, sequence - 1)).values():
            add(note.format(), key)
    return list(found.values())


def _data(row: dict[str, Any]) -> dict[str, Any]:
    """What a message says; nothing of one that is not as tables send it."""
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        found = msgspec.json.decode(msgspec.json.decode(row["payload"], type=_Envelope).data)
        if isinstance(found, dict):
            return found
    return {}


def _request(row: dict[str, Any]) -> RequestData:
    """Raises msgspec.ValidationError."""
    return msgspec.convert(_data(row), RequestData)


def _of(row: dict[str, Any], sequence: int) -> bool:
    """Whether somebody acknowledged the irregularity by this."""
    try:
        asked = _request(row)
    except msgspec.ValidationError:
        return False
    return asked.verb == "acknowledge" and asked.accepted and asked.arguments.get("sequence") == sequence
