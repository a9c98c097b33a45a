"""A table as some version of the program runs it. As a program, writes the journal that is kept of a version into the
folder with its other files: `python -m tests.neighbours.writing PROGRAM FOLDER`, where PROGRAM has that version's code.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import tty
from pathlib import Path

from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.e2e.table_process import spin

LINK, URL = "serial:/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A10K-if00-port0?baud=9600", "mqtt://broker.example:1883"
FILES = ("journal.db", "journal.key", "journal.pub")


class Running:
    """The table of `folder`/RL-07.toml, but with a wheel and a broker that are there, run by the code in `program`."""

    def __init__(self, program: Path, folder: Path, broker: str):
        self.journal = folder / "journal.db"
        self._program = program
        self._wheel, self._other = pty.openpty()
        tty.setraw(self._other)
        plug = folder / "plug"
        plug.unlink(missing_ok=True)
        plug.symlink_to(os.ttyname(self._other))
        text = (folder / "RL-07.toml").read_text()
        assert LINK in text
        assert URL in text
        self.config = folder / "running.toml"
        self.config.write_text(text.replace(LINK, f"serial:{plug}").replace(URL, broker))
        self._log = (folder / "log").open("ab")
        self._process = subprocess.Popen(self.command("run", str(self.config)), cwd=program, stderr=self._log)
        self._spins = 0

    @staticmethod
    def command(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "pitwatch.daemon.cli", *arguments]

    def spin(self) -> None:
        self._spins += 1
        os.write(self._wheel, spin(self._spins, self._spins % 2).encode())

    def says(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What another command of this version prints."""
        return subprocess.run(
            self.command(*arguments), cwd=self._program, capture_output=True, text=True, check=False, timeout=120
        )

    def count(self, kind: str) -> int:
        """Records of that kind in the journal."""
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as db:
            try:
                return int(db.execute("SELECT count(*) FROM record WHERE kind = ?", (kind,)).fetchone()[0])
            except sqlite3.OperationalError:  # it is just being made
                return 0

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(60)

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._log.close()
        os.close(self._wheel)
        os.close(self._other)


def spun(table: Running, rounds: int = 3) -> None:
    """Until so many rounds more are in the journal."""
    wait_for(lambda: table.journal.exists() and table.count("device"), 60)
    before = table.count("round")

    def enough() -> bool:
        table.spin()
        time.sleep(0.2)
        return table.count("round") >= before + rounds

    wait_for(enough, 60)


def main() -> None:
    program, kept = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker = Mosquitto(folder)
        broker.start()
        shutil.copy(kept / "RL-07.toml", folder)
        table = Running(program, folder, broker.url)
        try:
            spun(table)
            assert table.stop() == 0
        finally:
            table.close()
            broker.close()
        with contextlib.closing(sqlite3.connect(folder / "journal.db")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for file in FILES:
            (kept / f"{file}.gz").write_bytes(gzip.compress((folder / file).read_bytes(), mtime=0))


if __name__ == "__main__":
    main()
