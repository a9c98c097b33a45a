"""One request as the pages see it: who asks, what they may, the form they send. Pages know no cookie and no header."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pitwatch.floor.web.rights import LEAST, Right

if TYPE_CHECKING:
    from pitwatch.floor.web.parts import Parts
    from pitwatch.floor.web.sessions import Session

MOST_FORM = 16_384
"""Bytes."""
MOST_FIELDS = 64


class Form(dict[str, list[str]]):
    def text(self, name: str, most: int = 500) -> str:
        """The first value, cut; empty if there is none."""
        return (self.get(name) or [""])[0].strip()[:most]


class TooMuchError(Exception):
    """A form that no page has."""


class Visit:
    """`session` is None before signing in."""

    def __init__(self, parts: Parts, request: Request, session: Session | None):
        self.parts, self.request, self.session = parts, request, session
        self._form: Form | None = None

    @property
    def rights(self) -> frozenset[Right]:
        return self.session.account.rights if self.session else LEAST

    @property
    def who(self) -> str:
        return self.session.account.name if self.session else ""

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else ""

    def may(self, right: Right) -> bool:
        return right in self.rights

    def query(self, name: str, most: int = 200) -> str:
        return self.request.query_params.get(name, "").strip()[:most]

    def path(self, name: str) -> str:
        return str(self.request.path_params.get(name, ""))

    async def form(self) -> Form:
        """What was sent, as a browser encodes a form. Raises TooMuchError."""
        if self._form is None:
            body = b""
            async for part in self.request.stream():
                body += part
                if len(body) > MOST_FORM:
                    raise TooMuchError
            try:
                fields = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
            except ValueError:
                raise TooMuchError from None
            self._form = Form(fields)
        return self._form

    def note(self, act: str, subject: str = "", **detail: object) -> None:
        """An entry in the log of changes. To be made before the change."""
        self.parts.audit.note(self.who, self.address, act, subject, **detail)


Show = Callable[[Visit], Awaitable[Response]]


class Page(NamedTuple):
    """One route: what it needs is said with it, for there is no page without."""

    method: str
    path: str
    right: Right
    show: Show


def inside(path: str) -> str:
    """The path if it is one of this server's pages, else the first page: no link may lead a browser elsewhere."""
    plain = path.isascii() and path.isprintable() and "\\" not in path
    return path if plain and path.startswith("/") and not path.startswith("//") else "/"


def go(path: str) -> RedirectResponse:
    """To another page of this server, by GET."""
    return RedirectResponse(inside(path), 303)
