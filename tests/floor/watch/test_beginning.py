"""A view that begins from a real archive: in an SQLite file, in PostgreSQL, away, behind."""

from __future__ import annotations

import signal
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.open_now import asking, open_now
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.archive.store import Store
from pitwatch.floor.archive.troubles import PUT_TROUBLE
from pitwatch.floor.config import default, load
from pitwatch.floor.message import Message
from pitwatch.floor.watch.beginning import Beginning
from pitwatch.floor.watch.model import Floor
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.conftest import database, postgres, store
from tests.floor.archive.postgres import Postgres
from tests.floor.archive.stream import event
from tests.floor.watch.made import message, status

pytest.importorskip("textual", reason="the watch extra is not installed")
from pitwatch.floor.watch.app import WatchApp
from tests.floor.watch.test_app import SIZE, shown, until
from tests.floor.watch.witness import row

__all__ = ["database", "postgres", "store"]

WALL = 1_800_000_000
"""Of the boards' clocks (tests.floor.archive.stream)."""
PREFIX = "pitwatch/1"
TABLE = "toledo/RL-07"


def irregular(sequence: int, severity: str = "alert", boot: str = "b1", table: str = TABLE, t: float = 0) -> Message:
    data = {"rule": "b/roulette/late-spin", "category": "procedure", "severity": severity, "round": 1}
    return event("irregularity", f"irregularity/{severity}", data, t or sequence, sequence, table, boot)


def acknowledge(sequence: int, of: int, accepted: bool = True, boot: str = "b1", t: float = 0) -> Message:
    arguments = {"sequence": of, "note": "seen"}
    data = {"verb": "acknowledge", "request": "r", "by": "ann", "accepted": accepted, "arguments": arguments}
    return event("request", "requested", data, t or sequence, sequence, TABLE, boot)


def condition(sequence: int, key: str, raised: bool = True) -> Message:
    data = {"key": key, "raised": raised, "condition": "device fault", "device": "wheel", "since": 1.0, "detail": {}}
    return event("alert", f"alert/{key}", data, sequence, sequence)


def health(delivered: int, table: str = TABLE) -> Message:
    return message("health", {"queue": 0, "delivered": delivered, "clock_synced": True}, table=table)


async def keep(store: Store, *messages: Message) -> None:
    rows = [row_of(each, datetime.now(UTC)) for each in messages]
    await store.put([each for each in rows if each is not None], [])


async def trouble(store: Store) -> None:
    await store.change(
        PUT_TROUBLE, site="toledo", table_id="RL-07", kind="rolled_back", subject="b3", told="record 11 came again",
        heard="{}", said="{}", at="2027-01-15T08:01:00.000000Z",
    )  # fmt: skip


async def test_what_is_open_and_nothing_else(store: Store) -> None:
    await keep(
        store,
        *(irregular(sequence) for sequence in (1, 2, 3, 4)),
        acknowledge(5, of=2),
        acknowledge(6, of=3, accepted=False),
        condition(7, "wheel-fault"),
        condition(8, "door"),
        condition(9, "door", raised=False),
        acknowledge(10, of=7),
        irregular(11, table="toledo/BJ-01"),
    )
    await trouble(store)
    found = await open_now(store, PREFIX)

    def of(dated: list[object]) -> list[tuple[str, int | None]]:
        return [(each.message.table, each.message.event.sequence) for each in dated]  # type: ignore[attr-defined]

    assert of([*found.irregularities]) == [(TABLE, 1), (TABLE, 3), (TABLE, 4), ("toledo/BJ-01", 11)]
    assert of([*found.standing]) == [(TABLE, 7)]
    assert [each.kind for each, _ in found.troubles] == ["rolled_back"]
    assert found.reached == {TABLE: 10, "toledo/BJ-01": 11}
    assert found.irregularities[0].at == WALL + 1
    assert (found.lacking, found.more) == (0, False)

    floor = Floor()
    floor.begin(found, time.time())
    assert [each.kind for each in floor.ordered()] == ["trouble", *["irregularity"] * 4, "condition"]
    assert [each.acknowledged.by for each in floor.ordered() if each.acknowledged] == ["ann"]
    floor.begin(found, time.time())
    assert len(floor.concerns) == 6
    floor.connection(None, time.time())
    floor.tick(time.time() + 3_600)
    assert not any(each.kind == "silent" for each in floor.ordered())  # nobody has heard those tables here


async def test_an_old_acknowledgement_hides_nothing_of_a_new_board_under_the_name(store: Store) -> None:
    await keep(store, irregular(7), acknowledge(9, of=7), irregular(7, boot="b2", t=5_000))
    found = await open_now(store, PREFIX)
    assert [each.message.event.bootid for each in found.irregularities if each.message.event] == ["b2"]
    floor = Floor()
    floor.begin(found, time.time())
    assert [each.acknowledged for each in floor.ordered()] == [None]


async def test_what_comes_from_archive_and_broker_is_there_once(store: Store) -> None:
    both = irregular(4)
    await keep(store, irregular(3), both)
    floor = Floor()
    floor.connection(None, time.time())
    told: list[str] = []
    floor.on_change = lambda change: told.append(change.kind)
    floor.take(irregular(5), time.time())
    floor.begin(await open_now(store, PREFIX), time.time())
    floor.take(irregular(6), time.time())
    floor.take(both, time.time())
    assert sorted(each.sequence or 0 for each in floor.ordered()) == [3, 4, 5, 6]
    assert told.count("irregularity") == 4
    assert floor.tables[TABLE].missing == 0


async def test_behind_until_the_archive_joins_what_was_heard(store: Store) -> None:
    await keep(store, irregular(1), acknowledge(2, of=1))
    floor = Floor()
    floor.connection(None, time.time())
    beginning = Beginning(floor, lambda: open_now(store, PREFIX))
    beginning._answer, beginning._of = await open_now(store, PREFIX), floor.connected_at
    assert beginning.unknown == ""
    floor.take(status("ready"), time.time())
    assert beginning.unknown == "not every table has spoken"
    floor.take(health(4), time.time())
    assert beginning.unknown == "the archive is behind"  # 3 and 4 may be irregularities
    floor.take(irregular(5), time.time())
    assert beginning.unknown == "the archive is behind"
    await keep(store, irregular(4))
    beginning._answer = await open_now(store, PREFIX)
    assert beginning.unknown == "the archive lacks 1 records"
    await keep(store, irregular(3))
    beginning._answer = await open_now(store, PREFIX)
    assert beginning.unknown == ""
    floor.connection("gone", time.time())
    floor.connection(None, time.time() + 1)
    assert beginning.unknown == "the archive is being asked"


async def test_an_archive_that_cannot_be_read_is_away_and_ends_nothing(
    broker: Mosquitto, filled: Store, database: str
) -> None:
    await trouble(filled)
    await filled.change("UPDATE troubles SET heard = 'no JSON'")
    app = WatchApp(default(broker.url), ask=asking(database, PREFIX))
    async with app.run_test(size=SIZE):
        await until(lambda: "the archive is away" in shown(app)[2])
        assert "cannot be read" in app.beginning.trouble
        await filled.change("UPDATE troubles SET heard = '{}'")
        await until(lambda: len(app.concerns.items) == 3, 60)
        assert "ROLLED BACK: record 11 came again" in "".join(shown(app)[2:5])
        await filled.change("UPDATE troubles SET over_at = '2027-01-15T08:02:00.000000Z'")
        await until(lambda: len(app.concerns.items) == 2, 60)  # it is over there, so it is here


def floor_toml(folder: Path, broker: str, database: str = "") -> Path:
    path = folder / "FLOOR.toml"
    path.write_text(f'[mqtt]\nurl = "{broker}"\n' + (f'[archive]\ndatabase = "{database}"\n' if database else ""))
    return path


@pytest.fixture
async def filled(database: str) -> AsyncIterator[Store]:
    made = store_at(database)
    await made.open()
    await keep(made, irregular(1), irregular(2), acknowledge(3, of=2), irregular(4, "critical"))
    yield made
    await made.close()


async def test_a_new_shift_sees_what_the_last_one_left(
    broker: Mosquitto, filled: Store, database: str, tmp_path: Path
) -> None:
    config = load(floor_toml(tmp_path, broker.url, database))
    assert config.names_archive
    app = WatchApp(config, ask=asking(config.archive.database, config.mqtt.prefix))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: len(app.concerns.items) == 2, what="\n".join(shown(app)))
        assert "CRITICAL" in row(app.concerns, 0)
        assert "toledo/RL-07  late-spin" in row(app.concerns, 1)
        assert not app._ringing
        broker.stop()
        await until(lambda: app.floor.stale_since is not None)
        await keep(filled, irregular(5))
        broker.start()
        await until(lambda: len(app.concerns.items) == 3)  # asked again after the reconnect
        await pilot.pause(0.3)


async def test_nothing_is_said_only_where_it_is_known(broker: Mosquitto, tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    config = load(floor_toml(tmp_path, broker.url, f"sqlite:{path}"))
    app = WatchApp(config, ask=asking(config.archive.database, config.mqtt.prefix))
    async with app.run_test(size=SIZE):
        await until(lambda: "nothing since " in shown(app)[2])
        since = time.strftime("%H:%M", time.localtime(app.floor.connected_at))
        await until(lambda: f"nothing since {since}; before: not known, the archive is away" in shown(app)[2])
        assert not path.exists()  # a question makes no archive
        made = store_at(f"sqlite:{path}")
        await made.open()
        await made.close()
        await until(lambda: "nothing needs attention" in shown(app)[2], 60)


async def test_without_an_archive_it_says_since_when(broker: Mosquitto, tmp_path: Path) -> None:
    config = load(floor_toml(tmp_path, broker.url))
    assert not config.names_archive
    app = WatchApp(config)
    async with app.run_test(size=SIZE):
        await until(lambda: "nothing since " in shown(app)[2])
        assert "before: not known, no archive is named" in shown(app)[2]
        assert len(shown(app)[2]) <= 80


async def test_postgresql_away_and_back(broker: Mosquitto, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    if not Postgres.installed():
        pytest.skip("PostgreSQL is not installed")
    server = Postgres()
    server.start()
    try:
        address = server.fresh()
        made = store_at(address)
        await made.open()
        await keep(made, irregular(1))
        await made.close()
        server.stop(signal.SIGQUIT)
        app = WatchApp(msgspec.structs.replace(default(broker.url)), ask=asking(address, PREFIX))
        async with app.run_test(size=SIZE):
            await until(lambda: "the archive is away" in shown(app)[2])
            server.start()
            await until(lambda: "late-spin" in shown(app)[2], 60)
    finally:
        server.stop()


def test_the_command_begins_from_the_archive_of_floor_toml(broker: Mosquitto, tmp_path: Path) -> None:
    """Its configuration alone connects the two."""
    from tests.floor.watch.test_command import Terminal

    path = tmp_path / "floor.db"

    async def fill() -> None:
        made = store_at(f"sqlite:{path}")
        await made.open()
        await keep(made, irregular(1))
        await made.close()

    import asyncio
    import sys

    asyncio.run(fill())
    toml = floor_toml(tmp_path, broker.url, f"sqlite:{path}")
    terminal = Terminal(tmp_path, f"{sys.executable} -m pitwatch.daemon.cli watch {toml}")
    try:
        terminal.shows("toledo/RL-07  late-spin")
    finally:
        terminal.close()
