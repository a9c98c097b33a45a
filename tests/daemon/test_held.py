"""What a client holds stays past `keep_days`, with all that follows it, until it is released or there is no room."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract.messages import HoldsData, RetentionData, encode
from pitwatch.daemon.journal import Journal, retention
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.held import HOLD, MOST_HOLDS, ROOM, Held
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.requests import Requests
from pitwatch.daemon.requests.allowances import REFILL
from pitwatch.daemon.requests.holds import AROUND
from pitwatch.hal.sim import SimClock
from tests.daemon.burglar import altered, unguarded
from tests.daemon.test_retention import OLD, begins, filled, observed, public, running, swift, until

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
__all__ = ["swift"]

YOUNG = 10
SAY = {"by": "Ann", "reason": "dispute 7"}


class Desk:
    """Requests to a journal that is written."""

    def __init__(self, journal: Journal, held: Held, clock: SimClock):
        self.answers: list[dict[str, object]] = []
        self._clock = clock
        self._number = 0
        self.requests = Requests(
            ("hold", "release"),
            journal,
            clock,
            lambda verb, data: self.answers.append({"verb": verb, **json.loads(encode(data))}),
            lambda record: None,
            dict,
            holds=held,
        )

    async def ask(self, verb: str, client: str = "desk", **fields: object) -> dict[str, object]:
        self._clock.advance_to(self._clock.now() + REFILL)
        self._number += 1
        before = len(self.answers)
        self.requests.take(f"{verb}/{client}", json.dumps({"id": f"q{self._number}", **fields}).encode(), False)
        await until(lambda: len(self.answers) > before)
        return self.answers[-1]


async def hold_before_retention(path: Path, monkeypatch: pytest.MonkeyPatch, first: int) -> int:
    """A run in which retention has not had its turn; the number of the hold."""
    with monkeypatch.context() as slow:
        slow.setattr(retention, "FIRST", 3600.0)
        clock = SimClock()
        async with running(path, clock) as run:
            answer = await Desk(run.journal, run.held, clock).ask("hold", first=first, last=first + 1, **SAY)
            await until(lambda: run.journal.committed == run.journal.last)
    assert answer["ok"], answer
    number = answer["hold"]
    assert isinstance(number, int)
    return number


async def test_nothing_from_the_first_held_record_on_is_removed_over_a_restart_until_it_is_released(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "j.db"
    filled(path)
    number = await hold_before_retention(path, monkeypatch, 8)
    clock = SimClock()
    async with running(path, clock) as run:
        assert run.held.first == 8
        run.journal.deliver(run.journal.last)
        await until(lambda: begins(path) == 8)
        await asyncio.sleep(0.5)  # further turns
        assert (begins(path), [cut.sequence for cut in run.cuts]) == (8, [7])
        assert verify(path, public(path)).fault is None
        assert cli.main(["journal", "holds", str(path)]) == 0
        assert 'records 8 to 9  Ann (desk)  "dispute 7"' in capsys.readouterr().out
        desk = Desk(run.journal, run.held, clock)
        gone = await desk.ask("hold", first=7, last=9, **SAY)
        assert (gone["ok"], gone["reason"]) == (False, "records up to 7 are removed, or are about to be")
        over = await desk.ask("release", "eye", hold=number, by="Bob", reason="settled")
        assert (over["ok"], run.held.first) == (True, None)
        await until(lambda: begins(path) == OLD + 1)
        assert (await desk.ask("release", hold=number, **SAY))["reason"] == f"no hold {number} stands"
    assert verify(path, public(path)).fault is None
    with_reason = [
        msgspec.json.decode(record.body, type=HoldsData)
        for record, _ in Store(path, read_only=True).records()
        if record.kind == HOLD
    ]
    assert [(each.change, each.client, each.by, each.reason) for each in with_reason] == [
        ("held", "desk", "Ann", "dispute 7"),
        ("released", "eye", "Bob", "settled"),
    ]
    assert cli.main(["journal", "holds", str(path)]) == 0
    assert capsys.readouterr().out == "no hold stands\n"


async def test_two_holds_of_the_same_records_are_released_apart(tmp_path):
    path = tmp_path / "j.db"
    filled(path, old=0)
    clock = SimClock()
    async with running(path, clock) as run:
        desk = Desk(run.journal, run.held, clock)
        one = await desk.ask("hold", first=3, last=4, **SAY)
        two = await desk.ask("hold", "eye", first=3, last=4, **SAY)
        await desk.ask("release", hold=one["hold"], **SAY)
        assert [(each.hold, each.client) for each in run.held.standing] == [(two["hold"], "eye")]
        assert run.held.first == 3


async def test_around_an_irregularity_its_evidence_is_held(tmp_path):
    path = tmp_path / "j.db"
    store = Store(path)
    wall = SimClock().wall()[0]
    records = [observed(n, wall) for n in range(1, 2_001)]
    body = b'{"rule":"x","evidence":[1200,1500]}'
    records[1_599] = Record(1_600, "b", 1_600, wall, True, "irregularity", "irregularity/alert", False, body)
    store.write(records, 2_000)
    store.close()
    clock = SimClock()
    async with running(path, clock) as run:
        desk = Desk(run.journal, run.held, clock)
        answer = await desk.ask("hold", sequence=1_600, **SAY)
        assert (answer["first"], answer["last"]) == (1_200 - AROUND, 1_600 + AROUND)
        assert run.held.standing[0].irregularity == 1_600
        assert (await desk.ask("hold", sequence=5, **SAY))["reason"] == (
            "record 5 is no irregularity; name first and last"
        )


async def test_hostile_requests_are_refused_and_the_record_stays_small(tmp_path):
    path = tmp_path / "j.db"
    filled(path, old=0)
    clock = SimClock()
    async with running(path, clock) as run:
        desk = Desk(run.journal, run.held, clock)
        for fields in (
            {"first": 1, "last": 2**53},
            {"first": 5, "last": 4},
            {"first": 0, "last": 4},
            {"first": 1},
            {"last": 2},
            {},
            {"first": 1, "last": 2, "sequence": 1},
            {"sequence": 2**53},
        ):
            assert not (await desk.ask("hold", **SAY, **fields))["ok"], fields
        for said in ({"by": "Ann", "reason": ""}, {"by": "Ann"}, {"reason": "x"}, {"by": "", "reason": "x"}):
            assert not (await desk.ask("hold", first=1, last=2, **said))["ok"], said
        desk.requests.take("hold", b'{"id":"u","first":1,"last":2,"by":"Ann","reason":"x"}', False)
        assert (desk.answers[-1]["ok"], "client's name" in str(desk.answers[-1]["reason"])) == (False, True)
        assert run.held.standing == []
        worst = {"by": "\x01" * 64, "reason": "\x01" * 200}
        for n in range(1_000):
            answer = await desk.ask("hold", f"client-{n % 50}", first=1, last=2, **worst)
            assert answer["ok"] == (n < MOST_HOLDS)
        assert len(run.held.standing) == MOST_HOLDS
        assert len(run.journal.retained[HOLD].body) < 60_000


async def test_a_hold_that_comes_while_a_cut_is_signed_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    filled(path)
    clock = SimClock()
    held: list[dict[str, object]] = []
    true = retention.Retention._signed

    async with running(path, clock) as run:
        desk = Desk(run.journal, run.held, clock)
        loop = asyncio.get_running_loop()

        def signed(self: retention.Retention, said: RetentionData) -> RetentionData:
            if not held:
                asked = asyncio.run_coroutine_threadsafe(desk.ask("hold", first=5, last=6, **SAY), loop)
                held.append(asked.result(20))
            return true(self, said)

        monkeypatch.setattr(retention.Retention, "_signed", signed)
        await until(lambda: bool(held))
        assert held[0]["ok"]
        await until(lambda: begins(path) == 5)
        await asyncio.sleep(0.3)
        assert [cut.sequence for cut in run.cuts] == [4]


async def test_without_room_the_oldest_hold_ends_and_a_younger_one_stays(tmp_path, monkeypatch, caplog):
    path = tmp_path / "j.db"
    filled(path)
    number = await hold_before_retention(path, monkeypatch, 6)
    other = await hold_before_retention(path, monkeypatch, 12)
    clock = SimClock()
    async with running(path, clock) as run:
        run.journal.deliver(run.journal.last)
        await until(lambda: begins(path) == 6)
        await asyncio.sleep(0.3)
        assert len(run.held.standing) == 2
        monkeypatch.setattr(retention, "EVERY", 3600.0)
        monkeypatch.setattr(retention.Retention, "_tight", lambda self, store: store.pruned < 11)
        await until(lambda: begins(path) == 12)
        await asyncio.sleep(0.3)
        assert begins(path) == 12
        assert [each.hold for each in run.held.standing] == [other]
        told = msgspec.json.decode(run.journal.retained[HOLD].body, type=HoldsData)
        assert (told.change, told.hold, told.reason) == ("ended", number, ROOM)
    assert f"hold {number} of Ann has ended" in caplog.text
    assert verify(path, public(path)).fault is None


async def test_a_journal_at_its_bound_counts_as_without_room(tmp_path, monkeypatch):
    """What is compared is the file's own size and the disk's room, and young records never end a hold."""
    path = tmp_path / "j.db"
    filled(path)
    await hold_before_retention(path, monkeypatch, 6)
    monkeypatch.setattr(retention, "MOST_BYTES", retention.HELD_FREE)
    async with running(path) as run:
        run.journal.deliver(run.journal.last)
        await until(lambda: begins(path) == OLD + 1)
        assert run.held.standing == []
        desk = Desk(run.journal, run.held, SimClock())
        assert (await desk.ask("hold", first=OLD + 2, last=OLD + 3, **SAY))["ok"]
        await asyncio.sleep(0.5)
        assert len(run.held.standing) == 1


async def test_a_damaged_journal_that_is_set_aside_hands_its_holds_on(tmp_path):
    path = tmp_path / "j.db"
    filled(path, old=0)
    clock = SimClock()
    async with running(path, clock) as run:
        await Desk(run.journal, run.held, clock).ask("hold", first=3, last=4, **SAY)
        await until(lambda: run.journal.committed == run.journal.last)
    with unguarded(path) as db:
        db.execute("UPDATE record SET body = 'x' WHERE seq = 6")
    async with running(path, clock) as run:
        assert list(tmp_path.glob("j.db.damaged-*"))
        assert [(each.first, each.by) for each in run.held.standing] == [(3, "Ann")]


@pytest.mark.parametrize(
    "theft",
    [
        "DELETE FROM newest WHERE kind = 'hold'",
        """UPDATE newest SET body = '{"change":"held","hold":1,"by":"","reason":"","holds":[]}' WHERE kind = 'hold'""",
        """UPDATE newest SET seq = seq + 1, body = 'x' WHERE kind = 'hold'""",
    ],
)
async def test_a_hold_that_was_taken_out_of_the_file_stands_again_before_anything_is_removed(
    tmp_path, monkeypatch, caplog, theft
):
    path = tmp_path / "j.db"
    filled(path)
    number = await hold_before_retention(path, monkeypatch, 8)
    altered(path, theft)
    async with running(path) as run:
        run.journal.deliver(run.journal.last)
        await until(lambda: begins(path) == 8)
        await asyncio.sleep(0.3)
        assert begins(path) == 8
        assert [each.hold for each in run.held.standing] == [number]
        told = msgspec.json.decode(run.journal.retained[HOLD].body, type=HoldsData)
        assert (told.change, told.hold) == ("restored", number)
    assert f"hold {number} of Ann: the journal's records name this hold" in caplog.text
    caplog.clear()
    async with running(path) as run:  # what was put right is not reported again
        await asyncio.sleep(0.3)
        assert len(run.held.standing) == 1
    assert "the journal's records name" not in caplog.text


async def test_a_hold_that_was_released_does_not_stand_again(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    filled(path)
    number = await hold_before_retention(path, monkeypatch, 8)
    with monkeypatch.context() as slow:
        slow.setattr(retention, "FIRST", 3600.0)
        clock = SimClock()
        async with running(path, clock) as run:
            assert (await Desk(run.journal, run.held, clock).ask("release", hold=number, **SAY))["ok"]
    async with running(path) as run:
        run.journal.deliver(run.journal.last)
        await until(lambda: begins(path) == OLD + 1)
        assert run.held.standing == []


def test_a_record_that_cannot_be_read_holds_nothing(tmp_path, caplog):
    path = tmp_path / "j.db"
    store = Store(path)
    store.write([Record(1, "b", 1, 1, True, HOLD, HOLD, True, b'{"holds":1}')], 0)
    store.close()
    journal = Journal(path, SimClock(), "boot")
    assert Held(journal, SimClock()).standing == []
    assert "the holds in record 1 cannot be read" in caplog.text
