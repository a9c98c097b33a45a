"""The libgpiod back end keeps the contract on the kernel's character device; what only a kernel can show."""

from __future__ import annotations

import os
import time

import gpiod
import pytest
from gpiod.line import Direction

from pitwatch.hal.gpiod_lines import BUFFER_EDGES
from pitwatch.hal.line import LineSpec
from tests.hal.contract_lines import LinesContract, Watcher
from tests.kernel.guest.rigs import LABEL, GpiodRig
from tests.kernel.guest.sim_chip import SimChip


@pytest.fixture
async def rig():
    rig = GpiodRig()
    yield rig
    rig.close()


class TestGpiodLines(LinesContract):
    @pytest.fixture
    def rig(self, rig):
        return rig


async def test_the_kernel_shows_who_holds_a_line_and_how(rig):
    await rig.watch(LineSpec("rail", LABEL, 17, active_low=True, bias="pull-up", debounce_us=500))
    with gpiod.Chip(rig.chip.path) as chip:
        info = chip.get_line_info(17)
    assert info.consumer == "pitwatch:test"
    assert info.direction is Direction.INPUT
    assert info.active_low
    assert info.bias is gpiod.line.Bias.PULL_UP
    assert info.debounce_period.microseconds == 500
    assert info.event_clock is gpiod.line.Clock.MONOTONIC


async def test_stamps_are_the_kernel_s_and_not_of_when_the_loop_came_to_it(rig):
    watcher = await rig.watch(LineSpec("a", LABEL, 1))
    before = time.monotonic_ns()
    rig.wire("a", 1)
    after = time.monotonic_ns()
    time.sleep(0.2)  # noqa: ASYNC251 - the loop is busy
    await rig.until(lambda: watcher.edges, 1)
    assert before <= watcher.edges[0][2] <= after


async def test_a_chip_that_comes_back_under_another_number_is_found_by_its_label(rig):
    watcher = await rig.watch(LineSpec("a", LABEL, 3))
    was = rig.chip.name
    rig.unplug()
    await rig.until(lambda: not watcher.online, 1)
    squatter = SimChip("gpio-expander", 8)
    try:
        assert squatter.name == was
        rig.replug()
        assert rig.chip.name != was
        await rig.until(lambda: watcher.online, 3)
        rig.wire("a", 1)
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("a") == [1]
    finally:
        rig.close_banks()
        squatter.remove()


async def test_two_chips_of_one_label_are_told_apart_only_by_path(rig):
    twin = SimChip(LABEL, 8)
    try:
        by_label = Watcher(rig.bank([LineSpec("a", LABEL, 3)])).start()
        by_path = Watcher(rig.bank([LineSpec("b", rig.chip.path, 4)])).start()
        await rig.until(lambda: by_label.states and by_path.states, 2)
        assert not by_label.online
        assert rig.chip.path in by_label.states[0][1]
        assert twin.path in by_label.states[0][1]
        assert by_path.online
    finally:
        rig.close_banks()
        twin.remove()


async def test_one_bank_may_have_lines_of_two_chips(rig):
    other = SimChip("mcp23017", 16)
    try:
        watcher = await rig.watch(LineSpec("a", LABEL, 3), LineSpec("b", "mcp23017", 3))
        rig.wire("a", 1)
        other.wire(3, 1)
        await rig.until(lambda: len(watcher.edges) == 2, 1)
        other.unplug()
        await rig.until(lambda: not watcher.online, 1)
        assert watcher.states[-1][1].startswith("mcp23017: ")
        other.replug()
        await rig.until(lambda: watcher.online, 3)
    finally:
        rig.close_banks()
        other.remove()


async def test_a_flood_that_just_fits_loses_nothing(rig):
    watcher = await rig.watch(LineSpec("a", LABEL, 5))
    rig.overflow("a", 0)
    await rig.until(lambda: len(watcher.edges) == BUFFER_EDGES, 2)
    assert watcher.lost == []


async def test_a_flood_on_one_line_is_not_put_to_the_other_s_account(rig):
    watcher = await rig.watch(LineSpec("quiet", LABEL, 6), LineSpec("loud", LABEL, 7))
    rig.wire("quiet", 1)  # the oldest edge of all, which the flood washes away
    rig.overflow("loud", 9)
    await rig.until(lambda: watcher.lost, 2)
    await rig.wait(0.05)
    assert watcher.moves("quiet") == [1], "read back"
    assert watcher.bank.levels() == {"quiet": 1, "loud": 1}
    rig.wire("quiet", 0)
    await rig.until(lambda: watcher.moves("quiet") == [1, 0], 1)
    assert sum(count for count, _ in watcher.lost) == 10


async def test_an_unplugged_chip_costs_no_processor_time(rig):
    watcher = await rig.watch(LineSpec("a", LABEL, 8))
    rig.unplug()
    await rig.until(lambda: not watcher.online, 1)
    before = os.times()
    await rig.wait(1)
    after = os.times()
    assert after.user + after.system - before.user - before.system < 0.2


async def test_a_line_that_another_program_holds_is_named_with_its_holder(rig):
    with gpiod.request_lines(rig.chip.path, consumer="blinker", config={9: gpiod.LineSettings()}):
        watcher = Watcher(rig.bank([LineSpec("a", LABEL, 9)])).start()
        await rig.until(lambda: watcher.states, 1)
        assert watcher.states == [
            (False, f"{LABEL} line 9 (a): held by 'blinker'; free it, or wire the device to another line")
        ]
    await rig.until(lambda: watcher.online, 3)


async def test_a_line_that_the_chip_has_not_is_told(rig):
    watcher = Watcher(rig.bank([LineSpec("a", LABEL, 58)])).start()
    await rig.until(lambda: watcher.states, 1)
    assert watcher.states == [(False, f"{LABEL} line 58 (a): no such line; the chip has lines 0 to 57")]


async def test_three_hundred_plugs_and_requests_leave_no_file_open(rig):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(300):
        watcher = await rig.watch(*(LineSpec(f"l{i}", LABEL, i) for i in range(8)))
        watcher.bank.stop()
    assert len(os.listdir("/proc/self/fd")) == before
