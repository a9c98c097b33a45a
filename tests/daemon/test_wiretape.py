"""The wires around an irregularity join the journal, and a replay of its export comes to the same verdict."""

from __future__ import annotations

import json

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.captures import wiretape as module
from pitwatch.daemon.captures.wiretape import SECOND, WireTape
from pitwatch.daemon.config import config
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.publishing.envelope import Envelope
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock, SimFactory
from tests.roulette import roulette

PANEL = '[[device]]\nid = "panel"\ntype = "panel"\nlink = "sim:"\nlines = { no-more-bets = { chip = "c", line = 1 } }\n'
TABLE = roulette("sim:", "mqtt://127.0.0.1:9", "journal.db") + PANEL


class Table:
    """A roulette table on simulated hardware; each spin takes a minute of its own time."""

    def __init__(self, folder):
        self.path = folder / "table.toml"
        self.path.write_text(TABLE)
        self.clock = SimClock(now=1_000 * SECOND)
        self.factory = SimFactory(self.clock)
        self.daemon = Daemon(config.load(self.path), self.clock, self.factory)
        self.spins = 0

    def spin(self, called=True, pause=10):
        self.spins += 1
        before = (self.spins - 2) % 256 + 1
        states = ((2, before), (3, self.spins), (4, self.spins), (5, self.spins), (2, self.spins))
        for state, number in states:
            self.clock.advance_to(self.clock.now() + pause * SECOND)
            text = f"*X;{state};{number:03d};17;0;150;{self.spins % 2}\r\n"
            self.factory.links["wheel"].inject(text.encode())
            if state == 5:
                self.factory.links["wheel"].inject(b"17\r\n")
            if state == 3 and called:
                self.factory.banks["panel"].drive("no-more-bets", 1)
                self.factory.banks["panel"].drive("no-more-bets", 0, self.clock.now() + SECOND)

    def records(self, kind):
        store = Store(self.daemon.journal.path, read_only=True)
        found = [(r, json.loads(r.body)) for r, _ in store.records() if r.kind == kind]
        store.close()
        return found


def verdicts(found):
    """Irregularities without what a replay numbers anew: the round, and the records that are evidence."""
    return [{k: v for k, v in data.items() if k not in ("round", "evidence")} for data in found]


async def test_a_replay_of_the_export_comes_to_the_same_verdict(tmp_path, capsysbinary):
    table = Table(tmp_path)
    await table.daemon.start()
    for n in range(40):
        table.spin(called=n not in (12, 13, 30))
    table.clock.advance_to(table.clock.now() + 120 * SECOND)
    await table.daemon.stop()
    found = [data for _, data in table.records("irregularity")]
    assert len(found) >= 3
    out = tmp_path / "export.jsonl"
    assert cli.main(["journal", "export", str(table.daemon.journal.path), "--out", str(out)]) == 0
    capsysbinary.readouterr()
    assert cli.main(["replay", str(out), "--table", str(table.path)]) == 0
    again = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    assert verdicts(r["data"] for r in again if r["type"] == "pitwatch.irregularity.v1") == verdicts(found)
    # and of a period that has one of them only
    (at,) = [r.seq for r, data in table.records("irregularity")][-1:]
    assert cli.main(["journal", "export", str(table.daemon.journal.path), "--from", str(at)]) == 0
    part = tmp_path / "part.jsonl"
    part.write_bytes(capsysbinary.readouterr().out)
    assert cli.main(["replay", str(part), "--table", str(table.path)]) == 0
    again = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    assert verdicts(r["data"] for r in again if r["type"] == "pitwatch.irregularity.v1") == verdicts(found)[-1:]


async def test_a_replay_says_when_the_table_judged_by_something_else(tmp_path, capfd):
    table = Table(tmp_path)
    await table.daemon.start()
    for n in range(6):
        table.spin(called=n != 3)
    table.clock.advance_to(table.clock.now() + 120 * SECOND)
    await table.daemon.stop()
    begin, part = tmp_path / "begin.jsonl", tmp_path / "part.jsonl"
    (at,) = [r.seq for r, _ in table.records("irregularity")]
    journal = str(table.daemon.journal.path)
    for out, since in ((begin, "1"), (part, str(at))):  # the second does not hold the record that says by what
        assert cli.main(["journal", "export", journal, "--from", since, "--out", str(out)]) == 0
        capfd.readouterr()
        assert cli.main(["replay", str(out), "--table", str(table.path)]) == 0
        assert capfd.readouterr().err == ""
    other = tmp_path / "other.toml"
    other.write_text(table.path.read_text() + "\n# a remark\n")
    for out in (begin, part):
        assert cli.main(["replay", str(out), "--table", str(other)]) == 0
        (told,) = capfd.readouterr().err.splitlines()
        assert told.startswith(f"{out}: the table judged by another configuration (SHA-256 ")
    old = tmp_path / "old.jsonl"  # as earlier versions wrote it
    header, _, rest = part.read_text().partition("\n")
    fields = json.loads(header)
    del fields["judged_by"]
    old.write_text(json.dumps(fields) + "\n" + rest)
    assert cli.main(["replay", str(old), "--table", str(other)]) == 0
    assert capfd.readouterr().err == ""


async def test_clean_play_keeps_no_wires(tmp_path, capsys):
    table = Table(tmp_path)
    await table.daemon.start()
    for _ in range(5):
        table.spin()
    await table.daemon.stop()
    assert table.records("round")
    assert table.records("irregularity") == table.records("wire") == []
    out = tmp_path / "export.jsonl"
    assert cli.main(["journal", "export", str(table.daemon.journal.path), "--out", str(out)]) == 0
    assert cli.main(["replay", str(out), "--table", str(table.path)]) == 2
    assert "the export has no wire records" in capsys.readouterr().err


async def test_an_irregularity_survives_a_stop_right_after_it(tmp_path):
    table = Table(tmp_path)
    await table.daemon.start()
    table.spin()
    table.spin(called=False)
    await table.daemon.stop()
    assert table.records("irregularity")
    lines = [line for _, data in table.records("wire") for line in data["lines"]]
    assert any("*X;3;002" in line.get("rx", "") for line in lines)


class Paper:
    def __init__(self):
        self.wires = []

    def append(self, kind, subtopic, t_ns, data, retained=False):
        assert (kind, retained) == ("wire", False)
        self.wires.append(json.loads(msgspec.json.encode(data)))
        return len(self.wires)

    def lines(self):
        return [line for wire in self.wires for line in wire["lines"]]


@pytest.fixture
def tape():
    clock = SimClock()
    tape = WireTape(Paper(), clock)
    return tape, tape._journal, clock


def test_minutes_before_and_a_minute_after_are_kept_and_nothing_twice(tape, monkeypatch):
    tape, paper, clock = tape
    monkeypatch.setattr(module, "PLENTY", 0)
    tape.opened("wheel", 0, {})
    for second in range(1, 1_200):
        clock.advance_to(second * SECOND)
        tape.received("wheel", b"%d\r\n" % second, second * SECOND)
        if second in (600, 630):
            tape.keep(second * SECOND)
    seconds = [int(line["rx"]) for line in paper.lines()]
    assert seconds == list(range(seconds[0], seconds[-1] + 1))
    assert 290 <= seconds[0] <= 300
    assert 689 <= seconds[-1] <= 700
    numbers = [wire["piece"] for wire in paper.wires]
    assert numbers == sorted(numbers)


def test_of_a_quiet_device_more_of_the_past_is_kept(tape):
    tape, paper, clock = tape
    for minute in range(1, 100):
        clock.advance_to(minute * 60 * SECOND)
        tape.received("shoe", bytes([5, minute]), minute * 60 * SECOND)
    tape.keep(clock.now())
    clock.advance_to(clock.now() + SECOND)
    assert len(paper.lines()) == 99
    assert paper.lines()[0]["rx_hex"] == "0501"


def test_a_piece_says_how_everything_stood_when_it_began(tape):
    tape, paper, clock = tape
    tape.opened("dice", 0, {"node": "n1"})
    tape.levels("dice", {"rail-left": 0, "at-rest": 1}, 0)
    tape.opened("gone", 0, {})
    tape.edge("dice", "rail-left", 1, SECOND)
    tape.closed("gone", "unplugged", 2 * SECOND)
    tape.received("wheel", b"x" * module.PLENTY, 4_000 * SECOND)
    clock.advance_to(4_001 * SECOND)
    tape.keep(clock.now())
    clock.advance_to(4_002 * SECOND)
    (wire,) = paper.wires
    assert wire["standing"] == [
        {"t": 4000.0, "device": "dice", "event": "device_online", "data": {"node": "n1"}},
        {"t": 4000.0, "device": "dice", "levels": {"rail-left": 1, "at-rest": 1}},
    ]


def test_a_flood_is_bounded(tape):
    tape, _, clock = tape
    for n in range(600):
        clock.advance_to(n * SECOND)
        tape.received("wheel", b"0123456789" * 2_000, n * SECOND)
    assert sum(piece.size() for piece in tape._pieces) < module.MOST + 300_000


def test_nothing_of_the_wires_is_published():
    from pitwatch.daemon.journal.chain import Record

    body = b'{"piece":1,"begin":0.0,"end":1.0,"standing":[{"t":0}],"lines":[{"t":1,"device":"shoe","rx":"8S"}]}'
    record = Record(1, "b", 0, 0, True, "wire", "wire", False, body)
    for live in (False, True):
        (message,) = Envelope("toledo", "RL-07", "pitwatch/1/toledo/RL-07", "b", live).messages(record)
        data = json.loads(message.payload)["data"]
        assert b"8S" not in message.payload
        assert (data["withheld"], data["count"], data["lines"], data["standing"]) == (True, 1, [], [])
        assert len(data["sha256"]) == 64
