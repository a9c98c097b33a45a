"""The approved values of a house, `[approved]` and `[tables."SITE/TABLE"]` of a FLOOR.toml: keys, books, programs."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, is_table, shown

PRINT = re.compile(r"[0-9a-f]{64}\Z")
KEY = re.compile(r"[A-Za-z0-9+/]{59}=\Z")


class ForAll(msgspec.Struct, frozen=True, kw_only=True):
    """One value or several; none: anything will do. SHA-256 as `status` has it."""

    book: str | list[str] = []
    game: str | list[str] = []
    program: str | list[str] = []


class ForTable(ForAll, frozen=True, kw_only=True):
    """What is named here takes the place of what is approved for all."""

    configuration: str | list[str] = []
    key: str | list[str] = []
    """The public key that signs the journal, as `status` has it."""


NAMES = tuple(ForTable.__struct_fields__)


class Approved(msgspec.Struct, frozen=True, kw_only=True):
    every: ForAll = ForAll()
    tables: dict[str, ForTable] = {}

    def with_keys(self, table: str, keys: tuple[str, ...]) -> Approved:
        """The same with further keys of a table, after those that are named."""
        known = self.of(table, "key")
        own = self.tables.get(table, ForTable())
        more = [*known, *(key for key in keys if key not in known)]
        return Approved(every=self.every, tables={**self.tables, table: msgspec.structs.replace(own, key=more)})

    def of(self, table: str, what: str) -> tuple[str, ...]:
        """The values that are approved for a table; none: anything will do."""
        own = getattr(self.tables.get(table), what, None)
        found = own or getattr(self.every, what, [])
        return (found,) if isinstance(found, str) else tuple(found)


def read_approved(sections: Sections, every: Any, tables: Any) -> Approved:
    """The two sections as they stand in the file. Raises ConfigError."""
    if not isinstance(tables, dict):
        raise sections.error("tables", f'{shown(tables)} is no table; [tables."SITE/TABLE"] is right')
    own = {}
    for name, section in tables.items():
        if not is_table(name):
            raise sections.error(
                "tables", f"{shown(name)} is no table; SITE/TABLE of letters, digits, - and _ is right"
            )
        own[name] = _section(sections, section, ForTable, f'tables."{name}"')
    return Approved(every=_section(sections, every, ForAll, "approved"), tables=own)


def _section(sections: Sections, data: Any, shape: type[ForAll], where: str) -> Any:
    section = sections.section(data, shape, where)
    for what in shape.__struct_fields__:
        value = getattr(section, what)
        for each in [value] if isinstance(value, str) else value:
            if what == "key" and not KEY.match(each):
                raise sections.error(f"{where}.key", f"{shown(each)} is no public key; 60 characters, `key` of status")
            if what != "key" and not PRINT.match(each):
                raise sections.error(
                    f"{where}.{what}", f"{shown(each)} is no fingerprint; 64 hexadecimal digits, as status has them"
                )
    return section
