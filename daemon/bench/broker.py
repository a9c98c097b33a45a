"""A broker for the bench, on loopback: mosquitto if it is installed, else amqtt inside this process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError

UP_WITHIN = 10.0
"""Seconds for the broker to listen."""


def mosquitto() -> str | None:
    """The path of the mosquitto program, which Debian keeps in sbin."""
    return shutil.which("mosquitto", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))


@contextlib.asynccontextmanager
async def embedded_broker() -> AsyncIterator[tuple[str, str]]:
    """(URL, name) of a broker that runs until the end of the block. Raises UsageError if there is none to be had."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    program = mosquitto()
    running = _mosquitto(program, port) if program else _amqtt(port)
    async with running:
        await _listening(port)
        yield f"mqtt://127.0.0.1:{port}", "mosquitto" if program else "amqtt"


@contextlib.asynccontextmanager
async def _mosquitto(program: str, port: int) -> AsyncIterator[None]:
    with tempfile.TemporaryDirectory(prefix="pitwatch-broker-") as folder:
        configuration = Path(folder) / "mosquitto.conf"
        configuration.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n"
            "set_tcp_nodelay true\n"
        )
        process = await asyncio.create_subprocess_exec(
            program, "-c", str(configuration), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            yield
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


@contextlib.asynccontextmanager
async def _amqtt(port: int) -> AsyncIterator[None]:
    try:
        from amqtt.broker import Broker  # type: ignore[import-untyped]
    except ImportError:
        raise UsageError(
            "no broker to be had: install mosquitto, or amqtt (in the clone: .venv/bin/pip install -e '.[bench]'), "
            "or name one with --broker"
        ) from None
    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    broker = Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}", "max_connections": 100}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
    )
    await broker.start()
    try:
        yield
    finally:
        await broker.shutdown()


async def _listening(port: int) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + UP_WITHIN
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if loop.time() > deadline:
                raise UsageError(f"the bench's broker does not listen on 127.0.0.1:{port}") from None
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return
