"""From cases to receivers: filters, cool-down, escalation, retries; a dead server delays nobody, a kill loses none."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.cases import CaseStore, Change, EventRef, folded
from pitwatch.floor.cases.identity import ARCHIVE
from pitwatch.floor.notify import sending
from pitwatch.floor.notify.choosing import concerns
from pitwatch.floor.notify.config import NotifySection, Receiver
from pitwatch.floor.notify.notice import Notice, lines
from pitwatch.floor.notify.notifier import Notifier
from pitwatch.floor.notify.outbox import Outbox, status
from pitwatch.floor.pace.config import PaceSection
from tests.floor.cases.made import ALICE, opened, opening
from tests.floor.notify.servers import ENOUGH, Web

HOUSE = PaceSection(zone="UTC", shifts={"day": "06:00", "night": "18:00"})
RULE = "toledo-2020/roulette/late-spin"


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.stop()


@pytest.fixture
def two(web: Web) -> Iterator[Web]:
    made = Web()
    yield made
    made.stop()


def hook(web: Web, name: str = "pit", **more: Any) -> Receiver:
    return Receiver(**({"name": name, "way": "webhook", "url": web.url, "cool_down_minutes": 0.0} | more))


def section(*to: Receiver, **more: Any) -> NotifySection:
    return NotifySection(**({"to": to, "timeout_s": 10.0} | more))


@contextlib.asynccontextmanager
async def notifying(database: str, told: NotifySection) -> AsyncIterator[Notifier]:
    notifier = Notifier(store_at(database), told, HOUSE, "one")
    task = asyncio.create_task(notifier.run())
    try:
        await until(lambda: len(notifier._at) == len(told.to))
        yield notifier
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def at(folder: Path) -> str:
    """The address of the database of the fixture `sqlite`."""
    return f"sqlite:{folder / 'floor.db'}"


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(ENOUGH):
        while True:
            value = condition()
            if asyncio.iscoroutine(value):
                value = await value
            if value:
                return
            await asyncio.sleep(0.05)


def got(web: Web) -> list[tuple[str, int]]:
    said = [json.loads(each.body) for each in web.requests]
    return [(each["reason"], each["case"]) for each in said]


async def test_what_happens_is_sent_to_those_who_want_it(database: str, store: Store, web: Web, two: Web) -> None:
    cases = CaseStore(store)
    await opened(cases)  # before anybody was named: no news
    to = hook(web), hook(two, "director", severity="critical", on=["opened", "taken", "closed"])
    async with notifying(database, section(*to, link="https://watch.example/{case}")):
        number = await opened(cases, severity="critical")
        await opened(cases, severity="warning")
        await cases.append(Change(kind="take", case=number, seen=2), ALICE)
        await cases.append(Change(kind="note", case=number, text="nobody's notice"), ALICE)
        await cases.append(Change(kind="close", case=number, seen=9, disposition="remedied"), ALICE)
        await until(lambda: len(got(two)) == 3 and got(web))
        await until(lambda: no_more(store))
    assert got(web) == [("opened", 2)]
    assert got(two) == [("opened", 2), ("taken", 2), ("closed", 2)]
    said = json.loads(two.requests[1].body)
    assert (said["by"], said["link"], said["table"]) == ("alice", "https://watch.example/2", "toledo/RL-07")


async def test_a_server_that_hangs_delays_nobody_else(sqlite: Store, tmp_path: Path, web: Web, two: Web) -> None:
    web.stuck = True
    async with notifying(at(tmp_path), section(hook(web), hook(two, "other"), timeout_s=60.0)):
        for _ in range(5):
            await opened(CaseStore(sqlite))
        await until(lambda: len(got(two)) == 5)
        assert len(got(web)) == 1
        web.ended.set()


async def test_what_a_server_refuses_for_now_is_sent_later_and_once(
    sqlite: Store, tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sending, "FIRST_S", 0.1)
    web.answers = [503, 503, 200, 200]
    async with notifying(at(tmp_path), section(hook(web))):
        await opened(CaseStore(sqlite))
        await opened(CaseStore(sqlite))
        await until(lambda: len(got(web)) == 4)
        await until(lambda: no_more(sqlite))
    assert [case for _, case in got(web)] == [1, 1, 1, 2]
    assert len({each.headers["Content-Length"] for each in web.requests[:3]}) == 1
    assert [each.message for each in caplog.records if each.levelname == "WARNING"] == [
        f"pit: 127.0.0.1:{web.port}: answers 503; trying again"
    ]


async def no_more(store: Store) -> bool:
    return not await status(store)


async def test_a_notice_that_is_refused_for_good_is_given_up_and_blocks_nothing(
    sqlite: Store, tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sending, "FIRST_S", 0.05)
    web.answers = [400, 200, 400, 400, 400, 400]
    async with notifying(at(tmp_path), section(hook(web))):
        await opened(CaseStore(sqlite))
        await opened(CaseStore(sqlite))
        await until(lambda: given_up(sqlite))
    assert sorted(case for _, case in got(web)) == [1, 1, 1, 1, 1, 2]
    floor = tmp_path / "FLOOR.toml"
    floor.write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[archive]\ndatabase = "sqlite:{tmp_path / "floor.db"}"\n'
        f'[[notify.to]]\nname = "pit"\nway = "webhook"\nurl = "{web.url}"\n'
    )
    assert await asyncio.to_thread(cli.main, ["notify", "status", str(floor)]) == 1
    assert capsys.readouterr().out == (
        f"pit: 0 waiting, 1 given up; the last reason: 127.0.0.1:{web.port}: answers 400\n"
    )


async def given_up(store: Store) -> bool:
    return any(row["given_up"] for row in await status(store))


async def waiting(store: Store, receiver: str) -> list[Notice]:
    rows = await store.ask(
        "SELECT notice FROM notify_outbox WHERE receiver = :receiver ORDER BY made, id", receiver=receiver
    )
    return [msgspec.json.decode(row["notice"], type=Notice) for row in rows]


async def test_of_many_of_a_kind_one_is_sent_and_the_rest_are_counted(store: Store, web: Web) -> None:
    cases, to = CaseStore(store), hook(web, cool_down_minutes=10.0)
    notifier = Notifier(store, section(to), HOUSE, "one")
    await notifier.begin()
    for _ in range(6):
        await opened(cases)
    await opened(cases, table="toledo/RL-08")
    await notifier.look()
    assert sorted(each.case for each in await waiting(store, "pit")) == [1, 7]
    outbox = Outbox(store, "pit")
    await outbox.sum_up(time.time() + 599, 600.0)
    assert len(await waiting(store, "pit")) == 2
    for _ in range(2):  # once
        await outbox.sum_up(time.time() + 800, 600.0)
    told = [each for each in await waiting(store, "pit") if each.reason == "left out"]
    assert [(each.left_out, each.first, each.last) for each in told] == [(5, 2, 6)]
    assert "5 more of this kind were not sent, of cases 2 to 6" in lines(told[0])
    assert len({each.id for each in await waiting(store, "pit")}) == 3


async def test_what_nobody_takes_is_escalated_once_and_entered(store: Store, web: Web) -> None:
    cases = CaseStore(store)
    before = await opened(cases)
    for _ in range(2):  # the second time as after a restart
        notifier = Notifier(store, section(hook(web, "manager", after_minutes=0.001)), HOUSE, "one")
        await notifier.begin()
        if await cases.newest() == before:
            taken = await opened(cases)
            await cases.append(Change(kind="take", case=taken, seen=2), ALICE)
            await opened(cases)
        await asyncio.sleep(0.1)
        await notifier.look()
    (notice,) = await waiting(store, "manager")
    assert (notice.reason, notice.case, notice.by) == ("not taken", 3, "")
    case = await cases.case(3)
    assert case is not None
    assert (case.state, case.escalated) == ("new", 1)
    assert case.remarks[0].text == "nobody took it within 0.001 minutes; manager is notified"
    assert case.remarks[0].by == ARCHIVE
    assert await cases.newest() == 5


def test_filters_by_severity_kind_rule_table_pit_and_shift() -> None:
    event = EventRef(what="irregularity", at="2027-01-15T08:00:01.000000Z", name=RULE)
    case = folded([opening(severity="alert", event=event)])
    pits = {"main": ["toledo/RL-*"], "high": ["toledo/BJ-*"]}
    day, night = "2027-01-15T08:00:00Z", "2027-01-15T20:00:00Z"
    for at, right, more in (
        (day, True, {}),
        (day, False, {"severity": "critical"}),
        (day, True, {"severity": "warning"}),
        (day, False, {"kinds": ["jackpot"]}),
        (day, True, {"kinds": ["irregularity"]}),
        (day, True, {"rules": ["*/late-spin"]}),
        (day, False, {"rules": ["*/other", "toledo-2020/craps/*"]}),
        (day, True, {"tables": ["toledo/*"]}),
        (day, False, {"tables": ["columbus/*"]}),
        (day, True, {"pits": ["high", "main"]}),
        (day, False, {"pits": ["high"]}),
        (day, True, {"shifts": ["day"]}),
        (night, False, {"shifts": ["day"]}),
        (night, True, {"shifts": ["night"]}),
    ):
        to = Receiver(**({"name": "pit", "way": "webhook"} | more))
        assert concerns(case, to, NotifySection(pits=pits), HOUSE, at) == right, more


def floor_file(folder: Path, database: str, web: Web, more: str = "") -> Path:
    file = folder / "FLOOR.toml"
    file.write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[archive]\ndatabase = "{database}"\n[[notify.to]]\nname = "pit"\n'
        f'way = "webhook"\nurl = "{web.url}"\ncool_down_minutes = 0\n{more}'
    )
    return file


async def test_a_program_that_is_killed_while_it_sends_sends_again(sqlite: Store, tmp_path: Path, web: Web) -> None:
    file = floor_file(tmp_path, at(tmp_path), web)
    web.stuck = True
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "notify", "run", str(file)]
    cases = CaseStore(sqlite)
    for turn in range(3):
        process = await asyncio.to_thread(subprocess.Popen, command, stderr=subprocess.DEVNULL)
        try:
            await until(lambda: known(sqlite))
            if turn == 0:
                for _ in range(3):
                    await opened(cases)
            at_least = len(web.requests) + 1 if turn < 2 else 5
            if turn == 2:
                web.stuck = False
            await until(lambda at=at_least: len(web.requests) >= at)
        finally:
            process.send_signal(signal.SIGKILL if turn < 2 else signal.SIGTERM)
            code = await asyncio.to_thread(process.wait)
    assert code == 0
    ids = [json.loads(each.body)["id"] for each in web.requests]
    assert ids[0] == ids[1] == ids[2]
    assert len(set(ids)) == 3


async def known(store: Store) -> bool:
    try:
        return bool(await store.ask("SELECT receiver FROM notify_receivers"))
    except StoreError:  # it has not made its tables yet
        return False


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "notify.to: missing; [[notify.to]] with name and way for each receiver is right"),
        ('[[notify.to]]\nname = "a"\nway = "pager"', 'notify.to[0].way: "pager" is none of email, webhook'),
        ('[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "ftp://x"', 'notify.to[0].url: "ftp://x" is no address'),
        ('[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "https://u:p@x"', "notify.to[0].url:"),
        ('[[notify.to]]\nname = "a"\nway = "email"\nurl = "smtp://x"', "notify.to[0].to: missing; email needs it"),
        ('[[notify.to]]\nname = "a"\nway = "email"\nurl = "smtp://x"\nto = ["a@b\\nBcc: c@d"]\nsender = "a@b"',
         "notify.to[0].to: "),
        ('[[notify.to]]\nname = "a"\nway = "ntfy"\nurl = "https://x"', "notify.to[0].topic: missing; ntfy needs it"),
        ('[[notify.to]]\nname = "a"\nway = "gotify"\nurl = "https://x"\nsecret_file = "nowhere"',
         "notify.to[0].secret_file: "),
        ('[[notify.to]]\nname = "a"\nway = "program"\ncommand = ["nosuchprogram"]', "no such program that may be run"),
        ('[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "https://x"\nshifts = ["nihgt"]', 'did you mean "night"?'),
        ('[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "https://x"\npits = ["main"]', "notify.to[0].pits: "),
        ('[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "https://x"\non = ["opened"]\nafter_minutes = 5',
         "is for receivers without after_minutes"),
        ('[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "https://x"\n' * 2, 'is the name of two receivers'),
        ('link = "https://x"\n[[notify.to]]\nname = "a"\nway = "webhook"\nurl = "https://x"', "notify.link: "),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str, why: str
) -> None:
    file = tmp_path / "FLOOR.toml"
    file.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[pace]\nshifts = {{ night = "22:00" }}\n[notify]\n{written}\n')
    assert cli.main(["notify", "test", str(file)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert why in err


def test_a_test_notice_says_who_does_not_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], web: Web) -> None:
    web.answers = [200, 404]
    more = f'[[notify.to]]\nname = "eye"\nway = "webhook"\nurl = "{web.url}"\n'
    file = floor_file(tmp_path, "sqlite:none.db", web, more)
    assert cli.main(["notify", "test", str(file)]) == 1
    assert capsys.readouterr().out == (
        f"sent   pit (webhook)\nFAILS  eye (webhook): 127.0.0.1:{web.port}: answers 404\n"
    )
    assert cli.main(["notify", "test", str(file), "--to", "pit"]) == 0
    said = json.loads(web.requests[0].body)
    assert datetime.fromisoformat(said["at"]).tzinfo == UTC
