"""Fingerprints of a table's parts: rule book, configuration, program, signing key, devices that identify themselves.

They are compared with those in the journal. Each difference becomes a record, so that no part can be swapped unseen.
The journal also names its table; the journal of another table is refused.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import DeviceData, Fingerprints, IntegrityData
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.judged_by import TOPIC
from pitwatch.daemon.pipeline import Appendable
from pitwatch.rules import house
from pitwatch.rules.game import Game

if TYPE_CHECKING:
    from pitwatch.daemon.config.outside_devices import OutsideDevice

LASTING = ("id", "firmware", "micropython", "board", "vendor", "model", "version", "serial")
"""Of what a device says of itself: what stays the same while it is the same device with the same program."""

PACKAGES = ("daemon", "devices", "hal", "rules")

log = logging.getLogger("pitwatch")


def program_fingerprint(outside: Iterable[OutsideDevice] = ()) -> str:
    """SHA-256 over the program's own files by name and content, then over the entry point and the files of each device
    class from outside. Raises OSError."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    classes = {each.declared: each for each in outside}
    for declared in sorted(classes):
        digest.update(declared.encode() + b"\0")
        for name, file in classes[declared].files().items():
            digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


VANISHED_AFTER = 600_000_000_000
"""Nanoseconds without a device after which it is gone, not just unplugged for cleaning."""

THERE, PRESENCE = "there", "presence of "


def told_by(known: Record | None) -> dict[str, str]:
    """What there was by the newest record of this kind; nothing without one."""
    return {} if known is None else dict(msgspec.json.decode(known.body, type=IntegrityData).now)


def not_its_own(there: dict[str, str], table: str, journal: Path) -> str | None:
    """What is wrong if a journal by which this is `there` is that of another table than `table` (SITE/TABLE).
    Journals of before this was written down are taken for the table's own."""
    whose = there.get("table", table)
    return None if whose == table else f"{journal}: is the journal of {whose}, and this table is {table}"


FIX_JOURNAL = "name another by journal.path, or move it and its key away and keep them: they are that table's evidence"


class Integrity:
    """`table` is SITE/TABLE, `path` its journal's file: raises UsageError if that is another table's. `known` is the
    newest record of this kind, by whichever run. What concerns the rule book, or which devices are there, is besides
    an irregularity, once for each change (rules/house.py)."""

    def __init__(self, journal: Appendable, known: Record | None, game: Game, table: str, path: Path):
        self._is = told_by(known)
        if wrong := not_its_own(self._is, table, path):
            raise UsageError(f"{wrong}; {FIX_JOURNAL}")
        self._journal = journal
        self._game = game
        self._table = table
        self._known = known is not None

    def compare(self, prints: Fingerprints, key: str | None, t: int) -> None:
        """At the start: what was there when the journal last said so against what is there now (`t`, monotonic ns)."""
        found = {"table": self._table, **msgspec.structs.asdict(prints)}
        if key is not None:
            found["key"] = key
        self._become({**self._is, **found}, t)

    def met(self, device: str, identity: dict[str, Any], t: int) -> None:
        """A device came on line and said who it is, if it can."""
        said = {
            key: value
            for fields in identity.values()
            if isinstance(fields, dict)
            for key, value in fields.items()
            if key in LASTING
        }
        if said:
            shown = " ".join(f"{key}={said[key]}" for key in LASTING if key in said)
            self._become({**self._is, f"device {device}": shown}, t)

    def removed(self, device: str, t: int) -> None:
        """A device that an earlier run had is no longer configured."""
        self._is.setdefault(_presence(device), THERE)
        self._become({**self._is, _presence(device): "no longer configured"}, t)

    def look(self, devices: Iterable[DeviceData], t: int) -> None:
        """Who is there at `t`, and who was and has been away for too long."""
        now = dict(self._is)
        for device in devices:
            presence = _presence(device.device)
            if device.state != "offline":
                now[presence] = THERE
            elif now.get(presence) == THERE and t - int(device.since * 1_000_000_000) >= VANISHED_AFTER:
                now[presence] = "off line for 10 minutes"
        self._become(now, t)

    def _become(self, now: dict[str, str], t: int) -> None:
        if now == self._is and self._known:
            return
        was, self._is = self._is, now
        changed = [what for what in now if what in was and was[what] != now[what]]
        for what in changed:
            log.warning("%s is not what it was: %s, was %s", what, now[what], was[what])
        data = IntegrityData(changed=changed, was={what: was[what] for what in changed}, now=now)
        self._known = True
        evidence = self._journal.append(TOPIC, TOPIC, t, data, True)
        for rule, found in _irregular(changed, now).items():
            told = house.house_irregularity(
                self._game, rule, {what: now[what] for what in found}, {what: was[what] for what in found}, (evidence,)
            )
            self._journal.append(told.kind, f"{told.kind}/{told.severity}", t, told)


def _presence(device: str) -> str:
    return f"{PRESENCE}{device}"


def _irregular(changed: list[str], now: dict[str, str]) -> dict[str, list[str]]:
    """The rules of the house that these changes break, each with what broke it."""
    found: dict[str, list[str]] = {}
    for what in changed:
        if what in ("book", "game"):
            found.setdefault(house.RULE_BOOK_CHANGED, []).append(what)
        elif what.startswith("device "):
            found.setdefault(house.DEVICE_IDENTITY_CHANGED, []).append(what)
        elif what.startswith(PRESENCE) and now[what] != THERE:
            found.setdefault(house.DEVICE_VANISHED, []).append(what)
    return found
