"""MicroPython's pins keep the contract of every bank, as far as a microcontroller has such things."""

from __future__ import annotations

import asyncio
import sys

import pytest

from pitwatch.hal.errors import HalError
from pitwatch.hal.line import LineSpec
from pitwatch.hal.machine_lines import RING, MachineLines
from tests.firmware.bench_top import machine, wrapping_clock
from tests.hal.contract_lines import LinesContract, Watcher


class _Clock:
    def __init__(self) -> None:
        self.t = 1_000_000_000

    def now(self) -> int:
        return self.t


class MachineRig:
    """Virtual time; `poll` is called every half millisecond, as the firmware does."""

    def __init__(self, pin: type) -> None:
        self.clock = _Clock()
        self._pin = pin
        self._ticks = wrapping_clock(self.clock.now)
        self._ticks.us()
        self._base = self.clock.t
        self.banks: list[MachineLines] = []
        self._numbers: dict[str, int] = {}

    def bank(self, specs: list[LineSpec]) -> MachineLines:
        bank = _Shifted(self._ticks, specs, self._base)
        self.banks.append(bank)
        self._numbers |= {spec.name: spec.line for spec in specs}
        for spec in specs:  # a wire that nothing drives is low, but for its pull
            if spec.bias not in ("pull-up", "pull-down"):
                self._pin.levels.setdefault(spec.line, 0)
        return bank

    def wire(self, name: str, raw: int) -> None:
        self.clock.t += 1000
        self._pin.drive(self._numbers[name], raw)

    def overflow(self, name: str, edges: int) -> None:
        for number in range(RING - 1 + edges):
            self.wire(name, (number + 1) % 2)

    def unplug(self) -> None:
        """Pins stay where they are."""

    async def wait(self, seconds: float) -> None:
        end = self.clock.t + round(seconds * 1e9)
        while self.clock.t < end:
            self.clock.t = min(end, self.clock.t + 500_000)
            for bank in self.banks:
                bank.poll()
        await asyncio.sleep(0)

    async def until(self, condition, seconds: float) -> None:
        deadline = self.clock.now() + round(seconds * 1e9)
        while not condition():
            assert self.clock.now() < deadline, f"did not happen within {seconds:g} s"
            await self.wait(0.001)


class _Shifted(MachineLines):
    """Stamps counted as the rig's clock counts: the node's begin at 0 when it starts."""

    def __init__(self, ticks, specs, base: int) -> None:
        super().__init__(ticks, specs)
        self._base = base

    def start(self, on_edge, on_lost, on_state) -> None:
        super().start(
            lambda name, level, t: on_edge(name, level, t + self._base),
            lambda count, t: on_lost(count, t + self._base),
            on_state,
        )


class TestMachineLines(LinesContract):
    @pytest.fixture
    def rig(self):
        with machine() as pin:
            yield MachineRig(pin)

    @pytest.mark.skip("pins cannot be unplugged")
    async def test_unplugging_is_reported_once_and_the_bank_comes_back(self, rig): ...

    async def test_a_line_held_by_another_is_refused_until_it_is_let_go(self, rig):
        """As the contract's, but a refused bank does not try again by itself: one program holds all the pins."""
        first = Watcher(rig.bank([LineSpec("a", "", 15), LineSpec("b", "", 16)])).start()
        second = Watcher(rig.bank([LineSpec("c", "", 17), LineSpec("b", "", 16)])).start()
        assert not second.online
        assert "line 16: held by another" in second.states[0][1]
        third = Watcher(rig.bank([LineSpec("c", "", 17)])).start()
        assert third.online, "a refused bank holds nothing"
        first.bank.stop()
        second.bank.stop()
        second.start()
        assert "line 17" in second.states[1][1]
        third.bank.stop()
        second.bank.stop()
        second.start()
        assert second.online

    async def test_a_pin_that_is_not_there_is_told(self, rig):
        watcher = Watcher(rig.bank([LineSpec("a", "", 31)])).start()
        assert watcher.states == [(False, "line 31: no such input pin (invalid pin); choose a GPIO")]
        with pytest.raises(HalError, match="not held"):
            watcher.bank.levels()

    async def test_a_port_without_hard_interrupts_is_served_too(self, rig, monkeypatch):
        """An ESP32's Pin.irq knows no `hard`."""
        pin = sys.modules["machine"].Pin
        hard = pin.irq
        monkeypatch.setattr(pin, "irq", lambda self, handler=None, trigger=0: hard(self, handler, trigger, hard=True))
        watcher = Watcher(rig.bank([LineSpec("a", "", 2)])).start()
        rig.wire("a", 1)
        await rig.until(lambda: watcher.edges, 1)

    async def test_part_of_the_edges_is_handed_over_and_the_time_told_is_true(self, rig):
        watcher = Watcher(rig.bank([LineSpec("a", "", 2), LineSpec("slow", "", 3, debounce_us=3)])).start()
        rig.wire("slow", 1)
        for raw in (1, 0, 1, 0, 1):
            rig.wire("a", raw)
        told = [(watcher.bank.poll(most) * 1000 + rig._base, len(watcher.edges)) for most in (2, 1, 9)]
        stamps = [t for _, _, t in watcher.edges]
        assert stamps == sorted(stamps)
        assert [name for name, _, _ in watcher.edges] == ["a", "a", "slow", "a", "a", "a"]
        for until, count in told:
            assert all((t <= until) == (number < count) for number, t in enumerate(stamps))

    async def test_stopped_by_what_a_settled_level_means_it_hands_over_no_more(self, rig):
        watcher = Watcher(rig.bank([LineSpec("slow", "", 2, debounce_us=100), LineSpec("a", "", 3)]))
        watcher.bank.start(lambda *edge: (watcher.edges.append(edge), watcher.bank.stop()), print, print)
        rig.wire("slow", 1)
        rig.clock.t += 1_000_000
        rig.wire("a", 1)
        watcher.bank.poll()
        assert [name for name, _, _ in watcher.edges] == ["slow"]
