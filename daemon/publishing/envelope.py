"""Records and states in their CloudEvents envelope, with the topic of each. Sends nothing."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.contract.attributes import as_attribute
from pitwatch.daemon.contract.messages import (
    APART,
    JOURNAL_ONLY,
    KEPT_ONLY,
    UNDERSTOOD,
    CloudEvent,
    encode,
    utc,
    withhold,
    withhold_unknown,
)
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.readable import decoded

LARGEST = 65_536
"""Bytes of topic and payload beyond which nothing is published; what a broker must take. Lines of devices have 4,096 at
most, so that records stay far below it."""

ECHO = "echo"
"""The topic on which a table hears itself."""


class Message(NamedTuple):
    """One publication, QoS 1."""

    topic: str
    payload: bytes
    retain: bool

    @property
    def size(self) -> int:
        """Bytes of topic and payload."""
        return len(self.topic.encode()) + len(self.payload)


class VideoHint(NamedTuple):
    """The camera's name and the seconds before and after, each only where there is something to say."""

    camera: str | UnsetType
    preroll: int | UnsetType
    postroll: int | UnsetType


NO_VIDEO = VideoHint(UNSET, UNSET, UNSET)


class _Lasting(msgspec.Struct):
    """The part of a retained record that shows whether it still holds."""

    raised: bool = True
    state: str = ""


class Envelope:
    """For one table and one run of the process. `live_cards`: card values are not withheld, or "apart": they go
    to a topic of their own as well. `video`: what an irregularity says of the camera. `monotonicns`: that attribute is
    published too."""

    def __init__(
        self,
        site: str,
        table: str,
        topic: str,
        boot: str,
        live_cards: bool | str,
        video: VideoHint = NO_VIDEO,
        monotonicns: bool = False,
    ):
        self._source = f"/{site}/{table}"
        self._table = table
        self._topic = topic
        self._boot = boot
        self._live_cards = live_cards is True
        self._live_apart = live_cards == APART
        self._video = video
        self._monotonicns = monotonicns
        self._states = 0

    def topic(self, subtopic: str) -> str:
        return f"{self._topic}/{subtopic}"

    def messages(self, record: Record) -> list[Message]:
        """The messages of a record. The end of a lasting condition is published, then its retained message removed."""
        topic = self.topic(record.subtopic)
        lasts = record.retained and record.kind not in KEPT_ONLY
        holds = lasts and _holds(record)
        told = Message(topic, self._event(record), holds)
        if lasts and not holds:
            return [told, Message(topic, b"", True)]
        if self._live_apart and record.kind == "observation" and self.body(record) is not record.body:
            live = self.topic("live/" + record.subtopic.removeprefix("observation/"))
            return [told, Message(live, self._live(record), False)]
        return [told]

    def retained(self, record: Record) -> Message:
        """What shall be retained of the newest record of a retained topic."""
        return Message(self.topic(record.subtopic), self._event(record) if _holds(record) else b"", True)

    def body(self, record: Record) -> bytes:
        """A record's data as they may be published: cards of an open round only where the table says so."""
        if record.kind in JOURNAL_ONLY:
            return JOURNAL_ONLY[record.kind](record.body)
        if record.kind not in UNDERSTOOD:
            return withhold_unknown(record.body)
        return record.body if self._live_cards else withhold(record.kind, record.body)

    def _event(self, record: Record) -> bytes:
        video = self._video if record.kind == "irregularity" else NO_VIDEO
        return encode(
            CloudEvent(
                id=f"{self._table}/{record.boot}/{record.seq}",
                source=self._source,
                type=f"pitwatch.{record.kind}.v1",
                time=utc(record.wall_ns),
                bootid=record.boot,
                monotonic=str(record.t_ns),
                monotonicns=self._as_number(record.t_ns),
                clocksynced=record.synced,
                sequence=as_attribute(record.seq),
                camera=video.camera,
                preroll=video.preroll,
                postroll=video.postroll,
                data=msgspec.Raw(self.body(record)),
            )
        )

    def _live(self, record: Record) -> bytes:
        """An observation with its card. Carries no sequence: the observation itself has it."""
        return encode(
            CloudEvent(
                id=f"{self._table}/{record.boot}/{record.seq}/live",
                source=self._source,
                type="pitwatch.live.v1",
                time=utc(record.wall_ns),
                bootid=record.boot,
                monotonic=str(record.t_ns),
                monotonicns=self._as_number(record.t_ns),
                clocksynced=record.synced,
                data=msgspec.Raw(record.body),
            )
        )

    def _as_number(self, t_ns: int) -> int | UnsetType:
        return t_ns if self._monotonicns else UNSET

    def probe(self, data: Any) -> bytes:
        """What is published on `echo`."""
        return self.state(ECHO, data, (time.monotonic_ns(), time.time_ns(), False))

    def state(self, kind: str, data: Any, now: tuple[int, int, bool]) -> bytes:
        """A state of the process, which has no sequence. `now`: (monotonic ns, wall ns, synced); a will has that of
        being left with the broker."""
        self._states += 1
        t_ns, wall_ns, synced = now
        return encode(
            CloudEvent(
                id=f"{self._table}/{self._boot}/{kind}-{self._states}",
                source=self._source,
                type=f"pitwatch.{kind}.v1",
                time=utc(wall_ns),
                bootid=self._boot,
                monotonic=str(t_ns),
                monotonicns=self._as_number(t_ns),
                clocksynced=synced,
                data=msgspec.Raw(encode(data)),
            )
        )


def _holds(record: Record) -> bool:
    lasting = decoded(record, _Lasting) or _Lasting()
    return lasting.raised and lasting.state != "removed"
