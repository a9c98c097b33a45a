"""`[pits]` of FLOOR.toml: the tables of each pit, by the name that the house gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from pitwatch.daemon.config.sections import Sections, shown

Pits = Mapping[str, Sequence[str]]
"""Tables as SITE/TABLE; * stands for anything."""


def fits(word: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(word, each) for each in patterns)


def pit_of(table: str, pits: Pits) -> str | None:
    """The first one that has the table."""
    return next((pit for pit, tables in pits.items() if fits(table, tables)), None)


def read_pits(sections: Sections, data: Any) -> dict[str, list[str]]:
    """Raises ConfigError."""
    if not isinstance(data, dict):
        raise sections.error("pits", 'is no section; [pits] with main = ["toledo/RL-07"] is right')
    for pit, tables in data.items():
        where = f'pits."{pit}"'
        if not isinstance(tables, list) or not tables:
            raise sections.error(where, 'is no list of tables; ["toledo/RL-07", "toledo/BJ-*"] is right')
        for table in tables:
            if not isinstance(table, str) or table.count("/") != 1 or not all(table.split("/")):
                raise sections.error(where, f"{shown(table)} is no table; SITE/TABLE is right, * for any")
    return data
