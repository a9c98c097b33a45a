"""The fleet: every table's board and devices, what is not as it should be first. Live."""

from __future__ import annotations

from starlette.responses import Response

from pitwatch.floor.watch import looks
from pitwatch.floor.watch.table import Table
from pitwatch.floor.web.live import Rendered, stream_of
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, part, state_of
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit


def draw(parts: Parts, about: str, rights: frozenset[Right]) -> Rendered:
    floor = parts.watching.floor
    tables = sorted(floor.tables.values(), key=lambda table: (not _needs_hands(table), looks.table_order(table)))
    versions: dict[str, int] = {}
    for table in tables:
        if table.status is not None and table.status.version:
            versions[table.status.version] = versions.get(table.status.version, 0) + 1
    stale = floor.stale_since is not None
    return {"state": state_of(parts), "fleet": part("parts/fleet.html", tables=tables, versions=versions, stale=stale)}


def _needs_hands(table: Table) -> bool:
    return table.state != "ready" or any(device.state != "online" for device in table.devices.values())


async def show(visit: Visit) -> Response:
    return page(visit, "devices.html", live="/live/devices", parts=draw(visit.parts, "", visit.rights))


PAGES = (
    Page("GET", "/devices", Right.LOOK, show),
    Page("GET", "/live/devices", Right.LOOK, stream_of(draw)),
)
