"""A connection that is given up leaves nothing behind: no second client of its name, nothing raw on stderr."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiomqtt
import pytest

from pitwatch.daemon.config.broker_url import BrokerAddress, parse_broker_url
from pitwatch.daemon.publishing.telling_client import TellingClient

TAKEN = bytes((0x20, 2, 0, 0))
Speak = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def broker(speak: Speak) -> AsyncIterator[BrokerAddress]:
    """One that breaks off or is slow, as no real one can be told to be."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)  # CONNECT
        await speak(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield parse_broker_url(f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}")


def raw() -> list[str]:
    """What asyncio would write on stderr from now on."""
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(str(context)))
    return told


async def settled() -> None:
    for _ in range(3):
        await asyncio.sleep(0.02)
        gc.collect()


async def test_a_broker_that_breaks_off_meanwhile_is_told_by_who_waits_alone() -> None:
    told = raw()

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(TAKEN)
        await reader.read(1000)  # SUBSCRIBE

    async with broker(speak) as address:
        with pytest.raises(aiomqtt.MqttError):
            async with TellingClient(address, False, identifier="one", timeout=0.2) as client:
                await client.subscribe("a")
        del client
        await settled()
    assert told == []


@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_connection_is_not_kept_up_that_is_waited_for_no_longer(cancelled: bool) -> None:
    told = raw()
    late, ended = asyncio.Event(), asyncio.Event()

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await late.wait()
        writer.write(TAKEN)
        assert await reader.read(1000) == b""
        ended.set()

    async with broker(speak) as address:
        client = TellingClient(address, False, identifier="one", timeout=60 if cancelled else 0.1)
        connecting = asyncio.create_task(client.__aenter__())
        await asyncio.wait({connecting}, timeout=0.3)
        connecting.cancel()
        await asyncio.wait({connecting})
        late.set()
        await asyncio.wait_for(ended.wait(), 5)
        assert connecting.cancelled() if cancelled else isinstance(connecting.exception(), aiomqtt.MqttError)
        await settled()
    assert told == []


async def test_a_connection_that_is_there_is_kept() -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(TAKEN)
        assert (await reader.read(1000))[0] == 0x82  # SUBSCRIBE
        writer.write(bytes((0x90, 3, 0, 1, 0)))
        assert await reader.read(1000) == bytes((0xE0, 0))  # DISCONNECT

    async with broker(speak) as address, TellingClient(address, False, identifier="one", timeout=2) as client:
        await client.subscribe("a")


async def test_who_is_cancelled_just_as_the_answer_comes_is_cancelled() -> None:
    """Of whom that is forgotten nobody knows that he goes on: `watch --json` and `archive` waited for him at their end
    for ever."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(TAKEN)
        await reader.read(1000)

    async with broker(speak) as address:
        client = TellingClient(address, False, identifier="one", timeout=5)
        connecting = asyncio.create_task(client.__aenter__())

        def cancelled_too(*told: Any) -> None:
            client._on_connect(*told)
            connecting.cancel()

        client._client.on_connect = cancelled_too
        await asyncio.wait({connecting}, timeout=5)
        assert connecting.cancelled()
