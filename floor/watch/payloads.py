"""The fields that the view reads from records. Wider than daemon.contract.messages: a table may be newer than this
program, so unknown words are shown as they are, and unknown fields are ignored. Opens nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Citation(msgspec.Struct, frozen=True):
    document: str = ""
    section: str = ""
    lines: str = ""
    title: str = ""


class Irregularity(msgspec.Struct, frozen=True):
    rule: str
    severity: str
    category: str = ""
    round: int | None = None
    observed: dict[str, Any] = {}
    required: dict[str, Any] = {}
    disposition: str = ""
    instruction: str = ""
    notify: list[str] = []
    citation: Citation = Citation()
    evidence: list[int] = []
    says: str = ""


class Round(msgspec.Struct, frozen=True):
    round: int
    game: str = ""
    opened: float = 0.0
    closed: float = 0.0
    partial: bool = False
    void: str | None = None
    cards: dict[str, Any] = {}
    result: dict[str, Any] = {}
    irregularities: list[str] = []
    not_observable: list[str] = []


class Alert(msgspec.Struct, frozen=True):
    key: str
    raised: bool
    condition: str = ""
    device: str = ""
    detail: dict[str, Any] = {}


class Device(msgspec.Struct, frozen=True):
    device: str
    state: str
    reason: str | None = None
    type: str | None = None
    protocol: str | None = None


class Observation(msgspec.Struct, frozen=True):
    device: str
    event: str
    data: dict[str, Any] = {}
    withheld: bool = False


class Status(msgspec.Struct, frozen=True):
    state: str
    version: str = ""
    game: str = ""
    journal: str = "ok"


class Health(msgspec.Struct, frozen=True):
    queue: int = 0
    delivered: int = 0
    clock_synced: bool = True
    dropped: dict[str, int] = {}
    journal: str = "ok"


IRREGULAR = ("device ", "presence of ")


class Integrity(msgspec.Struct, frozen=True):
    changed: list[str] = []
    was: dict[str, str] = {}
    now: dict[str, str] = {}

    @property
    def unsaid(self) -> list[str]:
        """What has changed and is no irregularity of its own: that one needs attention, not both."""
        return [what for what in self.changed if what not in ("book", "game") and not what.startswith(IRREGULAR)]


class Trouble(msgspec.Struct, frozen=True):
    """Of no record: where a table contradicts what it has published, or what the house approved (floor/identity)."""

    kind: str
    told: str
    heard: dict[str, Any] = {}
    said: dict[str, Any] = {}


class System(msgspec.Struct, frozen=True):
    event: str
    detail: dict[str, Any] = {}


class Arguments(msgspec.Struct, frozen=True):
    sequence: int = 0
    note: str = ""


class Request(msgspec.Struct, frozen=True):
    verb: str
    client: str = ""
    by: str = ""
    accepted: bool = False
    reason: str = ""
    arguments: Arguments = Arguments()


READ: dict[str, msgspec.json.Decoder[Any]] = {
    "status": msgspec.json.Decoder(Status),
    "health": msgspec.json.Decoder(Health),
    "device": msgspec.json.Decoder(Device),
    "round": msgspec.json.Decoder(Round),
    "irregularity": msgspec.json.Decoder(Irregularity),
    "alert": msgspec.json.Decoder(Alert),
    "observation": msgspec.json.Decoder(Observation),
    "integrity": msgspec.json.Decoder(Integrity),
    "system": msgspec.json.Decoder(System),
    "request": msgspec.json.Decoder(Request),
}
