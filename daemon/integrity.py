"""What a table is made of: rule book, configuration, program, signing key, devices that say who they are.

Held against what the journal says it was; a difference is a record of its own, so that nobody swaps any of it unseen.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Any

import msgspec

from daemon.chain import Record
from daemon.messages import Fingerprints, IntegrityData
from daemon.pipeline import Appendable

TOPIC = "integrity"

LASTING = ("id", "firmware", "micropython", "board", "vendor", "model", "version", "serial")
"""Of what a device says of itself: what stays the same while it is the same device with the same program."""

PACKAGES = ("daemon", "devices", "hal", "rules")

log = logging.getLogger("pitwatch")


def program_fingerprint() -> str:
    """SHA-256 over the program's own files by name and content. Raises OSError."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


class Integrity:
    """`known` is the newest record of this kind, by whichever run."""

    def __init__(self, journal: Appendable, known: Record | None):
        self._journal = journal
        self._is: dict[str, str] = {}
        self._known = known is not None
        if known is not None:
            self._is = dict(msgspec.json.decode(known.body, type=IntegrityData).now)

    def compare(self, prints: Fingerprints, key: str | None, t: int) -> None:
        """At the start: what was there when the journal last said so against what is there now (`t`, monotonic ns)."""
        found = msgspec.structs.asdict(prints)
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

    def _become(self, now: dict[str, str], t: int) -> None:
        if now == self._is and self._known:
            return
        was, self._is = self._is, now
        changed = [what for what in now if what in was and was[what] != now[what]]
        for what in changed:
            log.warning("%s is not what it was: %s, was %s", what, now[what], was[what])
        data = IntegrityData(changed=changed, was={what: was[what] for what in changed}, now=now)
        self._known = True
        self._journal.append(TOPIC, TOPIC, t, data, True)
