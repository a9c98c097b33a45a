"""The published payloads and their CloudEvents envelope (docs/contract.md, section 6).

Defines structure and encoding, not storage or transport.
"""

from __future__ import annotations

import time
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.devices.observation import Observation

APART = "apart"
"""`live_cards` of the configuration: card values go to a topic of their own."""

TELLING = frozenset(("card_drawn", "card_placed", "card_removed", "hole_card_checked"))
"""Events that would disclose a card before the round is over."""

SHOWN = frozenset(("to", "index", "outside", "first_card", "burn_count"))
"""Their fields that are published at once. The card is not among them, nor what a reader may add: rank, suit, a number
of its own."""

TELLING_FAULTS = {
    "retransmission": "card",
    "impossible_card": "bytes",
    "malformed_frame": "bytes",
    "unknown_event": "bytes",
    "unknown_code": "said",
}
"""Reason of a device's fault to the field of its evidence that would disclose a card, if that field is there."""


class ObservationData(msgspec.Struct, frozen=True, kw_only=True):
    """What a device saw. `t` in seconds of the board's monotonic clock. `withheld`: a card value is left out here; the
    round's record contains it."""

    t: float
    device: str
    event: str
    data: dict[str, Any]
    withheld: bool | UnsetType = UNSET


class DeviceData(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a device. `since` in seconds of the board's monotonic clock; `removed`: no longer configured.
    `node`: for lines on a sensor node, what the node reported of itself when it last came on line."""

    device: str
    state: Literal["online", "offline", "fault", "removed"]
    since: float
    reason: str | None
    type: str | None
    protocol: str | None
    link: str | None
    node: dict[str, Any] | UnsetType = UNSET


class Fingerprints(msgspec.Struct, frozen=True, kw_only=True):
    """SHA-256, in hexadecimal: of the rule book's files, of the game's own file, of the table's configuration."""

    book: str
    game: str
    configuration: str
    program: str
    """Of the program's own files."""


class IntegrityData(msgspec.Struct, frozen=True, kw_only=True):
    """What the table uses, published each time it changes: `book`, `game`, `configuration`, `program`, `key`,
    `device ID` for a device that reports its identity, `presence of ID` for one that was absent. `changed` is empty
    when an entry is published for the first time."""

    changed: list[str]
    was: dict[str, str]
    """The earlier value of each entry that has changed."""
    now: dict[str, str]


class SystemData(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to the daemon itself. `started`: it watches from now on; the detail has the cause of the start,
    the `version` of the program with its build (as in `status`) and the run before. `stopped`: it was asked to
    stop. `clock_set`, `clock_stepped`, `clock_lost`: the board's clock was set, jumped or lost its source;
    `wall_minus_monotonic_ns` gives the correct time of every record of this run. `journal_set_aside`: the journal's
    file was damaged, and another file continues it. `record_lost`: replaces a record that the damage destroyed.
    `records_dropped`: so many observations found no room. `records_removed`: at the start, records `up_to` a
    sequence were missing at the journal's beginning, and no signed record gives the reason.
    `records_not_published`: no broker of the list accepts messages of their size; the journal contains them.
    `lock_removed`: the file that reserves the journal for one daemon was removed or replaced while the table was
    watched. `upgraded`: the board's package was upgraded, and each table is watched as before. `upgrade_rolled_back`:
    it was upgraded, a table was not watched as before, and the version before is back; the detail has `severity`
    "critical", the `faults`, and the versions `from` and `to`."""

    event: Literal[
        "started", "stopped", "clock_set", "clock_stepped", "clock_lost", "journal_set_aside", "record_lost",
        "records_dropped", "records_removed", "records_not_published",
        "lock_removed", "upgraded", "upgrade_rolled_back",
    ]  # fmt: skip
    detail: dict[str, Any] = {}


class StatusData(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the process. `journal` is "ok", or the fault of the journal."""

    state: Literal["starting", "ready", "aligning", "stopping", "lost"]
    version: str
    """Of the program, with `+` and its build where that is known: `0.2.0+git.912.1a2b3c4`."""
    game: str
    fingerprints: Fingerprints
    boot: str
    journal: str
    key: str | None = None
    """The public key of the journal's signatures: base64 of its DER form; null until the table has a key."""


class CheckpointData(msgspec.Struct, frozen=True, kw_only=True):
    """The head of the journal's hash chain, signed. The signature (Ed25519, base64) signs the line
    `pitwatch-checkpoint-v1 TABLE FIRST SEQUENCE HASH` with its line end."""

    table: str
    """SITE/TABLE."""
    first: int
    """The oldest record that the journal held."""
    sequence: int
    """The newest record that the signature covers, with everything before it."""
    hash: str
    """Of that record, in hexadecimal."""
    key: str
    """The public key: base64 of its DER form, as in `status`."""
    signature: str
    previous: int | None = None
    """`sequence` of the previous checkpoint; null in the first one, and in those of earlier versions."""
    previous_hash: str | None = None
    """`hash` of the previous checkpoint. This signature does not cover these two fields; the next checkpoint does."""
    note: str | None = None
    """The root of the Merkle tree over the records up to `sequence`, as a signed C2SP tlog-checkpoint; null in those of
    earlier versions, and while the tree of an older journal is being built."""


class RetentionData(msgspec.Struct, frozen=True, kw_only=True):
    """Where the journal begins from now on. The signature (Ed25519, base64) signs the line
    `pitwatch-retention-v1 TABLE SEQUENCE HASH REASON TIME` with its line end; null, like `key`, on a board that cannot
    sign."""

    table: str
    """SITE/TABLE."""
    sequence: int
    """The last record that is removed."""
    hash: str
    """The hash of that record, in hexadecimal: the chain continues from it."""
    reason: Annotated[str, msgspec.Meta(extra_json_schema={"enum": ["age", "key", "room", "set_aside"]})]
    """`age`: the records were older than the configured days; `room`: the disk was full and the clock not set;
    `set_aside`: they are in `file`, which was damaged; `key`: they were removed before the board had a signing key. A
    newer version may have written another word."""
    time: str
    """UTC by the board's clock."""
    file: str | None = None
    key: str | None = None
    signature: str | None = None


class CosignatureData(msgspec.Struct, frozen=True, kw_only=True):
    """A witness has cosigned the head of the journal's tree: it has verified that the tree begins with the one that it
    cosigned before. The table has verified the cosignature."""

    table: str
    """SITE/TABLE."""
    sequence: int
    """The newest record that is cosigned, with everything before it."""
    witness: str
    """The witness's name, and that of its key."""
    time: str
    """When it cosigned, UTC by its own clock."""
    note: str
    """The note of the checkpoint (C2SP tlog-checkpoint) with the cosignature (C2SP tlog-cosignature)."""


class HeldData(msgspec.Struct, frozen=True, kw_only=True):
    """A hold: retention removes none of the records `first` to `last`, and none after them. `irregularity` is its
    record if the request named one. `client`, `by` and `reason` are those of the request."""

    hold: int
    """The hold's number: the sequence of the request's record."""
    first: int
    last: int
    irregularity: int | None = None
    client: str | UnsetType = UNSET
    by: str
    reason: str
    time: str
    """UTC by the board's clock."""


class HoldsData(msgspec.Struct, frozen=True, kw_only=True):
    """A hold began or ended. `held`, `released`: by request of `client` and `by`; `ended`: the table ended it, because
    the disk had no room and nothing else was old enough to be removed; `restored`: somebody removed the hold from the
    journal's file, and the table found it in its records."""

    change: Literal["held", "released", "ended", "restored"]
    hold: int
    client: str | UnsetType = UNSET
    by: str
    reason: str
    holds: list[HeldData]
    """All holds that stand now."""


class WireData(msgspec.Struct, frozen=True, kw_only=True):
    """The wire data around an irregularity: lines of a capture. They stay in the journal, because they would disclose
    the cards of an open round; the published record has `withheld`, their count and their SHA-256. Times in seconds of
    the board's monotonic clock."""

    piece: int
    """The pieces of a run are numbered from 1; a record with the number of an earlier one continues that piece."""
    begin: float
    end: float
    standing: list[msgspec.Raw]
    """Lines with the state of each wire when the piece began."""
    lines: list[msgspec.Raw]
    withheld: bool | UnsetType = UNSET
    count: int | UnsetType = UNSET
    sha256: str | UnsetType = UNSET
    """Of `lines`, each with its line end."""


class StatisticStateData(msgspec.Struct, frozen=True, kw_only=True):
    """A monitor's state went into the journal, for the next start of the table. The state stays there; this tells which
    it is."""

    monitor: str
    key: str
    epoch: int
    since: int
    upto: int
    """The last round, or shoe, that counts in it."""
    withheld: Literal[True]
    sha256: str
    """Of the record's data in the journal."""


class RequestData(msgspec.Struct, frozen=True, kw_only=True):
    """A client sent a request to the table. `request` is the client's id for it, null if it could not be read. `client`
    is the client's name, which the broker enforces; absent for a request on the topic without a name."""

    verb: Literal["replay", "acknowledge", "snapshot", "consistency", "cosign", "hold", "release", "unknown"]
    request: str | None
    client: str | UnsetType = UNSET
    by: str
    """The name of the person, as the client gives it; nothing proves it."""
    accepted: bool
    reason: str = ""
    """Why the request was refused."""
    arguments: dict[str, Any] = {}


class ResponseData(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request. `client` and `request` together identify the request: two clients may use one id."""

    request: str | None
    client: str | UnsetType = UNSET
    ok: bool
    reason: str = ""
    count: int | UnsetType = UNSET
    """`replay`: number of records that were sent again before this response."""
    snapshot: dict[str, Any] | UnsetType = UNSET
    """`snapshot`: `status`, `health`, `devices` and `alerts` as published, and the last `sequence`."""
    proof: list[str] | UnsetType = UNSET
    """`consistency`: the hashes of the proof (RFC 6962 section 2.1.2), each in base64."""
    size: int | UnsetType = UNSET
    """`consistency`: how many records the journal's tree has now."""
    key: str | UnsetType | None = UNSET
    """`consistency`: the public key that signs this journal, as in `status`: a replaced board has another."""
    hold: int | UnsetType = UNSET
    """`hold`, `release`: the number of the hold."""
    first: int | UnsetType = UNSET
    """`hold`: the first record that is held."""
    last: int | UnsetType = UNSET
    """`hold`: the last record that the hold names; those after it are kept with it."""


class HealthData(msgspec.Struct, frozen=True, kw_only=True):
    """The health of the process. Counts begin when it starts, unless a field says otherwise."""

    uptime_s: float
    sequence: int
    """The last sequence assigned."""
    committed: int
    """The last sequence committed to disk."""
    delivered: int
    """The broker has acknowledged every record up to this sequence."""
    queue: int
    """Records that the broker has not acknowledged yet."""
    loop_lag_ms: float
    """Longest time the event loop was late in the past interval."""
    memory_kib: int
    """Resident memory."""
    disk_free_mib: int
    """Free space where the journal is."""
    clock_synced: bool
    connections: int
    """Connections made to the broker."""
    dropped: dict[str, int]
    """What was lost, by kind: `bytes`, `edges`, `records`; zero counts are left out."""
    errors: int
    """Faults in the program that did not end it; the log describes them."""
    journal: str
    broker: str = "ok"
    """Which of a table's messages the broker refuses, or that this could not be tested; "ok" if none."""
    holds: int = 0
    """Holds that stand."""
    held_from: int | None = None
    """Retention removes nothing from this record on; null without a hold."""
    certificate_ends: str | None = None
    """When the first certificate that the table uses for its broker ends, UTC; null without one."""
    temperature_c: float | None = None
    """Of the board's warmest sensor, degrees Celsius; null if the board has none."""
    throttled: int | None = None
    """`get_throttled` of a Raspberry Pi's firmware: bit 0 under-voltage now, 1 frequency capped now, 2 throttled now,
    3 soft temperature limit now; bits 16 to 19 the same since the board started. Null on other boards."""


class EchoData(msgspec.Struct, frozen=True, kw_only=True):
    """A trial: the table tests whether the broker delivers what it acknowledges. Subscribers ignore it."""

    probe: int
    filler: str
    """Makes the message as long as the largest one of a table."""


class CloudEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope. `time` is UTC: when the event happened, not when it was sent; for a last will, when it was left
    with the broker. `monotonic` is in nanoseconds; `monotonicns` is the same as a number, which CloudEvents does not
    allow. An irregularity adds what a video system needs: `camera`, the name in the table's configuration, and
    `preroll` and `postroll`, the seconds before and after `time`."""

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    type: str
    time: str
    datacontenttype: Literal["application/json"] = "application/json"
    bootid: str
    monotonic: str
    monotonicns: int | UnsetType = UNSET
    clocksynced: bool
    sequence: int | str | UnsetType = UNSET
    camera: str | UnsetType = UNSET
    preroll: int | UnsetType = UNSET
    postroll: int | UnsetType = UNSET
    data: msgspec.Raw


encoder = msgspec.json.Encoder()
_decode_observation = msgspec.json.Decoder(ObservationData)


def encode(data: Any) -> bytes:
    """Payload data as JSON."""
    return encoder.encode(data)


def observation_data(observation: Observation) -> dict[str, Any]:
    """The journalled form of an observation."""
    return {
        "t": observation.t / 1_000_000_000,
        "device": observation.device,
        "event": observation.event,
        "data": observation.data,
    }


def withhold(kind: str, body: bytes) -> bytes:
    """A journalled observation, alert or irregularity as it may be published while a round is open: without the fields
    that disclose a card. The same object if there is nothing to withhold."""
    if kind == "observation":
        if b'"card' not in body and b'"hole_card' not in body and b'"device_fault"' not in body:
            return body
        seen = _decode_observation.decode(body)
        if seen.event in TELLING:
            kept = {name: value if name in SHOWN else None for name, value in seen.data.items()}
        elif seen.event != "device_fault" or (kept := _without_card(seen.data)) is seen.data:
            return body
        return encoder.encode(msgspec.structs.replace(seen, data=kept, withheld=True))
    where = {"alert": "detail", "irregularity": "observed"}.get(kind)
    if where is None or b'"reason"' not in body:
        return body
    told = msgspec.json.decode(body)
    kept = _without_card(told[where])
    return body if kept is told[where] else encoder.encode({**told, where: kept})


def _without_card(evidence: dict[str, Any]) -> dict[str, Any]:
    """A fault's evidence without the field that would disclose a card; the same object if it has none."""
    field = TELLING_FAULTS.get(str(evidence.get("reason")))
    return evidence if field is None or field not in evidence else {**evidence, field: None}


def withhold_wires(body: bytes) -> bytes:
    """A journalled wire record as it is published."""
    wires = msgspec.json.decode(body, type=WireData)
    digest = sha256(b"".join(bytes(line) + b"\n" for line in wires.lines)).hexdigest()
    told = msgspec.structs.replace(wires, standing=[], lines=[], withheld=True, count=len(wires.lines), sha256=digest)
    return encoder.encode(told)


def withhold_state(body: bytes) -> bytes:
    """A monitor's journalled state as it is published. The same object where it is that already."""
    told = msgspec.json.decode(body)
    if "withheld" in told:
        return body
    shown = {name: told[name] for name in ("monitor", "key", "epoch", "since", "upto")}
    return encoder.encode(StatisticStateData(**shown, withheld=True, sha256=sha256(body).hexdigest()))


def withhold_unknown(body: bytes) -> bytes:
    """A record of a kind that only a newer version knows, which went back to this one: it may disclose a card."""
    return encoder.encode({"withheld": True, "sha256": sha256(body).hexdigest()})


UNDERSTOOD = frozenset((
    "system", "device", "round", "irregularity", "alert", "observation", "checkpoint", "retention", "cosignature",
    "hold", "request", "integrity", "wire", "statistic", "statistic_state",
))  # fmt: skip
"""Kinds of records of which this version knows what may be published."""

JOURNAL_ONLY = {"wire": withhold_wires, "statistic_state": withhold_state}
"""Kinds of which the data stay in the journal, whatever the table publishes of cards, and what is published instead."""

KEPT_ONLY = frozenset((*JOURNAL_ONLY, "hold"))
"""Kinds of which the journal keeps the newest record, while the broker retains none."""


def utc(wall_ns: int) -> str:
    """Nanoseconds since 1970 as RFC 3339, to the microsecond."""
    whole, ns = divmod(wall_ns, 1_000_000_000)
    year, month, day, hour, minute, second, *_ = time.gmtime(whole)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{ns // 1000:06d}Z"
