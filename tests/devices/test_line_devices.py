"""Every device read from lines: its cases, and what no wire can make it do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.base import Device
from pitwatch.devices.panel import key_of
from pitwatch.devices.registry import find
from pitwatch.devices.vocabulary import KEYS
from tests.devices.vectors_lines import CASES, SECOND, bouncing, mismatch, pulse, run

TYPES = ("enclosure", "panel", "seats", "discard_rack", "peek", "progressive", "shuffler", "dice")


@pytest.mark.parametrize("case", CASES, ids=[case[1] + ": " + case[0] for case in CASES])
def test_cases(case):
    assert mismatch(find, case) is None


def lines_of(kind):
    """Real line names of a type, one for each pattern, and one that is none."""
    return [name.replace("*", "1") for name in find(kind, "lines").LINES] + ["no-such-line"]


PAUSES = st.sampled_from([0, 1, 500_000, 20_000_000, 700_000_000, 40 * SECOND])
STEP = st.tuples(PAUSES, st.integers(0, 30), st.integers(0, 1))


@pytest.mark.parametrize("kind", TYPES)
@given(st.lists(STEP), st.booleans())
def test_nothing_hostile_raises_and_all_of_it_is_vocabulary(kind, steps, back):
    cls = find(kind, "lines")
    device, names, t, seen = cls("x"), lines_of(kind), 0, []
    common = ("device_fault", "device_recovered")
    for pause, which, level in steps:
        t += -pause if back and which % 7 == 0 else pause
        line = names[which % len(names)]
        seen += device.initial({line: level}, t) if which == 30 else device.edge(line, level, t)
        if device.deadline is not None and which % 3 == 0:
            seen += device.tick(device.deadline)
            t = max(t, device.now)
    assert [o.t for o in seen] == sorted(o.t for o in seen)
    assert all(o.event in cls.EVENTS or o.event in common for o in seen)


@pytest.mark.parametrize("kind", TYPES)
@given(st.lists(STEP))
def test_repeated_levels_change_nothing(kind, steps):
    """But for a wheel, where a repeated level is the trace of a lost edge."""
    if kind == "wheel":
        return
    once, twice, t, names = [], [], 0, lines_of(kind)
    for pause, which, level in steps:
        t += pause
        step = (t / SECOND, names[which % len(names)], level)
        once.append(step)
        twice += [step, step, step]
    cls = find(kind, "lines")
    assert run(cls("x"), once) == run(cls("x"), twice)


@pytest.mark.parametrize("kind", TYPES)
@given(st.lists(STEP))
def test_ticks_in_between_change_nothing(kind, steps):
    """What a device says does not depend on how often it is asked: replay equals live."""
    script, ticked, t, names = [], [], 0, lines_of(kind)
    for pause, which, level in steps:
        t += pause
        step = (t / SECOND, names[which % len(names)], level)
        script.append(step)
        ticked += [((t - pause // 2) / SECOND,), step]
    cls = find(kind, "lines")
    script.append((t / SECOND + 100,))
    ticked.append((t / SECOND + 100,))
    late = cls("x")
    untimed = []
    for at, *edge in script:  # never ticked until the end
        untimed += late.edge(*edge, round(at * SECOND)) if edge else late.tick(round(at * SECOND))
    assert run(cls("x"), script) == run(cls("x"), ticked) == untimed


PULSES = [
    ("dice", "rail-left", "die_off_table", 6),
    ("dice", "off-floor", "die_off_table", 6),
    ("panel", "supervisor", "key_pressed", 80),
]


@pytest.mark.parametrize(("kind", "line", "event", "width"), PULSES)
@given(bounce=st.floats(0.01, 0.9), times=st.integers(0, 4))
def test_a_bounce_train_is_one_event(kind, line, event, width, bounce, times):
    script = [*bouncing(line, 1, width, bounce, times), *bouncing(line, 3, width, bounce, times), (9,)]
    assert [o.event for o in run(find(kind, "lines")("x"), script)] == [event, event]


@given(st.integers(1, 60), st.floats(0.03, 0.4))
def test_cards_are_counted_exactly(count, every):
    script = []
    for i in range(count):
        script += bouncing("card", 1 + i * every, 15, 0.3, 2)
    seen = run(find("discard_rack", "lines")("x"), [*script, (99,)])
    assert [(o.event, o.data) for o in seen] == [("cards_counted", {"cards": count})]


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind != "wheel"])
def test_a_chattering_line_is_a_fault_once_and_silent_until_it_is_quiet(kind):
    line = lines_of(kind)[0]
    script = [(1 + i / 2000, line, i % 2) for i in range(4001)]
    seen = run(find(kind, "lines")("x"), [*script, (60,)])
    faults = [(o.event, o.data.get("reason")) for o in seen if o.event in ("device_fault", "device_recovered")]
    assert faults == [("device_fault", "line chattering"), ("device_recovered", None)]
    assert len(seen) < 12


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind != "wheel"])
def test_a_lively_line_is_no_fault(kind):
    line = lines_of(kind)[0]
    script = []
    for i in range(40):
        script += pulse(line, 1 + i / 2, 100)
    seen = run(find(kind, "lines")("x"), script)
    assert [o for o in seen if o.event == "device_fault"] == []


def test_two_stuck_lines_recover_together():
    script = [(1, "no-spin", 1), (2, "no-roll", 1), (50, "no-spin", 0), (60, "no-roll", 0), (70,)]
    seen = run(find("panel", "lines")("x"), script)
    told = [(round(o.t / SECOND), o.event) for o in seen if o.event != "key_pressed"]
    assert told == [(31, "device_fault"), (32, "device_fault"), (60, "device_recovered")]


INTERRUPTED = [
    ("shuffler", [(0, "motor", 1), (5, "motor", 0)]),
    ("dice", [*pulse("release", 1, 15), *pulse("bowl", 1, 15)]),
    ("discard_rack", [*pulse("card", 1)]),
    ("panel", [(1, "misdeal", 1)]),
]


@pytest.mark.parametrize(("kind", "script"), INTERRUPTED)
def test_what_was_half_seen_when_the_lines_were_lost_is_not_told(kind, script):
    device = find(kind, "lines")("x")
    run(device, script)
    assert device.deadline is not None
    assert device.interrupted(round(script[-1][0] * SECOND) + 1000) == []
    assert run(device, [(90,)]) == []


def test_a_stuck_key_stays_at_fault_over_an_interruption():
    device = find("panel", "lines")("x")
    assert [o.event for o in run(device, [(0, {"misdeal": 1}), (31,)])] == ["device_fault"]
    device.interrupted(32 * SECOND)
    assert run(device, [(33, {"misdeal": 1}), (90,)]) == []
    assert [o.event for o in run(device, [(91, {"misdeal": 0})])] == ["device_recovered"]


def test_a_bank_marker_taken_just_before_the_lines_were_lost_is_missed_when_they_are_back():
    device = find("seats", "lines")("x")
    run(device, [(0, {"bank-1": 0, "bank-2": 0}), (1, "bank-1", 1), (20, "bank-1", 0), (21,)])
    assert device.interrupted(22 * SECOND) == []
    seen = run(device, [(40, {"bank-1": 0, "bank-2": 0}), (60,)])
    assert [(o.t, o.event, o.data) for o in seen] == [(50 * SECOND, "bank_moved", {"seat": None})]


def test_a_bank_marker_that_is_where_it_was_when_the_lines_are_back_has_not_moved():
    device = find("seats", "lines")("x")
    run(device, [(0, {"bank-1": 0, "bank-2": 0}), (1, "bank-1", 1), (20, "bank-1", 0), (21,)])
    device.interrupted(22 * SECOND)
    assert run(device, [(40, {"bank-1": 1, "bank-2": 0}), (60,)]) == []
    device.interrupted(70 * SECOND)
    assert run(device, [(80, {"bank-1": 1, "bank-2": 0}), (99,)]) == []


def test_every_key_has_a_line():
    for key in KEYS:
        assert key_of(key.replace("_", "-")) == key
    assert key_of("hand-") == key_of("report-") == key_of("lunch") == ""


def test_an_unknown_machine_is_refused():
    with pytest.raises(ValueError, match="'continuous' is no kind of shuffler; 'batch' or 'packet'"):
        find("shuffler", "lines")("x", {"machine": "continuous"})


@pytest.mark.parametrize("kind", TYPES)
def test_required_lines_and_events_are_documented(kind):
    cls = find(kind, "lines")
    assert issubclass(cls, Device)
    assert kind == cls.TYPE
    assert all(line in cls.LINES for line in cls.REQUIRED)
    assert cls.LINES
    assert cls.EVENTS
