"""One entry of the record of cases: what was done, by whom, and what he had seen. Encoding and hash; stores nothing.

hash(n) = SHA-256(hash(n-1) + bytes of entry n), hash(0) = 32 zero bytes. The bytes are the entry as stored: JSON in
ASCII, without blanks. An entry contains its own number, so that a chain cannot be renumbered.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Literal

import msgspec

from pitwatch.floor.cases.identity import ARCHIVE, Identity

START = bytes(32)
MOST_TEXT = 2_000
"""Characters of a note."""
MOST_LINE = 200
"""Characters of an item, a disposition, a title."""
MOST_ITEMS = 50

CaseKind = Literal["irregularity", "alert", "trouble", "jackpot", "report"]
"""A `report` is what a person saw, and no device."""
ChangeKind = Literal[
    "open", "event", "see", "take", "note", "correct", "link", "tick", "close", "reopen", "escalate"
]  # fmt: skip


class EventRef(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A record that a case is about. `what`: `raised`, `ended`, `void`, or the kind of the record. `at` is UTC, when it
    happened. `id` is that of the archive's event; a trouble has none."""

    what: str
    at: str
    id: str = ""
    sequence: int = 0
    boot: str = ""
    round: int | None = None
    name: str = ""
    """The rule, the alert's key, the kind of trouble, the hand."""
    seat: str = ""
    text: str = ""
    """What it says, in one line."""


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is done to a case. Whoever appends one leaves `number`, `at` and `by` to the store.

    `open`: `case_kind`, `table`, `severity`, `title`, `event`, for a jackpot `checklist`; `event`: a record joined
    later; `see`; `take`: in hand of `by`, also from another's; `note`: `text`; `correct`: entry `corrects` should say
    `text` (of a `tick`: its item is open again); `link`: `other` is a related case; `tick`: `item` of the checklist is
    done, `text` how; `close`: `disposition`, `text`; `reopen`: `text` why; `escalate`: nobody took it, `text` says who
    was notified."""

    kind: ChangeKind
    case: int = 0
    """0 in an `open` that the store has not numbered yet."""
    seen: int = 0
    """Number of the newest entry of this case that the author had seen. The store refuses what that entry forbids."""
    number: int = 0
    """Place in the chain, from 1."""
    at: str = ""
    """UTC by the clock of whoever appended it."""
    by: Identity = ARCHIVE
    text: str = ""
    corrects: int = 0
    other: int = 0
    item: str = ""
    disposition: str = ""
    case_kind: CaseKind | None = None
    table: str = ""
    """SITE/TABLE."""
    severity: str = ""
    title: str = ""
    checklist: tuple[str, ...] = ()
    event: EventRef | None = None
    subject: str = ""
    """What a later event of the same matter is found by."""
    source: str = ""
    """What caused it, once: a second entry with the same source is not appended."""


_decode = msgspec.json.Decoder(Change).decode


def encoded(change: Change) -> str:
    """As it is stored and hashed."""
    told = {**msgspec.to_builtins(change), "by": msgspec.to_builtins(change.by)}
    return json.dumps(told, ensure_ascii=True, separators=(",", ":"))


def decoded(body: str) -> Change:
    """Raises msgspec.DecodeError, ValueError."""
    return _decode(body.encode())


def link(before: bytes, body: str) -> bytes:
    """The hash of an entry that follows one whose hash is `before`."""
    return sha256(before + body.encode()).digest()


def fault(change: Change) -> str | None:
    """Why no entry can be like this, in one line; None if it can."""
    for name, most in (("text", MOST_TEXT), ("item", MOST_LINE), ("disposition", MOST_LINE), ("title", MOST_LINE)):
        value: str = getattr(change, name)
        if len(value) > most:
            return f"{name} has {len(value)} characters, and {most} are accepted"
        lines = value.split("\n") if name == "text" else [value]
        if not all(line.isprintable() for line in lines):
            return f"{name} has a character that cannot be printed"
    needed = {
        "note": ("text",),
        "correct": ("corrects", "text"),
        "link": ("other",),
        "tick": ("item",),
        "close": ("disposition",),
        "reopen": ("text",),
        "open": ("case_kind", "title", "event"),
        "event": ("event",),
    }.get(change.kind, ())
    for name in needed:
        value_ = getattr(change, name)
        if not value_ or (isinstance(value_, str) and not value_.strip()):
            return f"{change.kind} needs {name}"
    if change.kind == "open" and change.by.is_person and change.case_kind != "report":
        return f"a person opens a report; cases of the kind {change.case_kind} are opened by the archive"
    if change.by.is_person and (change.kind in ("event", "escalate") or (change.source and change.kind != "see")):
        return f"only the archive enters {change.kind}, or names a record as the source"
    if len(change.checklist) > MOST_ITEMS or len(set(change.checklist)) < len(change.checklist):
        return f"a checklist has at most {MOST_ITEMS} items, each once"
    return None
