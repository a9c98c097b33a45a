"""A board whose versions are packages of this very program, some of them with a fault, and whose tables are processes
of it: what systemd does, in a few lines. For tests only."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from pitwatch.daemon.upgrading.changing_over import ChangeOver
from pitwatch.daemon.upgrading.trees import Trees
from pitwatch.daemon.upgrading.units import Unit
from tests.daemon.upgrading.boards import Board

PROGRAM = """import sys
sys.path[:] = {path!r}
from pathlib import Path
import pitwatch.daemon.common.last_upgrade
import pitwatch.daemon.common.version
pitwatch.daemon.common.last_upgrade.HOME = Path({home!r})
pitwatch.daemon.common.version.full_version = lambda: {version!r}
{fault}
from pitwatch.daemon.cli import main
sys.exit(main())
"""


class Processes:
    """Tables by name, as `Units` of systemd shows them: a process that ends is started again."""

    def __init__(self, home: Path, tables: dict[str, Path]):
        self._home = home
        self._tables = tables
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._sockets: dict[str, socket.socket] = {}
        self._said: dict[str, dict[str, str]] = {}
        self._restarts = dict.fromkeys(tables, 0)

    def all(self) -> dict[str, Unit]:
        found = {}
        for name, process in list(self._running.items()):
            if process.poll() is not None:
                self._restarts[name] += 1
                self._start(name)
            said = self._heard(name)
            state = "active" if said.get("READY") else "activating"
            found[name] = Unit(name, state, self._running[name].pid, self._restarts[name], said.get("STATUS", ""))
        return found

    def restart(self, tables=()) -> None:
        for name in tables:
            self._stop(name)
            self._start(name)

    def close(self) -> None:
        for name in list(self._running):
            self._stop(name)

    def _start(self, name: str) -> None:
        notify = self._home / f"{name}.notify"
        notify.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listening.bind(str(notify))
        listening.setblocking(False)
        self._sockets[name], self._said[name] = listening, {}
        program = self._home / ".venv/bin/pitwatch"
        with (self._home / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-I", program.resolve(), "run", self._tables[name]],
                env={**os.environ, "NOTIFY_SOCKET": str(notify)},
                stderr=log,
            )

    def _stop(self, name: str) -> None:
        process = self._running.pop(name, None)
        if process is not None:
            process.terminate()
            process.wait(60)
            self._sockets.pop(name).close()

    def _heard(self, name: str) -> dict[str, str]:
        while True:
            try:
                datagram = self._sockets[name].recv(4096).decode()
            except BlockingIOError:
                return self._said[name]
            self._said[name].update(line.split("=", 1) for line in datagram.split("\n") if "=" in line)


class RunningBoard(Board):
    """`tables`: the configuration of each table, by name."""

    def __init__(self, folder: Path, tables: dict[str, Path]):
        super().__init__(folder)
        self.processes = Processes(self.home, tables)

    def package(self, version: str, fault: str = "") -> None:
        path = [each for each in sys.path if each]
        home = str(self.home)
        program = PROGRAM.format(path=path, version=version, home=home, fault=fault)
        self.unpack(version, **{".venv/bin/pitwatch": program})

    def change(self, steady: float = 2.0) -> ChangeOver:
        trees = Trees(self.home, self.root, self.root / "sums")
        return ChangeOver(trees, self.processes, self.said.append, self.now, self.sleep, steady)

    def now(self) -> float:
        """Seconds by the clock of the check."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds / 5)
