"""Selects what is shown: filter and search. Pure."""

from __future__ import annotations

from typing import NamedTuple

from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.payloads import Irregularity
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.wording import SEVERITIES, rank


class Filter(NamedTuple):
    """Empty shows all. `severity` is the least that is shown; the others are parts of names."""

    severity: str = ""
    site: str = ""
    table: str = ""
    game: str = ""

    def told(self) -> str:
        parts = [f"{name} {'at least ' if name == 'severity' else ''}{value}"
                 for name, value in self._asdict().items() if value]  # fmt: skip
        return ", ".join(parts)

    def lets_table(self, table: Table) -> bool:
        site, _, name = table.name.partition("/")
        game = table.status.game if table.status else ""
        return _in(self.site, site) and _in(self.table, name) and _in(self.game, game)

    def lets(self, concern: Concern, table: Table) -> bool:
        enough = not self.severity or rank(concern.severity) >= rank(self.severity)
        return enough and self.lets_table(table)


def severity_of(text: str) -> str:
    """The severity that a text begins to spell, or empty. Raises ValueError for what begins none."""
    text = text.strip().lower()
    found = [each for each in SEVERITIES if each.startswith(text)] if text else [""]
    if not found:
        raise ValueError(f"no severity {text!r}; {', '.join(SEVERITIES)} are right")
    return found[0]


def matches(text: str, concern: Concern) -> bool:
    """Whether a search finds it: each word, anywhere in it."""
    if not text:
        return True
    told = f"{concern.table} {concern.kind} {concern.severity} {concern.told}"
    if isinstance(concern.data, Irregularity):
        data = concern.data
        told += (
            f" {data.rule} {data.says} {data.category} {data.instruction} {data.citation.section} round {data.round}"
        )
    elif concern.kind == "condition":
        told += f" {concern.name} {getattr(concern.data, 'condition', '')}"
    told = told.lower()
    return all(word in told for word in text.lower().split())


def matches_table(text: str, table: Table) -> bool:
    game = table.status.game if table.status else ""
    told = f"{table.name} {game} {table.state}".lower()
    return all(word in told for word in text.lower().split())


def _in(part: str, whole: str) -> bool:
    return part.strip().lower() in whole.lower()
