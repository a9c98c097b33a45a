"""Moves wires of a chip at the moments told, in a process of its own: as a device does, whatever the listener is at.

Reads `lines-folder`, then one "<ns from the start> <line> <raw level>" a line, from standard input; begins when told
"go" and prints when each wire moved, in monotonic nanoseconds. Waits for the last 300 us by looking at the clock; held
up by a busy machine, it does not hurry afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

SPIN_NS = 300_000


class Player:
    """The process, seen from the test."""

    def __init__(self, folder: Path, moves: Iterable[tuple[int, int, int]]) -> None:
        """folder: the chip's folder in sysfs. moves: (ns from the start, line, raw level) in order of time."""
        self._process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        text = "".join([f"{folder}\n", *(f"{t} {line} {raw}\n" for t, line, raw in moves)])
        self._process.stdin.write(text.encode() + b"ready\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"ready\n"

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()

    @property
    def done(self) -> bool:
        return self._process.poll() is not None

    def moved(self) -> list[int]:
        """When each wire moved."""
        said, _ = self._process.communicate()
        assert self._process.returncode == 0
        return [int(line) for line in said.split()]


def main() -> None:
    folder = Path(sys.stdin.readline().strip())
    moves = []
    files: dict[int, int] = {}
    for text in sys.stdin:
        if text == "ready\n":
            break
        t, line, raw = map(int, text.split())
        moves.append((t, line, b"pull-up" if raw else b"pull-down"))
        if line not in files:
            files[line] = os.open(folder / f"sim_gpio{line}" / "pull", os.O_WRONLY)
    print("ready", flush=True)
    assert sys.stdin.readline() == "go\n"
    moved = []
    start = time.monotonic_ns()
    for t, line, pull in moves:
        rest = start + t - time.monotonic_ns()
        if rest > SPIN_NS:
            time.sleep((rest - SPIN_NS) / 1e9)
        while time.monotonic_ns() < start + t:
            pass
        now = time.monotonic_ns()
        start = max(start, now - t)
        moved.append(now)
        os.pwrite(files[line], pull, 0)
    print(*moved)


if __name__ == "__main__":
    main()
