"""The tables of the test floor, as a process: so many bench tables of every family, each with faults planned.

    python -m tests.floor.tables URL --tables 20 --seconds 300 [--rules N]

Every table plays its plan in the given time. Prints one JSON object at the end: what was planned, by table and rule,
and each table's last sequence.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

import msgspec

from pitwatch import sim_hw
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.bench.scenario import Part
from pitwatch.daemon.bench.table import BenchTable, on_the_bench
from pitwatch.daemon.config import config

ROUNDS_PER_FAULT = 4
SITE = "floor"


def prepared(url: str, number: int, rules: int | None, folder: Path) -> BenchTable:
    """The bench tables by turns, each with a seed of its own."""
    files = sorted((Path(sim_hw.__file__).parent / "tables").glob("*.toml"))
    loaded = config.load(files[number % len(files)])
    section = msgspec.structs.replace(loaded.table, site=SITE, id=f"T-{number + 1:02d}")
    table = on_the_bench(msgspec.structs.replace(loaded, table=section), url, folder, number)
    devices = [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in table.devices
    ]
    people = {credential: person.role for credential, person in table.people.items()}
    can = sim_hw.provokable(table.game, devices, dict(table.table.options), people)
    wanted = can if rules is None else tuple(can[(number + n * 7) % len(can)] for n in range(min(rules, len(can))))
    made = BenchTable(
        table, Part(table="", rounds=ROUNDS_PER_FAULT * (len(set(wanted)) + 1), rules=wanted), number + 1, None
    )
    made.clock.set_wall(0, False)  # each plays at a pace of its own: no clock is right, so what is heard first is older
    return made


async def floor(url: str, count: int, seconds: float, rules: int | None) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="pitwatch-floor-") as folder:
        tables = [prepared(url, number, rules, Path(folder)) for number in range(count)]
        print("ready", flush=True)
        for table in tables:
            await table.daemon.start()

        async def one(table: BenchTable) -> None:
            events = list(table.events)
            await play(events, table.hardware, table.daemon.journal, events[-1].t_ns / 1e9 / seconds)

        await asyncio.gather(*(one(table) for table in tables))
        for table in tables:
            assert await table.daemon.publisher.drain(60), f"{table.id}: not delivered"
            await table.daemon.stop()
            table.hardware.close()
        return {
            "planned": {f"{SITE}/{table.id}": dict(+table.planned) for table in tables},
            "last": {f"{SITE}/{table.id}": table.daemon.journal.last for table in tables},
        }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.floor.tables", description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--rules", type=int, help="faults a table; all that it can show by default")
    args = parser.parse_args()
    print(json.dumps(asyncio.run(floor(args.url, args.tables, args.seconds, args.rules))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
