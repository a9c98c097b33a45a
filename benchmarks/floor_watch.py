"""What `pitwatch watch` costs over a floor of tables: memory, processor, how late its screen is.

    python -m benchmarks.floor_watch [--tables N] [--seconds S] [--pace X …]

Tables of benchmarks.floor_tables (journals in memory where there is /dev/shm) publish to a mosquitto of their own; the
view runs as its user has it, on a pseudo terminal of 80 by 24, whose clock in the top line says how late it is drawn.
The baseline is the view of a floor without tables.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figure import Figure, say
from benchmarks.floor_tables import GAMES, write_script
from benchmarks.table import ROOT, resident_mib, scratch
from pitwatch.daemon.bench.broker import embedded_broker

BASELINE = "the view of a floor without tables"
ROUNDS = 60
SETTLED = 3.0
"""Seconds until the view is on the screen."""

CLOCK = re.compile(rb" (\d\d):(\d\d):(\d\d)  \d+ tables")


class View:
    """`pitwatch watch` on a pseudo terminal that somebody reads."""

    def __init__(self, url: str):
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        command = [sys.executable, "-m", "pitwatch.daemon.cli", "watch", "--broker", url]
        environment = {**os.environ, "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.late: list[float] = []
        """Seconds between what the screen's clock said and when it was drawn, one a second."""
        self.tables = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        shown = ""
        while True:
            try:
                data = os.read(self._master, 65_536)
            except OSError:
                return
            for found in CLOCK.finditer(data):
                told = found.group().decode()
                self.tables = int(told.split()[1])
                if told.split()[0] != shown:
                    shown = told.split()[0]
                    hours, minutes, seconds = map(int, shown.split(":"))
                    now = time.localtime()
                    wall = now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec + time.time() % 1
                    self.late.append(wall - (hours * 3600 + minutes * 60 + seconds))

    @property
    def cpu(self) -> float:
        """Seconds of processor."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in tasks) / 1e9

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def _play(url: str, folder: Path, store: Path, tables: int, seconds: float, paces: Sequence[float]) -> list[Figure]:
    scripts = folder / "scripts"
    scripts.mkdir()
    for game in GAMES:
        write_script(game, ROUNDS if tables > len(GAMES) else 5, scripts)
    idle = View(url)
    time.sleep(SETTLED)
    cpu = idle.cpu
    time.sleep(seconds)
    nothing = (idle.cpu - cpu) / seconds * 100
    nothing_resident = resident_mib(idle.process.pid)
    idle.close()
    figures = []
    command = [sys.executable, "-m", "benchmarks.floor_tables", str(store), str(tables), str(scripts), url]
    floor = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert floor.stdin is not None
    assert floor.stdout is not None
    floor.stdout.readline()
    view = View(url)
    time.sleep(SETTLED)
    try:
        for pace in paces:
            cpu, late = view.cpu, len(view.late)
            floor.stdin.write(f"{pace} {seconds}\n")
            floor.stdin.flush()
            played = json.loads(floor.stdout.readline())
            used = (view.cpu - cpu) / played["seconds"] * 100
            lag = max(view.late[late:], default=0.0)
            rate = played["published"] / played["seconds"]
            say(
                f"{view.tables} tables at {pace:g} times their pace: {rate:.0f} records/s for {played['seconds']:.0f} s"
            )
            name = f"watch_{tables}_tables_pace_{pace:g}"
            figures += [
                Figure(f"{name}_cpu", used, "% of a core", BASELINE, nothing),
                Figure(f"{name}_latest_screen", lag, "s", BASELINE, max(idle.late[2:], default=0.0)),
                Figure(f"{name}_resident", resident_mib(view.process.pid), "MiB", BASELINE, nothing_resident),
            ]
    finally:
        view.close()
        floor.kill()
        floor.wait()
    return figures


async def _measure(tables: int, seconds: float, paces: Sequence[float], folder: Path) -> list[Figure]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pitwatch-floor-", dir=memory) as store:
        async with embedded_broker() as (url, _):
            return await asyncio.to_thread(_play, url, folder, Path(store), tables, seconds, paces)


def figures(tables: int, seconds: float, paces: Sequence[float]) -> list[Figure]:
    """One play for each pace, one after the other, the same view watching."""
    with scratch() as folder:
        return asyncio.run(_measure(tables, seconds, paces, folder))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor_watch", description=__doc__)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pace", type=float, nargs="+", default=[1.0, 10.0])
    given = parser.parse_args()
    for each in figures(given.tables, given.seconds, given.pace):
        print(each.line(), flush=True)
