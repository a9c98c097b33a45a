"""RPi.GPIO itself, not rpi-lgpio: on this kernel it cannot detect edges; where it can, it keeps the contract.

It reads levels from the processor's registers (/dev/gpiomem), for which a file stands here, and edges from the kernel's
old sysfs interface by the number of the line. Since Linux 6.6 those numbers begin at 512, not 0. For the contract the
folder of sysfs gets names of the old kind for the same lines; the edges are the kernel's.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwatch.hal.line import LineSpec
from tests.hal.contract_lines import LinesContract, Watcher
from tests.kernel.guest.rigs import LABEL, RpiGpioRig

PACKAGE = Path(sys.prefix) / "rpi-gpio"
MEMORY = Path("/dev/gpiomem")
SYSFS = Path("/sys/class/gpio")
LEVELS = 13 * 4
"""Where the levels of lines 0 to 31 are in the registers (BCM2711 ARM Peripherals, GPLEV0)."""

pytestmark = pytest.mark.skipif(not PACKAGE.exists(), reason="RPi.GPIO is not installed beside; make kernel-test does")


class RegisterRig(RpiGpioRig):
    """The wires move the register before the kernel's line."""

    def __init__(self) -> None:
        with MEMORY.open("r+b") as file:
            self._registers = mmap.mmap(file.fileno(), 4096)
        super().__init__()
        self._registers[LEVELS : LEVELS + 4] = bytes(4)

    def wire(self, name: str, raw: int) -> None:
        levels = int.from_bytes(self._registers[LEVELS : LEVELS + 4], "little")
        bit = 1 << self._lines[name]
        levels = levels | bit if raw else levels & ~bit
        self._registers[LEVELS : LEVELS + 4] = levels.to_bytes(4, "little")
        super().wire(name, raw)

    def unplug(self) -> None:
        """The header of a board cannot be pulled out."""


@pytest.fixture(scope="module", autouse=True)
def _rpi_gpio():
    MEMORY.write_bytes(bytes(8192))
    sys.path.insert(0, str(PACKAGE))
    from RPi import GPIO

    assert GPIO.__file__.startswith(str(PACKAGE))
    assert not hasattr(GPIO, "lgpio")


@pytest.fixture
async def rig():
    rig = RegisterRig()
    yield rig
    rig.close()


async def test_on_this_kernel_it_says_in_a_sentence_what_to_use_instead(rig):
    watcher = Watcher(rig.bank([LineSpec("a", LABEL, 17)])).start()
    assert watcher.states == [
        (
            False,
            f"{LABEL} line 17 (a): RPi.GPIO cannot detect edges on this kernel or board (from Linux 6.6 on, and on a "
            'Pi 5, it never can); write link = "gpio:", which uses libgpiod',
        )
    ]
    await rig.wait(0.7)
    assert len(watcher.states) == 1
    other = Watcher(rig.bank([LineSpec("b", LABEL, 17)])).start()
    assert other.states == [(False, watcher.states[0][1].replace("(a)", "(b)"))], "a refused bank holds nothing"


@pytest.fixture(scope="module")
def numbers_of_old():
    """/sys/class/gpio/gpio17 is line 17, as on kernels before 6.6."""
    (base,) = (int((chip / "base").read_text()) for chip in SYSFS.glob("gpiochip*"))
    assert base >= 512
    for line in range(28):
        (SYSFS / "export").write_text(str(base + line))
    lines = [(SYSFS / f"gpio{base + line}").resolve() for line in range(28)]
    subprocess.run(["mount", "-t", "tmpfs", "memory", SYSFS], check=True)
    for name in ("export", "unexport"):
        (SYSFS / name).touch()
    for number, line in enumerate(lines):
        (SYSFS / f"gpio{number}").symlink_to(line)
    yield
    subprocess.run(["umount", SYSFS], check=True)


def declared(reason: str):
    @pytest.mark.skip(reason=reason)
    def test(self) -> None:
        raise AssertionError

    return test


MERGED = "declared: RPi.GPIO takes edges that come faster than its thread for one, and nothing counts them"


@pytest.mark.usefixtures("numbers_of_old")
class TestRpiGpioItself(LinesContract):
    test_bias_holds_a_wire_that_nothing_drives = declared("its pulls are registers, which do not reach these wires")
    test_a_thousand_edges_on_two_lines_come_whole_and_in_order = declared(MERGED)
    test_lost_edges_are_counted_and_the_level_is_right_after_them = declared(MERGED)
    test_unplugging_is_reported_once_and_the_bank_comes_back = declared("the header of a board cannot be pulled out")

    @pytest.fixture
    def rig(self, rig):
        return rig

    async def test_however_many_edges_are_merged_the_level_is_right_in_the_end(self, rig):
        watcher = await self._watch(rig, LineSpec("a", LABEL, 6))
        for last in (1, 0, 1):
            for i in range(100):
                rig.wire("a", (i + last) % 2)
            rig.wire("a", last)
            await rig.wait(0.5)
            assert watcher.bank.levels() == {"a": last}
            assert watcher.moves("a")[-1] == last

    async def test_beams_and_keys_at_their_pace_lose_nothing(self, rig):
        watcher = await self._watch(rig, LineSpec("beam", LABEL, 7), LineSpec("key", LABEL, 8, debounce_us=5_000))
        for _ in range(20):
            for name in ("beam", "key"):
                rig.wire(name, 1)
                await rig.wait(0.02)
                rig.wire(name, 0)
                await rig.wait(0.02)
        assert watcher.moves("beam") == watcher.moves("key") == [1, 0] * 20
        assert watcher.lost == []


def test_the_file_that_stands_for_the_registers_is_nowhere_but_here():
    assert not os.path.exists("/proc/device-tree/soc"), "on a real board the registers are the board's"
