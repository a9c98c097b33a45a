"""Who may ask the panel: a browser on this machine that was given the link. Knows nothing of tables.

The link carries a random token after its `#`, which no browser sends to a server or names to another page; the page's
script sends it as a header with each question. So another page of the same browser cannot ask: it has no token, a
header of its own needs a permission (CORS) that is never given, and a name that it points at 127.0.0.1 (DNS rebinding)
is not among the hosts.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ["127.0.0.1", "localhost"]
"""With any port, so that a tunnel from another machine may end at a port of its own."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Guard:
    """Refuses what comes from another page, and below /api what comes without the token."""

    def __init__(self, app: ASGIApp, token: str):
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refused = self._refused(Headers(scope=scope), scope["path"])
        await (refused or self._app)(scope, receive, guarded)

    def _refused(self, headers: Headers, path: str) -> JSONResponse | None:
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{headers.get('host')}":
            return JSONResponse({"error": "another page may not ask here"}, 403)
        if not path.startswith("/api/"):
            return None
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return JSONResponse({"error": "another page may not ask here"}, 403)
        if not secrets.compare_digest(headers.get("authorization", "").encode(), self._expected):
            return JSONResponse({"error": "the token is missing or wrong; open the link that the bench printed"}, 401)
        return None
