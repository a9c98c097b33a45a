"""A table before an upgrade and after it: is it watched as before? Reads units, configurations and journals."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import installed
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.readable import decoded
from pitwatch.daemon.journal.signing import Signer, SigningError, key_path
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.upgrading.units import Unit
from pitwatch.daemon.upgrading.written import TableBefore

WATCHES = ("ready", "aligning")
"""`aligning` waits for the next round, which nobody may play for hours."""
ROUNDS = 2
"""Of a table that sees play, the second round at the latest is judged."""


class _Device(msgspec.Struct):
    """Looser than the daemon's own: a newer version may know more."""

    device: str
    state: str
    reason: str | None = None


class _System(msgspec.Struct):
    event: str
    detail: dict[str, object] = {}


def before(unit: Unit) -> TableBefore:
    """What to compare with later. A table whose file or journal cannot be read is compared by its unit alone."""
    found = TableBefore(name=unit.name, status=unit.status)
    try:
        table = installed.load(f"pitwatch@{unit.name}")
    except UsageError:
        return found
    found = msgspec.structs.replace(found, within_s=table.upgrade.within_s)
    fault = journal_fault(table.journal)
    try:
        with contextlib.closing(Store(table.journal, read_only=True)) as store:
            newest = store.read(store.last - 1, 1)
            boot = newest[-1].boot if newest else ""
            online = tuple(sorted(device.device for device in _devices(store, boot) if device.state == "online"))
            last = store.last
    except (StoreError, sqlite3.Error):
        return found
    return msgspec.structs.replace(found, journal=str(table.journal), boot=boot, last=last, online=online, fault=fault)


class Fault(NamedTuple):
    """One line; whether waiting does not help."""

    says: str
    lasts: bool = False


def fault(table: TableBefore, unit: Unit | None, version: str, as_before: bool = True) -> Fault | None:
    """What is not as it was; None if the table is watched by `version` as it was before. Without `as_before`: if it is
    watched by that version at all."""
    if unit is None or not unit.up:
        return Fault(f"is not watched: the service is {unit.state if unit else 'gone'}")
    if as_before and table.status in WATCHES and unit.status not in WATCHES:
        return Fault(f"says: {unit.status or 'nothing'}")
    if table.journal is None:
        return None
    try:
        with contextlib.closing(Store(Path(table.journal), read_only=True)) as store:
            return _fault(table, unit, version, store, as_before)
    except (StoreError, sqlite3.Error) as error:
        return Fault(f"its journal cannot be read: {error}")


def _fault(table: TableBefore, unit: Unit, version: str, store: Store, as_before: bool) -> Fault | None:
    started: Record | None = None
    runs = ""
    for record in store.of_kind("system", table.last):
        said = decoded(record, _System)
        if said is not None and said.event == "journal_set_aside" and as_before:
            return Fault(f"its journal was set aside: {said.detail.get('reason', 'damaged')}", lasts=True)
        if said is not None and said.event == "started":
            started, runs = record, str(said.detail.get("version"))
    if started is None or started.boot == table.boot:
        return Fault("has not begun to watch again")
    if runs != version:
        return Fault(f"is watched by version {runs}")
    if not as_before:
        return None
    now = {device.device: device for device in _devices(store, started.boot)}
    for name in table.online:
        device = now.get(name)
        if device is None:
            return Fault(f"device {name} was on line before, and is not heard of")
        if device.state not in ("online", "removed"):
            reason = f": {device.reason}" if device.reason else ""
            return Fault(f"device {name} was on line before, and is {device.state}{reason}")
    if table.status == "ready" != unit.status:
        rounds = sum(record.boot == started.boot for record in store.of_kind("round", table.last))
        if rounds >= ROUNDS:
            return Fault(f"is not ready after {rounds} rounds", lasts=True)
    return None


def journal_fault(journal: Path) -> str | None:
    """What `pitwatch journal verify` would say against it; None if nothing."""
    try:
        return verify(journal, Signer(key_path(journal)).public).fault
    except (StoreError, SigningError) as error:
        return str(error)


def unverified(tables: tuple[TableBefore, ...]) -> dict[str, str]:
    """Of the tables whose journal was in order before, those whose journal is not now, with the reason."""
    found = {}
    for table in tables:
        if table.journal is not None and table.fault is None:
            reason = journal_fault(Path(table.journal))
            if reason is not None:
                found[table.name] = f"its journal does not verify: {reason}"
    return found


def _devices(store: Store, boot: str) -> list[_Device]:
    """What the run of that name says of its devices."""
    told = [decoded(record, _Device) for record in store.retained() if record.kind == "device" and record.boot == boot]
    return [each for each in told if each is not None]
