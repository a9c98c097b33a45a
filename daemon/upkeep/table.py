"""One installed table of the board: its service, and whether it is watched again after a change."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import installed
from pitwatch.daemon.contract.messages import DeviceData
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.daemon.upkeep.answer import Look
from pitwatch.daemon.upkeep.programs import Done, program

ON = ("active", "activating", "reloading")
RESTART_S = 90.0
"""systemd itself stops after TimeoutStopSec and TimeoutStartSec of the unit."""
LOOK_S = 30.0
AGAIN_S = 0.25
BACK_S = 60.0
"""Patience with what was put back is no shorter: nothing else is left to try."""
STANDS_S = 2.0
"""A run has to last so long before it counts."""

_look = msgspec.json.Decoder(Look).decode


class _Started(msgspec.Struct):
    event: str


class Table:
    """`name` is that of the table's file and service."""

    def __init__(self, name: str):
        self.name = name
        self.unit = f"pitwatch@{name}.service"
        self.file = installed.FOLDER / f"{name}.toml"
        self.folder = installed.FOLDER / name

    @property
    def owner(self) -> Path:
        """A folder of the daemon's user."""
        state = installed.STATE / self.name
        return state if state.is_dir() else installed.STATE

    def service(self) -> str:
        done = program(["systemctl", "is-active", self.unit], LOOK_S)
        return done.out.decode(errors="replace").strip()[:40] or "unknown"

    def check(self, file: Path) -> str:
        """What `pitwatch check` says against a file of this table, as the daemon's user; empty if it is good."""
        done = program(["pitwatch", "check", str(file)], LOOK_S * 2, self.owner)
        return "" if done.code == 0 else done.said or f"pitwatch check ended with code {done.code}"

    def look(self) -> Look:
        """As the daemon's user, since reading a journal may make files beside it. Without a journal: nothing."""
        done = program(["pitwatch", "board", "look", self.name], LOOK_S, self.owner)
        try:
            return _look(done.out) if done.code == 0 else Look(fault=done.said or f"code {done.code}")
        except msgspec.DecodeError:
            return Look(fault="it is no answer")

    def restart(self) -> Done:
        return program(["systemctl", "restart", self.unit], RESTART_S)

    def watched_again(self, before: Look, patience_s: float) -> str:
        """Wait until the table is watched as it was; what it lacks then, or empty."""
        end = time.monotonic() + patience_s
        stands: tuple[str, float] = ("", 0.0)
        while True:
            now = self.look()
            lacks = now.lacks(before)
            if now.boot != stands[0]:
                stands = (now.boot, time.monotonic())
            if not lacks and time.monotonic() >= stands[1] + STANDS_S:
                return ""
            if time.monotonic() > end:
                return lacks or "it does not keep running"
            time.sleep(AGAIN_S)


def look(name: str) -> Look:
    """What the journal of an installed table says now. Raises UsageError."""
    config = installed.load(name)
    publishes = config.mqtt is not None
    try:
        store = Store(config.journal, read_only=True)
    except StoreError:
        return Look(publishes=publishes)  # a table that was never started
    try:
        boot, started = "", 0
        # A start is among the first records of a run; others of its kind are rare.
        for record in store.of_kind("system", max(0, store.last - 100_000)):
            if msgspec.json.decode(record.body, type=_Started).event == "started":
                boot, started = record.boot, record.seq
        states = [each for each in store.retained() if each.kind == "device" and each.boot == boot]
        devices = [msgspec.json.decode(each.body, type=DeviceData) for each in states]
        return Look(
            boot=boot,
            started=started,
            delivered=store.delivered,
            publishes=publishes,
            devices={device.device: device.state for device in devices},
        )
    finally:
        store.close()


def installed_tables() -> list[Table]:
    """Raises UsageError."""
    try:
        return [Table(path.stem) for path in sorted(installed.FOLDER.glob("*.toml"))]
    except OSError as error:
        raise UsageError(f"{installed.FOLDER}: cannot be read: {error.strerror}") from None
