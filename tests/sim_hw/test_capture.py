"""A simulation written as a capture, read back and replayed, says the same."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pitwatch.daemon.captures import capture
from pitwatch.daemon.captures.replaying import Replay, Tape
from pitwatch.daemon.config import config
from pitwatch.sim_hw import write_capture
from pitwatch.sim_hw.wire import WireEvent, capture_fields
from tests.sim_hw.tablerun import BenchTable


@pytest.mark.parametrize("name", ["roulette", "roulette-raw", "craps", "baccarat", "three-card-poker", "blackjack"])
def test_a_capture_replays_to_the_records_of_the_simulation(name: str, tmp_path: Path) -> None:
    table = BenchTable(name)
    plan = table.plan(12, 31)
    path = tmp_path / "capture.jsonl"
    with path.open("wb") as file:
        events = table.events(12, 31, plan)
        written = write_capture(file, events, {each.id: each.lines for each in table.devices if each.lines})
    replayed: list[str] = []
    tape = Tape(frozenset(("irregularity",)), lambda kind, seq, data: replayed.append(data.rule))
    replay = Replay(config.load(str(table.path)), tape)
    with capture.opened(str(path)) as file:
        replay.run(capture.lines(str(path), file), str(path))
    assert replay.lines == written + sum(bool(each.lines) for each in table.devices)
    assert replayed == [each.rule for each in table.run(12, 31, plan).irregularities]
    assert replayed


def test_bytes_are_written_as_text_where_they_are_text() -> None:
    assert capture_fields(WireEvent(1_250_000_000, "wheel", b" 5\r\n", None, 0)) == {
        "t": 1.25, "device": "wheel", "rx": " 5\r\n",
    }  # fmt: skip
    assert capture_fields(WireEvent(2_000_000_000, "shoe", b"\x05\x31", None, 0)) == {
        "t": 2.0, "device": "shoe", "rx_hex": "0531",
    }  # fmt: skip
    assert capture_fields(WireEvent(1, "dice", None, "rail-left", 1)) == {
        "t": 1e-9, "device": "dice", "line": "rail-left", "level": 1,
    }  # fmt: skip


def test_time_survives_the_way_through_seconds_to_the_nanosecond() -> None:
    t = 8 * 3600 * 1_000_000_000 + 123_456_789
    file = io.BytesIO()
    write_capture(file, [WireEvent(t, "dice", None, "release", 1)], {})
    line = capture.msgspec.json.decode(file.getvalue(), type=capture.Line)
    assert line.t_ns == t
