"""The sensor node: edges a second through its wire, and how far its stamps are from the truth.

Firmware and board are as at a table, the firmware on MicroPython's Unix port: what the wire allows is as on a Pico,
what the processor allows is not. The baseline is a program on the same interpreter that prints a JSON line an edge and
resends nothing, stamped by the board when it comes.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.figure import Figure, percentile, say
from benchmarks.table import ROOT, scratch
from pitwatch.daemon.wiring.nodes import Hardware, NodeBank
from pitwatch.hal.line import LineSpec
from pitwatch.hal.system_clock import SystemClock
from tests.firmware.rig import MICROPYTHON, NodeRig

BASELINE = "MicroPython printing a JSON line an edge"
ARRIVAL = "the same edges, stamped when they come"
PINS = range(2, 6)
Heard = tuple[list[int], list[int], float]
"""Arrivals and stamps of the edges that came, ns, and the error of the stamps that the board states, ms."""

WAIT = 60.0
"""Seconds after which a run is taken to have stopped."""


def _script(edges: int, rate: float) -> list[tuple[int, int, int]]:
    """Four pins in turn, so many edges a second, from a second on."""
    return [(int(1e6 + n * 1e6 / rate), PINS[n % 4], (n // 4 + 1) % 2) for n in range(edges)]


async def _node(rig: NodeRig, edges: int) -> Heard:
    """Until all edges have come or are told as lost."""
    bank = Hardware(SystemClock()).lines(rig.link, [LineSpec(f"line-{pin}", "node", pin) for pin in PINS], "bench")
    assert isinstance(bank, NodeBank)
    arrivals: list[int] = []
    stamps: list[int] = []
    lost: list[int] = []
    all_told = asyncio.Event()

    def told() -> None:
        if len(arrivals) + sum(lost) >= edges:
            all_told.set()

    def on_edge(name: str, level: int, t: int) -> None:
        arrivals.append(time.monotonic_ns())
        stamps.append(t)
        told()

    def on_lost(count: int, t: int) -> None:
        lost.append(count)
        told()

    bank.start(on_edge, on_lost, lambda online, reason: None)
    rig.power_on()
    try:
        async with asyncio.timeout(WAIT):
            await all_told.wait()
    except TimeoutError:
        say(f"node: {edges - len(arrivals) - sum(lost)} of {edges} edges never came")
    error = bank.identity.get("clock_error_us", 0) / 1000
    bank.stop()
    return arrivals, stamps, error


async def _bare(rig: NodeRig, edges: int) -> Heard:
    """Until nothing comes for a second; stamps are the arrivals."""
    rig.program = ROOT / "benchmarks/node_bare.py"
    arrivals: list[int] = []
    port = os.open(rig.port, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)

    def readable() -> None:
        arrivals.extend([time.monotonic_ns()] * os.read(port, 65536).count(b"\n"))

    loop = asyncio.get_running_loop()
    loop.add_reader(port, readable)
    rig.power_on()
    await asyncio.sleep(3)
    seen = 0
    while seen < len(arrivals) < edges:
        seen = len(arrivals)
        await asyncio.sleep(1)
    loop.remove_reader(port)
    os.close(port)
    return arrivals, arrivals, 0.0


Run = Callable[[NodeRig, int], Awaitable[Heard]]


def _measured(run: Run, folder: Path, edges: int, rate: float, baud: int) -> tuple[Heard, list[int]]:
    """What was heard, and when the edges were in truth, ns: both interpreters read CLOCK_MONOTONIC."""
    folder.mkdir()

    async def measure() -> tuple[Heard, list[int]]:
        rig = NodeRig(folder, _script(edges, rate), ppm=40, baud=baud)
        try:
            return await run(rig, edges), [(before + after) * 500 for before, after, _, _ in rig.played()]
        finally:
            rig.close()

    return asyncio.run(measure())


def _throughput(folder: Path, edges: int, rate: float, baud: int) -> tuple[float, float]:
    """Edges a second that come through while more are offered: node, baseline."""
    found = []
    for name, run in (("node", _node), ("bare", _bare)):
        (arrivals, _, _), _ = _measured(run, folder / f"{name}-{baud}", edges, rate, baud)
        found.append((len(arrivals) - 1) * 1e9 / (arrivals[-1] - arrivals[0]))
    return found[0], found[1]


def figures(saturating: int, timed: int) -> list[Figure]:
    """Throughput with so many edges offered, clock error over so many edges a hundredth of a second apart."""
    if not MICROPYTHON.exists():
        say("node: no figures: MicroPython's Unix port is not installed here")
        return []
    with scratch() as folder:
        found = []
        for baud, rate in ((115_200, 8_000), (0, 40_000)):
            node, bare = _throughput(folder, saturating, rate, baud)
            found.append(Figure(f"node_edges_{baud or 'unlimited'}", node, "edges/s", BASELINE, bare))
        errors: dict[str, list[float]] = {}
        stated: dict[str, float] = {}
        for name, run in (("node", _node), ("bare", _bare)):
            (_, stamps, stated[name]), truth = _measured(run, folder / f"clock-{name}", timed, 100, 115_200)
            errors[name] = [abs(t - true) / 1e6 for t, true in zip(stamps, truth, strict=True)]
        for name, percent in (("median", 50), ("p99", 99)):
            node, bare = (percentile(errors[which], percent) for which in ("node", "bare"))
            found.append(Figure(f"node_clock_error_{name}", node, "ms", ARRIVAL, bare))
        found.append(Figure("node_clock_error_stated", stated["node"], "ms", ARRIVAL, percentile(errors["bare"], 100)))
        return found
