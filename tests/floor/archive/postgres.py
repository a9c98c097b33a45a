"""A real PostgreSQL of the test's own, on a socket in a folder of its own. For tests only.

Not below pytest's temporary folder: each start of pytest closes that to other users, and PostgreSQL does not run as
root.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from pathlib import Path

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
PROGRAMS = FOLDERS[-1] if FOLDERS else Path(os.path.dirname(shutil.which("initdb") or "/nowhere/initdb"))


class Postgres:
    """`stop` and `start` as often as liked; `fresh` gives the address of a new database."""

    def __init__(self) -> None:
        self.folder = folder = Path(tempfile.mkdtemp(prefix="pitwatch-postgres-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if self._as:
            shutil.chown(folder, "postgres", "postgres")
        initdb = [str(PROGRAMS / "initdb"), "-D", f"{folder}/data", "-U", "pitwatch", "-A", "trust", "-E", "UTF8", "-N"]
        subprocess.run([*self._as, *initdb], check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def installed() -> bool:
        return (PROGRAMS / "postgres").is_file()

    def start(self) -> None:
        # It is killed, the machine is not: nothing needs to reach the disk.
        options = ["-c", "listen_addresses=", "-k", str(self.folder), "-c", "shared_buffers=16MB", "-c", "fsync=off"]
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
