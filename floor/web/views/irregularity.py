"""One irregularity: seen against required, the rule and its lines, the records, and what can be done. Live."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.wording import named
from pitwatch.floor.watch import pages
from pitwatch.floor.watch.payloads import Irregularity
from pitwatch.floor.web import packages
from pitwatch.floor.web.archive_door import AwayError
from pitwatch.floor.web.cited import from_model, shown_of
from pitwatch.floor.web.drawing import timing
from pitwatch.floor.web.live import Rendered, stream_of
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, part, refusal, state_of
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.views.cases import number_of
from pitwatch.floor.web.visit import Page, Visit, go


def draw(parts: Parts, about: str, rights: frozenset[Right]) -> Rendered:
    """What may change while the page is open: whether somebody has acknowledged it."""
    table, _, number = about.rpartition("/")
    concern = from_model(parts, table, int(number)) if number.isdigit() and len(number) < 16 else None
    found = {"state": state_of(parts)}
    if concern is not None:
        found["done"] = part("parts/done.html", done=concern.acknowledged)
    return found


async def show(visit: Visit) -> Response:
    return await _show(visit)


async def acknowledge(visit: Visit) -> Response:
    form = await visit.form()
    table, sequence = _which(visit)
    concern = from_model(visit.parts, table, sequence)
    if concern is None:
        return await _show(visit, "Only what this server has open can be acknowledged here; it is not open.", 409)
    if concern.acknowledged is not None and concern.acknowledged.where != "here":
        return await _show(visit, f"{concern.acknowledged.who} has acknowledged it already.", 409)
    note = form.text("note", 300)
    visit.note("acknowledge", f"{table} {sequence}", note=note)
    visit.parts.watching.acknowledger.acknowledge(concern, visit.who, note)
    return go(f"/irregularity/{table}/{sequence}")


async def act(visit: Visit) -> Response:
    """Have the table send evidence that is missing, or the video system set a bookmark."""
    form = await visit.form()
    table, sequence = _which(visit)
    concern = from_model(visit.parts, table, sequence)
    what = form.text("act")
    if concern is None or what not in ("ask", "bookmark"):
        return await _show(visit, "Only what this server has open can be asked for here; it is not open.", 409)
    visit.note("ask for records" if what == "ask" else "set bookmark", f"{table} {sequence}")
    errands = visit.parts.watching.errands
    (errands.ask_again if what == "ask" else errands.bookmark)(concern)
    return go(f"/irregularity/{table}/{sequence}")


async def verify(visit: Visit) -> Response:
    table, sequence = _which(visit)
    visit.note("verify evidence", f"{table} {sequence}")
    try:
        made = await packages.made(visit.parts, table, sequence, visit.who)
        verdict = await packages.verified(visit.parts, made, table)
    except (AwayError, UsageError) as error:
        return await _show(visit, f"The proof cannot be verified now: {error}", 503)
    return await _show(visit, verdict=verdict, manifest=made.manifest)


async def download(visit: Visit) -> Response:
    table, sequence = _which(visit)
    visit.note("make evidence package", f"{table} {sequence}")
    try:
        made = await packages.made(visit.parts, table, sequence, visit.who)
    except (AwayError, UsageError) as error:
        return await _show(visit, f"The package cannot be made now: {error}", 503)
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "-_") else "_" for each in made.name)
    headers = {"content-disposition": f'attachment; filename="{plain}.zip"'}
    return Response(made.content, 200, headers, "application/zip")


def _which(visit: Visit) -> tuple[str, int]:
    return f"{visit.path('site')}/{visit.path('table')}", int(visit.path("sequence"))


async def _show(
    visit: Visit, why: str = "", status: int = 200, verdict: list[str] | None = None, manifest: str = ""
) -> Response:
    table, sequence = _which(visit)
    try:
        found = await shown_of(visit.parts, table, sequence, visit.may(Right.CARDS))
    except AwayError as error:
        return refusal(visit, 503, f"Only the archive could know this irregularity, and it does not answer: {error}")
    if found is None:
        return refusal(visit, 404, why or f"No irregularity {sequence} of {table} is known here or in the archive.")
    data = found.concern.data
    assert isinstance(data, Irregularity)
    event = found.concern.message.event if found.concern.message else None
    case = await number_of(visit.parts, table, event.id) if event is not None and visit.parts.archive.named else 0
    values: dict[str, Any] = {
        "case": case, "table": table, "sequence": sequence, "concern": found.concern, "data": data,
        "records": found.records, "says": named(data.rule, data.says), "timing": timing.drawn(found.marks),
        "video": pages.video(found.concern), "open_here": from_model(visit.parts, table, sequence) is not None,
        "open_round": found.open_round, "why": why, "verdict": verdict, "manifest": manifest,
        "bookmarks": visit.parts.watching.video, "around": [mark for mark in found.marks if not mark.cited],
    }  # fmt: skip
    parts = {"done": part("parts/done.html", done=found.concern.acknowledged)}
    return page(
        visit,
        "irregularity.html",
        status,
        live=f"/live/irregularity?of={quote(f'{table}/{sequence}', safe='')}",
        parts=parts,
        **values,
    )


PAGES = (
    Page("GET", "/irregularity/{site}/{table}/{sequence:int}", Right.CASES, show),
    Page("GET", "/live/irregularity", Right.CASES, stream_of(draw)),
    Page("POST", "/irregularity/{site}/{table}/{sequence:int}/acknowledge", Right.ACT, acknowledge),
    Page("POST", "/irregularity/{site}/{table}/{sequence:int}/act", Right.ACT, act),
    Page("POST", "/irregularity/{site}/{table}/{sequence:int}/verify", Right.EVIDENCE, verify),
    Page("POST", "/irregularity/{site}/{table}/{sequence:int}/package", Right.EVIDENCE, download),
)
