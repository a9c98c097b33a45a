"""The tests of `pitwatch doctor`: each reports a result and how to fix a fault. Changes nothing at the table."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from pitwatch.daemon.config import Config, installed
from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.daemon.config.token_key import TokenKey
from pitwatch.daemon.config.tpm_key import TpmKey
from pitwatch.daemon.doctor import beside as doctor_beside
from pitwatch.daemon.doctor import broker as doctor_broker
from pitwatch.daemon.doctor import wear
from pitwatch.daemon.doctor.finding import Finding
from pitwatch.daemon.doctor.ownership import in_the_way, out_of_reach, owner
from pitwatch.daemon.doctor.secrets import loose, own_secrets
from pitwatch.daemon.journal.judged_by import TOPIC as INTEGRITY
from pitwatch.daemon.journal.keys import signer_elsewhere
from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.daemon.service.certificates import ends_soon
from pitwatch.daemon.service.health import disk_free_mib
from pitwatch.daemon.service.integrity import FIX_JOURNAL, not_its_own, told_by
from pitwatch.daemon.wiring import Opener, Wire
from pitwatch.devices.protocols.shape import looks_like
from pitwatch.hal.clock import Clock

LITTLE_SPACE_MIB = 500
SLOW_SYNC_S = 0.2
LEAST_LISTEN = 1.5  # seconds after which a device that repeats its state counts as silent
NETWORK_LISTEN = 5.5
"""Seconds for a box on the network that nothing was understood from: one that serves another client may hang up only
after some of them, and one of RFC 2217 has five to answer."""
SAMPLE = 4096  # bytes of a device that are looked at
NETWORK = ("tcp", "rfc2217")
FEW = 40  # bytes that may be the torn end of one message: too few to say that there is none in them


class _Ear:
    """Hears one device for a while."""

    def __init__(self, device: DeviceConfig) -> None:
        self._decoder = device.cls(device.id, device.settings)
        self.sample = b""
        self.settled = asyncio.Event()
        self.reason: str | None = "no answer from the port"
        self.bytes = 0
        self.edges = 0
        self.levels: dict[str, int] = {}
        self.identity: dict[str, Any] = {}

    def opened(self, t: int, identity: dict[str, Any]) -> None:
        self.reason = None
        self.identity = identity
        self.settled.set()

    def initial(self, levels: dict[str, int], t: int) -> None:
        self.levels = levels

    def received(self, data: bytes, t: int) -> None:
        self.bytes += len(data)
        self.sample = (self.sample + data)[:SAMPLE]
        self._decoder.feed(data, t)

    @property
    def decided(self) -> bool:
        """Whether more listening to a box on the network can show nothing else."""
        return self.understood > 0 or (self.settled.is_set() and self.reason is not None)

    @property
    def understood(self) -> int:
        """Whole messages that came."""
        return self._decoder.understood

    @property
    def sister(self) -> str:
        """Protocol of the maker's other device, if the decoder recognised it."""
        return self._decoder.sister

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
    for finding in await _brokers(config):
        yield finding
    beside = doctor_beside.runs(config.journal)
    for finding in await (_told(config, listen) if beside else _devices(config, opener, clock, listen)):
        yield finding
    for finding in wear.findings(config.journal):
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
    if not os.access(folder.parent, os.X_OK):
        yield Finding(what, False, f"{folder} may not be entered", "name another folder, or let the daemon's user in")
        return
    if not folder.is_dir():
        make = "mkdir -p"
        if (
            "STATE_DIRECTORY" in os.environ or folder.parent == installed.STATE
        ):  # of the service, which runs as a user of its own
            make = "install -d -o pitwatch -g pitwatch -m 700"
        yield Finding(what, False, f"the folder {folder} is missing", f"create it: {make} {quote(str(folder))}")
        return
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        yield Finding(
            what, False, f"the disk of {folder} is read-only", "see the kernel's log; a worn card is replaced"
        )
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(what, False, f"{folder} may not be written", "give the daemon's user the folder: chown")
        return
    for file in in_the_way(config.journal):
        command = f"chown --reference={quote(str(folder))} {quote(str(file))}"
        fix = f"a command ran there as another user; make the daemon's user the owner: {command}"
        yield Finding(what, False, f"{file} is {owner(file)}'s and may not be used", fix)
    if wrong := _another_tables(config):
        yield Finding(what, False, wrong, FIX_JOURNAL)
    free = disk_free_mib(folder)
    enough = free >= LITTLE_SPACE_MIB
    yield Finding(
        what, enough, f"{free} MiB free", "" if enough else f"make room: {LITTLE_SPACE_MIB} MiB or more is right"
    )
    try:
        took = _sync_time(folder)
    except OSError as error:
        yield Finding(
            what, False, f"nothing can be written: {error.strerror}", "make room, or replace the card or disk"
        )
        return
    quick = took < SLOW_SYNC_S
    yield Finding(
        what,
        quick,
        f"a sync takes {took * 1000:.1f} ms",
        "" if quick else "use a better card or disk: every record waits for a sync",
    )


def _another_tables(config: Config) -> str | None:
    """What is wrong if the journal at the place of this table's is another's."""
    try:
        store = Store(config.journal, read_only=True)
    except StoreError:  # none yet, or nothing that can be read: the daemon makes a new one
        return None
    try:
        known = next((record for record in store.retained() if record.kind == INTEGRITY), None)
        return not_its_own(told_by(known), f"{config.table.site}/{config.table.id}", config.journal)
    except sqlite3.Error:
        return None
    finally:
        store.close()


def _sync_time(folder: Path) -> float:
    """Seconds that a small synced write takes."""
    with tempfile.TemporaryFile(dir=folder) as file:
        began = time.perf_counter()
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
        return time.perf_counter() - began


def _files(config: Config) -> Iterator[Finding]:
    for what, secret in own_secrets(config):
        if loose(secret):
            yield Finding(f"{what} {secret}", False, "others may read or change it", f"chmod 600 {quote(str(secret))}")
    if not shutil.which("openssl"):
        yield Finding("openssl", False, "not installed, so the journal is not signed", "apt install openssl")
    if config.token is not None:
        yield _token(config.journal, config.token)
    if config.mqtt is None:
        return
    for key in ("ca", "cert", "key", "password_file"):
        name = getattr(config.mqtt, key)
        if not name:
            continue
        what = f"mqtt.{key} {name}"
        if barred := out_of_reach(name):
            fix = "give it to the daemon's user, or put the file where that user can read it"
            yield Finding(what, False, f"{barred} is {owner(barred)}'s and may not be read by this user", fix)
            continue
        try:
            mode = os.stat(name).st_mode
        except OSError as error:
            yield Finding(what, False, str(error.strerror), "put the file there, or correct the path")
            continue
        if key in ("key", "password_file") and mode & 0o077:
            yield Finding(what, False, "others may read or change it", f"chmod 600 {quote(name)}")
        elif key in ("ca", "cert") and (end := ends_soon(name)):
            yield Finding(what, False, f"ends {end}", "make a new one: docs/access.md, Renewal")
        else:
            yield Finding(what, True, "readable")


def _token(journal: Path, token: TokenKey | TpmKey) -> Finding:
    """Signs on trial, as the daemon would."""
    try:
        key = signer_elsewhere(journal, token).test()
    except SigningError as error:
        return Finding(f"signing key in {token}", False, str(error), "until it signs, the journal is not signed")
    return Finding(f"signing key in {token}", True, f"signs, key {key}")


async def _brokers(config: Config) -> list[Finding]:
    if config.mqtt is None:
        return [Finding("broker", False, "no [mqtt] in the configuration", 'add [mqtt] with url = "mqtt://HOST:1883"')]
    beside = doctor_beside.runs(config.journal)
    found = []
    for url, address in zip(config.mqtt.urls, config.brokers, strict=True):
        found += await doctor_broker.findings(config, url, address, beside)
    return found


async def _told(config: Config, listen: float) -> list[Finding]:
    await asyncio.sleep(listen)  # which a daemon just started may need
    found = []
    try:
        states = list(doctor_beside.devices(config))
    except StoreError as error:
        fix = "see the running daemon's log; stop the daemon to test the devices themselves"
        return [Finding("devices", False, f"what the running daemon says of them cannot be read: {error}", fix)]
    for device, told in states:
        if told is None:
            seen, well = "the running daemon has not reported its state yet", False
        else:
            reason = f": {told.reason}" if told.reason else ""
            seen, well = f"{told.state}{reason}, says the running daemon", told.state == "online"
        fix = "" if well else "the daemon's log says how to fix it; stop the daemon to test the device itself"
        found.append(Finding(f"device {device}", well, seen, fix))
    return found


async def _devices(config: Config, opener: Opener, clock: Clock, listen: float) -> list[Finding]:
    ears = {device.id: _Ear(device) for device in config.devices}
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
    began = time.monotonic()
    if wires:
        await asyncio.sleep(listen)
    boxes = [ears[wire.device.id] for wire in wires if wire.device.scheme in NETWORK]
    took = listen
    while took < NETWORK_LISTEN and not all(ear.decided for ear in boxes):
        await asyncio.sleep(0.1)
        took = round(time.monotonic() - began, 1)
    for wire in wires:
        wire.stop()
        found.append(_heard(wire, ears[wire.device.id], config.devices, took))
    return found


def _heard(wire: Wire, ear: _Ear, devices: Sequence[DeviceConfig], listen: float) -> Finding:
    device = wire.device
    what = f"device {device.id}"
    if ear.reason is not None:
        seen, _, fix = ear.reason.partition("; ")
        return Finding(
            what, False, seen, fix or "see that it is connected, switched on and not in use by another program"
        )
    if device.by_lines:
        return _lines(what, device, ear)
    if device.cls.POLLED:
        reader = "vendor {vendor}, serial {serial}, firmware {firmware}".format_map(ear.identity["reader"])
        return Finding(what, True, f"the reader answers: {reader}")
    return _bytes(what, device, ear, devices, listen)


def _lines(what: str, device: DeviceConfig, ear: _Ear) -> Finding:
    active = [name for name, level in ear.levels.items() if level]
    if device.protocol == "wiegand" and active:
        seen = f"{' and '.join(active)} active at rest, as at a reader without power"
        return Finding(what, False, seen, "switch the reader on, check D0, D1 and ground, and write active_low = true")
    node = "sensor node {id}, firmware {firmware}; ".format_map(ear.identity["node"]) if "node" in ear.identity else ""
    seen = f"{node}{len(ear.levels)} lines held, active: {', '.join(active) or 'none'}; {ear.edges} edges"
    return Finding(what, True, seen)


def _bytes(what: str, device: DeviceConfig, ear: _Ear, devices: Sequence[DeviceConfig], listen: float) -> Finding:
    heard = f"{device.link} open, {ear.bytes} bytes in {listen:g} s"
    if not ear.bytes and device.cls.REPEATS_STATE and listen >= LEAST_LISTEN:
        seen = f"{device.link} open, but silent for {listen:g} s"
        seen += f", though a {device.type} by {device.protocol} repeats itself"
        return Finding(what, False, seen, "switch it on; its TX goes to the adapter's RX, and ground to ground")
    if not ear.bytes:
        fix = "one without power is as silent: let it read something while this listens (--listen 20)"
        return Finding(what, True, heard, fix)
    speaks = ear.sister or looks_like(ear.sample, device.protocol)
    if speaks and speaks != device.protocol:
        swapped = [f'"{other.id}"' for other in devices if other.protocol == speaks]
        return Finding(
            what,
            False,
            f"what speaks there is {speaks}, not {device.protocol}",
            f'exchange the links (or plugs) of "{device.id}" and {" or ".join(swapped)}'
            if swapped
            else f"connect the device that speaks {device.protocol}, or correct `link`",
        )
    if not ear.understood and ear.bytes >= FEW:
        seen = f"garbage: {ear.bytes} bytes in {listen:g} s, and no message of {device.protocol} among them"
        fix = "set baud, parity, bits and stop as the device has them; then check cable and ground"
        return Finding(what, False, seen, fix)
    return Finding(what, True, heard)
