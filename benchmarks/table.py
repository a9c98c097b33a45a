"""A roulette table as a process: `pitwatch run` on a pseudo terminal, handled from outside only, as by systemd.

Every file lies in a folder that is thrown away, on a disk and not in memory: a journal that is not really synced would
flatter the figures.
"""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
READY_WITHIN = 30.0
"""Seconds for a process to say READY=1."""

CONFIGURATION = """\
[table]
site = "bench"
id = "{name}"
game = "toledo-2020/roulette"
[mqtt]
url = "{url}"
[journal]
path = "journal.db"
[[device]]
id = "wheel"
type = "wheel"
link = "serial:{port}?baud=115200"
protocol = "slingshot2"
{more}
"""

TOPIC = "pitwatch/1/bench/RL-01"
"""Where the table publishes."""


HURRIED = """\
import sys
from pitwatch.daemon.wiring import flood
flood.BYTES = flood.SEEN = 1 << 40
from pitwatch.daemon.cli import main
sys.exit(main(["run", sys.argv[1]]))
"""


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder on a disk."""
    disk = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pitwatch-bench-", dir=disk) as folder:
        yield Path(folder)


@contextlib.contextmanager
def serial_port() -> Iterator[tuple[int, str]]:
    """A pseudo terminal: the descriptor a device writes to, and the name of the port that a listener opens."""
    device, listener = pty.openpty()
    try:
        tty.setraw(listener)
        yield device, os.ttyname(listener)
    finally:
        os.close(device)
        os.close(listener)


@contextlib.contextmanager
def process(command: Sequence[str], folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """A process that says READY=1 as systemd's services do, and the seconds it took to say so; ended with the block."""
    address = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(address))
        notify.settimeout(READY_WITHIN)
        with (folder / "log").open("ab") as log:
            began = time.perf_counter()
            running = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, env={**os.environ, "NOTIFY_SOCKET": str(address)}
            )
        try:
            while b"READY=1" not in notify.recv(4096):
                pass
            yield running, time.perf_counter() - began
        except TimeoutError:
            raise RuntimeError(f"{' '.join(command)}: not ready: {(folder / 'log').read_text().strip()}") from None
        finally:
            end(running)
            address.unlink()


def end(running: subprocess.Popen[bytes]) -> None:
    """SIGTERM, and SIGKILL if that is not enough."""
    running.send_signal(signal.SIGTERM)
    try:
        running.wait(timeout=15)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()


@contextlib.contextmanager
def table(
    url: str, port: str, folder: Path, hurried: bool = False, name: str = "RL-01", more: str = ""
) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """`pitwatch run` of a table with one wheel, journal on; as `process`. `hurried`: days of play come at once, which
    is no flood here. `more`: further sections of its file."""
    configuration = folder / "table.toml"
    configuration.write_text(CONFIGURATION.format(url=url, port=port, name=name, more=more))
    program = ["-c", HURRIED] if hurried else ["-m", "pitwatch.daemon.cli", "run"]
    with process([sys.executable, *program, str(configuration)], folder) as running:
        yield running


def resident_mib(pid: int) -> float:
    """VmRSS of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"process {pid} has no VmRSS: it has ended")
