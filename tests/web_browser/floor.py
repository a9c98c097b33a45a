"""A floor whose parts are processes that can be killed one by one: broker, archive, web server. For tests only."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

from pitwatch.floor.web import passwords
from pitwatch.floor.web.accounts import Accounts
from pitwatch.floor.web.books import Books
from tests.e2e.mosquitto import Mosquitto, free_port

PASSWORD = "seven green felt tables"
LIMIT_S = 120.0
ROLES = ("viewer", "surveillance", "manager", "technician", "administrator")


def pitwatch(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pitwatch.daemon.cli", *arguments]


def until(condition: object, what: str) -> None:
    end = time.monotonic() + LIMIT_S
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, what
        time.sleep(0.1)


class Floor:
    """An account for each role, of its name."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.broker = Mosquitto(folder)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.database = folder / "floor.db"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        (folder / "FLOOR.toml").write_text(
            f'[mqtt]\nurl = "{self.broker.url}"\n[archive]\ndatabase = "sqlite:{self.database}"\n'
            f'[web]\nlisten = "127.0.0.1:{self.port}"\n[pits]\n"Pit 1" = ["bench/RL-01", "bench/CR-01"]\n'
            '[pace.shifts]\nday = "06:00"\nnight = "18:00"\n'
        )
        books = Books(folder / "pitwatch-web.db")
        for role in ROLES:
            Accounts(books).put(role, [role], passwords.hashed(PASSWORD))
        books.close()

    def start(self, name: str) -> None:
        if name == "broker":
            self.broker.start()
            return
        verb = ("archive", "run") if name == "archive" else ("web",)
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                pitwatch(*verb, str(self.folder / "FLOOR.toml")), stdout=log, stderr=log, cwd=self.folder
            )
        if name == "web":
            until(self._answers, "the web server does not answer")
        else:
            until(lambda: b"archiving as" in (self.folder / "archive.log").read_bytes(), "the archive does not start")

    def kill(self, name: str) -> None:
        """Without a chance to say good-bye."""
        if name == "broker":
            self.broker.stop()
            return
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def play(self, *more: str) -> None:
        """The bench's four tables, to the end."""
        arguments = ("bench", "--scenario", "demo", "--speed", "60", "--broker", self.broker.url, *more)
        subprocess.run(pitwatch(*arguments), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def case(self) -> str:
        """The path of an irregularity at the wheel that the archive has."""
        import sqlite3

        connection = sqlite3.connect(self.database)
        rows = connection.execute(
            "SELECT sequence FROM events WHERE kind = 'irregularity' AND table_id = 'RL-01' ORDER BY sequence"
        ).fetchall()
        connection.close()
        return f"/irregularity/bench/RL-01/{rows[0][0]}"

    def stored(self) -> int:
        import sqlite3

        connection = sqlite3.connect(self.database)
        ((count,),) = connection.execute("SELECT count(*) FROM events WHERE kind = 'irregularity'").fetchall()
        connection.close()
        return int(count)

    def close(self) -> None:
        for name in list(self._processes):
            self.kill(name)
        self.broker.close()

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.base}/sign-in", timeout=5) as answer:
                return bool(re.search(rb"Sign in", answer.read()))
        except OSError:
            return False
