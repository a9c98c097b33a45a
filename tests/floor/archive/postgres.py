"""A real PostgreSQL of the test's own, on a socket in its folder. For tests only."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
PROGRAMS = FOLDERS[-1] if FOLDERS else Path(os.path.dirname(shutil.which("initdb") or "/nowhere/initdb"))


class Postgres:
    """`stop` and `start` as often as liked; `fresh` gives the address of a new database."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        folder.mkdir()
        # PostgreSQL does not run as root.
        self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if self._as:
            shutil.chown(folder, "postgres", "postgres")
            for parent in folder.parents[:-2]:
                parent.chmod(parent.stat().st_mode | 0o011)
        initdb = [str(PROGRAMS / "initdb"), "-D", f"{folder}/data", "-U", "pitwatch", "-A", "trust", "-E", "UTF8", "-N"]
        subprocess.run([*self._as, *initdb], check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def installed() -> bool:
        return (PROGRAMS / "postgres").is_file()

    def start(self) -> None:
        options = ["-c", "listen_addresses=", "-k", str(self.folder), "-c", "shared_buffers=16MB"]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [*self._as, str(PROGRAMS / "postgres"), "-D", f"{self.folder}/data", *options], stderr=log, stdout=log
        )
        ready = [str(PROGRAMS / "pg_isready"), "-h", str(self.folder), "-U", "pitwatch", "-q"]
        for _ in range(600):
            if subprocess.run(ready, check=False).returncode == 0:
                return
            assert self._process.poll() is None, (self.folder / "log").read_text()
            subprocess.run(["sleep", "0.05"], check=True)
        raise AssertionError("PostgreSQL does not start")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def fresh(self) -> str:
        self._databases += 1
        name = f"floor{self._databases}"
        command = [str(PROGRAMS / "createdb"), "-h", str(self.folder), "-U", "pitwatch", name]
        subprocess.run(command, check=True)
        return f"postgresql://pitwatch@/{name}?host={self.folder}"
