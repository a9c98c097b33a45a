"""Signed heads get a time stamp each hour, from an honest authority only; a real one, and both databases."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.evidence.timestamps import StampError, checked, query
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.statements import signed
from pitwatch.floor.archive.archiver import Archiver
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.intake import Intake
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.store import Store
from pitwatch.floor.config import ArchiveSection, FloorConfig
from pitwatch.floor.evidence import stamping, stamps
from pitwatch.floor.evidence.config import TimestampSection
from pitwatch.floor.evidence.stamping import Stamper
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.stream import event
from tests.floor.evidence.authority import Authority, openssl

HOUR = timedelta(hours=1)


class Floor:
    """Tables that sign, an archive that has it, and the time."""

    def __init__(self, folder: Path, store: Store, authority: Authority):
        self.folder, self.store, self.authority = folder, store, authority
        self.now = datetime.now(UTC).replace(minute=10)
        self.config = TimestampSection(url=authority.url, ca=str(authority.ca))
        self._signers: dict[str, Signer] = {}
        self._sequence = 100

    def stamper(self) -> Stamper:
        return Stamper(self.store, self.config, "one", lambda: self.now)

    def signer(self, table: str) -> Signer:
        made = self._signers.setdefault(table, Signer(self.folder / f"{table.replace('/', '-')}.key"))
        made.prepare()
        return made

    def checkpoint(self, table: str = "toledo/RL-07", genuine: bool = True) -> dict[str, Any]:
        """What a table publishes as its next one."""
        self._sequence += 50
        signer = self.signer(table)
        said = CheckpointData(
            table=table, first=1, sequence=self._sequence, hash=f"{self._sequence:064x}", key="", signature=""
        )
        said = signed(said, signer.prepare(), signer)
        data = {name: getattr(said, name) for name in said.__struct_fields__}
        if not genuine:
            data["hash"] = "0" * 64
        return data

    async def sign(self, table: str = "toledo/RL-07", genuine: bool = True) -> int:
        """A checkpoint comes; the record that it covers."""
        data = self.checkpoint(table, genuine)
        intake = Intake(self.store, "pitwatch/1")
        intake.take(event("checkpoint", "checkpoint", data, float(self._sequence), self._sequence + 1, table))
        await intake._store_some()
        return self._sequence

    async def of(self, table: str = "toledo/RL-07") -> stamps.Stamps:
        return await stamps.of_table(self.store, table, self.authority.ca.read_bytes())


@pytest.fixture
def floor(tmp_path: Path, store: Store, authority: Authority) -> Floor:
    return Floor(tmp_path, store, authority)


async def test_each_hour_one_stamp_covers_the_newest_head_of_every_table(floor: Floor) -> None:
    for table in ("toledo/RL-07", "toledo/RL-08", "other/RL-07"):
        await floor.sign(table)
    last = {table: await floor.sign(table) for table in ("toledo/RL-07", "toledo/RL-08", "other/RL-07")}
    stamper = floor.stamper()
    before = datetime.now(UTC).replace(microsecond=0)
    assert await stamper.look()
    assert not await stamper.look()  # in this hour no more
    assert len(floor.authority.asked) == 1
    for table, sequence in last.items():
        found = await floor.of(table)
        assert not found.faults
        (made,) = found.genuine
        assert made.head.head.sequence == sequence
        assert before <= made.at <= datetime.now(UTC)
    floor.now += HOUR
    assert not await stamper.look()  # nothing new was signed
    later = await floor.sign()
    assert await stamper.look()
    assert [each.head.head.sequence for each in (await floor.of()).genuine] == [last["toledo/RL-07"], later]
    assert len((await floor.of("other/RL-07")).genuine) == 1


async def test_a_forged_head_is_not_stamped(floor: Floor) -> None:
    right = await floor.sign()
    await floor.sign(genuine=False)
    assert await floor.stamper().look()
    assert [each.head.head.sequence for each in (await floor.of()).genuine] == [right]


LIES = {
    "refused": lambda a, asked, reply: (200, _refusal(a)),
    "of other data": lambda a, asked, reply: (200, a.stamp(query(b"other data"))),
    "of an earlier query": lambda a, asked, reply: (200, a.earlier),
    "by another authority": lambda a, asked, reply: (200, a.other.stamp(asked)),
    "one byte changed": lambda a, asked, reply: (200, _changed(reply)),
    "cut short": lambda a, asked, reply: (200, reply[:-40]),
    "empty": lambda a, asked, reply: (200, b""),
    "much too long": lambda a, asked, reply: (200, reply + bytes(100_000)),
    "an error page": lambda a, asked, reply: (503, b"later"),
}


def _refusal(authority: Authority) -> bytes:
    (authority.folder / "data").write_bytes(b"x")
    asked = openssl("ts", "-query", "-data", f"{authority.folder}/data", "-md5")
    return authority.stamp(asked)


def _changed(reply: bytes) -> bytes:
    at = len(reply) - 20  # in the signature
    return reply[:at] + bytes([reply[at] ^ 1]) + reply[at + 1 :]


@pytest.mark.parametrize("lie", LIES)
async def test_a_wrong_answer_is_no_stamp_and_is_asked_for_again(
    floor: Floor, lie: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pitwatch.archive")
    sequence = await floor.sign()
    authority = floor.authority
    authority.earlier = authority.stamp(query(b"what was asked before"))
    authority.other = Authority(floor.folder / "other")
    authority.lie = lambda asked, reply: LIES[lie](authority, asked, reply)
    stamper = floor.stamper()
    try:
        assert not await stamper.look()
        assert not await stamper.look()
    finally:
        authority.other.close()
    assert (await floor.of()) == stamps.Stamps([], [])
    (told,) = await stamps.listed(floor.store, Asked())
    assert "asked 2 times" in told["trouble"]
    (warned,) = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert authority.url in warned
    authority.lie = None
    assert await stamper.look()
    assert [each.head.head.sequence for each in (await floor.of()).genuine] == [sequence]
    assert [row["trouble"] for row in await stamps.listed(floor.store, Asked())] == [None]
    assert any("answers again" in record.message for record in caplog.records)


async def test_an_authority_that_is_away_is_reported_and_asked_again(floor: Floor) -> None:
    await floor.sign()
    floor.authority.close()
    stamper = floor.stamper()
    assert not await stamper.look()
    (told,) = await stamps.listed(floor.store, Asked())
    assert "cannot be reached" in told["trouble"]


async def test_what_is_changed_in_the_archive_afterwards_is_found(floor: Floor) -> None:
    await floor.sign("toledo/RL-08")
    sequence = await floor.sign()
    assert await floor.stamper().look()
    floor.now += HOUR
    await floor.sign()
    assert await floor.stamper().look()
    first = (await floor.of()).genuine[0]
    for change, values in (
        ("UPDATE stamps SET reply = :reply WHERE stamped = :stamped", {"reply": (await floor.of()).genuine[1].reply}),
        ("UPDATE stamps SET reply = :reply WHERE stamped = :stamped", {"reply": b"nothing"}),
        ("UPDATE stamped_heads SET sequence = sequence + 1 WHERE site = :site", {"site": "toledo"}),
        ("UPDATE stamped_heads SET path = :path WHERE site = :site", {"path": "", "site": "toledo"}),
        ("UPDATE stamped_heads SET position = 5 - position WHERE site = :site", {"site": "toledo"}),
    ):
        before = [await floor.store.ask(f"SELECT * FROM {name}") for name in ("stamps", "stamped_heads")]
        values = {**values, **({"stamped": first.stamped} if ":stamped" in change else {})}
        assert await floor.store.change(change, **values)
        assert [seq for seq, _ in (await floor.of()).faults if seq in (sequence, sequence + 1)], change
        await _put_back(floor.store, before)
    assert not (await floor.of()).faults


async def _put_back(store: Store, before: list[list[dict[str, object]]]) -> None:
    for name, rows in zip(("stamps", "stamped_heads"), before, strict=True):
        await store.change(f"DELETE FROM {name}")
        for row in rows:
            names = ", ".join(f":{column}" for column in row)
            await store.change(f"INSERT INTO {name} VALUES ({names})", **row)


def test_words_around_a_genuine_token_do_not_change_the_time(authority: Authority, tmp_path: Path) -> None:
    """The status of a reply is not signed, and its description may be any text."""
    data = b"pitwatch"
    reply = authority.stamp(query(data))
    honest = checked(reply, data, authority.ca.read_bytes())
    (tmp_path / "reply").write_bytes(reply)
    openssl("ts", "-reply", "-in", f"{tmp_path}/reply", "-token_out", "-out", f"{tmp_path}/token")
    token = (tmp_path / "token").read_bytes()
    words = b"x\n\nTST info:\nTime stamp: Jan  1 00:00:00 2020 GMT\n"
    text = b"\x0c" + bytes([len(words)]) + words
    status = b"\x02\x01\x00" + b"\x30" + bytes([len(text)]) + text
    inner = b"\x30" + bytes([len(status)]) + status + token
    forged = b"\x30\x82" + len(inner).to_bytes(2, "big") + inner
    assert checked(forged, data, authority.ca.read_bytes()) == honest


def test_data_without_their_stamp(authority: Authority) -> None:
    reply = authority.stamp(query(b"these data"))
    with pytest.raises(StampError, match="imprint"):
        checked(reply, b"other data", authority.ca.read_bytes())


async def test_archive_verify_says_what_existed_before(
    floor: Floor, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sequence = await floor.sign()
    assert await floor.stamper().look()
    toml = floor.folder / "floor.toml"
    toml.write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1:9"\n[archive]\ndatabase = "{database}"\n'
        f'[timestamp]\nurl = "{floor.authority.url}"\nca = "authority/ca.crt"\n'
    )

    def ask(*arguments: str) -> tuple[int, list[dict[str, object]]]:
        capsys.readouterr()
        code = cli.main(["archive", *arguments, "--json"])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    code, (told,) = await asyncio.to_thread(ask, "verify", "toledo/RL-07", "--floor", str(toml))
    assert code == 0
    assert told["stamped_up_to"] == sequence
    assert str(told["existed_before"]) <= datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    code, (row,) = await asyncio.to_thread(ask, "stamps", str(toml))
    assert (code, row["up_to"], row["trouble"]) == (0, sequence, None)
    await floor.store.change("UPDATE stamps SET reply = :reply", reply=b"nothing")
    code, (fault,) = await asyncio.to_thread(ask, "verify", "toledo/RL-07", "--floor", str(toml))
    assert (code, fault["what"], fault["sequence"]) == (1, "stamp", sequence)


async def test_archive_run_has_heads_stamped_as_they_come(
    broker: Mosquitto, floor: Floor, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real broker, and two instances: one of them asks the authority."""
    monkeypatch.setattr(stamping, "LOOK_EVERY", 0.2)
    config = FloorConfig(mqtt=MqttSection(url=broker.url), archive=ArchiveSection(), timestamp=floor.config)
    archivers = [Archiver(config, store_at(database), f"archive-{n}") for n in (1, 2)]
    tasks = [asyncio.create_task(each.run()) for each in archivers]
    try:
        async with asyncio.timeout(60):
            while not all(each.intake.feed and each.intake.feed.trouble is None for each in archivers):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        said = floor.checkpoint()
        sent = event("checkpoint", "checkpoint", said, 100.0, said["sequence"] + 1)
        async with aiomqtt.Client("127.0.0.1", broker.port) as client:
            await client.publish("pitwatch/1/toledo/RL-07/checkpoint", sent.payload, qos=1)
        async with asyncio.timeout(60):
            while not (await floor.of()).genuine:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        await asyncio.sleep(1.0)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert [each.head.head.sequence for each in (await floor.of()).genuine] == [said["sequence"]]
    assert len(floor.authority.asked) == 1
