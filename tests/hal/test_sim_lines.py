"""The simulated lines keep the contract, and what else they offer to whoever plays the table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal.line import LineSpec
from pitwatch.hal.sim import SimClock, SimFactory, SimLines
from tests.hal.contract_lines import CHIP, LinesContract, Watcher
from tests.hal.rigs import SimLinesRig


class TestSimLines(LinesContract):
    @pytest.fixture
    def rig(self):
        return SimLinesRig()


def open_bank(*specs: LineSpec) -> tuple[SimClock, SimLines, Watcher]:
    clock = SimClock(now=1000)
    bank = SimFactory(clock).lines("gpio:", list(specs), "dice")
    return clock, bank, Watcher(bank).start()


def test_a_wire_can_be_planned_ahead_in_any_order():
    clock, bank, watcher = open_bank(LineSpec("a", CHIP, 1))
    bank.drive("a", 0, 3000)
    bank.drive("a", 1, 2000)
    clock.advance_to(5000)
    assert watcher.edges == [("a", 1, 2000), ("a", 0, 3000)]


def test_an_edge_that_is_read_late_keeps_its_stamp():
    clock, bank, watcher = open_bank(LineSpec("a", CHIP, 1))
    clock.advance_to(9000)
    bank.drive("a", 1, 4000)
    bank.drive("a", 0, 3000)  # the player contradicts itself: stamps on a line never fall
    assert watcher.edges == [("a", 1, 4000), ("a", 0, 4000)]


def test_driving_a_wire_to_where_it_is_does_nothing():
    clock, bank, watcher = open_bank(LineSpec("a", CHIP, 1, bias="pull-up"))
    bank.drive("a", 1)
    bank.drive("a", 1, 2000)
    clock.advance_to(5000)
    assert watcher.edges == []


def test_a_bounce_ends_where_it_should():
    clock, bank, watcher = open_bank(LineSpec("key", CHIP, 1, active_low=True, bias="pull-up"))
    bank.bounce("key", 0, [2000, 2100, 2250, 2300, 2600])
    clock.advance_to(5000)
    assert watcher.edges == [("key", i % 2, t) for i, t in enumerate([2000, 2100, 2250, 2300, 2600], 1)]
    assert bank.levels() == {"key": 1}


@pytest.mark.parametrize(("width_us", "edges"), [(400, 0), (600, 2)])
def test_a_glitch_counts_only_if_it_outlasts_the_debounce(width_us, edges):
    clock, bank, watcher = open_bank(LineSpec("key", CHIP, 1, debounce_us=500))
    bank.glitch("key", width_us * 1000, 2000)
    clock.advance_to(10_000_000)
    assert len(watcher.edges) == edges
    assert bank.levels() == {"key": 0}


def test_lost_edges_show_with_the_next_edge_of_the_line_and_correct_all_lines():
    clock, bank, watcher = open_bank(LineSpec("a", CHIP, 1), LineSpec("b", CHIP, 2))
    bank.lose_edges(3)
    for t, (name, raw) in enumerate([("a", 1), ("a", 0), ("b", 1)], 2000):
        bank.drive(name, raw, t)
    clock.advance_to(3000)
    assert watcher.edges == []
    assert watcher.lost == []
    bank.drive("a", 1, 4000)
    clock.advance_to(5000)
    assert watcher.lost == [(2, 4000)]
    assert watcher.edges == [("a", 1, 4000), ("b", 1, 4000)]


def test_what_happens_while_unplugged_is_seen_only_as_a_level():
    clock, bank, watcher = open_bank(LineSpec("door", CHIP, 1))
    bank.unplug()
    bank.drive("door", 1)
    bank.replug()
    clock.advance_to(600_000_000)
    assert watcher.states[-1] == (True, "")
    assert bank.levels() == {"door": 1}
    assert watcher.edges == []


def test_unplugging_while_a_contact_settles_forgets_it():
    clock, bank, watcher = open_bank(LineSpec("door", CHIP, 1, debounce_us=1000))
    bank.drive("door", 1, 2000)
    clock.advance_to(3000)
    bank.unplug()
    clock.advance_to(10_000_000)
    assert watcher.edges == []


@given(st.lists(st.tuples(st.integers(1, 30), st.booleans()), max_size=60), st.integers(0, 20), st.booleans())
def test_debounce_reports_exactly_the_levels_that_held(steps, debounce_us, active_low):
    """Against a slow but obvious model: a level counts once the wire was still for the whole period."""
    clock = SimClock()
    bank = SimLines(clock, [LineSpec("a", CHIP, 1, active_low, "as-is", debounce_us)])
    watcher = Watcher(bank).start()
    wire = [(0, int(active_low))]  # (time, logical level)
    t = 0
    for gap, raw in steps:
        t += gap * 1000
        bank.drive("a", int(raw), t)
        level = int(raw) ^ int(active_low)
        if level != wire[-1][1]:
            wire.append((t, level))
    clock.advance_to(t + 1_000_000)
    expected = []
    reported = int(active_low)
    for i, (since, level) in enumerate(wire[1:], 1):
        until = wire[i + 1][0] if i + 1 < len(wire) else t + 1_000_000
        # A timer that is due at the very instant of the next edge has been set earlier, but so was the edge itself:
        # the planned edge comes first and puts the timer off.
        held = until - since > debounce_us * 1000 or debounce_us == 0
        if held and level != reported:
            reported = level
            expected.append(("a", level, since + debounce_us * 1000))
    assert watcher.edges == expected
    assert bank.levels() == {"a": wire[-1][1]}
