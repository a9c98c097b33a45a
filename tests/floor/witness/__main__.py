"""`python -m tests.floor.witness [--times N] [--days D]`: each attack N times, D days of clean play; prints a table."""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from pathlib import Path

from pitwatch.floor.archive.database import store_at
from tests.floor.witness.attacks import ATTACKS, Month
from tests.floor.witness.boards import House


async def main(times: int, days: float) -> int:
    print("| attack | tries | found | minutes |\n|---|---:|---:|---:|", flush=True)
    right = True
    for name, attack in ATTACKS.items():
        began, found = time.monotonic(), 0
        with tempfile.TemporaryDirectory() as folder:
            store = store_at(f"sqlite:{folder}/floor.db")
            await store.open()
            chance = random.Random(name)
            house = House(store, Path(folder), chance)
            for number in range(times):
                found += await attack(house, f"toledo/T-{number}", chance)
                await store.change("DELETE FROM tree_heads")  # so that the next looks are at the next table alone
            await store.close()
        right = right and found == times
        print(f"| {name} | {times:,} | {found:,} | {(time.monotonic() - began) / 60:.1f} |", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        store = store_at(f"sqlite:{folder}/floor.db")
        await store.open()
        chance = random.Random("clean")
        month = Month(House(store, Path(folder), chance), "toledo/RL-07", chance)
        await month.play(days)
        troubles = len(await store.ask("SELECT * FROM troubles"))
        await store.close()
    met = ", ".join(f"{count} x {name}" for name, count in sorted(month.events.items()) if name)
    took = (time.monotonic() - began) / 60
    print(f"\n{days:g} days of clean play, {month.heads:,} heads, {met}: {troubles} found falsely; {took:.1f} minutes")
    return 0 if right and not troubles else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.floor.witness", description=__doc__)
    parser.add_argument("--times", type=int, default=1_000, help="how often each attack is tried (1000)")
    parser.add_argument("--days", type=float, default=30.0, help="days of clean play (30)")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    sys.exit(asyncio.run(main(args.times, args.days)))
