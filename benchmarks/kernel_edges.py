"""Measures inside the kernel under test; see `kernel`. Arguments: edges timed of each, edges in a burst, turns.

One process moves the wire and writes down when; another is asleep, in its loop or (gpiozero) in its thread, until the
edge comes. Both listeners have the same line in turn, as neither can have it while the other does, and each turn is a
process of its own: lgpio's thread never rests again once it has begun.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager

from benchmarks.figure import Figure, median, percentile, say
from benchmarks.table import ROOT
from pitwatch.devices.dice_table import DiceTable
from pitwatch.hal.factory import Factory
from pitwatch.hal.line import LineSpec
from pitwatch.hal.system_clock import SystemClock
from tests.kernel.guest.play import Player
from tests.kernel.guest.sim_chip import HeaderChip

LINE = 17
SPARE_LINES = (5, 6)

GAP_NS = 7_300_000
"""Between edges that are timed: long enough for everybody to be asleep again, and at odds with any tick."""

RATES = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)

QUIET = 0.5
"""Seconds without an edge after which none is to come."""

Listener = Callable[[list[int]], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def _bank(on_edge: Callable[[str, int, int], object]) -> AsyncIterator[None]:
    bank = Factory(SystemClock()).lines("gpio:", [LineSpec("off-floor", "pinctrl-bcm2711", LINE)], "dice")
    online = asyncio.Event()
    bank.start(on_edge, lambda count, t: None, lambda well, reason: online.set())
    await asyncio.wait_for(online.wait(), 5)
    try:
        yield
    finally:
        bank.stop()


def observations(heard: list[int]) -> AbstractAsyncContextManager[None]:
    """When the libgpiod back end's edge has become the observation of a die off the table."""
    device = DiceTable("dice", {"beam_ms": 1})
    device.initial({"off-floor": 0}, 0)
    return _bank(lambda *edge: heard.extend(time.monotonic_ns() for _ in device.edge(*edge)))


def edges(heard: list[int]) -> AbstractAsyncContextManager[None]:
    """When the libgpiod back end tells an edge, either way."""
    return _bank(lambda *edge: heard.append(time.monotonic_ns()))


@asynccontextmanager
async def _gpiozero(heard: list[int], both: bool) -> AsyncIterator[None]:
    from gpiozero import DigitalInputDevice  # type: ignore[import-untyped]
    from gpiozero.pins.lgpio import LGPIOFactory  # type: ignore[import-untyped]

    with LGPIOFactory() as pins, ExitStack() as lines:
        # lgpio's thread may sleep through its first line; a second one awakes it.
        for spare in SPARE_LINES:
            lines.enter_context(DigitalInputDevice(spare, pull_up=False, pin_factory=pins))
            await asyncio.sleep(0.05)
        line = lines.enter_context(DigitalInputDevice(LINE, pull_up=False, pin_factory=pins))
        line.when_activated = lambda: heard.append(time.monotonic_ns())
        if both:
            line.when_deactivated = line.when_activated
        await asyncio.sleep(0.05)
        yield
        await asyncio.sleep(0.05)


def gpiozero_pressed(heard: list[int]) -> AbstractAsyncContextManager[None]:
    """When gpiozero calls back, in its own thread."""
    return _gpiozero(heard, False)


def gpiozero_edges(heard: list[int]) -> AbstractAsyncContextManager[None]:
    return _gpiozero(heard, True)


LISTENERS: dict[str, tuple[Listener, int]] = {
    "observations": (observations, 2),
    "edges": (edges, 1),
    "gpiozero_pressed": (gpiozero_pressed, 2),
    "gpiozero_edges": (gpiozero_edges, 1),
}
"""Each with how many edges go to one that it hears."""


async def listen(name: str, gap_ns: int, count: int) -> tuple[list[int], list[int]]:
    """When the wire moved, as far as the listener hears it, and when it was heard."""
    listener, every = LISTENERS[name]
    chip = HeaderChip()
    chip.wire(LINE, 0)
    heard: list[int] = []
    player = Player(chip.lines, [(i * gap_ns, LINE, (i + 1) % 2) for i in range(count)])
    async with listener(heard):
        player.go()
        last, since = 0, time.monotonic()
        while not player.done or (len(heard) < count // every and time.monotonic() - since < QUIET):
            if len(heard) != last or not player.done:
                last, since = len(heard), time.monotonic()
            await asyncio.sleep(0.1)
    return player.moved()[::every], heard


def turn(name: str, gap_ns: int, count: int) -> tuple[list[int], list[int]]:
    """`listen` in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:  # lgpio makes its pipe in the working directory
        program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from benchmarks import kernel_edges as k; k.one()"
        command = [sys.executable, "-c", program, name, str(gap_ns), str(count)]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
    moved, heard = json.loads(done.stdout)
    return moved, heard


def one() -> None:
    name, gap_ns, count = sys.argv[1:]
    print(json.dumps(asyncio.run(listen(name, int(gap_ns), int(count)))))


def latencies(name: str, trials: int) -> list[float]:
    """Milliseconds. Raises RuntimeError if one was not heard."""
    moved, heard = turn(name, GAP_NS, 2 * trials)
    if len(moved) != len(heard):
        raise RuntimeError(f"{name}: {len(heard)} of {len(moved)} edges were heard")
    return [(there - here) / 1e6 for here, there in zip(moved, heard, strict=True)]


def rate(name: str, count: int, bursts: int) -> float:
    """The highest rate in edges a second at which every burst arrived whole, as measured where the wire moves."""
    best = 0.0
    for wanted in RATES:
        rates = []
        for _ in range(bursts):
            moved, heard = turn(name, 1_000_000_000 // wanted, count)
            rates.append((count - 1) / (moved[-1] - moved[0]) * 1e9)
            if len(heard) != count:
                say(f"{name}: at {rates[-1]:.0f} edges/s {len(heard)} of {count} were heard")
                return best
        best = min(rates)
    say(f"{name}: nothing was ever lost; the wire moves no faster")
    return best


def main(trials: int, burst: int, turns: int) -> None:
    """Each is timed in so many turns, so that whatever else the machine does falls on both."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(turns):
        ours += latencies("observations", -(-trials // turns))
        theirs += latencies("gpiozero_pressed", -(-trials // turns))
    for name, ask in (("median", median), ("p99", lambda values: percentile(values, 99))):
        print(Figure(f"kernel_edge_to_observation_{name}", ask(ours), "ms", "gpiozero's callback", ask(theirs)).line())
    rates = rate("edges", burst, turns), rate("gpiozero_edges", burst, turns)
    print(Figure("kernel_edge_rate_without_loss", rates[0], "edges/s", "gpiozero's callback", rates[1]).line())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
