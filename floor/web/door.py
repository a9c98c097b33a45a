"""Lets a request in or refuses it, for every route: session, right, and whose page a form comes from."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pitwatch.floor.web.forms import forged
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import refusal
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, TooMuchError, Visit, go

log = logging.getLogger("pitwatch.web")


def cookie_name(parts: Parts) -> str:
    """With TLS a browser takes the name only with Secure, for this host and all its paths."""
    return "__Host-pitwatch" if parts.web.tls else "pitwatch"


def let_in(response: Response, parts: Parts, secret: str) -> Response:
    """Give the browser its session."""
    response.set_cookie(cookie_name(parts), secret, path="/", secure=parts.web.tls, httponly=True, samesite="strict")
    return response


def let_out(response: Response, parts: Parts) -> Response:
    response.delete_cookie(cookie_name(parts), path="/", secure=parts.web.tls, httponly=True, samesite="strict")
    return response


def routes(parts: Parts, pages: Iterable[Page]) -> list[Route]:
    return [Route(page.path, _guarded(parts, page), methods=[page.method]) for page in pages]


def _guarded(parts: Parts, page: Page):  # type: ignore[no-untyped-def]  # Starlette looks at what it is given
    async def answer(request: Request) -> Response:
        session = parts.sessions.find(request.cookies.get(cookie_name(parts), ""))
        visit = Visit(parts, request, session)
        if page.right is not Right.ANYBODY:
            if session is None:
                return _sign_in(visit)
            if page.right not in visit.rights:
                log.warning("%s at %s: %s needs the right: %s", visit.who, visit.address, page.path, page.right.value)
                return refusal(visit, 403, f"Your account has no right for this page: {page.right.value}.")
        try:
            if page.method == "POST" and (why := await forged(visit)):
                return refusal(visit, 403, why)
            return await page.show(visit)
        except TooMuchError:
            return refusal(visit, 413, "The form is larger than any form of these pages.")

    return answer


def _sign_in(visit: Visit) -> Response:
    request = visit.request
    if request.method != "GET" or request.headers.get("sec-fetch-mode", "navigate") != "navigate":
        return refusal(visit, 401, "You are not signed in, or your session has ended.")
    back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return go("/sign-in" if back == "/" else f"/sign-in?next={quote(back, safe='/')}")
