"""Events a second into the archive, beside the same rows written by the database's own bulk load.

PostgreSQL runs on a socket of its own with its usual settings, which sync every commit; so does SQLite. Batches are of
the size that a broker leaves unacknowledged to one client: 20 is mosquitto's own, 1,000 what the archive takes at most.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.figure import Figure, median, say
from benchmarks.table import scratch
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.row import COLUMNS, Row, iso

START = datetime(2027, 1, 15, 8, tzinfo=UTC)
BATCHES = (20, 1_000)
BULK = """CREATE TABLE IF NOT EXISTS bulk_events (
    site TEXT NOT NULL, table_id TEXT NOT NULL, id TEXT NOT NULL, sequence BIGINT, boot TEXT NOT NULL,
    kind TEXT NOT NULL, subtopic TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, monotonic_ns BIGINT NOT NULL,
    synced BOOLEAN NOT NULL, name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN,
    earlier BOOLEAN, void TEXT, payload TEXT NOT NULL, PRIMARY KEY (site, table_id, id))"""


def rows(count: int, turn: int) -> list[Row]:
    """Observations of 300 tables by turns, as long as real ones."""
    made = []
    for number in range(count):
        table, sequence = number % 300, turn * count + number // 300 + 1
        t, name = number * 1_000_000, f"T-{table:03d}"
        payload = (
            f'{{"specversion":"1.0","id":"{name}/{turn}/{sequence}","source":"/bench/{name}","type":"pitwatch.observation.v1",'
            f'"time":"2027-01-15T08:00:00.000000Z","datacontenttype":"application/json","bootid":"{turn}","monotonic":"{t}",'
            f'"clocksynced":true,"sequence":{sequence},"data":{{"t":{t / 1e9},"device":"shoe","event":"card_drawn",'
            f'"data":{{"card":null,"to":"player"}},"withheld":true}}}}'
        )
        made.append(
            Row(
                "bench", name, f"{name}/{turn}/{sequence}", sequence, str(turn), "observation", "observation/shoe",
                START + timedelta(microseconds=number), t, synced=True, name="card_drawn", device="shoe",
                severity=None, raised=None, partial=None, earlier=None, void=None, payload=payload,
            )
        )  # fmt: skip
    return made


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """The address of an empty database on a server of its own; an empty one if PostgreSQL is not installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        say("archive: no figures of PostgreSQL: it is not installed")
        yield ""
        return
    data = folder / "postgres"
    data.mkdir()
    switch = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    if switch:
        shutil.chown(data, "postgres", "postgres")
        folder.chmod(0o755)
    initdb = [*switch, str(programs[-1] / "initdb"), "-D", f"{data}/data", "-U", "bench", "-A", "trust"]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(
        [*switch, str(programs[-1] / "postgres"), "-D", f"{data}/data", "-c", "listen_addresses=", "-k", str(data)],
        stderr=subprocess.DEVNULL,
    )
    try:
        ready = [str(programs[-1] / "pg_isready"), "-h", str(data), "-q"]
        while subprocess.run(ready, check=False).returncode:
            time.sleep(0.05)
        yield f"postgresql://bench@/postgres?host={data}"
    finally:
        server.terminate()
        server.wait()


async def _archived(address: str, batch: int, count: int, turn: int) -> float:
    """Events a second."""
    store = store_at(address)
    await store.open()
    given = rows(count, turn)
    began = time.perf_counter()
    for at in range(0, count, batch):
        await store.put(given[at : at + batch], [])
    took = time.perf_counter() - began
    await store.close()
    return count / took


def _bulk(address: str, count: int, turn: int) -> float:
    """The same rows by COPY, or by executemany in one transaction; into one plain table of the view's columns."""
    given = [tuple(iso(v) if isinstance(v, datetime) else v for v in row[: len(COLUMNS)]) for row in rows(count, turn)]
    columns = ", ".join(COLUMNS)
    if address.startswith("sqlite:"):
        import sqlite3

        connection = sqlite3.connect(address.partition(":")[2], isolation_level=None)
        connection.execute(BULK)
        began = time.perf_counter()
        connection.execute("BEGIN")
        connection.executemany(f"INSERT INTO bulk_events ({columns}) VALUES ({', '.join('?' * len(COLUMNS))})", given)
        connection.execute("COMMIT")
        took = time.perf_counter() - began
        connection.close()
        return count / took
    import psycopg

    with psycopg.connect(address) as server:
        server.execute(BULK.encode())
        began = time.perf_counter()
        with server.cursor().copy(f"COPY bulk_events ({columns}) FROM STDIN".encode()) as copy:
            for row in given:
                copy.write_row(row)
        server.commit()
        return count / (time.perf_counter() - began)


def figures(count: int, turns: int) -> list[Figure]:
    """So many events in each of so many turns, each kind in turn."""
    found = []
    with scratch() as folder, postgresql(folder) as server:
        for kind, address in (("sqlite", f"sqlite:{folder / 'floor.db'}"), ("postgresql", server)):
            if not address:
                continue
            took: dict[int, list[float]] = {batch: [] for batch in (0, *BATCHES)}
            turn = 0
            for _ in range(turns):
                for batch in BATCHES:
                    turn += 1
                    some = min(count, batch * 50)
                    took[batch].append(asyncio.run(_archived(address, batch, some, turn)))
                turn += 1
                took[0].append(_bulk(address, count, turn))
            baseline = "COPY into a plain table" if kind == "postgresql" else "executemany in one transaction"
            found += [
                Figure(f"archive_{kind}_batch_{batch}", median(took[batch]), "events/s", baseline, median(took[0]))
                for batch in BATCHES
            ]
    return found
