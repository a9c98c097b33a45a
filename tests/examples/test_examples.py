"""docs/examples, each run for real: beside a broker and a simulated table whose faults are planned, every planned
irregularity arrives once, also over duplicates and gaps."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.ports import free_port
from pitwatch.daemon.journal.store import Store
from tests.e2e.mosquitto import Mosquitto
from tests.examples import npm
from tests.examples.bench_table import bench_table, until
from tests.examples.script import EXAMPLES, Script

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

PROBE = '{"id":"P/b/1","source":"/probe/P","type":"pitwatch.irregularity.v1","sequence":1,"data":{"rule":"a/b/probe"}}'


@contextlib.asynccontextmanager
async def running(script: Script) -> AsyncIterator[Script]:
    try:
        yield script
    finally:
        await asyncio.to_thread(script.stop)


async def publish(broker: Mosquitto, topic: str, payload: str, *options: str) -> None:
    process = await asyncio.create_subprocess_exec(
        "mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", topic, "-m", payload, *options
    )
    assert await process.wait() == 0


async def heard(broker: Mosquitto, seen: Callable[[], object], severity: str = "notice") -> None:
    """The example is subscribed: it has an irregularity of a table that is only there for this."""
    async with asyncio.timeout(60):
        while not seen():
            await publish(broker, f"pitwatch/1/probe/P/irregularity/{severity}", PROBE)
            await asyncio.sleep(0.1)


def rules(events: list[dict[str, Any]]) -> Counter[str]:
    return Counter(rule for event in events if (rule := event["data"]["rule"].rpartition("/")[2]) != "probe")


async def test_irregularities_sh(broker: Mosquitto, tmp_path: Path) -> None:
    script = Script(tmp_path / "s", str(EXAMPLES / "irregularities.sh"), "-p", str(broker.port))
    async with running(script), bench_table(broker.url, tmp_path) as table:
        await heard(broker, lambda: script.out)
        await table.play()

        def events() -> list[dict[str, Any]]:
            return [json.loads(line.split(" ", 1)[1]) for line in script.out if "/bench/" in line]

        await until(lambda: rules(events()) == table.planned, f"planned {table.planned}, printed {script.out}")
        assert all(line.startswith("pitwatch/1/") and "/irregularity/" in line.split(" ")[0] for line in script.out)


async def test_listen_py(broker: Mosquitto, tmp_path: Path) -> None:
    """Duplicates are left out, what it missed while it was away comes by a replay, and each is acknowledged."""
    command = [sys.executable, str(EXAMPLES / "listen.py"), "127.0.0.1", "--port", str(broker.port)]
    command += ["--state", str(tmp_path / "state.json"), "--acknowledge", "eye"]
    ear = await asyncio.to_thread(broker.subscribe)

    def events(*scripts: Script) -> list[dict[str, Any]]:
        return [json.loads(line) for script in scripts for line in script.out]

    def published() -> list[tuple[str, dict[str, Any]]]:
        return [(topic, event) for topic, event, _ in ear.messages if "/bench/CR-01/irregularity/" in topic]

    async with bench_table(broker.url, tmp_path, parts=3) as table:
        first = Script(tmp_path / "first", *command)
        async with running(first):
            await until(lambda: "listening" in first.err, f"does not connect: {first.err}")
            await publish(broker, "pitwatch/1/bench/CR-01/round", '["junk"]')
            await table.play()
            journal = Store(table.journal.path, read_only=True)
            known = sum(record.kind == "irregularity" for record in journal.read(0, 9999))
            journal.close()
            assert known > 0
            await until(lambda: len(published()) == len(events(first)) == known, "irregularities are missing")
            for _ in range(3):
                for topic, event in published()[:known]:
                    await publish(broker, topic, json.dumps(event))
            await until(lambda: len(published()) == 4 * known, "the duplicates did not arrive")
            await asyncio.sleep(0.3)
            assert len(events(first)) == known, "a duplicate was printed"
            assert not any("missing" in line for line in first.err), first.err
        left_at = json.loads((tmp_path / "state.json").read_text())[table.name][-1][1]
        await table.play()  # nobody listens
        assert table.journal.last > left_at
        second = Script(tmp_path / "second", *command)
        async with running(second):
            await until(lambda: "listening" in second.err, f"does not connect: {second.err}")
            await table.play()
            await until(
                lambda: rules(events(first, second)) == table.planned,
                f"planned {table.planned}, printed {rules(events(first, second))}; {second.err}",
            )
            gaps = [line for line in second.err if "missing" in line]
            assert gaps[0].startswith(f"{table.name}: {left_at + 1} to ")
            wanted = {event["sequence"] for event in events(first, second)}

            def acknowledged() -> set[int]:
                """Requests are published once the journal has them."""
                told = [event["data"] for topic, event, _ in ear.messages if topic.endswith("CR-01/requested")]
                assert all(each["accepted"] for each in told), told
                return {each["arguments"]["sequence"] for each in told if each["verb"] == "acknowledge"}

            await until(lambda: acknowledged() == wanted, "not all are acknowledged", 40)
    ids = [event["id"] for event in events(first, second)]
    assert len(ids) == len(set(ids)) == table.planned.total()
    assert first.err[0] == "listening"
    assert [line.split(": ")[0] for line in first.err[1:]] == ["pitwatch/1/bench/CR-01/round"]


def test_listen_py_without_paho_is_one_line() -> None:
    """-S: a Python without what was installed beside it, as the system's is."""
    command = [sys.executable, "-S", str(EXAMPLES / "listen.py"), "127.0.0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("listen.py needs paho-mqtt 2 for this Python: pip install 'paho-mqtt>=2'")


async def test_now_sh(broker: Mosquitto, tmp_path: Path) -> None:
    alert = "pitwatch/1/toledo/RL-07/alert/wheel-offline"

    async def now(*, good: bool = True) -> list[str]:
        command = [str(EXAMPLES / "now.sh"), "-p", str(broker.port)]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stderr) == ((0, "") if good else (1, "the broker does not answer\n"))
        return done.stdout.splitlines()

    async with bench_table(broker.url, tmp_path) as table:
        await table.play()
        await publish(broker, alert, '{"data":{"raised":true}}', "-r")
        await publish(broker, "pitwatch/1/toledo/RL-07/device/wheel", '{"data":{"state":"offline"}}', "-r")
        shown = await now()
        kept = [(topic, event) for topic, event, _ in (await asyncio.to_thread(_retained, broker))]
        wanted = {
            topic
            for topic, event in kept
            if re.search("/(status|alert|device)(/|$)", topic) and event["data"].get("state") != "online"
        }
        assert {line.split(" ")[0] for line in shown} == wanted
        assert {"pitwatch/1/bench/CR-01/status", alert, "pitwatch/1/toledo/RL-07/device/wheel"} <= wanted
        await publish(broker, alert, "", "-r")
        assert alert not in str(await now())
    broker.stop()
    assert await now(good=False) == []


def _retained(broker: Mosquitto) -> list[tuple[str, Any, bool]]:
    return [message for message in broker.subscribe().messages if message[2]]


async def test_ask_sh(broker: Mosquitto, tmp_path: Path) -> None:
    async def ask(verb: str, question: dict[str, Any]) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            *(str(EXAMPLES / "ask.sh"), "bench/CR-01", verb, json.dumps(question), "-p", str(broker.port)),
            stdout=subprocess.PIPE,
        )
        out, _ = await process.communicate()
        assert process.returncode == 0
        answer: dict[str, Any] = json.loads(out)["data"]
        return answer

    async with bench_table(broker.url, tmp_path) as table:
        await table.play()
        ear = await asyncio.to_thread(broker.subscribe)
        acknowledged = await ask("acknowledge", {"id": "a1", "by": "eye", "sequence": 5, "note": "dealer told"})
        assert (acknowledged["request"], acknowledged["ok"]) == ("a1", True)
        assert (await ask("snapshot", {"id": "s1"}))["snapshot"]["status"]["game"] == "toledo-2020/craps"
        assert not (await ask("acknowledge", {"id": "a2", "by": "eye", "sequence": 10**9}))["ok"]

        def requested() -> list[Any]:
            return [event["data"] for topic, event, _ in ear.messages if topic.endswith("CR-01/requested")]

        await until(lambda: len(requested()) == 3, "the requests are not journalled")
        assert [(each["by"], each["accepted"]) for each in requested()] == [("eye", True), ("", True), ("eye", False)]


@pytest.mark.skipif(shutil.which("logger") is None, reason="logger is not installed")
async def test_syslog_sh(broker: Mosquitto, tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as siem:
        siem.bind(("127.0.0.1", 0))
        siem.setblocking(False)
        siem.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        came: list[str] = []

        def receive() -> list[str]:
            with contextlib.suppress(BlockingIOError):
                while True:
                    came.append(siem.recv(65_536).decode())
            return came

        port = str(siem.getsockname()[1])
        script = Script(tmp_path / "s", str(EXAMPLES / "syslog.sh"), "127.0.0.1", port, "-p", str(broker.port))
        async with running(script), bench_table(broker.url, tmp_path) as table:
            await heard(broker, receive)
            for severity in ("warning", "alert", "critical"):
                await heard(
                    broker, lambda wanted=severity: LEVELS[wanted] in {pri(line) for line in receive()}, severity
                )  # type: ignore[misc]
            await table.play()

            def events() -> list[tuple[int, dict[str, Any]]]:
                found = [(pri(line), json.loads(line[line.index("{") :])) for line in receive()]
                return [(level, event) for level, event in found if event["source"] == "/bench/CR-01"]

            await until(
                lambda: rules([event for _, event in events()]) == table.planned,
                f"planned {table.planned}, came {receive()}; {script.err}",
            )
            assert {LEVELS[event["data"]["severity"]] == level for level, event in events()} == {True}
            # RFC 5424: <PRI>1 TIME HOST TAG PROCID MSGID STRUCTURED-DATA MESSAGE
            assert all(re.match(r"<\d+>1 \S+ \S+ pitwatch \S+ irregularity - \{", line) for line in came), came[0]


LEVELS = {"critical": 130, "alert": 131, "warning": 132, "notice": 133}


def pri(line: str) -> int:
    return int(line[1 : line.index(">")])


@pytest.mark.skipif(npm.missing() is not None, reason=str(npm.missing()))
async def test_node_red(broker: Mosquitto, tmp_path: Path) -> None:
    """The flow as it is, in a Node-RED without its editor's page open."""
    folder = await asyncio.to_thread(npm.installed, "node-red@4.1.15")
    user = tmp_path / "user"
    user.mkdir()
    shutil.copy(EXAMPLES / "node-red.json", user / "flows.json")
    (user / "settings.js").write_text("module.exports = { uiHost: '127.0.0.1', telemetry: { enabled: false } }")
    out = tmp_path / "irregularities.jsonl"
    script = Script(
        tmp_path / "s",
        *("node", str(folder / "node_modules/node-red/red.js"), "--userDir", str(user)),
        *("--port", str(free_port()), "flows.json"),
        environment={"PITWATCH_HOST": "127.0.0.1", "PITWATCH_PORT": str(broker.port), "PITWATCH_OUT": str(out)},
    )

    def events() -> list[dict[str, Any]]:
        return [json.loads(line) for line in out.read_text().split("\n")[:-1]] if out.exists() else []

    ear = await asyncio.to_thread(broker.subscribe)
    async with running(script), bench_table(broker.url, tmp_path) as table:
        await heard(broker, events)
        await table.play()
        await until(lambda: rules(events()) == table.planned, f"planned {table.planned}; {script.out[-20:]}")
        for topic, event, _ in ear.messages:
            if "/bench/CR-01/irregularity/" in topic:
                await publish(broker, topic, json.dumps(event))
        other = json.loads(PROBE) | {"data": {"rule": "a/b/probe", "instruction": "Pay all bets."}}
        for event in (other, other, json.loads(PROBE) | {"camera": "another"}):
            await publish(broker, "pitwatch/1/probe/P/irregularity/notice", json.dumps(event))
        last = json.dumps(json.loads(PROBE) | {"id": "P/b/2"})
        await publish(broker, "pitwatch/1/probe/P/irregularity/notice", last)
        await until(lambda: events()[-1]["id"] == "P/b/2", "the last one does not arrive")
        assert rules(events()) == table.planned, "a duplicate was written"
        assert [event["data"].get("instruction") for event in events() if event["id"] == "P/b/1"] == [
            None,
            "Pay all bets.",
        ]
        assert sum("came again with other content" in line for line in script.out) == 1


async def test_telegraf_conf(broker: Mosquitto, tmp_path: Path) -> None:
    """Telegraf itself is in no registry here: what its file names is held against what a table publishes."""
    conf = tomllib.loads((EXAMPLES / "telegraf.conf").read_text(encoding="utf-8"))
    ear = await asyncio.to_thread(broker.subscribe)
    async with bench_table(broker.url, tmp_path) as table:
        await table.play()
        await until(lambda: len(irregular(ear.messages)) == table.planned.total(), "irregularities are missing")
        messages = ear.messages
    for consumer in conf["inputs"]["mqtt_consumer"]:
        [pattern] = consumer["topics"]
        [parsing], [json_v2] = consumer["topic_parsing"], consumer["json_v2"]
        assert parsing["topic"] == pattern
        expression = pattern.replace("+", "[^/]+")
        matched = [(topic, event) for topic, event, _ in messages if re.fullmatch(expression, topic)]
        assert matched, pattern
        for topic, event in matched:
            levels = topic.split("/")
            for names in (parsing["measurement"], parsing["tags"]):
                assert len(names.split("/")) == len(levels)
            tags = dict(zip(parsing["tags"].split("/"), levels, strict=True))
            assert (tags["site"], tags["table"]) == ("bench", "CR-01")
            for told in (*json_v2.get("tag", []), *json_v2["field"], {"path": json_v2["timestamp_path"]}):
                value = event
                for key in told["path"].split("."):
                    value = value[key]
                assert isinstance(value, KINDS[told.get("type", "string")]), (told, value)


KINDS: dict[str, Any] = {"int": int, "float": (int, float), "string": str, "bool": bool}


def irregular(messages: list[tuple[str, Any, bool]]) -> list[str]:
    return [topic for topic, _, _ in messages if "/bench/CR-01/irregularity/" in topic]
