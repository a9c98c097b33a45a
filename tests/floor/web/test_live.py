"""Pages that stay up to date: over a real connection, with a real broker, with browsers that are slow or signed out."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from pitwatch.floor.web import live
from pitwatch.floor.web.server import listening, serve
from tests.e2e.mosquitto import Mosquitto
from tests.floor.one_table import Table
from tests.floor.web.house import House

LIMIT = 60.0
"""Seconds for anything to happen on a busy machine."""


@contextlib.asynccontextmanager
async def served(house: House) -> AsyncIterator[str]:
    """The address of the server, which runs with all that goes on beside it."""
    listener = listening("127.0.0.1", 0)
    work = [asyncio.create_task(serve(house.app, house.parts.web, listener))]
    work += [asyncio.create_task(each()) for each in house.parts.runs]
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)


class Open:
    """One open page: what its stream says."""

    def __init__(self, response: httpx.Response):
        self._lines = response.aiter_lines()
        self.parts: dict[str, str] = {}

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(LIMIT):
            while True:
                line = await anext(self._lines)
                if line.startswith("data: "):
                    said: dict[str, Any] = msgspec.json.decode(line[6:])
                    self.parts |= said.get("parts", {})
                    return said

    async def until(self, id: str, text: str) -> None:
        while text not in self.parts.get(id, ""):
            await self.next()


@contextlib.asynccontextmanager
async def opened(house: House, base: str, path: str, name: str) -> AsyncIterator[Open]:
    secret = house.parts.sessions.begin(name, "password", "127.0.0.1")
    cookies = {"pitwatch": secret}
    async with (
        httpx.AsyncClient(cookies=cookies, timeout=LIMIT) as client,
        client.stream("GET", base + path) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Open(response)


async def settled(condition: Any) -> None:
    for _ in range(int(LIMIT / 0.05)):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise TimeoutError


async def test_an_open_page_shows_what_happens_at_a_table(broker: Mosquitto, tmp_path: Path) -> None:
    house = House(tmp_path, broker.url)
    house.account("ann", "surveillance")
    house.account("tom", "technician")
    table = Table(tmp_path, broker, wall=time.time())
    async with (
        served(house) as base,
        opened(house, base, "/live/floor", "ann") as floor,
        opened(house, base, "/live/table?of=toledo/RL-07", "ann") as page,
        opened(house, base, "/live/floor", "tom") as technicians,
    ):
        await table.daemon.start()
        try:
            await floor.until("tables", "RL-07")
            table.play(2)
            table.play(1, wrong=True)
            await floor.until("attention", "Two reports of the winning number differ")
            await floor.until("attention", 'href="/irregularity/toledo/RL-07/')
            await technicians.until("tables", "1 open")
            assert "winning number" not in technicians.parts["attention"]
            async with opened(house, base, "/live/table?of=toledo/RL-07", "ann") as later:
                await later.until("rounds", "pocket 17")
                await later.until("open", "Two reports of the winning number differ")
        finally:
            await table.daemon.stop()
        await floor.until("tables", "stopped")
        del page


async def test_a_page_says_that_the_broker_is_lost_and_since_when_and_that_it_is_back(
    broker: Mosquitto, tmp_path: Path
) -> None:
    house = House(tmp_path, broker.url)
    house.account("ann", "viewer")
    async with served(house) as base, opened(house, base, "/live/floor", "ann") as page:
        await settled(lambda: house.parts.watching.floor.stale_since is None)
        await page.until("attention", "Nothing since")
        broker.stop()
        await page.until("state", "No broker since")
        await page.until("attention", "Stale: no broker.")
        broker.start()
        await settled(lambda: house.parts.watching.floor.stale_since is None)
        while "No broker" in page.parts["state"] or "Stale" in page.parts["attention"]:
            await page.next()


async def test_a_page_whose_session_ends_is_told_so_and_shows_nothing_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PULSE_S", 0.2)
    house.account("ann", "viewer")
    house.account("bob", "viewer")
    async with served(house) as base:
        for name, end in (
            ("ann", lambda: house.parts.sessions.end_all("ann")),
            ("bob", lambda: house.parts.accounts.set_roles("bob", ["technician"])),
        ):
            async with opened(house, base, "/live/floor", name) as page:
                await page.until("tables", "No table")
                end()
                said = await page.next()
                while "out" not in said:
                    said = await page.next()
                with pytest.raises(StopAsyncIteration):
                    await page.next()
        await settled(lambda: house.parts.live.count == 0)


async def test_what_waits_for_a_slow_page_is_the_newest_of_each_part(house: House) -> None:
    house.account("ann", "viewer")
    session = house.parts.sessions.find(house.parts.sessions.begin("ann", "password", ""))
    assert session is not None
    numbers = iter(range(10_000))
    view = live.View(lambda parts, about, rights: {"a": str(next(numbers)), "b": "same"}, "", session.account.rights)
    stream = live.Stream(view, session)
    house.parts.live.enter(stream)
    for _ in range(1_000):
        house.parts.live._send(view, house.parts.live._streams[view])
    assert stream.waiting == {"a": "1000", "b": "same"}
    house.parts.live.leave(stream)
    assert house.parts.live._drawn == {}


async def test_a_page_that_reads_nothing_is_cut_off_and_told_so_when_it_comes_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SLOW_S", 0.5)
    monkeypatch.setattr(live, "PULSE_S", 0.01)
    house.account("ann", "viewer")
    large = {"tables": "x" * 300_000}
    view_render = lambda parts, about, rights: {**large, "n": str(time.time())}  # noqa: E731
    secret = house.parts.sessions.begin("ann", "password", "127.0.0.1")
    session = house.parts.sessions.find(secret)
    assert session is not None
    async with served(house) as base, opened(house, base, "/live/floor", "ann") as well:
        port = int(base.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(f"GET /live/floor HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: pitwatch={secret}\r\n\r\n".encode())
        await settled(lambda: house.parts.live.of(session.key) == 1)
        (slow,) = (
            stream
            for streams in house.parts.live._streams.values()
            for stream in streams
            if stream.session.key == session.key
        )
        while slow.id not in house.parts.live.cut_off:
            slow.put(view_render(house.parts, "", session.account.rights))
            await asyncio.sleep(0.01)
        await settled(lambda: house.parts.live.of(session.key) == 0)
        writer.transport.abort()
        await well.next()  # the others are served as before
        async with opened(house, base, f"/live/floor?last={slow.id}", "ann") as again:
            said = await again.next()
            assert abs(said["hello"]["cutOff"] - time.time()) < LIMIT


async def test_many_pages_are_drawn_once_and_all_told(house: House) -> None:
    house.account("ann", "viewer")
    house.account("bob", "viewer")
    drawn = []
    names = ("ann", "bob")
    sessions = [house.parts.sessions.find(house.parts.sessions.begin(name, "password", "")) for name in names]
    view = live.View(lambda parts, about, rights: {"a": str(drawn.append(1) or len(drawn))}, "", frozenset())
    streams = [live.Stream(view, session) for session in sessions for _ in range(5_000) if session is not None]
    for stream in streams:
        house.parts.live.enter(stream)
    assert len(drawn) == 1
    house.parts.live._send(view, house.parts.live._streams[view])
    assert len(drawn) == 2
    assert all(stream.waiting == {"a": "2"} and stream.woken.is_set() for stream in streams)


async def test_one_session_cannot_take_all_connections(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_OF_ONE", 2)
    house.account("ann", "viewer")
    secret = house.parts.sessions.begin("ann", "password", "127.0.0.1")
    async with (
        served(house) as base,
        httpx.AsyncClient(cookies={"pitwatch": secret}, timeout=LIMIT) as client,
        client.stream("GET", f"{base}/live/floor") as first,
        client.stream("GET", f"{base}/live/floor") as second,
    ):
        assert (first.status_code, second.status_code) == (200, 200)
        await settled(lambda: house.parts.live.count == 2)
        assert (await client.get(f"{base}/live/floor")).status_code == 503
        assert (await client.get(f"{base}/")).status_code == 200


async def test_a_connection_that_asks_nothing_is_ended(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwatch.floor.web.server.FIRST_REQUEST_S", 0.2)
    async with served(house) as base:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        async with asyncio.timeout(LIMIT):
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
        writer.close()
