"""The application: all pages behind the door, everything behind the shield."""

from __future__ import annotations

import logging
import socket

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from pitwatch.floor.web.door import cookie_name, routes
from pitwatch.floor.web.live import Live
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import refusal
from pitwatch.floor.web.shield import Shield
from pitwatch.floor.web.views import VIEWS
from pitwatch.floor.web.visit import Page, Visit

log = logging.getLogger("pitwatch.web")


def every_page() -> list[Page]:
    """Of every module of views."""
    return [page for view in VIEWS for page in view.PAGES]


def application(parts: Parts) -> ASGIApp:
    """Gives `parts` what sends live changes, too."""
    parts.live = Live(parts)

    def visit(request: Request) -> Visit:
        return Visit(parts, request, parts.sessions.find(request.cookies.get(cookie_name(parts), "")))

    async def unknown(request: Request, error: Exception) -> Response:
        return refusal(visit(request), 404, "There is no such page.")

    async def wrong_method(request: Request, error: Exception) -> Response:
        return refusal(visit(request), 405, "This page cannot be asked in this way.")

    async def failed(request: Request, error: Exception) -> Response:
        log.error("%s failed", request.url.path, exc_info=error)
        return refusal(visit(request), 500, "This page failed, and the server's log says why. The others still work.")

    handlers = {404: unknown, 405: wrong_method, 500: failed}
    return Shield(
        Starlette(routes=routes(parts, every_page()), exception_handlers=handlers),
        names_of(parts),
        parts.web.tls,
    )


def names_of(parts: Parts) -> set[str]:
    """Host names under which this server may be asked, in lower case."""
    names = {parts.web.host, *parts.web.hosts}
    if parts.web.host in ("0.0.0.0", "::"):
        names |= {socket.gethostname(), socket.getfqdn()}
    return {name.lower() for name in (*names, "localhost", "127.0.0.1", "::1")}
