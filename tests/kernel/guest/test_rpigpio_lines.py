"""The RPi.GPIO back end keeps the contract through rpi-lgpio on a Raspberry Pi 4's header; where it differs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from pitwatch.hal.line import LineSpec
from tests.hal.contract_lines import LinesContract, Watcher
from tests.kernel.guest.rigs import LABEL, RpiGpioRig


@pytest.fixture(scope="module", autouse=True)
def _pipe_of_lgpio(tmp_path_factory):
    """lgpio makes a pipe in the working directory."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("lgpio"))
    yield
    os.chdir(before)


@pytest.fixture
async def rig():
    rig = RpiGpioRig()
    yield rig
    rig.close()


class TestRpiGpioLines(LinesContract):
    @pytest.fixture
    def rig(self, rig):
        return rig


async def test_it_is_rpi_lgpio_on_a_pi_4(rig):
    from RPi import GPIO

    assert GPIO.RPI_INFO["TYPE"] == "Pi 4 Model B"
    assert hasattr(GPIO, "lgpio")


async def test_calls_come_on_the_loop_s_thread(rig):
    bank = rig.bank([LineSpec("a", LABEL, 4)])
    threads = []
    states = []
    bank.start(
        lambda *edge: threads.append(threading.current_thread()),
        lambda *lost: threads.append(threading.current_thread()),
        lambda online, reason: states.append(online),
    )
    await rig.until(lambda: states == [True], 2)
    rig.wire("a", 1)
    await rig.until(lambda: threads, 1)
    assert threads == [threading.main_thread()]


async def test_a_pulse_shorter_than_the_thread_s_delay_is_still_two_edges(rig):
    watcher = await rig.watch(LineSpec("a", LABEL, 5))
    for _ in range(5):
        rig.wire("a", 1)
        rig.wire("a", 0)
        await rig.wait(0.01)
    await rig.until(lambda: len(watcher.edges) == 10, 1)
    assert watcher.moves("a") == [1, 0] * 5
    await rig.wait(0.6)
    assert watcher.lost == []


async def test_however_many_edges_the_kernel_lost_the_level_is_right_in_the_end(rig):
    """Its buffer holds 16 edges of a line; lgpio's thread cannot run while this one does not let go. An even number of
    lost ones is told by nothing."""
    watcher = await rig.watch(LineSpec("a", LABEL, 6))
    for i in range(4001):
        rig.wire("a", (i + 1) % 2)
    await rig.until(lambda: watcher.edges, 3)
    await rig.wait(1)
    assert watcher.moves("a")[-1] == watcher.bank.levels()["a"] == 1
    rig.wire("a", 0)
    await rig.until(lambda: watcher.moves("a")[-1] == 0, 1)


async def test_only_the_header_s_lines_can_be_had(rig):
    for spec, says in (
        (LineSpec("a", "mcp23017", 3), "mcp23017 line 3 (a): RPi.GPIO reaches the header's lines only"),
        (LineSpec("a", LABEL, 40), f"{LABEL} line 40 (a): no such line; the header has GPIO 0 to 27"),
    ):
        watcher = Watcher(rig.bank([spec])).start()
        assert not watcher.online
        assert watcher.states[0][1].startswith(says)


async def test_a_line_that_another_program_holds_is_refused(rig):
    program = (
        "import gpiod, sys\n"
        f"with gpiod.request_lines({rig.chip.path!r}, consumer='blinker', config={{9: gpiod.LineSettings()}}):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout.readline() == b"held\n"
    watcher = Watcher(rig.bank([LineSpec("b", LABEL, 8), LineSpec("a", LABEL, 9)])).start()
    await rig.until(lambda: watcher.states, 1)
    assert watcher.states == [(False, f"{LABEL} line 9 (a): held by another program; `gpioinfo` names it")]
    other = await rig.watch(LineSpec("b", LABEL, 8))  # a refused bank holds nothing
    other.bank.stop()
    holder.communicate()
    await rig.until(lambda: watcher.online, 3)


async def test_forty_starts_miss_no_first_edge(rig):
    for i in range(40):
        watcher = await rig.watch(LineSpec("a", LABEL, 10))
        rig.wire("a", (i + 1) % 2)
        await rig.until(lambda watcher=watcher: watcher.edges, 1)
        assert (watcher.moves("a"), watcher.lost) == ([(i + 1) % 2], [])
        watcher.bank.stop()
