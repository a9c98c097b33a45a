"""Signing in by the provider of the house."""

from __future__ import annotations

import logging
import time

from starlette.responses import RedirectResponse, Response

from pitwatch.floor.web.provider import ProviderError
from pitwatch.floor.web.rendering import page, refusal
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.views.signing_in import enter
from pitwatch.floor.web.visit import Page, Visit, inside

AWAY = "pitwatch-provider"
"""The cookie of a browser on its way. Lax: it has to come along when the provider sends the browser back."""

log = logging.getLogger("pitwatch.web")


async def begin(visit: Visit) -> Response:
    provider = visit.parts.provider
    if provider is None:
        return refusal(visit, 404, "No provider is named: [web.provider] of FLOOR.toml.")
    if not visit.parts.tries.take(visit.address, time.monotonic()):
        return refusal(visit, 429, "Too many tries from this machine; wait a minute.")
    try:
        to, cookie = await provider.begin(_own(visit), inside(visit.query("next", 500)))
    except ProviderError as error:
        log.warning("provider: %s", error)
        return refusal(visit, 503, str(error))
    answer = RedirectResponse(to, 303)
    answer.set_cookie(AWAY, cookie, 600, path="/sign-in", secure=visit.parts.web.tls, httponly=True, samesite="lax")
    return answer


async def returned(visit: Visit) -> Response:
    provider = visit.parts.provider
    if provider is None:
        return refusal(visit, 404, "No provider is named: [web.provider] of FLOOR.toml.")
    cookie = visit.request.cookies.get(AWAY, "")
    try:
        name, back = await provider.end(_own(visit), visit.query("state"), visit.query("code", 4_000), cookie)
    except ProviderError as error:
        log.warning("%s: provider: %s", visit.address, error)
        return refusal(visit, 403, str(error))
    account = visit.parts.accounts.find(name)
    if account is None or account.closed:
        log.warning("%s: the provider vouches for a name without an open account", visit.address)
        return refusal(visit, 403, "The provider knows you, but no account here has that name. Ask an administrator.")
    answer = enter(visit, account, "provider", back)
    # The browser comes from another site, so it would not send the new cookie with a redirect: a page of ours goes on.
    here = page(visit, "returned.html", back=inside(back), live="")
    for value in answer.headers.getlist("set-cookie"):
        here.headers.append("set-cookie", value)
    here.delete_cookie(AWAY, path="/sign-in", secure=visit.parts.web.tls, httponly=True, samesite="lax")
    return here


def _own(visit: Visit) -> str:
    scheme = "https" if visit.parts.web.tls else visit.request.url.scheme
    return f"{scheme}://{visit.request.headers['host']}/sign-in/returned"


PAGES = (
    Page("GET", "/sign-in/provider", Right.ANYBODY, begin),
    Page("GET", "/sign-in/returned", Right.ANYBODY, returned),
)
