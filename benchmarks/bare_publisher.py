"""The baseline of latency: a process that does nothing but publish, with a sync to disk before it or without.

    python -m benchmarks.bare_publisher PORT FILE

Each line on standard input, `bare BYTES` or `synced BYTES`, is one publication of so many bytes, QoS 1. Its payload is
the time at which it was begun, in seconds of CLOCK_MONOTONIC, which all processes share.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time

import aiomqtt

TOPIC = "bare/message"
SYNC_BYTES = bytes(8192)
"""Two pages: about what a record adds to the journal."""


def client(port: int) -> aiomqtt.Client:
    """With TCP_NODELAY, as the daemon's: else Nagle's algorithm adds up to 40 ms that nobody wants to measure."""
    return aiomqtt.Client("127.0.0.1", port, socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)])


def _sync(disk: int) -> None:
    os.pwrite(disk, SYNC_BYTES, 0)
    os.fdatasync(disk)


async def _publish(port: int, disk: int) -> None:
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    async with client(port) as broker:
        while order := (await orders.readline()).split():
            began = time.perf_counter()
            if order[0] == b"synced":
                await asyncio.to_thread(_sync, disk)
            await broker.publish(TOPIC, f"{began:<{int(order[1])}}", qos=1)


if __name__ == "__main__":
    with open(sys.argv[2], "w+b", buffering=0) as file:
        file.write(SYNC_BYTES)  # as long as it will be
        asyncio.run(_publish(int(sys.argv[1]), file.fileno()))
