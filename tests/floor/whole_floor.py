"""A floor as a house has it: tables, a broker, PostgreSQL behind an archive, and somebody who watches. For tests only.

What is held: every planned irregularity is in the database once and no other, nothing is missing, and the view's top
row was the right one at every look.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from pitwatch.floor.archive import questions
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.gaps import gaps
from pitwatch.floor.archive.store import Store
from pitwatch.floor.config import default
from pitwatch.floor.watch.app import WatchApp
from pitwatch.floor.watch.concern import Acknowledgement
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.test_archiver import Instance
from tests.floor.watch.witness import Witness

PROJECT = Path(__file__).parents[2]
ARCHIVED_WITHIN = 300.0


class Outcome(NamedTuple):
    tables: int
    planned: Counter[tuple[str, str]]
    archived: Counter[tuple[str, str]]
    events: int
    rounds: int
    looks: int
    tops: int
    """Different top rows that were seen."""
    wrong: list[tuple[str, list[tuple[int, int, str]]]]
    """Looks at which the top row was another than it should be."""
    missing: int
    troubles: int
    """Tables that were taken for others, or for rolled back."""


async def whole_floor(broker: Mosquitto, database: str, tables: int, seconds: float, rules: int | None) -> Outcome:
    """Play it. Raises AssertionError if a part of the floor does not come up."""
    instance = Instance(broker, database, "archive")
    playing = _tables(broker.url, tables, seconds, rules)
    store = store_at(database)
    app = WatchApp(default(broker.url), by="Ann")
    witness = Witness(app)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            while not (app.feed.connected and instance.hears()):
                await pilot.pause(0.1)
            telling = asyncio.create_task(asyncio.to_thread(playing.communicate))
            while not telling.done():
                await pilot.pause(1.0)
                # Acknowledged here, at once, for the keys need a moment in which the floor goes on.
                if first := witness.expected.first():
                    app.floor.acknowledge(app.floor.ordered()[0], Acknowledgement("Ann", time.time(), "here"))
                    witness.expected.acknowledge(first)
        assert playing.returncode == 0, "the tables failed"
        told = json.loads(telling.result()[0].splitlines()[-1])
        await store.open()
        await _archived(store, told["last"])
        found = await store.ask("SELECT site, table_id, name, id FROM events WHERE kind = 'irregularity'")
        (counts,) = await store.ask("SELECT count(*) AS events FROM events")
        return Outcome(
            tables,
            Counter({(table, rule): n for table, rules_ in told["planned"].items() for rule, n in rules_.items()}),
            Counter((f"{each['site']}/{each['table_id']}", each["name"].rpartition("/")[2]) for each in found),
            counts["events"],
            sum(each["rounds"] for each in await questions.rounds(store, questions.Asked())),
            len(witness.tops),
            len({re.sub(r" +[0-9]+[smhd] ", " ", top) for top in witness.tops}),
            witness.wrong,
            sum(gap.last - gap.first + 1 for gap in await gaps(store)),
            len(await questions.troubles(store, questions.Asked())),
        )
    finally:
        playing.kill()
        instance.end(signal.SIGTERM)
        await store.close()


def _tables(url: str, tables: int, seconds: float, rules: int | None) -> subprocess.Popen[str]:
    size = ["--tables", str(tables), "--seconds", str(seconds), *([] if rules is None else ["--rules", str(rules)])]
    command = [sys.executable, "-m", "tests.floor.tables", url, *size]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


async def _archived(store: Store, last: dict[str, int]) -> None:
    """Wait until every table's last record is there."""
    async with asyncio.timeout(ARCHIVED_WITHIN):
        while True:
            rows: list[dict[str, Any]] = await store.ask(
                "SELECT site, table_id, max(sequence) AS last FROM events GROUP BY site, table_id"
            )
            if {f"{row['site']}/{row['table_id']}": row["last"] for row in rows} == last:
                return
            await asyncio.sleep(0.2)
