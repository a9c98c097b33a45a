"""A floor of boards that are folders, on a mosquitto that `pitwatch provision` set up. For tests only."""

from __future__ import annotations

import contextlib
import io
import json
import selectors
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.ports import free_port
from pitwatch.daemon import cli
from pitwatch.floor.fleet import upgrading
from tests.e2e.mosquitto import wait_for
from tests.fleet.board import BoardFolder, new_key

WHEEL_SAYS = b"*X;2;001;17;0;150;0\r\n"


class Wheels:
    """A terminal server with a wheel for whoever connects; each reports its state every half second."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port: int = self._listening.getsockname()[1]
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        connections: list[socket.socket] = []
        selector = selectors.DefaultSelector()
        selector.register(self._listening, selectors.EVENT_READ)
        while not self._stopped.is_set():
            connections += [self._listening.accept()[0] for _ in selector.select(0.5)]
            for each in list(connections):
                try:
                    each.sendall(WHEEL_SAYS)
                except OSError:
                    each.close()
                    connections.remove(each)
        for each in (*connections, self._listening):
            each.close()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()


class FleetFloor:
    """`two`: boards that have a second table. Board number 1 is B-01 with the table toledo/RL-01 …"""

    def __init__(self, folder: Path, repository: Path, boards: int, two: int = 0):
        self.folder, self.repository = folder, repository
        self.house = folder / "house"
        self.port = free_port()
        self.wheels = Wheels()
        self.client_key = folder / "fleet_key"
        new_key(self.client_key)
        self.names = {
            f"B-{number:02d}": (f"toledo/RL-{number:02d}", *([f"toledo/RX-{number:02d}"] if number <= two else []))
            for number in range(1, boards + 1)
        }
        self._provision()
        self._start_broker()
        self.boards: dict[str, BoardFolder] = {}

    def _provision(self) -> None:
        tables = [word for names in self.names.values() for table in names for word in ("--table", table)]
        with contextlib.redirect_stdout(io.StringIO()):
            code = cli.main(["provision", str(self.house), *tables, "--broker", "127.0.0.1", "--port", str(self.port),
                             "--reader", "fleet", "--broker-folder", str(self.house / "broker")])  # fmt: skip
        assert code == 0

    def _start_broker(self) -> None:
        config = (self.house / "broker" / "pitwatch.conf").read_text()
        config = config.replace(f"listener {self.port}", f"user root\nlistener {self.port} 127.0.0.1")
        (self.folder / "mosquitto.conf").write_text(config.replace("persistence true", "persistence false"))
        with (self.folder / "mosquitto.log").open("wb") as log:
            self._broker = subprocess.Popen(["mosquitto", "-v", "-c", self.folder / "mosquitto.conf"], stderr=log)
        wait_for(lambda: b"running" in (self.folder / "mosquitto.log").read_bytes(), 60, "mosquitto does not start")

    def make(self, hostile: dict[str, str] | None = None, off_line: tuple[str, ...] = ()) -> None:
        """Install and start the boards. `hostile`: what a hostile one answers orders with; its table does not run.
        `off_line`: boards that ran once, and are gone."""
        hostile = hostile or {}

        def one(name: str) -> None:
            board = BoardFolder(self.folder / name, name, self.names[name], self.client_key, hostile.get(name, ""))
            self.boards[name] = board
            if name in hostile:
                board.start_sshd()
                return
            board.install(self.repository)
            for table in board.tables:
                board.configure(table, self.house, self.wheels.port)
            board.start()

        (self.folder / "FLOOR.toml").touch()
        with ThreadPoolExecutor(4) as workers:
            list(workers.map(one, self.names))
        self.write()
        wait_for(lambda: self._all_online(hostile), 300, "the tables are not on line")
        for name in off_line:
            self.boards[name].close()

    def write(self, patience_s: int = 60, **other_keys: str) -> None:
        """FLOOR.toml. `other_keys`: host keys that are not those of the boards, with _ for -."""
        reader = self.house / "reader" / "fleet"
        lines = [
            f'[mqtt]\nurl = "mqtts://127.0.0.1:{self.port}"\nca = "{reader}/ca.crt"\ncert = "{reader}/client.crt"',
            f'key = "{reader}/client.key"\n[fleet]\nkey = "{self.client_key}"\npatience_s = {patience_s}',
        ]
        for name, board in sorted(self.boards.items()):
            tables = json.dumps(board.tables)
            host_key = other_keys.get(name.replace("-", "_"), board.host_key)
            lines.append(f'[fleet.boards.{name}]\nhost = "127.0.0.1"\nport = {board.port}\nhost_key = "{host_key}"')
            lines.append(f"tables = {tables}")
        (self.folder / "FLOOR.toml").write_text("\n".join(lines) + "\n")

    def fleet(self, action: str, *words: str, listen: float = 1.0) -> tuple[int, list[dict[str, Any]]]:
        """`pitwatch fleet ACTION FLOOR.toml … --json`: the exit code and the lines."""
        told = io.StringIO()
        more = ["--listen", str(listen)] if action in ("list", "upgrade") else []
        with contextlib.redirect_stdout(told):
            code = cli.main(["fleet", action, str(self.folder / "FLOOR.toml"), *words, *more, "--json"])
        return code, [json.loads(line) for line in told.getvalue().splitlines()]

    @contextlib.contextmanager
    def worse_in_the_soak(self) -> Iterator[None]:
        """Tables of the version LATE raise an alert when `fleet upgrade` has begun to look at their ring."""
        soak = upgrading.Upgrade._soak
        files = [
            board.folder / "state" / table.rpartition("/")[2] / "worse"
            for board in self.boards.values()
            for table in board.tables
            if (board.folder / "state" / table.rpartition("/")[2]).is_dir()
        ]

        async def worse(upgrade: upgrading.Upgrade, *words: Any) -> str:
            for file in files:
                file.touch()
            return await soak(upgrade, *words)

        upgrading.Upgrade._soak = worse  # type: ignore[method-assign]
        try:
            yield
        finally:
            upgrading.Upgrade._soak = soak  # type: ignore[method-assign]
            for file in files:
                file.unlink(missing_ok=True)

    def publish(self, table: str, topic: str, payload: str) -> None:
        """As the table itself, with its own certificate."""
        own = self.house / "tables" / table
        subprocess.run(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-r", "-t", topic, "-m", payload,
             "--cafile", own / "ca.crt", "--cert", own / "client.crt", "--key", own / "client.key"],
            check=True, timeout=30, capture_output=True,
        )  # fmt: skip

    def _all_online(self, hostile: dict[str, str]) -> bool:
        rows = {row["table"]: row for row in self.fleet("list")[1]}
        tables = [table for name, names in self.names.items() if name not in hostile for table in names]
        return all(rows.get(table, {}).get("devices") == {"wheel": "online"} for table in tables)

    def close(self) -> None:
        for board in self.boards.values():
            board.close()
        # What an sshd served is no child of it any more; the hostile board's program would go on.
        subprocess.run(["pkill", "-KILL", "-f", f"{self.folder}/hostile.sh"], check=False)
        self._broker.kill()
        self._broker.wait()
        self.wheels.close()
