"""The firmware and the board's host against each other in simulated time, over wires of every badness."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwatch.devices.protocols import node_bodies, node_link
from pitwatch.hal.line import LineSpec
from tests.firmware.bench_top import Bench, machine

SPECS = [LineSpec("a", "node", 2), LineSpec("b", "node", 3), LineSpec("c", "node", 4)]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    drop=st.floats(0, 0.015),
    flip=st.floats(0, 0.01),
    late=st.integers(0, 30),
    edges=st.integers(1, 200),
)
def test_every_edge_once_in_order_with_its_time(seed, drop, flip, late, edges):
    chance = random.Random(seed)
    with machine() as pin:
        bench = Bench(pin, SPECS, seed, drop, flip, late)
        bench.run(20_000, bench.up)
        assert bench.up()
        happened, levels = [], [0, 0, 0]
        for _ in range(edges):
            line = chance.randrange(3)
            levels[line] ^= 1
            bench.pin.drive(line + 2, levels[line])
            happened.append((line, levels[line], bench.now))
            bench.run(chance.random() * 6)
        last = bench.now
        bench.run(20_000, lambda: len(bench.ear.of("edge")) >= edges and bench.ear.of("passed")[-1][0] > last)
    told = bench.ear.of("edge")
    assert [(line, level) for line, level, _ in told] == [(line, level) for line, level, _ in happened]
    assert bench.ear.of("lost") == bench.ear.of("down") == []
    stamps = [said[-1] for said in bench.ear.said]
    assert stamps == sorted(stamps)
    worst = bench.host.clock.error + 40_000_000 * (late > 0) + 3_000_000  # the first edges come with few exchanges
    assert all(abs(one[2] - true[2]) <= worst for one, true in zip(told, happened, strict=True))
    # What has passed has been told: no edge comes with an earlier stamp, which the order of the stamps shows.
    assert bench.ear.said[-1][0] == "passed"


def test_a_full_ring_is_told_as_lost_with_the_right_count_and_level():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        for number in range(3000):
            bench.pin.drive(2, (number + 1) % 2)
        bench.pin.drive(2, 1)
        bench.run(3_000)
        told = [level for line, level, _ in bench.ear.of("edge") if line == 0]
        [(lost, _)] = bench.ear.of("lost")
        assert len(told) == 1023 + (told[1022] != 1)
        assert lost == 3001 - 1023
        assert told[-1] == 1


def test_a_dead_wire_holds_back_and_loses_only_what_the_ring_cannot_keep():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        bench._drop = 1.0
        for number in range(500):
            bench.pin.drive(3, (number + 1) % 2)
            bench.run(4)
        bench._drop = 0.0
        bench.run(2_000)
        assert [level for _, level, _ in bench.ear.of("edge")] == [(number + 1) % 2 for number in range(500)]
        assert bench.ear.of("lost") == bench.ear.of("down") == []


@pytest.mark.parametrize("cause", ["power", "watchdog", "reset", "unknown"])
def test_a_restart_is_told_once_and_a_new_session_begins(cause):
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0.01, 0, 5)
        bench.run(20_000, bench.up)
        bench.pin.drive(2, 1)
        bench.run(300)
        bench.node._close()
        bench.power_on(cause)
        bench.run(20_000, lambda: len(bench.ear.of("up")) == 2)
        bench.pin.drive(3, 1)
        bench.run(2_000)
    [(reason, _)] = bench.ear.of("down")
    assert reason.startswith("the sensor node was started anew ")
    assert bench.host.identity["started"] == cause
    assert bench.host.restarts == 1
    assert [levels for levels, _ in bench.ear.of("up")] == [[0, 0, 0], [1, 0, 0]]
    assert [(line, level) for line, level, _ in bench.ear.of("edge")] == [(0, 1), (1, 1)]


def test_a_session_of_an_earlier_run_of_the_board_is_not_taken_for_this_one():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 5)
        bench.run(5_000, bench.up)
        bench.pin.drive(2, 1)
        bench.run(1)
        bench.host = type(bench.host)(SPECS, bench.ear, "", 12_345)
        bench.host.connected(bench.now)
        bench.run(5_000, lambda: len(bench.ear.of("up")) == 2)
        bench.run(500)
    assert [levels for levels, _ in bench.ear.of("up")] == [[0, 0, 0], [1, 0, 0]]
    assert bench.ear.of("edge") == [], "what the old session had to say is said as a level"


def test_a_node_of_another_version_is_told(monkeypatch):
    monkeypatch.setattr(node_bodies, "VERSION", 2)
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.node._hello(0)
        monkeypatch.setattr(node_bodies, "VERSION", 1)
        bench.run(3)
    assert ("the sensor node speaks version 2 of the wire, this is 1", bench.ear.of("down")[0][1]) in bench.ear.of(
        "down"
    )


def test_nobody_there_is_told_once():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 1.0, 0, 0)
        bench.run(20_000)
    [(reason, t)] = bench.ear.of("down")
    assert reason == "the sensor node does not answer"
    assert 2_500_000_000 <= t <= 3_000_000_000


@pytest.mark.parametrize("session", [True, False])
def test_a_node_that_is_heard_but_does_not_hear_is_told(session):
    """One wire of the two is broken: what it says is no sign of life."""
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        if session:
            bench.run(5_000, bench.up)
        whole, bench.host.take_output = bench.host.take_output, lambda: whole() and b""
        bench.run(20_000)
        [(reason, _)] = bench.ear.of("down")
        assert reason == "the sensor node is heard but does not hear"
        bench.pin.drive(3, 1)
        bench.host.take_output = whole
        bench.run(5_000, bench.up)
        assert bench.ear.of("up")[-1][0] == [0, 1, 0]


@pytest.mark.parametrize("at", ["start", "opening"])
def test_a_node_that_dies_again_and_again_is_told_once(at):
    """Of its own start, or of the lines that it is to open."""
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)

        def dies(*_):
            if bench.now % 200_000_000 == 0 or at == "opening":
                bench.write(node_link.frame(node_link.FAULT, b"MemoryError: no room"))
                bench.power_on("watchdog")
                setattr(bench.node, "_open" if at == "opening" else "turn", dies)

        setattr(bench.node, "_open" if at == "opening" else "turn", dies)
        bench.run(30_000)
        [(reason, _)] = bench.ear.of("down")
        what = "died" if at == "start" else "was started anew by its watchdog or after a fault in its firmware"
        assert reason == f"the sensor node {what} (MemoryError: no room)"
        bench.power_on()
        bench.run(5_000, bench.up)
        assert bench.up()


def test_a_node_that_is_heard_badly_and_hears_badly_is_not_silent():
    """Half of the frames are spoilt either way."""
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        bench._drop = 0.015
        bench.run(60_000)
        assert bench.ear.of("down") == []


def test_a_session_that_happens_to_have_the_number_of_an_earlier_run_s_is_not_taken_for_it():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        bench.pin.drive(2, 1)
        bench.run(500)
        bench.host = type(bench.host)(SPECS, bench.ear, "", bench.node.session - 1)
        bench.host.connected(bench.now)
        bench.run(5_000, lambda: len(bench.ear.of("up")) == 2)
        bench.pin.drive(3, 1)
        bench.run(500)
    assert [levels for levels, _ in bench.ear.of("up")] == [[0, 0, 0], [1, 0, 0]]
    assert [(line, level) for line, level, _ in bench.ear.of("edge")] == [(0, 1), (1, 1)]


def test_nothing_is_told_of_a_session_after_a_batch_that_cannot_be_read():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        batch = node_bodies.Batch()
        batch.edge(1, 1, 5_000_000)
        good, session, seq = batch.take(5_000_000), bench.host._session, bench.host._receiver._next
        for number, body in ((1, good), (0, b"short")):
            head = (session).to_bytes(2, "little") + ((seq + number) & 0xFFFF).to_bytes(2, "little")
            bench.host.feed(node_link.frame(node_link.DATA, head + body), bench.now)
    assert bench.ear.said[-1][:2] == ("down", "the sensor node sends what cannot be read")


def test_closing_lets_the_pins_go():
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        bench.host.close()
        bench.run(20)
        assert bench.node.session == 0
        assert [user._handler for user in pin.users.values()] == [None] * 3


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=60)), max_size=12))
def test_hostile_frames_raise_nothing_at_either_end(frames):
    with machine() as pin:
        bench = Bench(pin, SPECS, 7, 0, 0, 0)
        bench.run(5_000, bench.up)
        for kind, body in frames:
            if kind not in (node_link.OPEN, node_link.CLOSE):
                bench._send(bench._to_node, node_link.frame(kind, body))
            bench._send(bench._to_board, node_link.frame(kind, body))
        bench.run(200)
        bench.run(15_000, bench.up)
        assert bench.up()


def test_a_session_without_lines_is_none():
    with machine() as pin:
        bench = Bench(pin, SPECS, 1, 0, 0, 0)
        bench.run(20_000, bench.up)
        bench._to_node.append((bench.now, node_link.frame(node_link.OPEN, bytes([9, 0, 0]))))
        bench.run(500)
        assert bench.up()
        assert bench.ear.of("down") == []
