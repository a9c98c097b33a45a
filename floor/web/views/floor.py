"""The floor: what needs attention, and all tables by pit. Live."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from pitwatch.floor.pits import Pits, pit_of
from pitwatch.floor.watch import looks
from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.table import Table
from pitwatch.floor.web.live import Rendered, stream_of
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, part, state_of
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit

MOST_LINES = 200
SILENT = "SILENT: connected, but nothing received"
"""Without for how long, which stands beside it: the text must not change by itself."""


class Line:
    """One line that needs attention, in the words of `watch`."""

    def __init__(self, concern: Concern, table: Table | None, now: float):
        self.concern, self.severity, self.at = concern, concern.severity, concern.at
        self.done = concern.acknowledged
        self.told = SILENT if concern.kind == "silent" else looks.headline(concern, table, now)
        irregularity = concern.kind == "irregularity" and concern.sequence is not None
        self.link = f"/irregularity/{concern.table}/{concern.sequence}" if irregularity else f"/table/{concern.table}"


def lines(parts: Parts, rights: frozenset[Right], table: str = "") -> list[Line]:
    """What needs attention, the first first, as far as these rights go."""
    floor = parts.watching.floor
    return [
        Line(each, floor.tables.get(each.table), each.at)
        for each in floor.ordered()
        if table in ("", each.table) and (each.kind != "irregularity" or Right.CASES in rights)
    ]


def draw(parts: Parts, about: str, rights: frozenset[Right]) -> Rendered:
    floor = parts.watching.floor
    shown = lines(parts, rights)
    waiting = [each for each in shown if each.done is None]
    counts = {
        severity: count
        for severity in ("critical", "alert", "warning", "notice")
        if (count := sum(each.severity == severity for each in waiting))
    }
    attention: dict[str, Any] = {
        "lines": shown[:MOST_LINES], "more": len(shown) - MOST_LINES, "waiting": len(waiting), "counts": counts,
        "nothing": _nothing(parts), "stale": floor.stale_since is not None, "cases": Right.CASES in rights,
    }  # fmt: skip
    tables = {"pits": _by_pit(parts.house.pits, parts), "open": floor.open_of(), "stale": floor.stale_since is not None}
    return {
        "state": state_of(parts),
        "attention": part("parts/attention.html", **attention),
        "tables": part("parts/tables.html", **tables),
    }


async def show(visit: Visit) -> Response:
    return page(visit, "floor.html", live="/live/floor", parts=draw(visit.parts, "", visit.rights))


def _nothing(parts: Parts) -> str:
    """In place of no line. Never more than is known."""
    floor = parts.watching.floor
    if not floor.connected_at:
        return "Nothing is heard yet."
    why = parts.watching.beginning.unknown
    if not why:
        return "Nothing needs attention."
    return f"Nothing since {looks.clock(floor.connected_at)}. What was before is not known: {why}."


def _by_pit(pits: Pits, parts: Parts) -> list[tuple[str, list[Table]]]:
    """Tables in the order of the eyes' need, under the names that the house gives; the others by site."""
    found: dict[str, list[Table]] = {pit: [] for pit in pits}
    for table in sorted(parts.watching.floor.tables.values(), key=looks.table_order):
        found.setdefault(pit_of(table.name, pits) or table.site, []).append(table)
    return [(pit, tables) for pit, tables in found.items() if tables]


PAGES = (
    Page("GET", "/", Right.LOOK, show),
    Page("GET", "/live/floor", Right.LOOK, stream_of(draw)),
)
