"""`pitwatch record`: what a live table's wires carry, as a capture that `replay` judges later. Decodes nothing."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

from daemon import config
from daemon.capture import Writer
from daemon.errors import UsageError
from daemon.messages import encode
from daemon.nodes import Hardware
from daemon.wiring import Wire, wire_table

FLUSH_EVERY = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Writes a wire-level capture until SIGINT or SIGTERM, or for some seconds."
    parser.add_argument("table", metavar="TABLE.toml", help="configuration of the table")
    parser.add_argument("out", metavar="OUT", help="the capture to write; it must not exist yet")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so long (0: when told to)")


def run(args: argparse.Namespace) -> int:
    table = config.load(args.table)
    try:
        with Path(args.out).open("xb") as file:
            lines = asyncio.run(_record(table, file, args.seconds))
    except FileExistsError:
        raise UsageError(f"{args.out}: exists already; a capture is not written over, name another file") from None
    except OSError as error:
        raise UsageError(f"{args.out}: cannot be written: {error.strerror}") from None
    if args.json:
        print(encode({"capture": args.out, "lines": lines}).decode())
    else:
        print(f"{args.out}: {lines} lines")
    return 0


class Recorder:
    """Hears one device and writes what it hears. Times in monotonic ns, written as seconds since `start`."""

    def __init__(self, device: str, writer: Writer, start: int):
        self._device = device
        self._writer = writer
        self._start = start

    def opened(self, t: int, identity: dict[str, Any]) -> None:
        self._writer.observation(self._device, "device_online", identity, t - self._start)

    def initial(self, levels: dict[str, int], t: int) -> None:
        self._writer.levels(self._device, levels, t - self._start)

    def received(self, data: bytes, t: int) -> None:
        self._writer.received(self._device, data, t - self._start)

    def edge(self, line: str, level: int, t: int) -> None:
        self._writer.edge(self._device, line, level, t - self._start)

    def lost(self, count: int, t: int) -> None:
        self._writer.observation(self._device, "edges_lost", {"count": count}, t - self._start)

    def passed(self, t: int) -> None:
        pass

    def closed(self, reason: str, t: int) -> None:
        self._writer.observation(self._device, "device_offline", {"reason": reason}, t - self._start)
        print(f"device {self._device}: {reason}", file=sys.stderr)


async def _record(table: config.Config, file: BinaryIO, seconds: float) -> int:
    from hal.system_clock import SystemClock

    clock = SystemClock()
    writer = Writer(file)
    start = clock.now()
    try:
        wires: list[Wire] = wire_table(
            table.devices, Hardware(clock), clock, {d.id: Recorder(d.id, writer, start) for d in table.devices}
        )
    except ValueError as error:
        raise UsageError(f"{table.path}: {error}") from None
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    if seconds:
        loop.call_later(seconds, told.set)
    for wire in wires:
        wire.start()
    while not told.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(told.wait(), FLUSH_EVERY)
        file.flush()
    for wire in wires:
        wire.stop()
    return writer.lines
