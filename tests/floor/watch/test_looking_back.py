"""What was before the view began, asked of real tables on a real broker; and what is kept of a table's records."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pitwatch.daemon.commands.watch import _since
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.journal import writing
from pitwatch.floor import asking
from pitwatch.floor.allowance import Allowance
from pitwatch.floor.asking import Asker
from pitwatch.floor.config import default
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message
from pitwatch.floor.watch import looking_back
from pitwatch.floor.watch.found import Found
from pitwatch.floor.watch.looking_back import LookingBack
from pitwatch.floor.watch.model import TOPICS, Floor
from pitwatch.floor.watch.records import Change
from pitwatch.floor.watch.times import Runs
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.floor.one_table import Table
from tests.floor.watch.bench import playing
from tests.floor.watch.made import NOW, acknowledged, irregularity, observation, round_over

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

HOUR = 3_600.0


class Listener:
    """What `watch` is without a screen, in this process."""

    def __init__(self, broker: Mosquitto, since: float):
        mqtt = default(broker.url).mqtt
        self.floor = Floor()
        self.changes: list[Change] = []
        self.again: list[int] = []
        """Records that came because they were asked for."""
        self.floor.on_change = self.changes.append
        self.feed = Feed(mqtt.addresses, mqtt, mqtt.prefix, self._take, TOPICS)
        self.feed.on_connection = lambda trouble: self.floor.connection(trouble, time.time())
        self.asker = Asker(self.feed, "eye")
        self.back = LookingBack(self.floor, self.asker.replay, Allowance(), time.time() - since)

    def _take(self, message: Message) -> None:
        self.asker.take(message)
        self.floor.take(message, time.time())
        self.back.take(message, time.time())
        if message.subtopic == "response/replay" and message.event and message.event.sequence:
            self.again.append(message.event.sequence)

    def irregular(self, table: str) -> list[tuple[int, bool]]:
        """As they were told: the sequence, and whether it is of before."""
        return [
            (each.message.event.sequence or 0, each.earlier)
            for each in self.changes
            if each.kind == "irregularity" and each.table == table and each.message and each.message.event
        ]


@contextlib.asynccontextmanager
async def listening(broker: Mosquitto, since: float) -> AsyncIterator[Listener]:
    listener = Listener(broker, since)
    tasks = [asyncio.create_task(each.run()) for each in (listener.feed, listener.back)]
    try:
        yield listener
        assert not any(task.done() for task in tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def tables(*all_: Table) -> AsyncIterator[None]:
    for table in all_:
        await table.daemon.start()
    try:
        yield
    finally:
        for table in all_:
            await table.daemon.stop()


async def until(condition: Any, what: str = "waited in vain", seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.05)


async def journalled(table: Table) -> list[int]:
    """Sequences of the irregularities in the table's own journal."""
    records: list[Any] = []
    table.daemon.journal.read(0, 100_000, records.extend)
    await until(lambda: records)
    return [record.seq for record in records if record.kind == "irregularity"]


async def test_the_night_s_irregularities_once_and_in_order_with_their_evidence(
    broker: Mosquitto, tmp_path: Path
) -> None:
    table = Table(tmp_path, broker)
    async with tables(table):
        for _ in range(20):
            table.play(5)
            table.play(1, wrong=True)
            await asyncio.sleep(0)
        await until(table.delivered)
        async with listening(broker, 24 * HOUR) as listener:
            await until(lambda: table.name in listener.back.done)
            before = listener.irregular(table.name)
            assert len(before) == 20
            assert all(earlier for _, earlier in before)
            table.play(1, wrong=True)
            table.play(1)
            await until(lambda: len(listener.irregular(table.name)) == 21, f"{listener.irregular(table.name)}")
            told = listener.irregular(table.name)
            assert [sequence for sequence, _ in told] == await journalled(table)
            assert told[-1][1] is False
            assert listener.back.done == {table.name: ""}
            seen = listener.floor.tables[table.name]
            assert (seen.missing, seen.state) == (0, "ready")
            assert len(listener.again) <= len(set(listener.again)) + 1  # nothing twice but that it was quiet
            concerns = [each for each in listener.floor.ordered() if each.kind == "irregularity"]
            assert len(concerns) == 21
            assert [each.wanted for each in concerns] == [[]] * 21
            assert [each.at for each in concerns] == sorted(each.at for each in concerns)
            assert not any(each.kind in ("gap", "lost", "silent") for each in listener.changes)
            assert len(seen.rounds) == 20


async def test_no_further_back_than_asked(broker: Mosquitto, tmp_path: Path) -> None:
    """Half a minute a round: 30 rounds, of which the first ten are more than ten minutes old."""
    table = Table(tmp_path, broker)
    async with tables(table):
        table.play(30, wrong=True)
        await until(table.delivered)
        every = await journalled(table)
        async with listening(broker, 600) as listener:
            await until(lambda: listener.back.done)
            told = [sequence for sequence, _ in listener.irregular(table.name)]
        assert told == every[-len(told) :]
        assert 19 <= len(told) <= 20


async def test_what_comes_live_meanwhile_is_told_once(
    broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play goes on while it looks back, in portions so small that many are needed."""
    monkeypatch.setattr(looking_back, "MOST_RECORDS", 60)
    monkeypatch.setattr(looking_back, "LEFT", 0)
    table = Table(tmp_path, broker)
    async with tables(table):
        table.play(30, wrong=True)
        await until(table.delivered)
        async with listening(broker, 24 * HOUR) as listener:
            while not listener.back.done:
                table.play(1, wrong=True)
                await asyncio.sleep(0.2)
            await until(lambda: listener.floor.tables[table.name].sequences.last >= table.daemon.journal.last)
            told = [sequence for sequence, _ in listener.irregular(table.name)]
            assert sorted(told) == await journalled(table)
            assert len(told) > 32
            assert listener.floor.tables[table.name].missing == 0
            earlier = [sequence for sequence, before in listener.irregular(table.name) if before]
            assert earlier == sorted(earlier)


async def test_a_table_that_gives_nothing_is_said_once_and_the_others_are_asked(
    broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "ANSWERED_WITHIN", 2.0)
    deaf, other = Table(tmp_path, broker, "A-1", requests=[]), Table(tmp_path, broker, "A-2", requests=["acknowledge"])
    willing = Table(tmp_path, broker, "A-3")
    async with tables(deaf, other, willing):
        for table in (deaf, other, willing):
            table.play(2, wrong=True)
            await until(table.delivered)
        async with listening(broker, HOUR) as listener:
            await until(lambda: len(listener.back.done) == 3)
            await asyncio.sleep(1.0)
            said = [each for each in listener.changes if each.kind == "looked_back"]
            assert len(said) == 3
            why = {each.table: each.data["reason"] for each in said}
            assert why[deaf.name] == "no answer; its configuration may not allow replay"
            assert why[other.name] == "not answered here; this table answers acknowledge"
            assert why[willing.name] == ""
            assert [len(listener.irregular(each.name)) for each in (deaf, other, willing)] == [0, 0, 2]
            assert not any(each.kind == "gap" for each in listener.changes)


async def test_a_table_that_no_longer_keeps_them_says_so(
    broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "REMOVE_EVERY", 0.0)
    table = Table(tmp_path, broker)
    async with tables(table):
        table.play(12, wrong=True)
        await until(table.delivered)
        every = await journalled(table)
        table.daemon.journal.remove(100, once=table.daemon.journal.last)
        kept = every
        while kept[0] <= 100:
            kept = await journalled(table)
        async with listening(broker, 24 * HOUR) as listener:
            await until(lambda: listener.back.done)
            assert listener.back.done == {table.name: "it keeps nothing older"}
            assert [sequence for sequence, _ in listener.irregular(table.name)] == kept == every[-len(kept) :]
            assert listener.floor.tables[table.name].missing == 0


async def test_another_listener_is_not_disturbed(broker: Mosquitto, tmp_path: Path) -> None:
    table = Table(tmp_path, broker)
    async with tables(table):
        table.play(3, wrong=True)
        await until(table.delivered)
        async with listening(broker, 0) as other:
            await until(lambda: table.name in other.back.done)
            table.play(1)
            await until(lambda: other.floor.tables[table.name].rounds)
            changes = len(other.changes)
            async with listening(broker, HOUR) as listener:
                await until(lambda: table.name in listener.back.done)
                assert len(listener.irregular(table.name)) == 3
            assert [each.kind for each in other.changes[changes:]] == []
            assert other.floor.tables[table.name].missing == 0


async def test_a_lost_table_is_asked_when_it_is_back(broker: Mosquitto, tmp_path: Path) -> None:
    begin = time.time() - 600
    table = Table(tmp_path, broker, wall=begin)
    async with tables(table):
        table.play(2, wrong=True)
        await until(table.delivered)
    again = Table(tmp_path, broker, wall=begin)
    async with listening(broker, HOUR) as listener:
        await until(lambda: table.name in listener.floor.tables)
        await asyncio.sleep(1.0)
        assert listener.back.done == {}  # it has taken leave
        again.clock.advance_to(table.clock.now())
        async with tables(again):
            await until(lambda: listener.back.done)
            assert listener.back.done == {table.name: ""}
            assert [earlier for _, earlier in listener.irregular(table.name)] == [True, True]


def lines_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines(keepends=True) if line.endswith("\n")]


def test_lines_for_a_script(broker: Mosquitto, tmp_path: Path) -> None:
    """Four tables of the demonstration, begun before the view: each irregularity is there once."""
    out, witness = tmp_path / "lines", broker.subscribe()

    def irregular() -> list[tuple[str, int]]:
        return [(each["source"][1:], each["sequence"]) for each in witness.records() if "irregularity" in each["type"]]

    with playing(broker.url, "--scenario", "demo", "--speed", "15"), out.open("wb") as file:
        wait_for(lambda: len(set(irregular())) >= 3, 40)
        command = [
            sys.executable,
            "-m",
            "pitwatch.daemon.cli",
            "watch",
            "--broker",
            broker.url,
            "--json",
            "--since",
            "2h",
        ]
        process = subprocess.Popen(command, stdout=file)
        try:
            wait_for(lambda: sum(line["kind"] == "looked_back" for line in lines_of(out)) == 4, 40)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()
            process.wait()
    lines = [line for line in lines_of(out) if line["kind"] == "irregularity"]
    told = [(line["table"], line["event"]["sequence"]) for line in lines]
    assert len(told) == len(set(told)) >= 3
    assert set(told) <= set(irregular())
    assert sum(line.get("earlier", False) for line in lines) >= 3
    assert all(line["reason"] == "" for line in lines_of(out) if line["kind"] == "looked_back")


async def test_on_the_screen_nothing_rings_for_what_was_before(
    broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("textual", reason="the watch extra is not installed")
    from pitwatch.floor.watch.app import WatchApp
    from tests.floor.watch.test_app import shown

    monkeypatch.setattr(asking, "ANSWERED_WITHIN", 2.0)
    table = Table(tmp_path, broker, requests=["replay", "acknowledge"])
    refusing = Table(tmp_path, broker, "A-2", requests=["acknowledge"])
    async with tables(table, refusing):
        table.play(2, wrong=True)
        await until(table.delivered)
        app = WatchApp(default(broker.url), by="Ann", since=time.time() - HOUR)
        rung: list[int] = []
        async with app.run_test(size=(80, 24)) as pilot:
            app.bell = lambda: rung.append(1)  # type: ignore[method-assign]
            await until(lambda: len(app.concerns.items) == 2)
            assert app.looking_back is not None
            await until(lambda: len(app.looking_back.done) == 2)
            await until(lambda: any("at 2 of 2, 1 not whole" in line for line in shown(app)))
            assert rung == []
            assert any("CRITICAL" in line and "Two reports of the winning" in line for line in shown(app))
            await pilot.press("a", "enter")  # as what is of now; the table is told its own number of it
            (done,) = [each for each in app.floor.ordered() if each.acknowledged]
            await until(lambda: done.acknowledged and done.acknowledged.where == "table")
            table.play(1, wrong=True)
            await until(lambda: rung)


# -- what is kept, by messages


def portion(*messages: Message) -> dict[int, Any]:
    return {each.event.sequence: (each.event, each) for each in messages if each.event and each.event.sequence}


def stamped(seconds: float) -> dict[str, Any]:
    """An envelope of so many seconds after NOW."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOW + seconds))
    return {"time": at, "clocksynced": True, "subtopic": "response/replay"}


def test_evidence_of_an_older_portion_is_kept_and_nothing_else() -> None:
    found = Found("toledo/RL-07", NOW - 100, NOW, Runs())
    assert found.add(portion(irregularity(9, evidence=[3, 8], **stamped(-50)), observation(8, **stamped(-51))))
    assert found.add(portion(*(observation(number, **stamped(number - 200)) for number in range(1, 8))))
    assert [sequence for sequence, *_ in found.told] == [9]
    assert [sequence for sequence, *_ in found.evidence] == [3, 8]
    assert (found.reached, found.first, found.last) == (True, 8, 9)


def test_a_record_whose_clock_was_not_set_is_as_old_as_the_next_that_has_a_date() -> None:
    found = Found("toledo/RL-07", NOW - 100, NOW, Runs())
    undated = {"time": "1970-01-01T00:00:09.000000Z", "subtopic": "response/replay"}
    later = (observation(5, **stamped(-60)), observation(6, **stamped(-50)))
    assert found.add(portion(irregularity(4, **undated), *later))
    ((sequence, _, _, at),) = found.told
    assert (sequence, at) == (4, NOW - 60)
    assert not found.add(portion(observation(2, **undated), irregularity(3, **undated)))  # of these nobody can know


def test_a_run_that_is_heard_dates_its_records_whatever_its_clock_says() -> None:
    runs = Runs()
    live = observation(90, monotonicns=5_000 * 10**9)
    assert live.event is not None
    runs.hear("toledo/RL-07", live.event, NOW + 3)  # late
    runs.hear("toledo/RL-07", live.event, NOW)
    old = irregularity(7, monotonicns=4_000 * 10**9)
    assert old.event is not None
    assert runs.date("toledo/RL-07", old.event, NOW) == NOW - 1_000
    assert runs.date("toledo/BJ-01", old.event, NOW) is None
    other = irregularity(7, boot="b0", monotonicns=4_000 * 10**9)
    assert other.event is not None
    assert runs.date("toledo/RL-07", other.event, NOW) is None


def test_recalled_in_the_model() -> None:
    floor, changes = Floor(), list[Change]()
    floor.connection(None, NOW)
    floor.on_change = changes.append
    floor.take(observation(20), NOW)
    floor.take(acknowledged(21, of=12), NOW)
    found = Found("toledo/RL-07", NOW - 100, NOW, Runs())
    ahead = irregularity(20, **stamped(-1))  # a number that has come already
    found.add(portion(ahead, round_over(19, 4), irregularity(12, evidence=[11], **stamped(-9)), observation(11)))
    floor.recall("toledo/RL-07", found, "", NOW)
    (concern,) = floor.ordered()
    assert (concern.sequence, concern.at, concern.wanted) == (12, NOW - 9, [])
    assert concern.acknowledged is not None
    assert [(each.kind, each.earlier) for each in changes[1:]] == [
        ("irregularity", True), ("round", True), ("looked_back", False),
    ]  # fmt: skip
    table = floor.tables["toledo/RL-07"]
    assert (table.missing, table.sequences.first, table.seen_count) == (0, 11, 1)


@pytest.mark.parametrize(
    ("text", "ago"), [("2h", 2 * HOUR), ("30m", 1_800), ("7d", 7 * 24 * HOUR), ("2026-11-28T06:00:00Z", 60)]
)
def test_since_when(text: str, ago: float) -> None:
    now = 1_795_845_660.0  # 2026-11-28T06:01:00Z
    assert _since(text, now) == now - ago


def test_a_time_without_a_zone_is_the_screen_s() -> None:
    now = time.mktime((2026, 11, 28, 6, 30, 0, 0, 0, -1))
    assert _since("2026-11-28T06:00", now) == now - 1_800


@pytest.mark.parametrize("text", ["", "2", "h", "-2h", "yesterday", "8d", "999999d", "2026-11-29T00:00:00Z", "2h30m"])
def test_no_time_to_look_back_to(text: str) -> None:
    with pytest.raises(UsageError, match=r"^--since: [^\n]+$"):
        _since(text, 1_795_845_660.0)
