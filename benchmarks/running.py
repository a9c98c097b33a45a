"""What `pitwatch run` costs while it runs: time to READY=1, resident memory at the start and after many rounds.

The baseline is an interpreter that has imported asyncio and aiomqtt and says READY=1: less nobody can do.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import aiomqtt

from benchmarks import captures
from benchmarks.figure import Figure, median
from benchmarks.table import TOPIC, process, resident_mib, scratch, serial_port, table
from pitwatch.daemon.bench.broker import embedded_broker
from pitwatch.daemon.config.broker_url import parse_broker_url

WINDOW = 256
"""Bytes handed to the port at a time."""

BASELINE = "an interpreter with asyncio and aiomqtt imported"
BARE = """\
import asyncio, aiomqtt, os, signal, socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
signal.pause()
"""

SETTLED = 0.5
"""Seconds from READY=1 until memory is looked at: the broker is reached by then."""

STUCK_AFTER = 60.0
"""Seconds without a round, after which the table is taken to have stopped."""


def _start_up(url: str, folder: Path, runs: int) -> tuple[Figure, Figure]:
    """Time to READY=1 and memory soon after, medians of so many starts, the journal being there already."""
    ready: dict[str, list[float]] = {"run": [], "bare": []}
    resident: dict[str, list[float]] = {"run": [], "bare": []}
    with serial_port() as (_, port):
        for number in range(runs + 1):
            for name in ready:
                bare = process([sys.executable, "-c", BARE], folder)
                with table(url, port, folder) if name == "run" else bare as (running, seconds):
                    if number:  # the first only warms up
                        ready[name].append(seconds)
                        time.sleep(SETTLED)
                        resident[name].append(resident_mib(running.pid))
    return (
        Figure("run_ready", median(ready["run"]), "s", BASELINE, median(ready["bare"])),
        Figure("run_resident", median(resident["run"]), "MiB", BASELINE, median(resident["bare"])),
    )


def _wheel_bytes(capture: Path) -> bytes:
    """All that the wheel of a captured table sent."""
    with capture.open("rb") as file:
        lines = map(json.loads, file)
        return b"".join(line["rx"].encode() for line in lines if line["device"] == "wheel" and "rx" in line)


async def _send(device: int, data: bytes) -> None:
    """Write as fast as the listener reads, blocking nobody."""
    os.set_blocking(device, False)
    sent = 0
    while sent < len(data):
        try:
            sent += os.write(device, data[sent : sent + WINDOW])
            await asyncio.sleep(0)
        except BlockingIOError:
            await asyncio.sleep(0.001)


async def _rounds(url: str, count: int) -> None:
    """Return when so many rounds have been published. Raises TimeoutError."""
    broker = parse_broker_url(url)
    async with aiomqtt.Client(broker.host, broker.port, max_queued_incoming_messages=0) as client:
        await client.subscribe(f"{TOPIC}/round", qos=1)
        messages = aiter(client.messages)
        for _ in range(count):
            await asyncio.wait_for(anext(messages), STUCK_AFTER)


async def _after_rounds(url: str, folder: Path, rounds: int) -> Figure:
    """Memory after so many rounds, as fast as the table takes them."""
    capture = folder / "wire.jsonl"
    captures.write_wire("roulette", rounds + 1, capture)
    data = _wheel_bytes(capture)
    with serial_port() as (device, port), table(url, port, folder, hurried=True) as (running, _):
        heard = asyncio.create_task(_rounds(url, rounds))
        await asyncio.sleep(SETTLED)
        await asyncio.gather(heard, _send(device, data))
        resident = resident_mib(running.pid)
    with process([sys.executable, "-c", BARE], folder) as (bare, _):
        return Figure(f"run_resident_after_{rounds}_rounds", resident, "MiB", BASELINE, resident_mib(bare.pid))


async def _measure(starts: int, rounds: int, folder: Path) -> list[Figure]:
    async with embedded_broker() as (url, _):
        return [
            *await asyncio.to_thread(_start_up, url, folder, starts),
            await _after_rounds(url, folder, rounds),
        ]


def figures(starts: int, rounds: int) -> list[Figure]:
    """Medians of so many starts, and memory after so many rounds."""
    with scratch() as folder:
        return asyncio.run(_measure(starts, rounds, folder))
