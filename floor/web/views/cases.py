"""Cases: what people do about an irregularity, an alert, a trouble or a jackpot, in the name of their account."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response

from pitwatch.floor.cases import CaseStore, Change, Identity
from pitwatch.floor.cases.refusal import ConflictError, RefusedChangeError
from pitwatch.floor.cases.wording import told
from pitwatch.floor.web.archive_door import AwayError
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, refusal
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit, go

FIELDS = {"note": "text", "correct": "text", "tick": "item", "close": "disposition", "reopen": "text"}
"""What a change cannot be without."""
DONE = ("see", "take", "link", *FIELDS)


@contextlib.asynccontextmanager
async def _cases(parts: Parts) -> AsyncIterator[CaseStore]:
    """Raises AwayError."""
    async with parts.archive.asked() as store:
        yield CaseStore(store)


async def overview(visit: Visit) -> Response:
    every, table = visit.query("all") == "1", visit.query("table")
    try:
        async with _cases(visit.parts) as cases:
            found = await (cases.all_cases() if every else cases.open_cases())
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    shown = [each for each in reversed(found) if table in ("", each.table)]
    return page(visit, "cases.html", shown=shown[:500], more=len(shown) - 500, every=every, table=table)


async def show(visit: Visit) -> Response:
    return await _show(visit)


async def change(visit: Visit) -> Response:
    """Append an entry. Whoever is signed in is its author, whatever the form says."""
    form, number = await visit.form(), int(visit.path("case"))
    kind = form.text("act")
    if kind not in DONE:
        return refusal(visit, 400, "There is no such change.")
    values: dict[str, Any] = {"kind": kind, "case": number, "seen": _number(form.text("seen"))}
    values["text"] = form.text("text", 4_000).replace("\r\n", "\n")
    if kind in FIELDS and FIELDS[kind] != "text":
        values[FIELDS[kind]] = form.text(FIELDS[kind])
    for name, of in (("corrects", "correct"), ("other", "link")):
        if kind == of:
            values[name] = _number(form.text(name))
    if kind == "close" and values["disposition"] not in visit.parts.house.cases.dispositions:
        return await _show(visit, "Choose one of the house's dispositions. Nothing was changed.", 422)
    try:
        async with _cases(visit.parts) as cases:
            made = await cases.append(Change(**values), Identity(visit.who, "account"))
    except ConflictError as error:
        return await _show(visit, f"Nothing was changed: {error}.", 409)
    except RefusedChangeError as error:
        return await _show(visit, f"Nothing was changed: {error}.", 422)
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    visit.note(f"case: {kind}", str(number), entry=made.number)
    return go(f"/cases/{number}")


async def number_of(parts: Parts, table: str, event_id: str) -> int:
    """The case that an event of a table opened or joined; 0 if the archive has none or does not answer."""
    try:
        async with _cases(parts) as cases:
            entry = await cases.of_source(f"{table} {event_id}")
    except AwayError:
        return 0
    return entry.case if entry is not None else 0


async def _show(visit: Visit, why: str = "", status: int = 200) -> Response:
    number = int(visit.path("case"))
    try:
        async with _cases(visit.parts) as cases:
            case, entries = await cases.case(number), await cases.entries(number)
    except AwayError as error:
        return refusal(visit, 503, f"The archive does not answer: {error}")
    if case is None:
        return refusal(visit, 404, f"There is no case {number}.")
    values = {"case": case, "why": why, "entries": [(each, told(each).split("\n")) for each in entries]}
    values |= {
        "dispositions": visit.parts.house.cases.dispositions,
        "mine": case.holder == Identity(visit.who, "account"),
    }
    return page(visit, "case.html", status, **values)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


PAGES = (
    Page("GET", "/cases", Right.CASES, overview),
    Page("GET", "/cases/{case:int}", Right.CASES, show),
    Page("POST", "/cases/{case:int}", Right.ACT, change),
)
