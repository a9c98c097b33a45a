"""Sends open pages what changes on them, as server-sent events. Each page is drawn once, however many look at it.

A page consists of parts, each with an id. A browser that is slow gets the newest of each part and nothing of what was
between, so what waits for it is never more than the page itself. One that does not read at all is cut off.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.sessions import Session
from pitwatch.floor.web.visit import Show, Visit

DRAW_EVERY_S = 0.25
PULSE_S = 5.0
"""After which a page is told the time though nothing changed; a page that hears nothing for three of them says so."""
SLOW_S = 20.0
"""Seconds that a browser may take to read what was sent."""
MOST, MOST_OF_ONE = 20_000, 20
"""Open pages: of all, and of one session."""
REMEMBERED = 1_000
"""Streams that were cut off, to say so when they come back."""

log = logging.getLogger("pitwatch.web")

Rendered = Mapping[str, str]
Render = Callable[[Parts, str, frozenset[Right]], Rendered]
"""(parts, what the page is about, rights): the page's parts by id."""


class View(NamedTuple):
    """Who has the same rights sees the same."""

    render: Render
    about: str
    rights: frozenset[Right]


class Stream:
    """One open page. `waiting`: parts that have to be sent, the newest of each."""

    def __init__(self, view: View, session: Session):
        self.view, self.session = view, session
        self.id = secrets.token_urlsafe(9)
        self.waiting: dict[str, str] = {}
        self.woken = asyncio.Event()

    def put(self, parts: Rendered) -> None:
        self.waiting.update(parts)
        self.woken.set()


class Live:
    def __init__(self, parts: Parts):
        self._parts = parts
        self._streams: dict[View, set[Stream]] = {}
        self._drawn: dict[View, dict[str, str]] = {}
        self._of: Counter[str] = Counter()
        self._count = 0
        self.cut_off: dict[str, float] = {}
        """Streams that did not read, and when."""

    @property
    def count(self) -> int:
        return self._count

    def of(self, key: str) -> int:
        """Open pages of a session."""
        return self._of[key]

    def enter(self, stream: Stream) -> None:
        streams = self._streams.setdefault(stream.view, set())
        if not streams:
            self._drawn[stream.view] = self._draw(stream.view)
        streams.add(stream)
        self._of[stream.session.key] += 1
        self._count += 1
        stream.put(self._drawn[stream.view])

    def leave(self, stream: Stream) -> None:
        streams = self._streams.get(stream.view, set())
        if stream in streams:
            streams.remove(stream)
            self._count -= 1
            self._of[stream.session.key] -= 1
            if not self._of[stream.session.key]:
                del self._of[stream.session.key]
        if not streams:
            self._streams.pop(stream.view, None)
            self._drawn.pop(stream.view, None)

    def note_cut_off(self, stream: Stream) -> None:
        self.cut_off[stream.id] = time.time()
        if len(self.cut_off) > REMEMBERED:
            del self.cut_off[next(iter(self.cut_off))]
        log.warning("a page of %s did not read for %.0f s and was cut off", stream.session.account.name, SLOW_S)

    async def run(self) -> None:
        """Until cancelled."""
        known: tuple[int, str] = (-1, "")
        while True:
            await asyncio.sleep(DRAW_EVERY_S)
            now = (self._parts.watching.revision, self._parts.archive.trouble)
            if now != known:
                known = now
                for view, streams in list(self._streams.items()):
                    self._send(view, streams)
                    await asyncio.sleep(0)

    def _send(self, view: View, streams: set[Stream]) -> None:
        before, new = self._drawn[view], self._draw(view)
        changed = {id: html for id, html in new.items() if before.get(id) != html}
        if changed:
            self._drawn[view] = new
            for stream in streams:
                stream.put(changed)

    def _draw(self, view: View) -> dict[str, str]:
        return {id: str(html) for id, html in view.render(self._parts, view.about, view.rights).items()}


class EventStream(Response):
    """The answer that does not end while the page is open."""

    media_type = "text/event-stream"

    def __init__(self, live: Live, stream: Stream, check: Callable[[], bool], cut_off_at: float | None):
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._live, self._stream, self._check, self._cut_off_at = live, stream, check, cut_off_at

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        work = [asyncio.create_task(_gone(receive)), asyncio.create_task(self._talk(send))]
        self._live.enter(self._stream)
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._live.leave(self._stream)
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)

    async def _talk(self, send: Send) -> None:
        stream = self._stream
        try:
            await _within(send({"type": "http.response.start", "status": 200, "headers": self.raw_headers}))
            await _within(self._say(send, "hello", {"stream": stream.id, "cutOff": self._cut_off_at}))
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PULSE_S):
                        await stream.woken.wait()
                stream.woken.clear()
                if not self._check():
                    await _within(self._say(send, "out", {}))
                    break
                waiting, stream.waiting = stream.waiting, {}
                await _within(self._say(send, "parts", waiting))
            await _within(send({"type": "http.response.body", "body": b"", "more_body": False}))
        except TimeoutError:
            self._live.note_cut_off(stream)  # the server ends the connection of an answer that is not complete

    async def _say(self, send: Send, event: str, data: object) -> None:
        said = msgspec.json.encode({"now": time.time(), event: data})
        await send({"type": "http.response.body", "body": b"data: " + said + b"\n\n", "more_body": True})


async def _within(sending: Awaitable[None]) -> None:
    """Raises TimeoutError if the browser does not read."""
    async with asyncio.timeout(SLOW_S):
        await sending


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def stream_of(render: Render) -> Show:
    """What answers for a page's live part; `of` in the address is what the page is about."""

    async def show(visit: Visit) -> Response:
        parts, session = visit.parts, visit.session
        assert session is not None
        if parts.live.count >= MOST or parts.live.of(session.key) >= MOST_OF_ONE:
            return Response("Too many open pages; close some.\n", 503, {"retry-after": "10"}, "text/plain")
        view = View(render, visit.query("of"), visit.rights)

        def check() -> bool:
            found = parts.sessions.of(session.key)
            return found is not None and found.account.rights == view.rights

        return EventStream(parts.live, Stream(view, session), check, parts.live.cut_off.pop(visit.query("last"), None))

    return show
