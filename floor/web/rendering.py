"""Pages and their parts as HTML. Every value is one clean line and escaped, whatever a table or a person sent."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from pitwatch.daemon.contract import wording
from pitwatch.floor.watch.wording import clean
from pitwatch.floor.web import static_files
from pitwatch.floor.web.forms import BEFORE, form_secret
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Visit

PLACES = (
    ("/", "Floor", Right.LOOK),
    ("/cases", "Cases", Right.CASES),
    ("/history", "History", Right.CASES),
    ("/reports", "Reports", Right.REPORTS),
    ("/fairness", "Fairness", Right.LOOK),
    ("/devices", "Devices", Right.LOOK),
    ("/rules", "Rules", Right.LOOK),
    ("/people", "People", Right.PEOPLE),
    ("/audit", "Changes", Right.AUDIT),
)
"""What the head of each page leads to, and who sees it."""

SHAPES = {"critical": "◆", "alert": "▲", "warning": "●", "notice": "○"}
"""Severity by shape; the word stands beside it."""


def _shown(value: Any) -> Any:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def clock(seconds: float) -> Markup:
    """A moment, in seconds since 1970, by this machine's time; the script adds how long ago."""
    here = datetime.fromtimestamp(seconds).astimezone()
    today = here.date() == datetime.now().astimezone().date()
    said = here.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S")
    return Markup('<time datetime="{}" data-at="{}">{}</time>').format(
        here.isoformat(timespec="seconds"), f"{seconds:.3f}", said
    )


_environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["clock"] = clock
_environment.filters["fields"] = wording.fields
_environment.filters["word"] = wording.word
_environment.globals.update(SHAPES=SHAPES, Right=Right, static=static_files.address)


def part(template: str, **values: Any) -> Markup:
    """A part of a page."""
    return Markup(_environment.get_template(template).render(values))


def svg(plot: str) -> Markup:
    """A plot of floor/report, which escapes what it is given."""
    return Markup(plot)


def page(visit: Visit, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A whole page. `live`: the address of what changes on it, where something does."""
    csrf, fresh = form_secret(visit)
    signed_in = visit.session is not None
    values = {"live": "/live/state" if signed_in else "", "parts": {}, **values}
    state = state_of(visit.parts) if signed_in else ""
    shown = part(
        template,
        **values,
        state=state,
        visit=visit,
        csrf=csrf,
        here=visit.request.url.path,
        places=[(path, name) for path, name, right in PLACES if visit.may(right)],
        now=time.time(),
    )
    response = HTMLResponse(shown, status)
    if fresh:
        tls = visit.parts.web.tls
        response.set_cookie(BEFORE, fresh, path="/", secure=tls, httponly=True, samesite="strict")
    return response


def state_of(parts: Parts) -> Markup:
    """What every page says of its sources: whether broker and archive are there, and since when not."""
    floor, archive = parts.watching.floor, parts.archive
    return part(
        "parts/state.html",
        broker_since=floor.stale_since,
        broker_trouble=floor.trouble or "",
        ever=bool(floor.connected_at),
        archive_trouble=archive.trouble if archive.named else "",
        archive_since=archive.since,
        said=list(parts.watching.said)[-1:],
    )


def refusal(visit: Visit, status: int, why: str) -> Response:
    """What is refused, and why, in one sentence."""
    return page(visit, "refused.html", status, why=why)
