"""Archives of every earlier version, as those programs made them (`versions/`), open with what they hold.

A new step needs what the version before it makes: `versions/NNNN.sqlite.sql` by sqlite3's .dump, and
`versions/NNNN.postgresql.sql` by pg_dump --inserts --no-owner without comments, both of the same few messages.
"""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pitwatch.floor.archive import questions, schema
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import COLUMNS, FLAGS
from pitwatch.floor.archive.store import Store, StoreError
from tests.floor.archive.stream import closed, dump
from tests.floor.archive.test_store import rows

VERSIONS = Path(__file__).with_name("versions")
MADE = sorted(path.name.removesuffix(".sqlite.sql") for path in VERSIONS.glob("*.sqlite.sql"))
EARLIER = [version for version in MADE if int(version[:4]) < schema.VERSION]


async def load(database: str, version: str) -> None:
    """Make the archive of an earlier version at the address of an empty database."""
    kind, _, path = database.partition(":")
    file = VERSIONS / f"{version}.{kind}.sql"
    if not file.exists():
        pytest.skip(f"no {file.name}")
    if kind == "sqlite":
        made = sqlite3.connect(path)
        made.executescript(file.read_text())
        made.close()
        return
    import psycopg

    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
        await connection.execute(file.read_text().encode())


def held(version: str) -> list[tuple[Any, ...]]:
    """The events of that version as this one has them, read by SQLite alone."""
    made = sqlite3.connect(":memory:")
    made.executescript((VERSIONS / f"{version}.sqlite.sql").read_text())
    if version < "0002":  # what `partial` of a last will said is in `earlier`; a round's stays
        made.execute("ALTER TABLE events ADD COLUMN earlier")
        made.execute("UPDATE events SET earlier = coalesce(partial, 0), partial = NULL WHERE name = 'lost'")
    found = made.execute(f"SELECT {', '.join(COLUMNS)} FROM events ORDER BY site, table_id, sequence, id").fetchall()
    made.close()
    flags = [COLUMNS.index(name) for name in FLAGS]
    return [tuple(bool(v) if n in flags and v is not None else v for n, v in enumerate(row)) for row in found]


async def structure(store: Store, database: str) -> list[tuple[Any, ...]]:
    """Every column and index, in order of their names."""
    if database.startswith("sqlite"):
        sql = """SELECT m.type, m.name, m.tbl_name, c.name AS part, c.type AS of, c."notnull" AS needed, c.pk
            FROM sqlite_master AS m LEFT JOIN pragma_table_info(m.name) AS c
            WHERE m.name NOT LIKE 'sqlite_stat%' ORDER BY 1, 2, 3, 4"""
    else:
        sql = """SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name NOT LIKE 'event_rows_2%%'
            UNION ALL SELECT tablename, indexname, indexdef, '' FROM pg_indexes WHERE schemaname = 'public'
            AND tablename NOT LIKE 'event_rows_2%%'
            ORDER BY 1, 2"""
    return [tuple(row.values()) for row in await store.ask(sql)]


def test_every_version_before_this_one_is_kept() -> None:
    steps = sorted(step.name.split("_")[1] for step in (schema.STEPS / "versions").glob("step_*.py"))
    assert set(steps[:-1]) <= {version[:4] for version in MADE}
    for version in MADE:
        assert len(held(version)) == 9


@pytest.mark.parametrize("version", EARLIER)
async def test_an_archive_of_an_earlier_version_opens_with_what_it_holds(
    database: str, version: str, tmp_path: Path
) -> None:
    await load(database, version)
    store = store_at(database)
    for _ in range(2):
        await store.open()
        assert await dump(store) == held(version)
        await store.close()
    await store.open()
    assert await questions.missing(store, Asked(table="toledo/RL-07")) == []
    new = rows([closed(n, n * 40.0, n) for n in (2, 5)])
    assert [row.sequence for row in await store.put(new, [])] == [5]  # 2 is there
    assert max(row["version"] for row in await store.ask(schema.FOUND)) == schema.VERSION
    found = await structure(store, database)
    await store.close()
    if database.startswith("sqlite"):
        fresh = f"sqlite:{tmp_path / 'fresh.db'}"
    else:
        import psycopg

        async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
            await connection.execute("DROP SCHEMA public CASCADE")
            await connection.execute("CREATE SCHEMA public")
        fresh = database
    store = store_at(fresh)
    await store.open()
    assert found == await structure(store, fresh)
    await store.close()


@pytest.mark.parametrize("version", ["", "0001", "0005"])
async def test_instances_that_start_at_once_take_each_step_once(database: str, version: str) -> None:
    if version:
        await load(database, version)
    stores = [store_at(database) for _ in range(4)]
    await asyncio.gather(*(store.open() for store in stores))
    said = await stores[0].ask("SELECT version FROM archive_version ORDER BY version")
    before = int(version or 0)
    assert [row["version"] for row in said] == sorted({before, schema.VERSION} - {0})
    assert await stores[1].ask("SELECT version_num FROM archive_steps") == [{"version_num": f"{schema.VERSION:04}"}]
    for store in stores:
        await store.close()


async def test_a_step_that_fails_leaves_the_archive_as_it_was(database: str) -> None:
    """Somebody's view has the name of a table of the fifth step, so that its index cannot be made."""
    await load(database, "0003")
    view = "CREATE VIEW tree_heads AS SELECT 1 AS site"
    undo = "DROP VIEW tree_heads"
    await _by_hand(database, view)
    store = store_at(database)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"^[^\n]+$"):
            await store.open()
    await _by_hand(database, "SELECT * FROM put_aside")  # a table of the third step
    with pytest.raises(Exception, match="runs"):
        await _by_hand(database, "SELECT * FROM runs")  # the fourth step was undone with the fifth
    await _by_hand(database, undo)
    await store.open()
    assert await dump(store) == held("0003")
    await store.close()


async def _by_hand(database: str, sql: str) -> None:
    kind, _, path = database.partition(":")
    if kind == "sqlite":
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute(sql)
        finally:
            connection.close()
        return
    import psycopg

    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as other:
        await other.execute(sql.encode())
