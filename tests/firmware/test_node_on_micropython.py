"""The sensor node's firmware on real MicroPython, through a bad wire, to the board's own code on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import random
import subprocess
import time
from collections.abc import Callable

import pytest

from pitwatch.daemon.wiring.nodes import Hardware, NodeBank
from pitwatch.hal.errors import HalError
from pitwatch.hal.line import LineSpec
from pitwatch.hal.system_clock import SystemClock
from tests.firmware.rig import MICROPYTHON, PROJECT, NodeRig, needs_micropython

pytestmark = needs_micropython

PINS = {2: "release", 3: "end-wall", 4: "rail-left", 5: "bowl"}
SPECS = [LineSpec(name, "node", pin) for pin, name in PINS.items()]


class Listener:
    """A device's end of a node."""

    def __init__(self, hardware: Hardware, link: str, specs: list[LineSpec], name: str = "dice"):
        bank = hardware.lines(link, specs, name)
        assert isinstance(bank, NodeBank)
        self.bank = bank
        self.edges: list[tuple[str, int, int]] = []
        self.stated: list[int] = []  # error of each stamp, ns
        self.lost: list[int] = []
        self.states: list[tuple[bool, str]] = []
        self.passed: list[int] = []

    def start(self) -> Listener:
        self.bank.on_passed = self.passed.append
        self.bank.start(self._edge, lambda count, t: self.lost.append(count), lambda *state: self.states.append(state))
        return self

    def _edge(self, name: str, level: int, t: int) -> None:
        assert t <= time.monotonic_ns()
        self.edges.append((name, level, t))
        self.stated.append(self.bank.identity["clock_error_us"] * 1000)

    @property
    def online(self) -> bool:
        return bool(self.states) and self.states[-1][0]


@pytest.fixture
def rig_with(tmp_path):
    made: list[NodeRig] = []

    def make(*args, **more) -> NodeRig:
        made.append(NodeRig(tmp_path, *args, **more))
        return made[-1]

    yield make
    for rig in made:
        rig.close()


async def until(condition: Callable[[], object], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"did not happen within {seconds:g} s"
        await asyncio.sleep(0.005)


def a_script(edges: int, gap_us: int, seed: int = 5) -> list[tuple[int, int, int]]:
    """So many edges on four pins, `gap_us` apart on average, from 0.8 s on."""
    chance = random.Random(seed)
    levels = dict.fromkeys(PINS, 0)
    t, script = 800_000, []
    for _ in range(edges):
        pin = chance.choice(list(PINS))
        levels[pin] ^= 1
        t += chance.randint(1, 2 * gap_us)
        script.append((t, pin, levels[pin]))
    return script


@pytest.mark.parametrize(
    "noise",
    [
        {},
        {"split": True, "delay_ms": 20},
        {"drop": 0.01, "split": True, "delay_ms": 10},
        {"drop": 0.002, "flip": 0.002, "split": True, "delay_ms": 10},
    ],
    ids=["clean", "split and late", "1 % of bytes lost", "flipped and lost"],
)
async def test_every_edge_comes_once_in_order_and_when_it_happened(rig_with, noise):
    script = a_script(2000, 1000)
    rig = rig_with(script, ppm=80, **noise)
    listener = Listener(Hardware(SystemClock()), rig.link, SPECS).start()
    rig.power_on()
    await until(lambda: len(listener.edges) >= len(script), 90)
    await asyncio.sleep(0.3)
    listener.bank.stop()
    assert [(name, level) for name, level, _ in listener.edges] == [(PINS[pin], level) for _, pin, level in script]
    assert listener.lost == []
    assert listener.states == [(True, "")]
    assert listener.passed == sorted(listener.passed)
    assert rig.to_board.dropped >= 5_000 * noise.get("drop", 0)
    assert rig.to_board.flipped >= 5_000 * noise.get("flip", 0)
    # Both interpreters read CLOCK_MONOTONIC, so what each stamp should have been is known: the error stated must hold.
    for (_, _, t), (before, after, _, _), stated in zip(listener.edges, rig.played(), listener.stated, strict=True):
        assert before * 1000 - stated <= t <= after * 1000 + 1000 + stated
    assert max(listener.stated) < (40_000_000 if noise else 5_000_000)


async def test_two_devices_share_a_node_and_each_hears_its_own_lines(rig_with):
    script = a_script(200, 1000)
    rig = rig_with(script)
    hardware = Hardware(SystemClock())
    dice = Listener(hardware, rig.link, SPECS[:2])
    panel = Listener(hardware, rig.link, SPECS[2:], "panel").start()
    dice.start()
    rig.power_on()
    await until(lambda: len(dice.edges) + len(panel.edges) >= len(script), 15)
    for listener, pins in ((dice, (2, 3)), (panel, (4, 5))):
        assert [(n, v) for n, v, _ in listener.edges] == [(PINS[pin], v) for _, pin, v in script if pin in pins]
    last = {PINS[pin]: level for _, pin, level in script}
    assert dice.bank.levels() == {name: last[name] for name in ("release", "end-wall")}
    dice.bank.stop()
    with pytest.raises(HalError, match="not held"):
        dice.bank.levels()
    assert panel.bank.levels()["bowl"] == last["bowl"]
    panel.bank.stop()


async def test_levels_that_hold_at_the_start_are_told_with_pull_and_polarity(rig_with):
    rig = rig_with()
    specs = [
        LineSpec("lid", "node", 6, active_low=True, bias="pull-up"),
        LineSpec("spare", "node", 7, bias="pull-up"),
        LineSpec("open", "node", 8),
    ]
    listener = Listener(Hardware(SystemClock()), rig.link, specs).start()
    rig.power_on()
    await until(lambda: listener.online, 10)
    assert listener.bank.levels() == {"lid": 0, "spare": 1, "open": 0}
    assert listener.bank.identity["id"] == "e660583883724a32"
    assert listener.bank.identity["firmware"] == "1.0.0"
    assert listener.bank.identity["started"] == "power"
    listener.bank.stop()


async def test_a_bouncing_contact_is_one_edge_once_it_has_settled(rig_with):
    bounce = [(800_000, 5, (i + 1) % 2) for i in range(7)]  # as fast as they come
    rig = rig_with([*bounce, (1_000_000, 4, 1)])
    specs = [LineSpec("bowl", "node", 5, debounce_us=40_000), LineSpec("rail-left", "node", 4)]
    listener = Listener(Hardware(SystemClock()), rig.link, specs).start()
    rig.power_on()
    await until(lambda: len(listener.edges) == 2, 10)
    assert [(name, level) for name, level, _ in listener.edges] == [("bowl", 1), ("rail-left", 1)]
    before, after, *_ = rig.played()[6]
    margin = listener.stated[0]
    assert (before + 40_000) * 1000 - margin <= listener.edges[0][2] <= (after + 40_001) * 1000 + margin
    listener.bank.stop()


@pytest.mark.parametrize(
    ("cause", "says"),
    [(1, "after its power failed or sagged; see its supply and its cable"), (3, "by its watchdog")],
    ids=["brown-out", "watchdog"],
)
async def test_a_restart_is_told_with_its_cause_and_watching_goes_on(rig_with, cause, says):
    script = a_script(20, 1000)
    rig = rig_with(script)
    listener = Listener(Hardware(SystemClock()), rig.link, SPECS).start()
    rig.power_on()
    await until(lambda: len(listener.edges) == 20, 10)
    rig.power_off()
    rig.power_on(cause)
    await until(lambda: len(listener.edges) == 40, 10)
    assert [online for online, _ in listener.states] == [True, False, True]
    assert "the sensor node was started anew " + says in listener.states[1][1]
    stamps = [t for _, _, t in listener.edges]
    assert stamps == sorted(stamps)
    listener.bank.stop()


async def test_a_node_that_falls_silent_is_off_line_and_comes_back(rig_with):
    rig = rig_with(a_script(20, 1000))
    listener = Listener(Hardware(SystemClock()), rig.link, SPECS).start()
    rig.power_on()
    await until(lambda: len(listener.edges) == 20, 10)
    for wire in rig.wires:
        wire.cut = True
    await until(lambda: not listener.online, 6)
    assert "node: the sensor node does not answer; see that it has power" in listener.states[1][1]
    for wire in rig.wires:
        wire.cut = False
    await until(lambda: listener.online, 6)
    assert len(listener.edges) == 20, "nothing is told twice"
    listener.bank.stop()


async def test_what_the_firmware_dies_of_is_told(rig_with):
    rig = rig_with([(800_000, 2, 17)])  # a pin that reads 17 is none
    listener = Listener(Hardware(SystemClock()), rig.link, SPECS).start()
    rig.power_on()
    await until(lambda: len(listener.states) == 2, 15)
    assert "the sensor node died (IndexError: " in listener.states[1][1]
    assert rig.process.wait(5) == 3, "machine.reset"
    listener.bank.stop()


async def test_a_pin_that_the_node_has_not_is_refused_in_one_sentence(rig_with):
    rig = rig_with()
    listener = Listener(Hardware(SystemClock()), rig.link, [LineSpec("lid", "node", 40)]).start()
    rig.power_on()
    await until(lambda: listener.states, 10)
    [(online, reason)] = listener.states
    assert not online
    assert reason.endswith("the sensor node refuses: line 40: no such input pin (invalid pin); choose a GPIO")
    listener.bank.stop()


@pytest.mark.parametrize(("wanted", "right"), [("e660583883724a32", True), ("e660583883724a33", False)])
async def test_a_node_on_the_wrong_port_is_told(rig_with, wanted, right):
    rig = rig_with()
    listener = Listener(Hardware(SystemClock()), f"{rig.link}#{wanted}", SPECS).start()
    rig.power_on()
    await until(lambda: listener.states, 10)
    assert listener.online == right
    if not right:
        assert f"sensor node e660583883724a32 is on this port, {wanted} is configured" in listener.states[0][1]
    listener.bank.stop()


async def test_the_prompt_can_be_had_while_no_session_is_open_and_only_then(rig_with):
    rig = rig_with()
    rig.power_on()
    listener = Listener(Hardware(SystemClock()), rig.link, SPECS).start()
    await until(lambda: listener.online, 10)
    rig.process.stdin.write(b"\r\x03")
    await asyncio.sleep(0.3)
    assert rig.process.poll() is None
    listener.bank.stop()
    await asyncio.sleep(0.3)
    rig.process.stdin.write(b"\r\x03")
    await until(lambda: rig.process.poll() is not None, 5)
    assert rig.process.returncode == 0, "main.py has ended, which on a board is the prompt"


async def test_a_flood_is_counted_and_the_levels_are_right_after_it(rig_with):
    """4000 edges at once are more than the interrupt's ring holds: what is lost is told, and the state is true."""
    flood = [(800_000, 2, (i + 1) % 2) for i in range(4001)]
    rig = rig_with([*flood, (1_500_000, 3, 1)])
    listener = Listener(Hardware(SystemClock()), rig.link, SPECS).start()
    rig.power_on()
    await until(lambda: ("end-wall", 1) in [(n, v) for n, v, _ in listener.edges], 10)
    told = [level for name, level, _ in listener.edges if name == "release"]
    assert len(told) - 1 <= 4001 - sum(listener.lost) <= len(told)
    assert listener.lost
    assert listener.bank.levels()["release"] == told[-1] == 1
    listener.bank.stop()


async def test_thirty_lines_on_a_bad_wire_fit_in_half_of_a_picos_heap(rig_with):
    """A Pico's 264 KiB leave MicroPython's programs 192 KiB or more. Here objects are twice as large: 64 bits."""
    specs = [LineSpec(f"line-{pin}", "node", pin) for pin in range(30)]
    script = [(800_000 + 400 * i, i % 30, (i // 30 + 1) % 2) for i in range(3000)]
    rig = rig_with(script, drop=0.005, split=True, delay_ms=10)
    listener = Listener(Hardware(SystemClock()), rig.link, specs).start()
    rig.power_on(heap_kib=96)
    await until(lambda: sum(listener.lost) + len(listener.edges) >= len(script), 90)
    assert listener.states == [(True, "")]
    assert listener.lost == []
    listener.bank.stop()


NO_MEMORY = """
import sys
sys.path[:0] = [{stand_in!r}, {project!r}]
import micropython, time
from pitwatch.hal.line import LineSpec
from pitwatch.hal.machine_lines import MachineLines
from pitwatch.hal.tick_clock import TickClock

clock = TickClock(lambda: time.ticks_us() & 0x3fffffff, time.ticks_diff)
bank = MachineLines(clock, [LineSpec("a", "", 2, True, "pull-up", 500)])
bank.start(print, print, lambda online, reason: None)
tap = bank._taps[0]
number = 0
told = "took no memory"
micropython.heap_lock()
try:
    while number < 1100:  # more than the ring holds
        tap.handler(tap.pin)
        number += 1
except MemoryError:
    told = "took memory"
micropython.heap_unlock()
print(told, bank._ring.head, bank._ring.lost)
micropython.heap_lock()
try:
    told = [number]
    told = "memory could be had all the time"
except MemoryError:
    told = "none was to be had"
micropython.heap_unlock()
print(told)
"""


def test_the_interrupt_takes_no_memory():
    """It must not: a board calls it in the middle of a collection."""
    code = NO_MEMORY.format(stand_in=str(PROJECT / "tests/firmware/stand_in"), project=str(PROJECT))
    done = subprocess.run([str(MICROPYTHON), "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["took no memory 1023 77", "none was to be had"]
