"""What systemd says of a board's tables, and their restart. Runs systemctl."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterable
from typing import NamedTuple

TABLES = "pitwatch@*.service"
SECONDS = 90


class Unit(NamedTuple):
    """`state`: such as active, activating, failed. `restarts`: how many times systemd started it again by itself.
    `status`: its own word, such as aligning or ready."""

    name: str
    state: str
    pid: int
    restarts: int
    status: str

    @property
    def up(self) -> bool:
        """It has said that it watches."""
        return self.state == "active" and self.pid > 0


class Units:
    """Never raises: what cannot be had is not there."""

    def all(self) -> dict[str, Unit]:
        """Every table that systemd knows of, by the name of its file."""
        fields = "Id,ActiveState,MainPID,NRestarts,StatusText"
        found = {}
        for block in _systemctl("show", f"--property={fields}", TABLES).split("\n\n"):
            said = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
            name = said.get("Id", "").removeprefix("pitwatch@").removesuffix(".service")
            if name and name != said.get("Id"):
                number = {
                    key: int(said[key]) if said.get(key, "").isdecimal() else 0 for key in ("MainPID", "NRestarts")
                }
                found[name] = Unit(
                    name,
                    said.get("ActiveState", ""),
                    number["MainPID"],
                    number["NRestarts"],
                    said.get("StatusText", ""),
                )
        return found

    def restart(self, tables: Iterable[str] = ()) -> None:
        """Have these tables, and whatever else runs, go on with the program and the units as they are now."""
        _systemctl("daemon-reload")
        for command in (("control", "--reload"), ("trigger", "--subsystem-match=tty", "--subsystem-match=gpio")):
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                subprocess.run(["udevadm", *command], capture_output=True, timeout=SECONDS, check=False)
        names = [f"pitwatch@{name}.service" for name in tables]
        if names:  # a unit of the other version may have given up
            _systemctl("reset-failed", *names)
            _systemctl("restart", "--no-block", *names)
        others = {f"pitwatch@{name}.service" for name in self.all()} - set(names)
        _systemctl("try-restart", "--no-block", *sorted(others), "pitwatch-archive.service")


def _systemctl(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["systemctl", *arguments], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout
