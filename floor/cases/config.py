"""`[cases]` of a FLOOR.toml: the key that signs the record, how cases may end, the checklist of a jackpot."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, shown
from pitwatch.daemon.tlog.note import NoteError, check_name
from pitwatch.floor.cases.change import MOST_ITEMS, MOST_LINE
from pitwatch.floor.pace.config import CLOCK

KEY = "pitwatch-cases.key"

DISPOSITIONS = ("remedied", "confirmed, no remedy", "false alarm", "equipment repaired", "referred", "duplicate")

JACKPOT = (
    "The hand lies face up and untouched, and the game stands still",
    "Surveillance has reviewed the coverage of the round",
    "The hand and the wager are verified by a supervisor",
    "The deck is counted and inspected, and complete",
    "The meter's amount is read and recorded",
    "The regulator is notified where the rules demand it",
    "The patron's identity and the tax form are recorded",
    "The jackpot is paid, and the meter is unlocked with the key card",
)
"""Of what the houses' documents want before a jackpot is paid."""


class CasesSection(msgspec.Struct, frozen=True, kw_only=True):
    """`name` of the record as a log, and of its key; `key` signs it: made once, mode 600, empty without a FLOOR.toml;
    `dispositions` with which a case may be closed; `jackpot`: items of the checklist; `day_begins`: local time at which
    the gaming day begins, in the zone of `[pace]`."""

    name: str = "pitwatch/cases"
    key: str = ""
    dispositions: tuple[str, ...] = DISPOSITIONS
    jackpot: tuple[str, ...] = JACKPOT
    day_begins: str = "06:00"


class CasesKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The section as it stands in the file."""

    name: str = "pitwatch/cases"
    key: str = KEY
    dispositions: list[str] = msgspec.field(default_factory=lambda: list(DISPOSITIONS))
    jackpot: list[str] = msgspec.field(default_factory=lambda: list(JACKPOT))
    day_begins: str = "06:00"


def read_cases(sections: Sections, data: Any) -> CasesSection:
    """`key` as a path from here. Raises ConfigError."""
    told: CasesKeys = sections.section(data, CasesKeys, "cases")
    try:
        check_name(told.name)
    except NoteError as error:
        raise sections.error("cases.name", f'{error}; such as "house.example/cases" is right') from None
    for name in ("dispositions", "jackpot"):
        lines: list[str] = getattr(told, name)
        if not 1 <= len(lines) <= MOST_ITEMS or len(set(lines)) < len(lines):
            raise sections.error(f"cases.{name}", f"has {len(lines)} lines; 1 to {MOST_ITEMS}, each once, is right")
        for line in lines:
            if not 0 < len(line.strip()) == len(line) <= MOST_LINE or not line.isprintable():
                raise sections.error(f"cases.{name}", f"{shown(line)} is no line of 1 to {MOST_LINE} characters")
    if not CLOCK.match(told.day_begins):
        raise sections.error(
            "cases.day_begins", f'{shown(told.day_begins)} is no time of day; such as "06:00" is right'
        )
    return CasesSection(
        name=told.name,
        key=str(sections.beside(told.key, "cases.key")),
        dispositions=tuple(told.dispositions),
        jackpot=tuple(told.jackpot),
        day_begins=told.day_begins,
    )
