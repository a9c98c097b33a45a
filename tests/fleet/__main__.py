"""Thirty boards, one hostile and two off line: `make fleet-test`, or `python -m tests.fleet --boards 8`.

Prints a table of what was done and how long it took. Exit code 1 if anything was not as it should be.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.fleet.board import configuration
from tests.fleet.floor import FleetFloor
from tests.fleet.packages import DEAD, GOOD, LATE, OLD, repository

HOSTILE = "B-05"
AWAY = ("B-11", "B-12")


class Run:
    """Says what is done, how long it took, and whether it was right."""

    def __init__(self) -> None:
        self.wrong = 0

    def step(self, what: str, work: Callable[[], str]) -> None:
        began = time.monotonic()
        fault = work()
        self.wrong += bool(fault)
        print(f"| {what} | {fault or 'as planned'} | {time.monotonic() - began:.0f} s |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fleet", description=__doc__)
    parser.add_argument("--boards", type=int, default=30)
    boards = parser.parse_args().boards
    away = AWAY if boards >= 12 else (f"B-{boards:02d}",)
    run = Run()
    with tempfile.TemporaryDirectory(prefix="pitwatch-fleet-") as name:
        folder = Path(name)
        shutil.copy(Path(__file__).parent / "hostile.sh", folder)
        (folder / "way").write_text("flood")
        floor = FleetFloor(folder, repository(folder / "repository"), boards, two=boards // 3)
        try:
            print("| step | result | took |\n|---|---|---|")
            run.step(f"start {boards} boards", lambda: floor.make({HOSTILE: f"sh {folder}/hostile.sh"}, away) or "")
            _steps(run, floor, boards, away)
        finally:
            floor.close()
    return 1 if run.wrong else 0


def _steps(run: Run, floor: FleetFloor, boards: int, away: tuple[str, ...]) -> None:
    good = [name for name in floor.names if name != HOSTILE and name not in away]
    rings = ["--rings", "1,10,all"]

    def versions() -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for row in floor.fleet("list", listen=3)[1]:
            if row["board"] in good:
                found.setdefault(row["board"], set()).add(row["status"]["version"])
        return found

    def having(version: str, names: list[str]) -> str:
        wrong = [name for name, found in versions().items() if (found == {version}) != (name in names)]
        return f"other versions on {wrong}" if wrong else ""

    def stopped(version: str, ring: int, reason: str, soak: str) -> str:
        code, told = floor.fleet("upgrade", version, *rings, "--soak", soak, listen=3)
        last = told[-1]
        right = code == 1 and last["event"] == "stopped" and last["ring"] == ring and reason in last["reason"]
        return "" if right else f"{code}: {last}"

    def listed() -> str:
        rows = {row["table"]: row for row in floor.fleet("list", listen=3)[1]}
        quiet = [t for name in good for t in floor.names[name] if set(rows[t]["look"]) - {"clock not set"}]
        away_tables = [table for name in (*away, HOSTILE) for table in floor.names[name]]
        gone = [table for table in away_tables if not set(rows[table]["look"]) & {"off line", "never heard"}]
        return f"{quiet} {gone}" if quiet or gone else ""

    def pushed() -> str:
        folder = floor.folder / "push"
        for name in good:
            table = floor.names[name][0]
            file = folder / f"{table}.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(configuration(table, floor.house, floor.wheels.port) + '[video]\ncamera = "c"\n')
        code, told = floor.fleet("push", str(folder))
        return "" if code == 0 and len(told) == len(good) else f"{code}: {told[-3:]}"

    def upgraded() -> str:
        code, told = floor.fleet("upgrade", GOOD, *rings, "--soak", "20", listen=3)
        reached = [each["board"] for each in told if each["event"] == "done"]
        missed = {each["board"] for each in told if each["event"] == "not_reached"}
        sizes = [len(each["boards"]) for each in told if each["event"] == "ring"]
        wanted = [1, 10, len(good) - 11] if len(good) > 11 else [1, len(good) - 1]
        right = code == 1 and sorted(reached) == good and missed == {HOSTILE, *away} and sizes == wanted
        return having(GOOD, good) if right else f"{code}: {told[-3:]}"

    def back(version: str, to: str, some: list[str], have: list[str]) -> str:
        _, told = floor.fleet("rollback", version)
        done = sorted(each["board"] for each in told if each["event"] == "done")
        return having(to, have) if done == sorted(some) else f"{told}"

    def orders() -> str:
        given = [order for name in good for order in floor.boards[name].orders()]
        return "; ".join(order for order in given if order.split()[:2] != ["pitwatch", "board"])

    run.step("list: the hostile board and those off line are shown, the others are well", listed)
    run.step(f"push a configuration to {len(good)} boards, one after the other", pushed)
    run.step(f"upgrade {len(good)} boards in rings of 1, 10, all, each looked at for 20 s", upgraded)
    run.step(
        "upgrade to a version that does not run: stopped in ring 1, the board has put the old one back",
        lambda: stopped(DEAD, 1, "", "20") or having(GOOD, good),
    )
    run.step(
        "upgrade to a version whose tables raise an alert later: stopped in ring 1",
        lambda: stopped(LATE, 1, "alert wheel-jam is new", "60") or having(LATE, good[:1]),
    )
    run.step("roll that board back", lambda: back(LATE, GOOD, good[:1], good))
    run.step(
        "roll the other boards back; that one knows no version before", lambda: back(GOOD, OLD, good[1:], good[1:])
    )
    run.step("no other command reached a board", orders)


if __name__ == "__main__":
    sys.exit(main())
