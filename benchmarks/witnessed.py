"""From bytes on a serial port to the message, at a table whose journal a witness cosigns, beside one without a witness.

Both tables are at one broker; an archive beside them is the witness. A trial of each in turn, so that whatever else the
machine does falls on both alike. Heads are signed every 1,000 records and cosigned at once, far more often than in a
casino.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.figure import Figure, median, percentile, say
from benchmarks.latency import PAUSE, WARM_UP, Ear, at_broker
from benchmarks.table import ROOT, end, scratch, serial_port, table
from pitwatch.daemon.bench.broker import embedded_broker, mosquitto
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.journal.store import Store
from pitwatch.devices.protocols import slingshot2

PITWATCH = [sys.executable, "-m", "pitwatch.daemon.cli"]
TABLES = ("RL-01", "RL-02")
"""Without a witness, and with one."""

BASELINE = "the same observation of a table without a witness"

FLOOR = """\
[mqtt]
url = "{url}"
[archive]
database = "sqlite:{folder}/floor.db"
[witness]
name = "bench.example/archive"
"""


@contextmanager
def _witness(url: str, folder: Path) -> Iterator[str]:
    """An archive that cosigns; yields its verifier key."""
    floor = folder / "FLOOR.toml"
    floor.write_text(FLOOR.format(url=url, folder=folder))
    asked = [*PITWATCH, "witness", "key", str(floor)]
    key = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    command = [*PITWATCH, "archive", "run", str(floor)]
    with (folder / "archive.log").open("ab") as log:
        running = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        yield key.stdout.strip()
    finally:
        end(running)


async def _run(ear: Ear, wheels: dict[str, int], trials: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {name: [] for name in wheels}
    order = list(wheels)
    for number in range(WARM_UP + trials):
        random.shuffle(order)
        for name in order:
            await asyncio.sleep(random.uniform(*PAUSE))
            began = time.perf_counter()
            os.write(wheels[name], slingshot2.result_line("17"))
            heard, _ = await ear.wait(f"pitwatch/1/bench/{name}/observation/wheel", b'"result_announced"')
            if number >= WARM_UP:
                took[name].append(heard - began)
    return took


async def _measure(trials: int, folder: Path) -> dict[str, list[float]]:
    async with embedded_broker() as (url, _), at_broker(parse_broker_url(url).port) as (ear, _):
        with ExitStack() as both:
            key = both.enter_context(_witness(url, folder))
            wheels = {}
            for name in TABLES:
                wheels[name], port = both.enter_context(serial_port())
                (folder / name).mkdir()
                more = f'[witness]\nkeys = ["{key}"]' if name == TABLES[1] else ""
                both.enter_context(table(url, port, folder / name, name=name, more=more))
            took = await _run(ear, wheels, trials)
    store = Store(folder / TABLES[1] / "journal.db", read_only=True)
    cosigned = sum(record.kind == "cosignature" for record, _ in store.records(0))
    store.close()
    say(f"witness: {cosigned} heads were cosigned meanwhile")
    return took


def figures(trials: int) -> list[Figure]:
    """Median and 99th percentile in ms of so many observations of each table."""
    took: dict[str, list[float]] = {}
    if mosquitto() is None:
        say("witness: no figures: mosquitto is not installed")
    else:
        with scratch() as folder:
            took = asyncio.run(_measure(trials, folder))
    found = []
    for what, of in (("median", median), ("p99", lambda values: percentile(values, 99))):
        without, value = (of(took[name]) * 1000 if name in took else None for name in TABLES)
        found.append(Figure(f"witness_latency_{what}", value, "ms", BASELINE, without))
    return found
