"""Figures for Prometheus: read over HTTP by its own parser, of an archive that stores and a floor that plays."""

from __future__ import annotations

import asyncio
import socket
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pitwatch.daemon.common.errors import ConfigError, UsageError
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.config import load
from pitwatch.floor.metrics import archive as archive_figures
from pitwatch.floor.metrics import serving
from pitwatch.floor.metrics.archive import ArchiveFigures
from pitwatch.floor.metrics.serving import served
from pitwatch.floor.metrics.watching import WatchFigures
from pitwatch.floor.watch.model import Floor
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.stream import WALL, device, event, irregular
from tests.floor.archive.test_archiver import Table, archiving, until

Samples = dict[tuple[str, tuple[str, ...]], float]


def free() -> str:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return str(each.getsockname()[1])


async def scrape(port: int) -> Samples:
    """Every sample by name and label values, in the order of the labels' names."""

    def read() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            return str(answer.read().decode())

    text = await asyncio.to_thread(read)
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        if family.name.startswith("pitwatch_"):
            assert family.documentation
            for sample in family.samples:
                assert sample.name.endswith("_total") == (family.type == "counter")
                found[sample.name, tuple(value for _, value in sorted(sample.labels.items()))] = sample.value
    return found


@pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
async def test_the_archive_s_figures_follow_what_it_stores(
    broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "GATHER_EVERY", 0.1)
    monkeypatch.setattr(archive_figures, "ASK_EVERY", 0.2)
    table, store = Table(tmp_path, broker), store_at(f"sqlite:{tmp_path / 'floor.db'}")
    await table.daemon.start()
    try:
        async with (
            archiving(broker, store) as archiver,
            served(free(), ArchiveFigures(archiver, store).gather) as port,
        ):
            table.play(2)
            await until(table.delivered, "not delivered")
            last: Samples = {}

            async def told() -> bool:
                nonlocal last
                last = await scrape(port)
                stored = last["pitwatch_archive_events_total", ()]
                return stored >= table.daemon.journal.last and ("pitwatch_archive_stored_bytes", ()) in last

            await until(told, "the figures do not follow")
            assert last["pitwatch_archive_database_up", ()] == last["pitwatch_archive_broker_up", ()] == 1
            assert last["pitwatch_archive_stored_bytes", ()] >= 4096
            assert last["pitwatch_archive_tables", ()] == last["pitwatch_archive_tables_speaking", ()] == 1
            assert last["pitwatch_archive_missing_records", ()] == 0
            assert last["pitwatch_archive_last_message_timestamp_seconds", ()] > 1.7e9
            assert [value for (name, _), value in last.items() if name.endswith("troubles_open")] == [0.0] * 8
    finally:
        await table.daemon.stop()


async def test_the_figures_of_watch_have_no_label_that_a_table_can_choose() -> None:
    floor = Floor()
    floor.connection(None, WALL)
    for number in range(3):
        name = f"toledo/T-{number}"
        state = ("ready", "lost", "a word of its own")[number]
        floor.take(event("status", "status", {"state": state}, 1, None, name), WALL + 1)
    floor.take(event("status", "status", {"state": "ready"}, 1, None), WALL + 1)
    floor.take(irregular("a/b/c", 2, 1), WALL + 2)
    floor.take(device("wheel", "offline", 3, 2), WALL + 3)
    async with served(free(), WatchFigures(floor).gather) as port:
        found = await scrape(port)
    tables = {labels[0]: value for (name, labels), value in found.items() if name == "pitwatch_watch_tables"}
    assert sum(tables.values()) == len(floor.tables)
    assert set(tables) == {"lost", "silent", "gap", "unknown", "starting", "aligning", "stopped", "ready"}
    assert tables["lost"] == 1
    assert found["pitwatch_watch_lines", ("false", "warning")] == 1
    assert found["pitwatch_watch_devices_down", ()] == 1
    assert len(found) < 40


async def test_a_place_that_is_taken_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match=r"^metrics [0-9]+: nothing can be served there"):
            async with served(str(taken.getsockname()[1]), WatchFigures(Floor()).gather):
                pass


async def test_nothing_listens_without_a_place() -> None:
    async with served("", WatchFigures(Floor()).gather) as port:
        assert port == 0


@pytest.mark.parametrize("place", ["host:", "70000", "http://x:1", "0"])
def test_a_place_that_is_none_is_refused(tmp_path: Path, place: str) -> None:
    path = tmp_path / "FLOOR.toml"
    path.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[metrics]\narchive = "{place}"\n')
    with pytest.raises(ConfigError, match=r"metrics\.archive"):
        load(path)
