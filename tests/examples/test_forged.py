"""`listen.py` beside a real broker and table, with somebody who publishes forged records under the table's name."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.mosquitto import Mosquitto
from tests.examples.bench_table import BenchTable, bench_table, until
from tests.examples.script import EXAMPLES, Script
from tests.examples.test_examples import publish, rules, running

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
TOPIC = "pitwatch/1/bench/CR-01"


def command(broker: Mosquitto, folder: Path) -> list[str]:
    listen = [sys.executable, str(EXAMPLES / "listen.py"), "127.0.0.1", "--port", str(broker.port)]
    return [*listen, "--state", str(folder / "state.json")]


def events(*scripts: Script) -> list[dict[str, Any]]:
    return [json.loads(line) for script in scripts for line in script.out]


def forged(sequence: int, kind: str = "irregularity") -> str:
    data = {"rule": "a/b/probe", "event": "x", "detail": {}}
    told = {"id": f"CR-01/forged/{sequence}", "source": "/bench/CR-01", "type": f"pitwatch.{kind}.v1", "bootid": "f"}
    return json.dumps(told | {"time": "", "sequence": sequence, "data": data})


async def all_of(table: BenchTable, *scripts: Script) -> None:
    """Every planned irregularity once."""
    await until(
        lambda: rules(events(*scripts)) == table.planned,
        f"planned {table.planned}, printed {rules(events(*scripts))}; {scripts[-1].err}",
        40,
    )


@pytest.mark.parametrize("far", [5_000, 10**12, 2**53, 2**53 + 1, 10**30])
async def test_a_forged_later_number_hides_no_record(broker: Mosquitto, tmp_path: Path, far: int) -> None:
    """Neither while it listens, nor of what was missed meanwhile."""
    async with bench_table(broker.url, tmp_path, parts=3) as table:
        first = Script(tmp_path / "first", *command(broker, tmp_path))
        async with running(first):
            await until(lambda: "listening" in first.err, f"does not connect: {first.err}")
            await table.play()
            await publish(broker, f"{TOPIC}/system", forged(far, "system"))
            await until(lambda: any(str(far)[:10] in line or "missing" in line for line in first.err), "not heard")
        before = table.journal.last
        await table.play()  # nobody listens
        assert table.journal.last > before
        second = Script(tmp_path / "second", *command(broker, tmp_path))
        async with running(second):
            await until(lambda: "listening" in second.err, f"does not connect: {second.err}")
            await table.play()
            await all_of(table, first, second)
    ids = [event["id"] for event in events(first, second)]
    assert len(ids) == len(set(ids))


async def test_a_forged_number_heard_first_hides_no_record(broker: Mosquitto, tmp_path: Path) -> None:
    async with bench_table(broker.url, tmp_path, parts=3) as table:
        first = Script(tmp_path / "first", *command(broker, tmp_path))
        async with running(first):
            await until(lambda: "listening" in first.err, f"does not connect: {first.err}")
            await publish(broker, f"{TOPIC}/system", forged(10**9, "system"))
            await table.play()
            await until(lambda: first.out, "the table is not heard")  # before it, nothing says where its time begins
        await table.play()
        second = Script(tmp_path / "second", *command(broker, tmp_path))
        async with running(second):
            await until(lambda: "listening" in second.err, f"does not connect: {second.err}")
            await table.play()
            await all_of(table, first, second)


async def test_another_record_under_a_known_id_is_printed_and_told(broker: Mosquitto, tmp_path: Path) -> None:
    """Whichever of the two comes first: both are there, each once; a changed camera is no other record."""
    ear = await asyncio.to_thread(broker.subscribe)
    script = Script(tmp_path / "s", *command(broker, tmp_path))
    async with bench_table(broker.url, tmp_path) as table, running(script):
        await until(lambda: "listening" in script.err, f"does not connect: {script.err}")
        await table.play()
        await all_of(table, script)
        topic, real, _ = next(each for each in ear.messages if "/CR-01/irregularity/" in each[0])
        other = json.loads(json.dumps(real))
        other["data"]["instruction"] = "Pay all bets."
        for told in (real, real | {"camera": "another"}, other, other):
            await publish(broker, topic, json.dumps(told))
        observed = [each for each in ear.messages if "/observation/" in each[0]][-1]
        withheld = json.loads(json.dumps(observed[1]))
        withheld["data"]["withheld"] = True
        withheld["data"]["data"] = dict.fromkeys(withheld["data"]["data"])
        await publish(broker, observed[0], json.dumps(withheld))
        await publish(broker, topic, forged(real["sequence"]))  # another id of the same number
        await until(lambda: any(each["id"].startswith("CR-01/forged") for each in events(script)), "not printed")
        critical = [line for line in script.err if line.startswith("CRITICAL")]
        assert critical == [f"CRITICAL: bench/CR-01: {real['id']} came again with other content: "
                            "forged, or a fault. Keep both"]  # fmt: skip
        printed = [each for each in events(script) if each["id"] == real["id"]]
        assert [each["data"]["instruction"] for each in printed] == [real["data"]["instruction"], "Pay all bets."]


async def test_a_message_nested_without_end_and_a_flood_of_numbers(broker: Mosquitto, tmp_path: Path) -> None:
    script = Script(tmp_path / "s", *command(broker, tmp_path))
    async with bench_table(broker.url, tmp_path) as table, running(script):
        await until(lambda: "listening" in script.err, f"does not connect: {script.err}")
        await publish(broker, f"{TOPIC}/system", "[" * 30_000)
        (tmp_path / "flood").write_text("".join(forged(n, "system") + "\n" for n in range(10**6, 10**6 + 6_000, 2)))
        flood = await asyncio.create_subprocess_exec(
            "sh", "-c", f"mosquitto_pub -p {broker.port} -q 1 -t {TOPIC}/system -l < {tmp_path}/flood"
        )
        assert await flood.wait() == 0
        await table.play()
        await all_of(table, script)
    assert len((tmp_path / "state.json").read_text()) < 100_000
