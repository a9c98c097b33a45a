"""A whole floor: 300 tables in one process over one broker and over clusters, at a real pace and at ten times it.

The baseline is the same messages by clients that do nothing but publish, over the same broker, at the same pace, in the
same minutes. Journals lie in memory (/dev/shm): 300 of them sync to one disk here, which at a casino are 300 disks.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import brokers
from benchmarks.brokers import KINDS, Brokers
from benchmarks.figure import Figure, say
from benchmarks.floor_tables import GAMES, write_script
from benchmarks.table import ROOT, scratch

PACES = (("real pace", "1x", 1.0), ("ten times it", "10x", 10.0), ("as fast as it is taken", "max", 0.0))
BASELINE = "the same messages by clients that only publish, same broker, same pace"
LATE = 10.0
"""Seconds for the last messages to reach the subscriber."""


class Asked:
    """A process that answers each line with a line of JSON."""

    def __init__(self, module: str, *arguments: str):
        command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, order: str | None = None) -> dict[str, Any]:
        """Its next answer. Raises RuntimeError if it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if order is not None:
            self._process.stdin.write(f"{order}\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{' '.join(map(str, self._process.args))}: ended")  # type: ignore[arg-type]
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """Close its input, which ends it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def asked(module: str, *arguments: str) -> Iterator[Asked]:
    process = Asked(module, *arguments)
    try:
        yield process
    finally:
        process.end()


def _plays(broker: Brokers, tables: int, scripts: Path, plays: Sequence[tuple[float, float]], bare: bool) -> list[Any]:
    """What came of each play of (pace, seconds): published, received, lateness, processor time."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    found = []
    with tempfile.TemporaryDirectory(prefix="pitwatch-floor-", dir=memory) as folder:
        arguments = [*(["--bare"] if bare else []), folder, str(tables), str(scripts), *broker.urls]
        with asked("floor_ear", *broker.urls) as ear, asked("floor_tables", *arguments) as floor:
            ear.ask()
            connected = floor.ask()["connected"]
            for pace, seconds in plays:
                ear.ask("stock")
                cpu, stored = broker.cpu(), broker.stored()
                published = floor.ask(f"{pace} {seconds}")
                cpu = broker.cpu() - cpu
                until = time.monotonic() + LATE
                while ear.ask("count")["received"] < published["published"] and time.monotonic() < until:
                    time.sleep(0.1)
                heard = ear.ask("stock")
                if heard["received"] < published["published"] or published["pending"]:
                    say(f"floor: {broker.name}: {published} but the subscriber has {heard}")
                found.append(
                    {
                        "rate": published["published"] / published["seconds"],
                        "median": heard["median"],
                        "p99": heard["p99"],
                        "broker_cpu": cpu / published["seconds"] * 100,
                        "broker_cpu_message": cpu / published["published"] * 1e6,
                        "tables_cpu": published["cpu"] / published["seconds"] * 100,
                    }
                )
                say(
                    f"floor: {broker.name}{' (bare)' if bare else ''} pace {pace:g}: connected in {connected:.1f} s; "
                    f"{published['published']} published, {heard['received']} received, {heard['duplicates']} twice, "
                    f"{heard['bytes'] / max(heard['received'], 1):.0f} bytes each; broker {cpu:.1f} s of processor, "
                    f"{broker.resident():.0f} MiB of memory, {broker.stored() - stored:.1f} MiB more on disk; "
                    f"subscriber {heard['cpu']:.1f} s, tables {published['cpu']:.1f} s in {published['memory_kib']} KiB"
                )
    return found


UNITS = {
    "rate": "messages/s", "median": "ms", "p99": "ms", "broker_cpu": "% of a core", "broker_cpu_message": "us",
    "tables_cpu": "% of a core",
}  # fmt: skip


def figures(tables: int, seconds: float, kinds: Sequence[str] = tuple(KINDS)) -> list[Figure]:
    """For each kind of broker that is installed and each pace: messages per second, lateness, processor time."""
    found = []
    there = set(brokers.kinds())
    with scratch() as folder:
        scripts = folder / "scripts"
        scripts.mkdir()
        for game in GAMES if tables >= len(GAMES) else GAMES[:1]:
            write_script(game, 20 if tables > 50 else 5, scripts)
        plays = [(pace, seconds if pace else seconds / 3) for _, _, pace in PACES]
        for kind in kinds:
            if kind not in there:
                say(f"floor: no figures for {kind}: it is not installed")
                continue
            results = []
            for bare in (False, True):
                with tempfile.TemporaryDirectory(dir=folder) as state, KINDS[kind](Path(state)) as broker:
                    results.append(_plays(broker, tables, scripts, plays, bare))
            for (_, short, _), ours, theirs in zip(PACES, *results, strict=True):
                found += [
                    Figure(f"floor_{tables}_{kind}_{short}_{key}", ours[key], unit, BASELINE, theirs[key])
                    for key, unit in UNITS.items()
                ]
    return found
