"""`[witness]` of a table's configuration: the witnesses whose cosignatures the table keeps. Opens nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, shown
from pitwatch.daemon.tlog.note import COSIGNATURE, Key, NoteError


class WitnessSection(msgspec.Struct, frozen=True, kw_only=True):
    """`keys`: the verifier key of each witness (C2SP tlog-cosignature)."""

    keys: list[str]


def read_witnesses(sections: Sections, data: Any) -> tuple[Key, ...]:
    """The witnesses' keys. Raises ConfigError."""
    section: WitnessSection = sections.section(data, WitnessSection, "witness")
    found: list[Key] = []
    for position, line in enumerate(section.keys):
        where = f"witness.keys[{position}]"
        try:
            key = Key.parse(line)
        except NoteError as error:
            raise sections.error(where, f"{shown(line)} is no verifier key: {error}") from None
        if key.type != COSIGNATURE:
            raise sections.error(where, f"{shown(line)} is of type {key.type}; the key of a witness (type 4) is right")
        if key.name in [each.name for each in found]:
            raise sections.error(where, f"{shown(key.name)} is named twice; a witness has one key")
        found.append(key)
    if not found:
        raise sections.error("witness.keys", "is empty; name a witness, or leave [witness] out")
    return tuple(found)
