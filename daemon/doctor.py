"""What `pitwatch doctor` tries: each says what is well or not, and how to mend it. Changes nothing on the table."""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from daemon.config import Config
from daemon.health import disk_free_mib
from daemon.wiring import Opener, Wire
from hal.clock import Clock

LITTLE_SPACE_MIB = 500
SLOW_SYNC_S = 0.2


class Finding(msgspec.Struct, frozen=True):
    """`what` was tried, whether it is well, what was seen, and how to mend it."""

    what: str
    well: bool
    seen: str
    mend: str = ""


class _Ear:
    """Hears one device for a while."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.reason: str | None = "no answer from the port"
        self.bytes = 0
        self.edges = 0
        self.levels: dict[str, int] = {}
        self.node: dict[str, Any] = {}

    def opened(self, t: int, identity: dict[str, Any]) -> None:
        self.reason = None
        self.node = identity.get("node", {})
        self.settled.set()

    def initial(self, levels: dict[str, int], t: int) -> None:
        self.levels = levels

    def received(self, data: bytes, t: int) -> None:
        self.bytes += len(data)

    def edge(self, line: str, level: int, t: int) -> None:
        self.edges += 1

    def lost(self, count: int, t: int) -> None:
        self.edges += count

    def passed(self, t: int) -> None:
        pass

    def closed(self, reason: str, t: int) -> None:
        self.reason = reason
        self.settled.set()


async def findings(config: Config, opener: Opener, clock: Clock, listen: float) -> AsyncIterator[Finding]:
    """Try everything, each device for `listen` seconds."""
    for finding in (*_clock(clock), *_disk(config), *_files(config)):
        yield finding
    yield await _broker(config)
    for finding in await _devices(config, opener, clock, listen):
        yield finding


def _clock(clock: Clock) -> Iterator[Finding]:
    synced = clock.wall()[1]
    yield Finding(
        "clock",
        synced,
        "kept by a time source" if synced else "no time source has set it, so evidence is stamped as unsynced",
        "" if synced else "install chrony, or switch systemd-timesyncd on: timedatectl set-ntp true",
    )


def _disk(config: Config) -> Iterator[Finding]:
    folder = config.journal.parent
    what = f"journal {config.journal}"
    if not folder.is_dir():
        yield Finding(what, False, f"the folder {folder} is missing", f"create it: mkdir -p {folder}")
        return
    if not os.access(folder, os.W_OK):
        yield Finding(what, False, f"{folder} may not be written", "give the daemon's user the folder: chown")
        return
    free = disk_free_mib(folder)
    enough = free >= LITTLE_SPACE_MIB
    yield Finding(
        what, enough, f"{free} MiB free", "" if enough else f"make room: {LITTLE_SPACE_MIB} MiB or more is right"
    )
    took = _sync_time(folder)
    quick = took < SLOW_SYNC_S
    yield Finding(
        what,
        quick,
        f"a sync takes {took * 1000:.1f} ms",
        "" if quick else "use a better card or disk: every record waits for a sync",
    )


def _sync_time(folder: Path) -> float:
    """Seconds that a small synced write takes."""
    with tempfile.TemporaryFile(dir=folder) as file:
        began = time.perf_counter()
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
        return time.perf_counter() - began


def _files(config: Config) -> Iterator[Finding]:
    if config.mqtt is None:
        return
    for key in ("ca", "cert", "key", "password_file"):
        name = getattr(config.mqtt, key)
        if not name:
            continue
        what = f"mqtt.{key} {name}"
        try:
            mode = os.stat(name).st_mode
        except OSError as error:
            yield Finding(what, False, str(error.strerror), "put the file there, or correct the path")
            continue
        if not os.access(name, os.R_OK):
            yield Finding(what, False, "may not be read", f"give the daemon's user the file: chown, chmod 600 {name}")
        elif key in ("key", "password_file") and mode & (stat.S_IRWXO | stat.S_IWGRP):
            yield Finding(what, False, "others may read or change it", f"chmod 600 {name}")
        else:
            yield Finding(what, True, "readable")


async def _broker(config: Config) -> Finding:
    if config.mqtt is None:
        return Finding("broker", False, "no [mqtt] in the configuration", 'add [mqtt] with url = "mqtt://HOST:1883"')
    import aiomqtt

    from daemon.publisher import connection

    what = f"broker {config.mqtt.url}"
    began = time.perf_counter()
    try:
        # Under a name of its own: a second client of the same name would throw the running daemon out.
        async with await connection(config, f"pitwatch-doctor-{os.getpid()}", None):
            return Finding(what, True, f"connected in {(time.perf_counter() - began) * 1000:.0f} ms")
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        return Finding(
            what, False, str(error), "see that the broker runs, that host, port, user and certificates are right"
        )


async def _devices(config: Config, opener: Opener, clock: Clock, listen: float) -> list[Finding]:
    ears = {device.id: _Ear() for device in config.devices}
    found = []
    wires = []
    for device in config.devices:
        try:
            wire = Wire(device, opener, clock, ears[device.id])
        except ValueError as error:
            found.append(Finding(f"device {device.id}", False, str(error), "correct its link"))
            continue
        wires.append(wire)
        wire.start()
    if wires:
        await asyncio.sleep(listen)
    for wire in wires:
        wire.stop()
        found.append(_heard(wire, ears[wire.device.id], listen))
    return found


def _heard(wire: Wire, ear: _Ear, listen: float) -> Finding:
    what = f"device {wire.device.id}"
    if ear.reason is not None:
        seen, _, mend = ear.reason.partition("; ")
        return Finding(
            what, False, seen, mend or "see that it is connected, switched on and not in use by another program"
        )
    if wire.device.by_lines:
        active = [name for name, level in ear.levels.items() if level]
        node = "sensor node {id}, firmware {firmware}; ".format_map(ear.node) if ear.node else ""
        return Finding(
            what, True, f"{node}{len(ear.levels)} lines held, active: {', '.join(active) or 'none'}; {ear.edges} edges"
        )
    return Finding(what, True, f"{wire.device.link} open, {ear.bytes} bytes in {listen:g} s")
