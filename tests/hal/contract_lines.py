"""What every bank of lines must do, whatever is behind it. A test module subclasses LinesContract and gives a `rig`.

The rig is the table's side of the wires, which are all low and undriven at first:
    bank(specs) -> LineBank          a new bank, closed
    wire(name, raw)                  the wire of that line goes high (1) or low (0)
    overflow(name, edges)            the wire moves, going high first, until exactly `edges` edges are lost
    unplug(), replug()               the chip is taken away, and comes back
    clock                            what stamps are to be compared with
    late_ns                          how much later than the wire a stamp may be (0 unless given)
    await wait(seconds), await until(condition, seconds)

A rig for the kernel's gpio-sim needs a /dev/gpiochip*; the clauses ask nothing that it cannot do.
"""

import pytest

from pitwatch.hal.errors import HalError
from pitwatch.hal.line import LineBank, LineSpec

CHIP = "pinctrl-bcm2711"

QUICK_ENOUGH_WITHIN = 20
"""Attempts to move a wire quicker than its debounce."""


class Watcher:
    """Starts a bank and writes down what it says."""

    def __init__(self, bank: LineBank) -> None:
        self.bank = bank
        self.edges: list[tuple[str, int, int]] = []
        self.lost: list[tuple[int, int]] = []
        self.states: list[tuple[bool, str]] = []

    def start(self) -> "Watcher":
        self.bank.start(
            lambda name, level, t: self.edges.append((name, level, t)),
            lambda count, t: self.lost.append((count, t)),
            lambda online, reason: self.states.append((online, reason)),
        )
        return self

    @property
    def online(self) -> bool:
        return bool(self.states) and self.states[-1][0]

    def moves(self, name: str) -> list[int]:
        return [level for line, level, _ in self.edges if line == name]


class LinesContract:
    async def _watch(self, rig, *specs: LineSpec) -> Watcher:
        watcher = Watcher(rig.bank(list(specs))).start()
        await rig.until(lambda: watcher.online, 2)
        assert watcher.states == [(True, "")]
        return watcher

    async def _bounce(self, rig, levels: list[int], seconds: float) -> int:
        """Nanoseconds that the wire can have stood still at most: on a busy machine a short wait may last."""
        longest, before = 0, rig.clock.now()
        for raw in levels:
            began = rig.clock.now()
            rig.wire("key", raw)
            await rig.wait(seconds)
            longest, before = max(longest, rig.clock.now() - before), began
        return longest

    async def test_edges_come_with_level_and_the_time_they_happened(self, rig):
        watcher = await self._watch(rig, LineSpec("beam", CHIP, 17))
        happened = []
        for raw in (1, 0, 1):
            before = rig.clock.now()
            rig.wire("beam", raw)
            happened.append((before, rig.clock.now()))
            await rig.wait(0.02)
        await rig.until(lambda: len(watcher.edges) == 3, 1)
        assert watcher.moves("beam") == [1, 0, 1]
        late = getattr(rig, "late_ns", 0)
        assert all(
            before <= t <= after + late for (_, _, t), (before, after) in zip(watcher.edges, happened, strict=True)
        )

    async def test_levels_are_read_back(self, rig):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 1), LineSpec("b", CHIP, 2))
        assert watcher.bank.levels() == {"a": 0, "b": 0}
        rig.wire("b", 1)
        assert watcher.bank.levels() == {"a": 0, "b": 1}
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("b") == [1]

    async def test_levels_that_hold_at_the_start_are_no_edges(self, rig):
        bank = rig.bank([LineSpec("a", CHIP, 1)])
        rig.wire("a", 1)
        watcher = Watcher(bank).start()
        await rig.until(lambda: watcher.online, 2)
        await rig.wait(0.05)
        assert bank.levels() == {"a": 1}
        assert watcher.edges == []

    async def test_levels_of_lines_that_are_not_held_are_an_error(self, rig):
        bank = rig.bank([LineSpec("a", CHIP, 1)])
        with pytest.raises(HalError, match="not held"):
            bank.levels()
        watcher = Watcher(bank).start()
        await rig.until(lambda: watcher.online, 2)
        bank.stop()
        with pytest.raises(HalError, match="not held"):
            bank.levels()

    async def test_active_low_is_turned_round(self, rig):
        watcher = await self._watch(rig, LineSpec("low", CHIP, 3, active_low=True), LineSpec("high", CHIP, 4))
        assert watcher.bank.levels() == {"low": 1, "high": 0}
        for raw in (1, 0):
            rig.wire("low", raw)
            rig.wire("high", raw)
            await rig.wait(0.01)
        await rig.until(lambda: len(watcher.edges) == 4, 1)
        assert watcher.moves("low") == [0, 1]
        assert watcher.moves("high") == [1, 0]

    async def test_bias_holds_a_wire_that_nothing_drives(self, rig):
        watcher = await self._watch(
            rig,
            LineSpec("up", CHIP, 5, bias="pull-up"),
            LineSpec("down", CHIP, 6, bias="pull-down"),
            LineSpec("contact", CHIP, 7, active_low=True, bias="pull-up"),
        )
        assert watcher.bank.levels() == {"up": 1, "down": 0, "contact": 0}
        rig.wire("contact", 0)  # a contact to ground closes
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("contact") == [1]
        assert watcher.bank.levels() == {"up": 1, "down": 0, "contact": 1}

    async def test_a_bouncing_contact_is_one_edge_once_it_has_settled(self, rig):
        watcher = await self._watch(rig, LineSpec("key", CHIP, 8, debounce_us=20_000))
        for _ in range(QUICK_ENOUGH_WITHIN):
            longest = await self._bounce(rig, [1, 0, 1, 0, 1, 0, 1], 0.001)
            settled, early, levels = rig.clock.now(), list(watcher.edges), watcher.bank.levels()
            if longest < 20_000_000:
                break
            await rig.wait(0.1)
            rig.wire("key", 0)
            await rig.wait(0.1)
            watcher.edges.clear()
        assert early == []
        assert levels == {"key": 0}
        await rig.until(lambda: watcher.edges, 1)
        await rig.wait(0.1)
        assert watcher.moves("key") == [1]
        assert settled <= watcher.edges[0][2] <= settled + 100_000_000
        assert watcher.bank.levels() == {"key": 1}

    async def test_a_slow_key_with_debounce_gives_both_edges(self, rig):
        watcher = await self._watch(rig, LineSpec("key", CHIP, 8, debounce_us=5_000))
        rig.wire("key", 1)
        await rig.wait(0.05)
        rig.wire("key", 0)
        await rig.until(lambda: len(watcher.edges) == 2, 1)
        assert watcher.moves("key") == [1, 0]

    async def test_a_glitch_shorter_than_the_debounce_is_swallowed_and_the_level_is_right(self, rig):
        watcher = await self._watch(rig, LineSpec("key", CHIP, 8, debounce_us=20_000))
        rig.wire("key", 1)
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("key") == [1]
        for _ in range(QUICK_ENOUGH_WITHIN):
            watcher.edges.clear()
            longest = await self._bounce(rig, [0, 1], 0.005)
            await rig.wait(0.1)
            if longest < 20_000_000:
                break
        assert watcher.edges == []
        assert watcher.bank.levels() == {"key": 1}
        rig.wire("key", 0)  # not stuck
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("key") == [0]

    async def test_without_debounce_the_same_glitch_is_seen(self, rig):
        watcher = await self._watch(rig, LineSpec("beam", CHIP, 9))
        rig.wire("beam", 1)
        await rig.wait(0.005)
        rig.wire("beam", 0)
        await rig.until(lambda: len(watcher.edges) == 2, 1)
        assert watcher.moves("beam") == [1, 0]

    async def test_a_thousand_edges_on_two_lines_come_whole_and_in_order(self, rig):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 10), LineSpec("b", CHIP, 11))
        for i in range(500):
            rig.wire("a", (i + 1) % 2)
            rig.wire("b", (i + 1) % 2)
            if i % 10 == 9:
                await rig.wait(0.002)
        await rig.until(lambda: len(watcher.edges) == 1000, 5)
        for line in ("a", "b"):
            assert watcher.moves(line) == [1, 0] * 250
            stamps = [t for name, _, t in watcher.edges if name == line]
            assert stamps == sorted(stamps)
        assert watcher.lost == []

    @pytest.mark.parametrize("edges", [1, 2, 3, 40])
    async def test_lost_edges_are_counted_and_the_level_is_right_after_them(self, rig, edges):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 12), LineSpec("b", CHIP, 13))
        rig.overflow("a", edges)
        await rig.wait(0.01)
        last = (edges + 1) % 2  # the wire goes once more, unless it was the flood that let the kernel notice
        rig.wire("a", last)
        await rig.until(lambda: watcher.lost, 1)
        await rig.wait(0.05)
        assert sum(count for count, _ in watcher.lost) == edges
        assert watcher.moves("a")[-1] == watcher.bank.levels()["a"] == last
        stamps = [t for _, _, t in watcher.edges]
        assert stamps == sorted(stamps)

    async def test_unplugging_is_reported_once_and_the_bank_comes_back(self, rig):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 14))
        rig.unplug()
        await rig.until(lambda: not watcher.online, 1)
        await rig.wait(0.7)
        assert len(watcher.states) == 2
        assert watcher.states[1][1]
        assert "\n" not in watcher.states[1][1]
        with pytest.raises(HalError):
            watcher.bank.levels()
        rig.replug()
        await rig.until(lambda: watcher.online, 3)
        assert [online for online, _ in watcher.states] == [True, False, True]
        before = len(watcher.edges)
        rig.wire("a", 1)
        await rig.until(lambda: len(watcher.edges) > before, 1)
        assert watcher.moves("a")[-1] == 1
        assert watcher.lost == [], "the numbers begin anew with a new request"

    async def test_a_line_held_by_another_is_refused_until_it_is_let_go(self, rig):
        first = await self._watch(rig, LineSpec("a", CHIP, 15), LineSpec("b", CHIP, 16))
        second = Watcher(rig.bank([LineSpec("b", CHIP, 16), LineSpec("c", CHIP, 17)])).start()
        await rig.until(lambda: second.states, 1)
        assert not second.online
        assert "line 16" in second.states[0][1]
        third = await self._watch(rig, LineSpec("c", CHIP, 17))  # a refused bank holds nothing
        third.bank.stop()
        first.bank.stop()
        await rig.until(lambda: second.online, 3)

    async def test_stopping_twice_is_fine_and_nothing_is_said_after(self, rig):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 18), LineSpec("slow", CHIP, 19, debounce_us=10_000))
        rig.wire("slow", 1)  # settles only after the stop
        watcher.bank.stop()
        watcher.bank.stop()
        rig.wire("a", 1)
        rig.unplug()
        await rig.wait(0.7)
        assert watcher.edges == []
        assert watcher.states == [(True, "")]

    async def test_stopping_from_a_callback_ends_it_there(self, rig):
        bank = rig.bank([LineSpec("a", CHIP, 20)])
        seen: list[int] = []

        def on_edge(name: str, level: int, t: int) -> None:
            seen.append(level)
            bank.stop()

        states: list[bool] = []
        bank.start(on_edge, lambda count, t: seen.append(-count), lambda online, reason: states.append(online))
        await rig.until(lambda: states == [True], 2)
        for raw in (1, 0, 1):
            rig.wire("a", raw)
        await rig.wait(0.05)
        assert seen == [1]

    async def test_starts_again_after_a_stop(self, rig):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 21))
        watcher.bank.stop()
        rig.wire("a", 1)
        watcher.start()
        await rig.until(lambda: len(watcher.states) == 2, 2)
        assert watcher.bank.levels() == {"a": 1}
        rig.wire("a", 0)
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("a") == [0]
        assert watcher.lost == []

    async def test_starting_twice_is_refused(self, rig):
        watcher = await self._watch(rig, LineSpec("a", CHIP, 22))
        with pytest.raises(RuntimeError):
            watcher.start()
        rig.wire("a", 1)
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.moves("a") == [1]
