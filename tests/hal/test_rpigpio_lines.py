"""What of the RPi.GPIO back end can be shown without a Raspberry Pi; tests/kernel holds it to the contract on one."""

import sys

import pytest

from pitwatch.hal import rpigpio_lines
from pitwatch.hal.address import parse
from pitwatch.hal.errors import Unusable
from pitwatch.hal.factory import Factory
from pitwatch.hal.line import LineSpec
from pitwatch.hal.rpigpio_lines import RpiGpioLines
from pitwatch.hal.sim import SimClock
from tests.hal.contract_lines import Watcher
from tests.hal.rigs import RealTime


@pytest.fixture(autouse=True)
def _afresh(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # lgpio makes its pipe there
    for name in ("RPi", "RPi.GPIO"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def bank(spec):
    return Factory(RealTime().clock).lines("gpio:RPi.GPIO", [spec], "dice")


async def said(spec):
    watcher = Watcher(bank(spec)).start()
    watcher.bank.stop()
    ((online, reason),) = watcher.states
    assert not online
    return reason


@pytest.mark.parametrize("scheme", ["gpio", "wiegand"])
def test_the_url_names_the_stack(scheme):
    assert parse(f"{scheme}:").stack == parse(f"{scheme}:libgpiod").stack == "libgpiod"
    assert parse(f"{scheme}:RPi.GPIO").stack == "RPi.GPIO"


async def test_the_factory_follows_it():
    assert isinstance(bank(LineSpec("a", "pinctrl-bcm2711", 17)), RpiGpioLines)


async def test_where_it_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "RPi", None)
    assert (await said(LineSpec("a", "pinctrl-bcm2711", 17))).startswith("RPi.GPIO: is not installed (")


async def test_a_board_that_is_no_raspberry_pi():
    pytest.importorskip("lgpio")
    assert await said(LineSpec("a", "pinctrl-bcm2711", 17)) == (
        "RPi.GPIO: refuses this board (This module can only be run on a Raspberry Pi!); "
        'write link = "gpio:", which uses libgpiod'
    )


async def test_a_line_that_is_not_the_header_s():
    assert "RPi.GPIO reaches the header's lines only" in await said(LineSpec("a", "mcp23017", 3))
    assert await said(LineSpec("a", "pinctrl-rp1", 28)) == (
        "pinctrl-rp1 line 28 (a): no such line; the header has GPIO 0 to 27"
    )


class Refused:
    """Lines of an rpi-lgpio whose request for edges the kernel refuses at first. Nothing here can provoke it; the words
    are those that lgpio had on the kernel of tests/kernel."""

    is_lgpio = True
    refusals = 0
    words = "bad event request"

    def __init__(self, specs, consumer):
        self.specs = {spec.line: spec for spec in specs}

    def detect(self):
        if type(self).refusals:
            type(self).refusals -= 1
            raise Unusable("pinctrl-bcm2711 line 17 (a)", f"RPi.GPIO refuses it ({self.words})")

    def listen(self, ready): ...

    def read(self, channel):
        return 0

    def take(self):
        return None

    def release(self): ...


@pytest.mark.parametrize(
    ("refusals", "words", "first"),
    [
        (0, Refused.words, (True, "")),
        (4, Refused.words, (True, "")),
        (5, Refused.words, (False, "pinctrl-bcm2711 line 17 (a): RPi.GPIO refuses it (bad event request)")),
        (1, "another word", (False, "pinctrl-bcm2711 line 17 (a): RPi.GPIO refuses it (another word)")),
    ],
)
async def test_edges_that_are_refused_for_a_moment_are_no_absence(monkeypatch, refusals, words, first):
    monkeypatch.setattr(rpigpio_lines, "HeldLines", Refused)
    monkeypatch.setattr(Refused, "refusals", refusals)
    monkeypatch.setattr(Refused, "words", words)
    clock = SimClock()
    watcher = Watcher(RpiGpioLines(clock, [LineSpec("a", "pinctrl-bcm2711", 17)], "dice")).start()
    clock.advance_to(clock.now() + 60_000_000_000)
    assert watcher.states[0] == first
    assert watcher.online
    watcher.bank.stop()
