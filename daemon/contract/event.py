"""A published event as a subscriber reads it: the envelope, with its data still to be read."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.contract.attributes import Digits


class Event(msgspec.Struct, frozen=True):
    """The envelope of docs/contract.md. `time` is UTC as it was sent, or empty. `camera`, `preroll` and `postroll`
    (seconds) are what the table knows of its video, None or empty where it says nothing. Numbers come in two forms:
    what a table of an older version sends is understood too."""

    id: str
    source: str
    type: str
    bootid: str
    data: msgspec.Raw
    told_sequence: int | Digits | None = msgspec.field(default=None, name="sequence")
    time: str = ""
    monotonic: Digits | None = None
    told_monotonicns: int | None = msgspec.field(default=None, name="monotonicns")
    clocksynced: bool = False
    camera: str = ""
    preroll: int | None = None
    postroll: int | None = None

    @property
    def sequence(self) -> int | None:
        """None for states of a process."""
        told = self.told_sequence
        return int(told) if isinstance(told, str) else told

    @property
    def monotonicns(self) -> int:
        """With `bootid` it orders the events of one run whatever the clock did, in nanoseconds; 0 if it is not
        reported."""
        return int(self.monotonic) if self.monotonic is not None else self.told_monotonicns or 0

    @property
    def kind(self) -> str:
        """`round`, `irregularity`, …: what is between `pitwatch.` and the version."""
        return self.type.split(".")[1]

    @property
    def standing(self) -> bool:
        """Of a retained topic: reported again, under the same id, whenever the table connects, an alert every 30 s."""
        return self.kind in ("alert", "device", "integrity", "statistic")

    def payload(self) -> dict[str, Any]:
        """The data as plain values."""
        data: dict[str, Any] = msgspec.json.decode(self.data)
        return data
