"""What the list of the fleet says of a table."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec
import pytest

from pitwatch.daemon.contract.event import Event
from pitwatch.floor.fleet.config import Board, Fleet
from pitwatch.floor.fleet.heard import MOST_ENTRIES, MOST_TABLES, Heard
from pitwatch.floor.fleet.listing import rows
from pitwatch.floor.identity.approved import Approved, ForAll, ForTable
from pitwatch.floor.message import Message

NOW = 1_800_000_000.0
FLEET = Fleet(boards=(Board(name="B-07", host="h", port=22, host_key="k", tables=("toledo/RL-07",)),))


def say(heard: Heard, subtopic: str, data: object, table: str = "toledo/RL-07", age: float = 10.0) -> None:
    kind = subtopic.partition("/")[0]
    event = None
    if data is not None:
        time = datetime.fromtimestamp(NOW - age, UTC).isoformat()
        event = Event("i", f"/{table}", f"pitwatch.{kind}.v1", "b", msgspec.Raw(json.dumps(data).encode()), time=time)
    heard.take(Message(table, subtopic, event, True), NOW)


def looks(*said: tuple[str, object], approved: Approved | None = None, **more: float) -> tuple[str, ...]:
    heard = Heard()
    status = {"state": "ready", "version": "1", "journal": "ok", "key": "K", "fingerprints": {"book": "B"}}
    say(heard, "status", status, **more)
    say(heard, "health", {"clock_synced": True, "disk_free_mib": 9000}, **more)
    for subtopic, data in said:
        say(heard, subtopic, data, **more)
    (row,) = rows(FLEET, heard, approved or Approved(), NOW)
    return row.look


def test_a_table_that_is_well_is_not_to_be_looked_at():
    assert looks() == ()


@pytest.mark.parametrize(
    ("said", "look"),
    [
        (("status", {"state": "lost"}), "off line"),
        (("status", {"state": "stopping"}), "stopped"),
        (("status", {"state": "ready", "journal": "damaged"}), "journal: damaged"),
        (("status", {"state": 3}), "it publishes what no table would"),
        (("device/wheel", {"state": "offline"}), "wheel is offline"),
        (("alert/wheel-jam", {"raised": True, "condition": "jam"}), "alert wheel-jam"),
        (("health", {"clock_synced": False}), "clock not set"),
        (("health", {"certificate_ends": "2027-01-20T00:00:00Z"}), "certificate ends in 4 d"),
        (("health", {"certificate_ends": "2026-01-20T00:00:00Z"}), "certificate has ended"),
        (("health", {"certificate_ends": "\x1b"}), "the end of its certificate cannot be read"),
        (("health", {"disk_free_mib": 100}), "100 MiB left on the disk"),
        (("health", {"temperature_c": 85.2}), "85 degrees"),
        (("health", {"throttled": 0x50005}), "under-voltage, throttled"),
        (("health", {"throttled": 0x50000}), "under-voltage, throttled since it started"),
        (("health", {"errors": 2}), "2 faults in the program"),
    ],
)
def test_what_is_to_be_looked_at(said, look):
    assert looks(said) == (look,)


@pytest.mark.parametrize(
    "said",
    [
        ("health", {"temperature_c": 48.0, "throttled": 0, "certificate_ends": "2028-01-01T00:00:00Z"}),
        ("health", {}),  # of an earlier version
        ("alert/wheel-jam", {"raised": False}),
        ("device/wheel", {"state": "online"}),
    ],
)
def test_what_is_not(said):
    assert looks(said) == ()


def test_silent_ahead_and_not_approved():
    assert looks(age=300.0) == ("silent for 5 min",)
    assert looks(age=-3600.0) == ("its clock is ahead by 60 min",)
    approved = Approved(every=ForAll(book="C"), tables={"toledo/RL-07": ForTable(key="L")})
    assert looks(approved=approved) == ("book is not approved", "key is not approved")
    assert looks(approved=Approved(every=ForAll(book=["C", "B"]), tables={"toledo/RL-07": ForTable(key="K")})) == ()


def test_a_table_on_no_board_and_one_that_says_nothing():
    heard = Heard()
    say(heard, "status", {"state": "ready"}, table="toledo/XX-01")
    found = {row.table: row.look for row in rows(FLEET, heard, Approved(), NOW, {"toledo/XX-01": 2})}
    assert found == {
        "toledo/RL-07": ("never heard",),
        "toledo/XX-01": (
            "no board of FLOOR.toml has this table", "2 troubles in the archive (pitwatch archive troubles)"
        ),
    }  # fmt: skip


def test_a_hostile_table_fills_no_memory():
    heard = Heard()
    for number in range(5_000):
        say(heard, f"device/{number}", {"state": "x" * 1000})
        say(heard, f"alert/{number}", {"raised": True, "condition": "x" * 1000})
        say(heard, "status", {"state": "ready"}, table=f"toledo/X-{number}")
    assert len(heard.tables) == MOST_TABLES
    own = heard.tables["toledo/RL-07"]
    assert (len(own.devices), len(own.alerts)) == (MOST_ENTRIES, MOST_ENTRIES)
    assert max(map(len, own.devices.values())) <= 200
    for name in list(own.alerts):
        say(heard, f"alert/{name}", None)
    assert own.alerts == {}


@pytest.mark.parametrize(
    "data",
    [
        {"disk_free_mib": 10**30, "temperature_c": 1e300, "errors": 10**30, "throttled": 2**200},
        {
            "disk_free_mib": -5,
            "temperature_c": -1e300,
            "certificate_ends": "9999-12-31T23:59:59-23:59",
            "throttled": -1,
        },
    ],
)
def test_numbers_that_no_board_would_report_break_nothing(data):
    heard = Heard()
    say(heard, "status", {"state": "ready"})
    say(heard, "health", data)
    (row,) = rows(FLEET, heard, Approved(), NOW)
    assert "".join((*row[:-1], *row.look)).isprintable()
