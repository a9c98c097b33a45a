"""What is put into a journal's file, or taken out of it, beside its records: found before anything is read."""

from __future__ import annotations

import sqlite3

import pytest

from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.layout import ROOM_TABLE
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.hal.sim import SimClock
from tests.daemon.test_journal import fill
from tests.daemon.test_rescue import settled, told, wrote

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 AS only, i AS delivered FROM n"
GUARDS = "no record was altered, but the guards in the file against altering were: "
HIDDEN = "CREATE TRIGGER hidden AFTER INSERT ON record BEGIN UPDATE mark SET delivered = NEW.seq; END"

RENAMED = (
    "UPDATE sqlite_master SET name = 'sqlite_hidden', sql = replace(sql, 'hidden', 'sqlite_hidden') "
    "WHERE name = 'hidden'"
)


def spoil(path, *statements):
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            db.execute(statement)
    db.close()


SPOILED = [
    (
        (HIDDEN, RENAMED),
        "the trigger sqlite_hidden on record does not belong in the file",
    ),
    ((HIDDEN,), "the trigger hidden on record does not belong in the file"),
    (("DROP TRIGGER no_delete",), "the trigger no_delete is missing in the file"),
    (
        ("DROP TRIGGER no_gap", "CREATE TRIGGER no_gap BEFORE INSERT ON record BEGIN SELECT 1; END"),
        "the trigger no_gap in the file was altered",
    ),
    (("CREATE INDEX more ON record (boot)",), "the index more on record does not belong in the file"),
    (("DROP TABLE mark", f"CREATE VIEW mark AS {ENDLESS}"), "the view mark in the file was altered"),
    (("CREATE VIEW other AS SELECT 1",), "the view other on other does not belong in the file"),
]


@pytest.mark.parametrize(("statements", "found"), SPOILED)
def test_verify_names_what_is_foreign_or_missing(tmp_path, statements, found):
    fill(tmp_path / "j.db", 5).close()
    spoil(tmp_path / "j.db", *statements)
    assert verify(tmp_path / "j.db").fault.removeprefix(GUARDS).startswith(found)


@pytest.mark.parametrize(("statements", "found"), SPOILED)
async def test_a_start_sets_such_a_file_aside_and_says_what_it_found(tmp_path, statements, found):
    path = tmp_path / "j.db"
    await wrote(path, 10, 4)
    spoil(path, *statements)
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await settled(journal)
    (detail,) = told(journal)
    assert found in detail["reason"]
    await journal.close()
    assert verify(path).fault is None


def test_a_start_that_was_broken_off_leaves_nothing_foreign(tmp_path):
    fill(tmp_path / "j.db", 5).close()
    with sqlite3.connect(tmp_path / "j.db") as db:
        db.execute(ROOM_TABLE)
    db.close()
    assert verify(tmp_path / "j.db").fault is None
    Store(tmp_path / "j.db").close()
