"""What holds for every answer and every request, whatever the page: headers, host names, how often. Plain ASGI."""

from __future__ import annotations

import time
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pitwatch.floor.web.config import is_loopback
from pitwatch.floor.web.limits import Bucket

POLICY = "; ".join(
    (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
        "trusted-types pitwatch",
    )
)  # fmt: skip
"""Nothing from elsewhere, nothing inline."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer a browser sends forms with "Origin: null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=()",
}
AT_ONCE, PER_SECOND = 200, 25
"""Requests of one address; a page is three. A proxy on this machine stands for everybody and has limits of its own."""


class Shield:
    """`names`: hosts under which this server may be asked, in lower case, without ports; others may be an attacker's
    name for this address (DNS rebinding). `tls`: browsers are told to come by TLS only."""

    def __init__(self, app: ASGIApp, names: Iterable[str], tls: bool):
        self._app, self._names, self._tls = app, frozenset(names), tls
        self._bucket = Bucket(AT_ONCE, PER_SECOND)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if self._tls:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        if _name(Headers(scope=scope).get("host", "")) not in self._names:
            answer = PlainTextResponse("This server has another name; hosts in [web] lists its names.\n", 400)
            await answer(scope, receive, with_headers)
        elif not self._lets(scope["client"][0] if scope.get("client") else ""):
            answer = PlainTextResponse("Too many requests; wait a few seconds.\n", 429, {"retry-after": "5"})
            await answer(scope, receive, with_headers)
        else:
            await self._app(scope, receive, with_headers)

    def _lets(self, address: str) -> bool:
        return is_loopback(address) or self._bucket.take(address, time.monotonic())


def _name(host: str) -> str:
    """Without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).strip("[]").lower()
