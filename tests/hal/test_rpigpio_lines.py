"""What of the RPi.GPIO back end can be shown without a Raspberry Pi; tests/kernel holds it to the contract on one."""

import sys

import pytest

from pitwatch.hal.address import parse
from pitwatch.hal.factory import Factory
from pitwatch.hal.line import LineSpec
from pitwatch.hal.rpigpio_lines import RpiGpioLines
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
