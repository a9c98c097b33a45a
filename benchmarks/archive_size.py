"""Bytes that an event takes in the archive with all its indexes, beside the bytes of its message.

The events are those of five games as their tables publish them; many tables play at once, so that rows come mixed.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.archive import postgresql
from benchmarks.figure import Figure
from benchmarks.floor_tables import GAMES, SITE, Step, read_script, write_script
from benchmarks.table import scratch
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.publishing.envelope import Envelope
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.row import Row, row_of
from pitwatch.floor.message import read_message

TABLES = 50
ROUNDS = 200
"""Of each game, at full size."""
BATCH = 100
WALL_NS = 1_800_000_000_000_000_000
SIZES = {
    "sqlite": "SELECT sum(pages) AS bytes FROM (SELECT page_count * page_size AS pages FROM pragma_page_count,"
    " pragma_page_size)",
    "postgresql": "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class"
    " WHERE starts_with(relname, 'event_') AND relkind = 'r'",
}


def _of_table(number: int, script: list[Step], count: int) -> list[Row]:
    chance = random.Random(number)
    name, boot = f"T-{number:03d}", chance.randbytes(6).hex()
    topic = f"pitwatch/1/{SITE}/{name}"
    envelope = Envelope(SITE, name, topic, boot, False)
    t, made = chance.uniform(1_000, 9_000), []
    for sequence, step in enumerate(itertools.islice(itertools.cycle(script), chance.randrange(len(script)), None), 1):
        t += max(step.wait, 0.0)
        t_ns = int(t * 1e9)
        record = Record(
            sequence, boot, t_ns, WALL_NS + t_ns, True, step.kind, step.subtopic, step.retained, bytes(step.body)
        )
        message = envelope.messages(record)[0]
        row = row_of(read_message("pitwatch/1", message.topic, message.payload, False), datetime.now(UTC))
        if row is not None:
            made.append(row)
        if sequence >= count:
            break
    return made


def played(folder: Path, per_table: int, rounds: int) -> list[Row]:
    """Events of all tables, in the order of their times."""
    scripts = [read_script(write_script(game, rounds, folder)) for game in GAMES]
    rows = [row for n in range(TABLES) for row in _of_table(n, scripts[n % len(scripts)], per_table)]
    return sorted(rows, key=lambda row: row.at)


async def _stored(address: str, rows: list[Row]) -> float:
    """Bytes an event."""
    store = store_at(address)
    await store.open()
    for at in range(0, len(rows), BATCH):
        await store.put(rows[at : at + BATCH], [])
    ((size,),) = [tuple(row.values()) for row in await store.ask(SIZES[address.partition(":")[0]])]
    await store.close()
    return float(size) / len(rows)


def figures(per_table: int, rounds: int = ROUNDS) -> list[Figure]:
    with scratch() as folder, postgresql(folder) as server:
        rows = played(folder, per_table, rounds)
        message = sum(len(row.payload.encode()) for row in rows) / len(rows)
        return [
            Figure(f"archive_{kind}_size", asyncio.run(_stored(address, rows)), "bytes/event", "the message", message)
            for kind, address in (("sqlite", f"sqlite:{folder / 'size.db'}"), ("postgresql", server))
            if address
        ]
