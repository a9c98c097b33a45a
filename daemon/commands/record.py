"""`pitwatch record`: records the wire data of a live table as a capture for `replay`. Decodes nothing."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import heapq
import sys
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from pitwatch.daemon.captures.capture import Writer
from pitwatch.daemon.common.arguments import seconds
from pitwatch.daemon.common.ending import when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.new_file import new_file
from pitwatch.daemon.config import config
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.doctor import beside as doctor_beside
from pitwatch.daemon.wiring import Wire, wire_table
from pitwatch.daemon.wiring.nodes import Hardware

COMMAND = {"name": "record", "turn": 40, "help": "write a capture of a live table"}

FLUSH_EVERY = 1.0
LATEST = 1_000_000_000
"""Nanoseconds after which no edge comes any more: a kernel delivers within milliseconds, a sensor node may be late."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes a wire-level capture until SIGINT, SIGTERM or SIGHUP, or for some seconds. Stop the table's daemon "
        "first, because a port serves one program. Exit code 1 and no file if no device was ever on line."
    )
    parser.add_argument("table", metavar="TABLE.toml", help="configuration of the table")
    parser.add_argument("out", metavar="OUT", help="the capture to write; it must not exist yet")
    parser.add_argument(
        "--seconds", type=seconds, default=0.0, help="stop after this many seconds (0: when interrupted)"
    )


def run(args: argparse.Namespace) -> int:
    table = config.load(args.table)
    with new_file(args.out) as file:
        lines, heard = asyncio.run(_record(table, file, args.seconds))
    if not heard:
        Path(args.out).unlink(missing_ok=True)
    if args.json:
        print(encode({"capture": args.out if heard else None, "lines": lines if heard else 0}).decode())
    elif heard:
        print(f"{args.out}: {lines} lines")
    if not heard:
        why = f"`pitwatch doctor {quote(args.table)}` says how to fix it"
        if doctor_beside.runs(table.journal):
            why = "the table's daemon is running and has the ports: stop it first"
        print(f"{args.out}: no device was on line, so no file is left; {why}", file=sys.stderr)
    return 0 if heard else 1


class InOrder:
    """Lines of all devices, held back until nothing that happened earlier can come any more. Times in ns."""

    def __init__(self) -> None:
        self._held: list[tuple[int, int, Callable[[int], None]]] = []
        self._count = 0

    def put(self, t: int, write: Callable[[int], None]) -> None:
        """`write(t)` is called when its turn comes; what has one time keeps its order."""
        self._count += 1
        heapq.heappush(self._held, (t, self._count, write))

    def release(self, until: int | None = None) -> None:
        """Write what happened up to `until`, or all."""
        while self._held and (until is None or self._held[0][0] <= until):
            t, _, write = heapq.heappop(self._held)
            write(t)


class Recorder:
    """Hears one device and writes what it hears. Times in monotonic ns, written as seconds since `start`."""

    def __init__(self, device: str, writer: Writer, start: int, in_order: InOrder):
        self._device = device
        self._writer = writer
        self._start = start
        self._in_order = in_order
        self._last = 0
        self.was_online = False

    def opened(self, t: int, identity: dict[str, Any]) -> None:
        self.was_online = True
        self._observed("device_online", identity, t)

    def initial(self, levels: dict[str, int], t: int) -> None:
        self._put(t, lambda at: self._writer.levels(self._device, levels, at))

    def received(self, data: bytes, t: int) -> None:
        self._put(t, lambda at: self._writer.received(self._device, data, at))

    def edge(self, line: str, level: int, t: int) -> None:
        self._put(t, lambda at: self._writer.edge(self._device, line, level, at))

    def lost(self, count: int, t: int) -> None:
        self._observed("edges_lost", {"count": count}, t)

    def passed(self, t: int) -> None:
        pass

    def closed(self, reason: str, t: int) -> None:
        self._observed("device_offline", {"reason": reason}, t)
        print(f"device {self._device}: {reason}", file=sys.stderr)

    def _put(self, t: int, write: Callable[[int], None]) -> None:
        # What one device's link delivered later stays later: an edge must not come to stand before the levels it
        # changes.
        self._last = max(self._last, t - self._start)
        self._in_order.put(self._last, write)

    def _observed(self, event: str, data: dict[str, Any], t: int) -> None:
        self._put(t, lambda at: self._writer.observation(self._device, event, data, at))


async def _record(table: config.Config, file: BinaryIO, seconds: float) -> tuple[int, bool]:
    """How many lines were written, and whether any device was on line."""
    from pitwatch.hal.system_clock import SystemClock

    clock = SystemClock()
    writer = Writer(file)
    start = clock.now()
    in_order = InOrder()
    recorders = {device.id: Recorder(device.id, writer, start, in_order) for device in table.devices}
    try:
        wires: list[Wire] = wire_table(table.devices, Hardware(clock), clock, recorders)
    except ValueError as error:
        raise UsageError(f"{table.path}: {error}") from None
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    when_told(told.set)
    if seconds:
        loop.call_later(seconds, told.set)
    for wire in wires:
        wire.start()
    while not told.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(told.wait(), FLUSH_EVERY)
        in_order.release(clock.now() - start - LATEST)
        file.flush()
    for wire in wires:
        wire.stop()
    in_order.release()
    return writer.lines, any(recorder.was_online for recorder in recorders.values())
