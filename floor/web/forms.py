"""That a form comes from a page of this server, which its browser has opened (against CSRF)."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from pitwatch.floor.web.sessions import same
from pitwatch.floor.web.visit import Visit

BEFORE = "pitwatch-form"
"""The cookie that ties forms to a browser before it has a session."""


def form_secret(visit: Visit) -> tuple[str, str]:
    """What a form has to carry, and the cookie to set with it: empty where the browser has a session or the cookie."""
    if visit.session is not None:
        return visit.session.csrf, ""
    kept = visit.request.cookies.get(BEFORE, "")
    fresh = "" if len(kept) == 43 else secrets.token_urlsafe(32)
    return visit.parts.form_key(fresh or kept), fresh


async def forged(visit: Visit) -> str:
    """Why the form cannot be taken for one of our pages' own; empty if it is."""
    headers = visit.request.headers
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return "The form was sent by another site. Nothing was changed."
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host"):
        return "The form was sent by another site. Nothing was changed."
    if headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        return "The form is not encoded as these pages encode it. Nothing was changed."
    right, fresh = form_secret(visit)
    if fresh or not same((await visit.form()).text("csrf"), right):
        return "The form is too old, or not from this page. Nothing was changed. Open the page again and repeat it."
    return ""
