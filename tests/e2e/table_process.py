"""A roulette table as a process: `pitwatch run` on a real pseudo terminal. For tests only."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import tty
from pathlib import Path

TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[mqtt]
url = "{url}"
{mqtt}
[journal]
path = "journal.db"
[statistics]
watch = false
[[device]]
id = "wheel"
type = "wheel"
link = "serial:{port}"
protocol = "slingshot2"
"""


def spin(number: int, direction: int, pocket: int = 17) -> str:
    """What a wheel sends for one spin, `number` being its counter (1 to 256), the rotor turning in `direction`."""
    before = (number - 2) % 256 + 1
    states = ((2, before), (3, number), (4, number), (5, number))
    lines = [f"*X;{state};{n:03d};{pocket:2d};0;150;{direction}" for state, n in states]
    return "\r\n".join([*lines, f"{pocket:2d}", f"*X;2;{number:03d};{pocket:2d};0;150;{direction}", ""])


class TableProcess:
    """`port` is the pseudo terminal's name; `write` is the wheel sending."""

    def __init__(self, folder: Path, url: str, mqtt: str = "", port: str | None = None):
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self.config = folder / "table.toml"
        self.config.write_text(TABLE.format(url=url, port=port or self.port, mqtt=mqtt))
        self.journal = folder / "journal.db"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "pitwatch.daemon.cli", "run", str(self.config)])

    def write(self, text: str) -> None:
        os.write(self._master, text.encode("latin-1"))

    def stop(self) -> int:
        """SIGTERM; returns the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=15)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()
        os.close(self._master)
        os.close(self._slave)
