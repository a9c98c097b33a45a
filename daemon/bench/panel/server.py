"""The panel's web server, on 127.0.0.1 alone: the page, what is to be seen as a stream of events, what people do."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pitwatch.daemon.bench.panel.feed import Feed, FullError
from pitwatch.daemon.bench.panel.guard import HOSTS, Guard, new_token
from pitwatch.daemon.bench.panel.table import PanelTable
from pitwatch.sim_hw.hands.act import CannotActError

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
EVERY = 0.1
"""Seconds between two portions of the stream."""
READ_WITHIN = 10.0
"""Seconds in which a browser takes a portion; one that does not is dropped."""
MOST_BODY = 8192
"""Bytes of a question."""


class Act(msgspec.Struct, forbid_unknown_fields=True):
    """POST /api/act: a hand does something."""

    table: str
    device: str
    act: str
    given: dict[str, str | int | float] = {}


class Plug(msgspec.Struct, forbid_unknown_fields=True):
    """POST /api/plug: a plug is pulled, or put in again."""

    table: str
    device: str
    inserted: bool


class Play(msgspec.Struct, forbid_unknown_fields=True):
    """POST /api/play: what the dealer does, and how time passes; what is left out stays."""

    table: str
    playing: bool | None = None
    paused: bool | None = None
    step: float | None = None
    speed: float | None = None
    rounds: int | None = None
    fault: str | None = None


Asked = TypeVar("Asked", Act, Plug, Play)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The bench heeds signals itself."""
        yield


class PanelServer:
    """Answers for the tables. `address` is the link to open, once it is `serving`."""

    def __init__(self, tables: list[PanelTable], feed: Feed):
        self._tables = {table.id: table for table in tables}
        self._feed = feed
        self._token = new_token()
        self.address = ""
        self._files = {
            f"/{path.name}": (path.read_bytes(), KINDS[path.suffix])
            for path in PAGE.iterdir()
            if path.suffix in KINDS
        }  # fmt: skip
        self._files["/"] = self._files.pop("/index.html")

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                *(Route(path, self._file) for path in self._files),
                Route("/api/tables", self._described),
                Route("/api/stream", _Stream(self._feed, self._seen)),
                Route("/api/capture", self._capture),
                Route("/api/act", self._act, methods=["POST"]),
                Route("/api/plug", self._plug, methods=["POST"]),
                Route("/api/play", self._play, methods=["POST"]),
            ],
            middleware=[
                Middleware(Guard, token=self._token),
                Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
            ],
            exception_handlers={CannotActError: _cannot, HTTPException: _refused},
        )

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Answers for the length of the block, which is broken off if the server fails."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.address = f"http://127.0.0.1:{listener.getsockname()[1]}/#{self._token}"
            server = _Server(
                uvicorn.Config(
                    self.app(),
                    http="h11",
                    ws="none",
                    lifespan="off",
                    log_config=None,
                    log_level="critical",
                    access_log=False,
                    server_header=False,
                    limit_concurrency=64,
                    timeout_graceful_shutdown=1,
                )
            )
            async with asyncio.TaskGroup() as beside:
                serving = beside.create_task(server.serve([listener]))
                handing = beside.create_task(self._hand_out())
                try:
                    yield
                finally:
                    handing.cancel()
                    self._feed.end()
                    server.should_exit = True
                    await asyncio.wait([serving])

    async def _hand_out(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            self._feed.hand_out(self._seen())

    def _seen(self) -> dict[str, Any]:
        return {name: table.seen() for name, table in self._tables.items()}

    # -- questions

    async def _file(self, request: Request) -> Response:
        content, kind = self._files[request.url.path]
        return Response(content, media_type=kind)

    async def _described(self, request: Request) -> Response:
        return JSONResponse({"tables": [table.described() for table in self._tables.values()]})

    async def _capture(self, request: Request) -> Response:
        table = self._table(request.query_params.get("table", ""))
        name = f'attachment; filename="{table.id}.jsonl"'
        return Response(table.notes.capture(), media_type="application/jsonl", headers={"content-disposition": name})

    async def _act(self, request: Request) -> Response:
        asked = await _body(request, Act)
        table = self._table(asked.table)
        table.act(asked.device, asked.act, asked.given)
        return JSONResponse(table.seen())

    async def _plug(self, request: Request) -> Response:
        asked = await _body(request, Plug)
        table = self._table(asked.table)
        table.plug(asked.device, asked.inserted)
        return JSONResponse(table.seen())

    async def _play(self, request: Request) -> Response:
        asked = await _body(request, Play)
        table = self._table(asked.table)
        if asked.speed is not None:
            table.set_speed(asked.speed)
        if asked.paused is not None:
            table.pause(asked.paused)
        if asked.step is not None:
            table.step(asked.step)
        if asked.playing is not None:
            table.live.let_play(asked.playing)
        if asked.rounds is not None:
            table.live.play_rounds(max(0, min(asked.rounds, 100)))
        if asked.fault is not None:
            table.live.play_fault(asked.fault)
        return JSONResponse(table.seen())

    def _table(self, name: str) -> PanelTable:
        if name not in self._tables:
            raise HTTPException(404, f"{name[:80]!r}: no such table")
        return self._tables[name]


async def _body(request: Request, shape: type[Asked]) -> Asked:
    """What was asked. Raises HTTPException."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "a question is JSON (content-type: application/json)")
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BODY:
                raise HTTPException(413, f"a question has at most {MOST_BODY} bytes")
        return msgspec.json.decode(body, type=shape)
    except ClientDisconnect:
        raise HTTPException(400, "the question broke off") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"not understood: {error}") from None


async def _cannot(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 409)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


class _Stream:
    """GET /api/stream: server-sent events, one for each portion of the feed."""

    def __init__(self, feed: Feed, seen: Callable[[], dict[str, Any]]):
        self._feed = feed
        self._seen = seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            browser = self._feed.come(self._seen())
        except FullError:
            await JSONResponse({"error": "too many browsers watch; close one"}, 503)(scope, receive, send)
            return
        gone = asyncio.create_task(_gone(receive))
        gone.add_done_callback(lambda _: browser.drop())
        try:
            headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while (portion := await browser.portions.get()) is not None:
                message = {"type": "http.response.body", "body": b"data: " + portion + b"\n\n", "more_body": True}
                await asyncio.wait_for(send(message), READ_WITHIN)
            await send({"type": "http.response.body"})
        finally:
            self._feed.leave(browser)
            gone.cancel()


async def _gone(receive: Receive) -> None:
    """Returns when the browser has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
