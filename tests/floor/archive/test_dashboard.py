"""docs/grafana/floor.json: a dashboard that Grafana takes, whose every panel shows something of a real PostgreSQL."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases.opening import Opening
from tests.floor.archive.postgres import Postgres
from tests.floor.archive.stream import device, event, irregular
from tests.floor.archive.test_removing import START, floor, passes
from tests.floor.archive.test_store import rows

PATH = Path(__file__).parents[3] / "docs" / "grafana" / "floor.json"
DASHBOARD = json.loads(PATH.read_text())
SOURCE = {"type": "grafana-postgresql-datasource", "uid": "${datasource}"}
BEGIN, END = START - timedelta(days=1), START + timedelta(days=100)


def as_grafana(sql: str, tables: list[str]) -> str:
    """With its macros and variables replaced, as Grafana's PostgreSQL source does."""
    hour = "floor(extract(epoch from at) / 3600) * 3600 AS time"
    sql = sql.replace("$__timeGroupAlias(at, '1h')", hour)
    sql = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN '{BEGIN.isoformat()}' AND '{END.isoformat()}'", sql)
    sql = sql.replace("$table", ", ".join(f"'{table}'" for table in tables))
    assert "$" not in sql
    return sql


def test_the_dashboard_is_one() -> None:
    panels = DASHBOARD["panels"]
    assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken
        taken |= cells
        assert panel["type"] in ("stat", "table", "timeseries")
        (target,) = panel["targets"]
        assert panel["datasource"] == target["datasource"] == SOURCE
        assert target["format"] == ("time_series" if panel["type"] == "timeseries" else "table")
        assert target["rawQuery"] is True
        # A panel rests on the views that are kept, and on no table below them.
        assert re.findall(r"\bFROM (\w+)", target["rawSql"]) == re.findall(r"\bFROM (floor_\w+)", target["rawSql"])
    assert [each["name"] for each in DASHBOARD["templating"]["list"]] == ["datasource", "table"]


@pytest.fixture
async def played(postgres: Postgres) -> Any:
    """A floor of which every panel has something to show."""
    store = store_at(postgres.fresh())
    await store.open()
    alert = event("alert", "alert/shoe-jam", {"key": "shoe-jam", "raised": True, "device": "shoe"}, 6_100_000, 61)
    states = [
        event("status", "status", {"state": "ready"}, 20, None),
        event("status", "status", {"state": "lost"}, 20, None, "toledo/BJ-01"),
    ]
    made = rows([*floor(), alert, *states, irregular("a/b/c", 6_100_001, 62), device("wheel", "fault", 6_100_002, 63)])
    await store.put(made, [])
    await Opening(store, ()).take(made)
    trouble = "'toledo', 'RL-07', 'forged', 's', '2027-01-16T00:00:00Z', 'told', '{}', '{}', NULL"
    await store.change(f"INSERT INTO troubles VALUES ({trouble})")
    await passes(store, 71)
    yield store
    await store.close()


async def test_every_panel_shows_something(played: Store) -> None:
    (_, variable) = DASHBOARD["templating"]["list"]
    tables = [next(iter(row.values())) for row in await played.ask(variable["query"])]
    assert tables == ["toledo/BJ-01", "toledo/RL-07"]
    shown: dict[str, list[dict[str, Any]]] = {}
    for panel in DASHBOARD["panels"]:
        found = await played.ask(as_grafana(panel["targets"][0]["rawSql"], tables))
        assert found, panel["title"]
        if panel["type"] == "timeseries":
            assert {"time", "metric"} < set(found[0])
        shown[panel["title"]] = found
    for title in ("Tables ready", "Tables not ready", "Alerts", "Troubles"):
        assert list(shown[title][0].values()) == [1]
    assert [row["alert"] for row in shown["Alerts that stand"]] == ["shoe-jam"]
    assert {row["device"] for row in shown["Devices that are not on line"]} == {"shoe", "wheel"}
    assert {row["rule"]: row["times"] for row in shown["Irregularities by rule"]} == {"a/b/c": 2}
    assert sum(row["rounds"] for row in shown["Rounds an hour"]) == 1
    one = await played.ask(as_grafana(DASHBOARD["panels"][0]["targets"][0]["rawSql"], ["toledo/BJ-01"]))
    assert list(one[0].values()) == [0]


async def test_a_role_of_its_own_reads_the_views_and_nothing_else(played: Store, postgres: Postgres) -> None:
    import psycopg

    views = sorted({view for panel in DASHBOARD["panels"] for view in re.findall(r"FROM (\w+)", str(panel["targets"]))})
    await played.change("DROP ROLE IF EXISTS grafana")
    await played.change("CREATE ROLE grafana LOGIN")
    await played.change(f"GRANT SELECT ON {', '.join(views)} TO grafana")
    address = str(getattr(played, "_url")).replace("pitwatch@", "grafana@")  # noqa: B009
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as role:
        for panel in DASHBOARD["panels"]:
            await role.execute(as_grafana(panel["targets"][0]["rawSql"], ["toledo/RL-07"]).encode())
        for table in ("events", "event_rows", "troubles", "case_changes"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await role.execute(f"SELECT * FROM {table}".encode())
