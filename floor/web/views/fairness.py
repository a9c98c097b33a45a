"""Whether wheels, dice and shoes are even: each monitor's newest E, its course with the level, and the counts."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.responses import Response

from pitwatch.devices.wheel_pockets import ORDERS
from pitwatch.floor.archive.fairness import fairness
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.store import Store
from pitwatch.floor.report import plots
from pitwatch.floor.web.archive_door import AwayError
from pitwatch.floor.web.drawing import course
from pitwatch.floor.web.rendering import page, refusal, svg
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit

NEWEST = 1_000
"""Reports of one monitor that are drawn."""
REPORTS = f"""
    SELECT at, payload FROM events WHERE kind = 'statistic' AND name = :name AND (site, table_id) = (:site, :table_id)
    ORDER BY at DESC, id DESC LIMIT {NEWEST}
"""
BY_PLACES = {len(order): order for order in ORDERS.values()}


class _Data(msgspec.Struct):
    epoch: int = 0
    n: int = 0
    ln_e: float = 0.0
    r: float = 0.0
    c: float = 0.0
    level: str = ""
    counts: list[int] = []


class _Statistic(msgspec.Struct):
    data: _Data


async def overview(visit: Visit) -> Response:
    try:
        async with visit.parts.archive.asked() as store:
            rows = await fairness(store, Asked())
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    return page(visit, "fairness.html", rows=rows)


async def monitor(visit: Visit) -> Response:
    site, table, name = (visit.path(each) for each in ("site", "table", "monitor"))
    try:
        async with visit.parts.archive.asked() as store:
            reports = await _reports(store, site, table, name)
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    if not reports:
        return refusal(visit, 404, f"The archive has no report of the monitor {name} at {site}/{table}.")
    newest = reports[-1]
    same = [each for each in reports if each.epoch == newest.epoch]
    values: dict[str, Any] = {
        "newest": newest, "counts": _counts(name, newest.counts),
        "r": course.drawn([(each.n, each.r) for each in same], newest.c, "R by counts; the line: an alert"),
        "e": course.drawn([(each.n, each.ln_e) for each in same], None, "ln E by counts", logarithmic=False),
    }  # fmt: skip
    return page(visit, "monitor.html", table=f"{site}/{table}", name=name, reports=same[-50:][::-1], **values)


def _counts(name: str, counts: list[int]) -> Markup:
    """Pockets round the wheel, faces as bars; nothing for what publishes no counts."""
    order = BY_PLACES.get(len(counts))
    if name == "pocket" and order is not None:
        return svg(plots.wheel(dict(zip(order, counts, strict=True))))
    if name == "faces" and len(counts) == 6:
        faces = [(str(face), float(times)) for face, times in enumerate(counts, 1)]
        return svg(plots.bars(faces, "Faces; the line is the even share", sum(counts) / 6))
    return Markup("")


async def _reports(store: Store, site: str, table: str, name: str) -> list[_Data]:
    """In order of time."""
    found = []
    for row in reversed(await store.ask(REPORTS, site=site, table_id=table, name=name)):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            found.append(msgspec.json.decode(row["payload"], type=_Statistic).data)
    return found


PAGES = (
    Page("GET", "/fairness", Right.LOOK, overview),
    Page("GET", "/fairness/{site}/{table}/{monitor}", Right.LOOK, monitor),
)
