"""Between a table and its broker: one that speaks no MQTT 5, is slow, or throws away what is large. For tests only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

UNACCEPTABLE = b"\x20\x02\x00\x01"
"""CONNACK of MQTT 3.1.1: a version that is not spoken."""


class Between:
    """`only_3`: MQTT 5 is refused. `late`: seconds by which all that comes from the broker is late. `rate`: bytes a
    second each way. `on_bytes` is told how many bytes the table has sent over this connection."""

    def __init__(
        self,
        port: int,
        only_3: bool = False,
        late: float = 0.0,
        rate: float = 0.0,
        on_bytes: Callable[[int], Any] = lambda sent: None,
    ):
        self._port = port
        self._only_3, self._late, self._rate, self._on_bytes = only_3, late, rate, on_bytes
        self.sent = 0
        self.connections = 0
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Between:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Reset every connection."""
        writers, self._writers = self._writers, []
        for writer in writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        first = await reader.read(4096)
        name = first.find(b"\x00\x04MQTT")
        if self._only_3 and name > 0 and first[name + 6] == 5:
            writer.write(UNACCEPTABLE)
            writer.close()
            return
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            return
        self._writers += [writer, up_writer]
        up_writer.write(first)

        async def up() -> None:
            sent = 0
            while data := await reader.read(1024):
                sent += len(data)
                self.sent += len(data)
                await self._slow(data)
                up_writer.write(data)
                self._on_bytes(sent)
            up_writer.close()

        async def down() -> None:
            with contextlib.suppress(OSError):  # a connection that the broker resets ends for the table too
                while data := await up_reader.read(1024):
                    await self._slow(data)
                    later.put_nowait((loop.time() + self._late, data))
            later.put_nowait((loop.time() + self._late, b""))

        async def hand_over() -> None:
            while True:
                at, data = await later.get()
                await asyncio.sleep(max(0.0, at - loop.time()))
                if not data:
                    return writer.transport.abort()
                writer.write(data)

        loop = asyncio.get_running_loop()
        later: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(up(), down(), hand_over(), return_exceptions=True)

    async def _slow(self, data: bytes) -> None:
        if self._rate:
            await asyncio.sleep(len(data) / self._rate)
