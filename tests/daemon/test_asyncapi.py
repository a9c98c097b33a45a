"""docs/asyncapi.yaml says what is published: it is what the types say, and every message of a bench run keeps to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiomqtt
import jsonschema
import msgspec
import pytest
import yaml

from pitwatch import sim_hw
from pitwatch.daemon.bench.broker import embedded_broker
from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.config import config
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract import asyncapi, schemas
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock
from tests.daemon import cloud_events

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "asyncapi.yaml"
SCHEMAS = PROJECT / "docs" / "schemas"


def test_the_page_is_what_the_types_say() -> None:
    assert yaml.safe_load(PAGE.read_text(encoding="utf-8")) == json.loads(json.dumps(asyncapi.document())), (
        "run: make asyncapi"
    )


def test_the_schemas_are_what_the_types_say() -> None:
    there = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in SCHEMAS.iterdir()
        if not path.name.endswith(".toml.json")
    }
    assert there == json.loads(json.dumps(schemas.documents())), "run: make asyncapi"
    for schema in there.values():
        jsonschema.Draft202012Validator.check_schema(schema)


def own_validator(name: str) -> jsonschema.Draft202012Validator:
    """By the schema of one file, which needs no other."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("request-replay", {"id": "r", "first": 1, "last": 9}, {"id": "r", "first": 0, "last": 9}),
        ("request-acknowledge", {"id": "a", "by": "eye", "sequence": 9}, {"id": "a", "sequence": 9}),
        ("request-snapshot", {"id": "s"}, {"id": "s", "all": True}),
        ("status", None, {"specversion": "1.0", "type": "pitwatch.status.v1", "data": {}}),
    ],
)
def test_a_schema_tells_right_from_wrong(name: str, good: Any, bad: Any) -> None:
    if good:
        own_validator(name).validate(good)
    assert list(own_validator(name).iter_errors(bad))


def validator(kind: str) -> jsonschema.Draft202012Validator:
    page = yaml.safe_load(PAGE.read_text(encoding="utf-8"))
    schema = {**page["components"]["messages"][kind]["payload"], "components": page["components"]}
    return jsonschema.Draft202012Validator(schema)


def test_a_wrong_message_is_refused() -> None:
    event: dict[str, Any] = {"specversion": "1.0", "type": "pitwatch.round.v1", "data": {}}
    assert list(validator("round").iter_errors(event))


@pytest.mark.parametrize("name", ["craps", "baccarat"])
async def test_every_message_of_a_bench_run_keeps_to_it(name: str, tmp_path: Path) -> None:
    table = config.load(PROJECT / "sim_hw" / "tables" / f"{name}.toml")
    specs = [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in table.devices
    ]
    people = {credential: person.role for credential, person in table.people.items()}
    options = dict(table.table.options)
    plan = sim_hw.make_plan(table.game, specs, 60, 3, None, options, people)
    events = sim_hw.simulate(table.game, specs, options, rounds=60, seed=3, plan=plan, people=people)
    received: list[tuple[str, bytes]] = []
    async with embedded_broker() as (url, _):
        mqtt = MqttSection(url=url, requests=["snapshot", "replay", "hold"])
        facts = msgspec.structs.replace(table.table, live_cards="apart")
        table = msgspec.structs.replace(table, table=facts, mqtt=mqtt, journal=tmp_path / "journal.db")
        clock = SimClock()
        hardware = BenchHardware(clock, table.devices)
        daemon = Daemon(table, clock, hardware)
        async with _listening(url, received):
            await daemon.start()
            await play(events, hardware, daemon.journal)
            assert await daemon.publisher.drain(30)
            await _ask(url, f"{table.topic}/request/snapshot", b'{"id":"a"}')
            await _ask(url, f"{table.topic}/request/replay", b'{"id":"b","first":1,"last":9}')
            await _ask(url, f"{table.topic}/request/replay", b"junk")
            await _ask(url, f"{table.topic}/request/hold/desk", b'{"id":"c","first":1,"last":2,"by":"a","reason":"b"}')
            answers = 1 + 9 + 1 + 1 + 1  # the snapshot, the records, that they are all, that junk is none, the hold
            await _until(lambda: sum("/response/" in topic for topic, _ in received) == answers)
            await _until(lambda: sum(topic.endswith("/requested") for topic, _ in received) == 4)
            await daemon.stop()
            hardware.close()
            last = f'{table.table.id}/{daemon.journal.boot}/{daemon.journal.last}"'
            for told in (b'"stopping"', last.encode()):
                await _until(lambda told=told: any(told in payload for _, payload in received))  # type: ignore[misc]
    validators = {kind: (validator(kind), own_validator(kind)) for kind in asyncapi.KINDS}
    kinds = set()
    for topic, payload in received:
        if not payload:
            assert "/alert/" in topic or topic.endswith("/echo")
            continue
        if "/request/" in topic or topic.endswith("/response/replay"):
            continue  # what was asked, and records that were sent again
        message = json.loads(payload)
        kind = message["type"].split(".")[1]
        kinds.add(kind)
        for each in validators[kind]:
            assert [error.message for error in each.iter_errors(message)] == [], topic
        assert cloud_events.read(payload)["id"] == message["id"]
        assert topic.startswith(f"pitwatch/1/{table.table.site}/{table.table.id}/{kind}")
    # Nothing grows old enough, and there is no witness: tests/daemon/test_retention.py and
    # tests/floor/witness/test_over_mqtt.py hold these against their schemas.
    unseen = {"retention", "cosignature"}
    assert kinds == set(asyncapi.KINDS) - unseen - ({"live"} if name == "craps" else set())


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def _ask(url: str, topic: str, payload: bytes) -> None:
    broker = parse_broker_url(url)
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.publish(topic, payload, qos=1)


@contextlib.asynccontextmanager
async def _listening(url: str, received: list[tuple[str, bytes]]) -> AsyncIterator[None]:
    """Everything that the broker publishes, for the length of the block."""
    broker = parse_broker_url(url)
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.subscribe("#", qos=1)

        async def take() -> None:
            async for message in client.messages:
                received.append((str(message.topic), bytes(message.payload or b"")))  # noqa: PERF401  as they come

        task = asyncio.create_task(take())
        yield
        task.cancel()
