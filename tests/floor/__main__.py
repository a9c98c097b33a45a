"""`make floor-test`: twenty tables of every family for five minutes, every fault planned; prints what came of it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.postgres import Postgres
from tests.floor.whole_floor import whole_floor


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.floor", description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pitwatch-floor-test-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL is another user
        broker, server = Mosquitto(Path(folder)), Postgres()
        broker.start()
        server.start()
        try:
            floor = asyncio.run(whole_floor(broker, server.fresh(), args.tables, args.seconds, None))
        finally:
            server.stop()
            broker.close()
    planned, archived = sum(floor.planned.values()), sum(floor.archived.values())
    lacking, surplus = floor.planned - floor.archived, floor.archived - floor.planned
    print(f"{floor.tables} tables, {floor.rounds} rounds, {floor.events} events in PostgreSQL, {floor.missing} missing")
    print(f"irregularities: {planned} planned of {len({rule for _, rule in floor.planned})} rules, {archived} archived")
    print(f"top row of watch: {floor.looks} looks, {floor.tops} different rows, {len(floor.wrong)} wrong")
    for what, counts in (("not reported", lacking), ("not planned", surplus)):
        for (table, rule), n in sorted(counts.items()):
            print(f"  {what}: {table} {rule} {n}")
    for top, may_be in floor.wrong[:5]:
        print(f"  top row {top!r}, expected one of {may_be}")
    return 1 if lacking or surplus or floor.wrong or floor.missing or floor.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
