"""What `doctor` says to a technician of devices that get worse, from the records of a table that played."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from pitwatch.daemon.doctor import wear
from pitwatch.daemon.doctor.finding import Finding
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.pipeline.pipeline import LASTING, subtopic_of
from pitwatch.rules.fairness.cycles import BASELINE
from tests.rules.test_fairness_cycles import Machine

DAY_NS = 86_400 * 1_000_000_000


def told(table: Machine, path: Path, wall_ns: int) -> list[Finding]:
    """By a journal that has these records, all of one time."""
    table.stop()
    store = Store(path)
    rows = [
        Record(number, "b", 1, wall_ns, True, each.kind, subtopic_of(each), isinstance(each, LASTING),
               msgspec.json.encode(each))
        for number, each in enumerate(table.records, start=1)
    ]  # fmt: skip
    store.write(rows, 0)
    store.close()
    return list(wear.findings(path))


def machine(*paces: tuple[int, float]) -> Machine:
    table, rng = Machine(), random.Random(5)
    for many, mean in ((BASELINE, 60.0), *paces):
        table.shuffles(rng.randrange(1000), many, mean)
    return table


def test_a_machine_that_gets_slower_is_shown_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: 20 * DAY_NS)
    (finding,) = told(machine((80, 75.0)), tmp_path / "slow.db", 19 * DAY_NS)
    assert not finding.well
    assert finding.what == "wear of shuffler"
    assert finding.seen.startswith("shuffler took ")
    assert "technician" in finding.fix
    (finding,) = told(machine((80, 75.0)), tmp_path / "old.db", 5 * DAY_NS)
    assert finding.well


def test_a_machine_that_keeps_its_pace_or_was_repaired_is_well(tmp_path, monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: 20 * DAY_NS)
    (finding,) = told(machine((100, 60.0)), tmp_path / "well.db", 19 * DAY_NS)
    assert (finding.well, finding.seen) == (True, "100 shuffles, no slower than at first")
    (finding,) = told(machine((80, 75.0), (250, 60.0)), tmp_path / "mended.db", 19 * DAY_NS)
    assert finding.well


def test_a_new_table_and_a_file_that_is_none_say_nothing(tmp_path):
    assert told(machine(), tmp_path / "new.db", 1) == []
    assert list(wear.findings(tmp_path / "none.db")) == []
    (tmp_path / "other.db").write_text("x" * 5000)
    assert list(wear.findings(tmp_path / "other.db")) == []
