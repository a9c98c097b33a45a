"""A capture through devices, pipeline and rules: the same every time, nothing judged by what came later."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.json import decode, encode

from pitwatch.daemon import cli
from pitwatch.daemon.captures import capture
from pitwatch.daemon.captures.capture import CaptureError
from pitwatch.daemon.captures.replaying import Replay, Tape
from pitwatch.daemon.config import config
from tests.roulette import lid, roulette

TABLE = roulette("none") + lid("none")


def spin(number, direction):
    """The lines of one spin that ends on 17, `number` being the wheel's counter."""
    states = ((2, number - 1), (3, number), (3, number), (4, number), (5, number), (2, number))
    lines = [f"*X;{state};{n:03d};17;0;150;{direction}" for state, n in states]
    return [*lines[:5], "17", lines[5]]


EVERYTHING = frozenset({"observation", "device", "round", "irregularity", "alert"})


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    return path


def spins(*directions):
    """Wire lines of a spin in each rotor direction, three seconds a line."""
    wire = [line for n, direction in enumerate(directions, 8) for line in spin(n, direction)]
    return [{"t": 3.0 * n, "device": "wheel", "rx": line + "\r\n"} for n, line in enumerate(wire, 1)]


def write(tmp_path, lines):
    path = tmp_path / "capture.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def replay(table, path):
    records = []
    tape = Tape(EVERYTHING, lambda kind, seq, data: records.append((kind, seq, data)))
    with capture.opened(str(path)) as file:
        Replay(config.load(table), tape).run(capture.lines(str(path), file), str(path))
    return records


def test_sequences_are_gapless_and_every_record_of_every_kind_is_numbered(table, tmp_path):
    records = replay(table, write(tmp_path, spins(1, 0)))
    assert [seq for _, seq, _ in records] == list(range(1, len(records) + 1))
    rounds = [data for kind, _, data in records if kind == "round"]
    assert [r.result["pocket"] for r in rounds] == ["17", "17"]


def test_the_command_prints_rounds_and_irregularities_and_twice_the_same_bytes(table, tmp_path, capfdbinary):
    path = write(tmp_path, spins(1, 0, 1))
    printed = []
    for _ in range(2):
        assert cli.main(["replay", str(path), "--table", str(table)]) == 0
        printed.append(capfdbinary.readouterr().out)
    assert printed[0] == printed[1]
    lines = [json.loads(line) for line in printed[0].splitlines()]
    assert len(lines) == 3
    assert {line["type"] for line in lines} == {"pitwatch.round.v1"}
    assert all(set(line) == {"type", "sequence", "data"} for line in lines)


def test_all_prints_the_rest_too(table, tmp_path, capfdbinary):
    path = write(tmp_path, spins(1))
    assert cli.main(["replay", str(path), "--table", str(table), "--all", "--json"]) == 0
    types = {json.loads(line)["type"] for line in capfdbinary.readouterr().out.splitlines()}
    assert types == {"pitwatch.observation.v1", "pitwatch.round.v1"}


@pytest.mark.parametrize("given", ["/dev/stdin", "-"])
def test_a_capture_may_come_through_a_pipe(table, tmp_path, given):
    """Which can be read once only."""
    path = write(tmp_path, spins(1, 0, 1))
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "replay", "--table", str(table)]
    from_file = subprocess.run([*command, str(path)], capture_output=True, check=True)
    piped = subprocess.run([*command, given], input=path.read_bytes(), capture_output=True, check=True)
    assert piped.stdout == from_file.stdout
    assert piped.stdout.count(b"pitwatch.round.v1") == 3


@pytest.mark.parametrize("content", [b"", b"\n  \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["capture.jsonl", "-"])
def test_a_replay_of_nothing_says_so(table, tmp_path, name, content):
    """An empty answer looked like play without a fault."""
    path = tmp_path / "capture.jsonl"
    path.write_bytes(content)
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "replay", "--table", str(table)]
    done = subprocess.run(
        [*command, str(path) if name != "-" else "-"], input=content, capture_output=True, check=False
    )
    where = "standard input" if name == "-" else str(path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"{where}: holds no line, so nothing was judged; a capture of `record` or an export is right\n"
    )


def test_an_observation_line_is_the_same_as_the_wire_line_it_was_decoded_from(table, tmp_path):
    first = replay(table, write(tmp_path, spins(1, 0)))
    again = [decode(encode(data)) for kind, _, data in first if kind == "observation"]
    assert replay(table, write(tmp_path, again)) == first


def test_a_device_that_is_heard_by_its_observations_is_not_silent(table, tmp_path):
    """Its decoder hears nothing, which says nothing of the wheel."""
    told = [
        decode(encode(data))
        for kind, _, data in replay(table, write(tmp_path, spins(*[1, 0] * 5)))
        if kind == "observation"
    ]
    assert told[-1]["t"] > 60
    again = replay(table, write(tmp_path, [{"t": 0, "device": "wheel", "event": "device_online"}, *told]))
    assert [decode(encode(data)) for kind, _, data in again if kind == "observation"][1:] == told


def test_a_device_that_is_on_line_and_says_nothing_is_silent(table, tmp_path):
    lines = [{"t": 0, "device": "wheel", "event": "device_online"}, {"t": 40, "device": "lid", "event": "closed"}]
    assert "device_fault" in [
        d["event"] for kind, _, d in replay(table, write(tmp_path, lines)) if kind == "observation"
    ]


def test_a_silence_within_the_capture_is_seen_before_what_breaks_it(table, tmp_path):
    lines = spins(1)
    lines.append({"t": lines[-1]["t"] + 100, "device": "wheel", "rx": "*X;2;008;17;0;150;1\r\n"})
    seen = [d for kind, _, d in replay(table, write(tmp_path, lines)) if kind == "observation"]
    faults = [d for d in seen if d["event"] in ("device_fault", "device_recovered")]
    assert [d["event"] for d in faults] == ["device_fault", "device_recovered"]
    assert faults[0]["t"] < lines[-1]["t"]
    quiet = replay(table, write(tmp_path, lines[:-1]))  # nothing is said about the time after the capture's end
    assert not [d for _, _, d in quiet if isinstance(d, dict) and d["event"] == "device_fault"]


def test_levels_at_the_start_are_a_state_and_not_an_edge(table, tmp_path):
    opened = write(
        tmp_path,
        [{"t": 0, "device": "lid", "levels": {"lid": 1}}, {"t": 5, "device": "lid", "line": "lid", "level": 0}],
    )
    closed = [d["event"] for kind, _, d in replay(table, opened) if kind == "observation"]
    assert closed == ["opened", "closed"]
    shut = write(tmp_path, [{"t": 0, "device": "lid", "levels": {"lid": 0}}])
    assert [d["event"] for kind, _, d in replay(table, shut) if kind == "observation"] == ["closed"]


def test_a_recorded_loss_of_the_link_is_a_device_state(table, tmp_path):
    lines = [
        {"t": 0, "device": "wheel", "event": "device_online"},
        {"t": 1, "device": "wheel", "rx": "*X;2;007"},
        {"t": 2, "device": "wheel", "event": "device_offline", "data": {"reason": "unplugged"}},
    ]
    states = [(d.state, d.reason) for kind, _, d in replay(table, write(tmp_path, lines)) if kind == "device"]
    assert states == [("online", None), ("offline", "unplugged")]


@pytest.mark.parametrize(
    ("event", "data", "fault"),
    [
        ("ball_levitated", {}, {"reason": "unknown_event", "event": "ball_levitated"}),
        ("card_drawn", {"card": "TD", "to": None}, {"reason": "unknown_event", "event": "card_drawn"}),
        ("ball_settled", {"pocket": "99"}, {"reason": "bad_field", "event": "ball_settled"}),
        ("ball_settled", {}, {"reason": "bad_field", "event": "ball_settled"}),
        ("device_overheated", {"at": 90}, {"reason": "unknown_event", "event": "device_overheated"}),
    ],
)
def test_words_outside_the_vocabulary_are_device_faults(table, tmp_path, event, data, fault):
    lines = [{"t": 0, "device": "wheel", "event": event, "data": data}]
    (seen,) = [d for kind, _, d in replay(table, write(tmp_path, lines)) if kind == "observation"]
    assert seen["event"] == "device_fault"
    assert fault.items() <= seen["data"].items()


@pytest.mark.parametrize(
    ("key", "event"),
    [("no-more-bets", "device_fault"), ("foo", "device_fault"), (None, "device_fault"), ("hand:", "device_fault"),
     ("no_more_bets", "key_pressed"), ("report:floater", "key_pressed")],
)  # fmt: skip
def test_a_key_that_no_panel_has_is_a_device_fault(tmp_path, key, event):
    path = tmp_path / "table.toml"
    path.write_text(TABLE + '[[device]]\nid = "panel"\ntype = "panel"\nlink = "none"\n')
    lines = [{"t": 0, "device": "panel", "event": "key_pressed", "data": {"key": key}}]
    (seen,) = [d for kind, _, d in replay(path, write(tmp_path, lines)) if kind == "observation"]
    assert seen["event"] == event
    assert event == "key_pressed" or seen["data"]["reason"] == "bad_field"


def test_unknown_fields_are_kept_and_a_missing_one_is_null(table, tmp_path):
    lines = [{"t": 0, "device": "wheel", "event": "ball_launched", "data": {"colour": "white"}}]
    (seen,) = [d for kind, _, d in replay(table, write(tmp_path, lines)) if kind == "observation"]
    assert (seen["event"], seen["data"]) == ("ball_launched", {"colour": "white", "direction": None})
    for event, data in (("device_online", {"port": 3}), ("device_offline", {"reason": "x", "port": 3})):
        lines = [{"t": 0, "device": "wheel", "event": event, "data": data}]
        (seen,) = [d for kind, _, d in replay(table, write(tmp_path, lines)) if kind == "observation"]
        assert (seen["event"], seen["data"]) == (event, data)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"device": "shoe", "rx": ""}, 'device "shoe" is not in {table}; it has: wheel, lid'),
        ({"device": "lid", "rx": "x"}, 'device "lid" is read from lines in {table}; this is bytes'),
        (
            {"device": "wheel", "line": "lid", "level": 1},
            'device "wheel" is read from bytes in {table}; this is a line',
        ),
        ({"device": "lid", "line": "door", "level": 1}, 'device "lid" has no line "door" in {table}; it has: lid'),
        ({"device": "lid", "levels": {"door": 1}}, 'device "lid" has no line "door" in {table}; it has: lid'),
    ],
)
def test_a_line_that_does_not_fit_the_table_is_told(table, tmp_path, line, told):
    path = write(tmp_path, [{"t": 0, "device": "wheel", "rx": ""}, {"t": 1, **line}])
    with pytest.raises(CaptureError) as caught:
        replay(table, path)
    assert str(caught.value) == f"{path}:2: {told.format(table=table)}"


def test_an_unreadable_line_is_one_line_on_stderr_and_exit_code_2(table, tmp_path, capfd):
    path = tmp_path / "capture.jsonl"
    path.write_text('{"t": 0, "device": "wheel", "rx": ""}\nnonsense\n')
    assert cli.main(["replay", str(path), "--table", str(table)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"{path}:2: ")
    assert err.count("\n") == 1


CAPTURE = Path(__file__).parents[3] / "shared" / "captures" / "slingshot2-wheel.jsonl"


@pytest.mark.skipif(not CAPTURE.is_file(), reason="the real wheel's recording is not beside the project")
def test_six_hours_of_a_real_wheel(table):
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "replay", str(CAPTURE), "--table", str(table)]
    began = sum(os.times()[2:4])  # of processors, by children: the machine may do other things beside
    first = subprocess.run(command, capture_output=True, check=True).stdout
    took = sum(os.times()[2:4]) - began
    assert subprocess.run(command, capture_output=True, check=True).stdout == first
    assert took < 2.0
    lines = [json.loads(line) for line in first.splitlines()]
    rounds = [line["data"] for line in lines if line["type"] == "pitwatch.round.v1"]
    judged = [line["data"]["rule"].rpartition("/")[2] for line in lines if line["type"] == "pitwatch.irregularity.v1"]
    assert not {"result-mismatch", "same-direction-spin"} & set(judged)
    raw = [json.loads(line)["rx"] for line in CAPTURE.read_text().splitlines()]
    results, last_state = [], None
    for rx in raw:
        fields = rx.strip("\r\n").split(";")
        if len(fields) == 7 and fields[0] == "*X":
            if fields[1] == "5" and last_state != "5":
                results.append(fields[3].strip())
            last_state = fields[1]
    assert len(results) == 185
    whole = [r["result"]["pocket"] for r in rounds if not r["partial"]]
    assert len(whole) <= len(results)
    remaining = iter(results)
    assert all(pocket in remaining for pocket in whole)  # in the file's order
