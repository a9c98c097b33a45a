"""Which boards come first, and when a table is worse than before."""

from __future__ import annotations

import pytest

from pitwatch.floor.fleet.heard import Health, Status, TableHeard
from pitwatch.floor.fleet.judging import before, worse
from pitwatch.floor.fleet.rings import read_rings, split


@pytest.mark.parametrize(
    ("text", "sizes"), [("1,10,all", [1, 10, 19]), ("all", [30]), ("1,2", [1, 2]), ("40,all", [30]), ("30,1", [30])]
)
def test_rings(text, sizes):
    assert [len(ring) for ring in split(list(range(30)), read_rings(text))] == sizes


@pytest.mark.parametrize("text", ["", "0", "1,,2", "-1", "all,1", "1.5", "²", "1;2", "9" * 30])
def test_no_rings(text):
    with pytest.raises(ValueError, match=r"1,10,all is right|nothing is left"):
        read_rings(text)


def table(state="ready", version="2", boot="b", devices=None, alerts=(), **health) -> TableHeard:
    said = TableHeard()
    said.status = Status(state=state, version=version, boot=boot, journal="ok")
    said.health = Health(**health)
    said.devices = {"wheel": "online"} if devices is None else devices
    said.alerts = dict.fromkeys(alerts, "x")
    return said


WAS = before(table(version="1", boot="a", devices={"wheel": "online", "panel": "offline"}, alerts=["panel-offline"]))


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (table(), ""),
        (table(state="aligning"), ""),
        (table(devices={"wheel": "online", "panel": "online", "new": "offline"}), ""),
        (table(alerts=["panel-offline"]), ""),
        (table(devices={"wheel": "removed"}), ""),
        (table(state="lost"), "it is lost"),
        (table(state="starting"), "it is starting"),
        (table(version="1"), "it publishes version 1"),
        (table(boot="c"), "it was started again"),
        (table(devices={"wheel": "fault"}), "wheel was on line and is fault"),
        (table(devices={}), "wheel was on line and is gone"),
        (table(alerts=["wheel-jam"]), "alert wheel-jam is new"),
        (table(errors=1), "the program reports faults"),
        (table(broker="refuses"), "broker: refuses"),
        (table(dropped={"records": 3}), "it drops records"),
        (None, "nothing is heard of it"),
        (TableHeard(), "nothing is heard of it"),
        (table(state="\x1b[2J"), r"it is \x1b[2J"),
    ],
)
def test_worse(now, says):
    assert worse(WAS, now, "2", "b") == says


@pytest.mark.parametrize("was", [None, TableHeard(), table(state="lost"), table(state="stopping")])
def test_a_table_that_was_not_watched_cannot_become_worse(was):
    assert worse(before(was), None, "2") == ""
