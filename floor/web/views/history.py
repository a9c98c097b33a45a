"""What the archive has of a period: irregularities, the newest first, and rounds by hour. Reports of shifts."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Any

import msgspec
from starlette.responses import Response

from pitwatch.daemon.contract import wording
from pitwatch.floor.archive import questions
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.store import Store
from pitwatch.floor.report import plots, writing
from pitwatch.floor.report.gathering import Gathering
from pitwatch.floor.watch.payloads import Irregularity
from pitwatch.floor.web.archive_door import AwayError
from pitwatch.floor.web.period import period_of
from pitwatch.floor.web.rendering import page, refusal, svg
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit

A_PAGE = 100
TYPES = {"html": "text/html", "csv": "text/csv", "json": "application/json"}
WRITERS = {"html": writing.to_html, "csv": writing.to_csv, "json": writing.to_json}


class _Event(msgspec.Struct):
    data: Irregularity


async def history(visit: Visit) -> Response:
    period = period_of(visit)
    text = visit.query("page", 6)
    number = int(text) if text.isdigit() else 0
    try:
        async with visit.parts.archive.asked() as store:
            found = await _irregularities(store, period.asked, number)
            rounds = await questions.rounds(store, period.asked)
            tables = await questions.tables(store)
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    values: dict[str, Any] = {"period": period, "found": found[:A_PAGE], "more": len(found) > A_PAGE, "number": number}
    return page(visit, "history.html", rounds=rounds[-200:], tables=tables, **values)


async def reports(visit: Visit) -> Response:
    period = period_of(visit)
    try:
        report = await _report(visit, period.asked)
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    hours = [
        (each["hour"][11:16], each["rounds_an_hour"])
        for each in report["pace_by_hour"]
        if each["rounds_an_hour"] is not None
    ]
    chart = svg(plots.bars(hours, "Rounds in an open hour, by hour")) if hours else ""
    shifts = list(visit.parts.house.pace.shifts)
    return page(visit, "reports.html", period=period, report=report, chart=chart, shifts=shifts, shift=_shift(visit))


async def report_file(visit: Visit) -> Response:
    """The document of `pitwatch archive report`, to keep or to print."""
    kind = visit.path("kind")
    if kind not in WRITERS:
        return refusal(visit, 404, "A report is html, csv or json.")
    try:
        report = await _report(visit, period_of(visit).asked)
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    headers = {"content-disposition": f'attachment; filename="pitwatch-report.{kind}"'}
    return Response(WRITERS[kind](report), 200, headers, TYPES[kind])


async def _report(visit: Visit, asked: Asked) -> dict[str, Any]:
    async with visit.parts.archive.asked() as store:
        return await Gathering(store, asked, visit.parts.house.pace, _shift(visit)).report()


def _shift(visit: Visit) -> str | None:
    shift = visit.query("shift")
    return shift if shift in visit.parts.house.pace.shifts else None


async def _irregularities(store: Store, asked: Asked, number: int) -> list[dict[str, Any]]:
    """One page, and one line more if there are more."""
    rows = await store.ask(
        f"""SELECT site, table_id, sequence, name, severity, at, payload FROM events
        WHERE kind = 'irregularity' AND sequence IS NOT NULL AND {asked.where}
        ORDER BY at DESC, site, table_id, id LIMIT {A_PAGE + 1} OFFSET :behind""",
        **asked.values,
        behind=number * A_PAGE,
    )
    found = []
    for row in rows:
        says, told = "", ""
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            data = msgspec.json.decode(row["payload"], type=_Event).data
            says, told = data.says, wording.fields(data.observed)
        at = datetime.fromisoformat(row["at"]).timestamp()
        what = {"table": f"{row['site']}/{row['table_id']}", "says": wording.named(row["name"] or "", says)}
        found.append(
            {"sequence": row["sequence"], "severity": row["severity"] or "critical", "at": at, "told": told} | what
        )
    return found


PAGES = (
    Page("GET", "/history", Right.CASES, history),
    Page("GET", "/reports", Right.REPORTS, reports),
    Page("GET", "/reports/{kind}", Right.REPORTS, report_file),
)
