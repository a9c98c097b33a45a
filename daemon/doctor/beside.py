"""Reports for `pitwatch doctor` on the devices of a table whose daemon is running, from the daemon's journal.

The daemon holds the ports and lines. A second program would find them busy, or take bytes away from it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pitwatch.daemon.config import Config
from pitwatch.daemon.contract.messages import DeviceData
from pitwatch.daemon.doctor.finding import Finding
from pitwatch.daemon.journal.holding import lock_file
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.rules.records import Alert


def runs(journal: Path) -> bool:
    """Whether a daemon holds the journal."""
    try:
        lock = os.open(lock_file(journal), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def broker_as_told(config: Config) -> Finding:
    """What the running daemon has found of its broker."""
    what = "broker of the running daemon"
    try:
        store = Store(config.journal, read_only=True)
    except StoreError as error:
        return Finding(what, False, f"what it found cannot be read: {error}", "see the running daemon's log")
    try:
        told = next((each for each in store.retained() if each.subtopic == "alert/broker"), None)
    finally:
        store.close()
    alert = msgspec.json.decode(told.body, type=Alert) if told is not None else None
    if alert is None or not alert.raised:
        return Finding(what, True, "the running daemon has reported no refusal")
    seen, _, fix = str(alert.detail.get("reason", "")).partition("; ")
    return Finding(what, False, f"{seen}, says the running daemon", fix)


def devices(config: Config) -> Iterator[tuple[str, DeviceData | None]]:
    """Each device and its state as the running daemon last reported it; None if it has not yet. Raises StoreError."""
    store = Store(config.journal, read_only=True)
    try:
        newest = store.read(store.last - 1, 1)
        boot = newest[0].boot if newest else ""
        told = {each.subtopic: each.body for each in store.retained() if each.boot == boot}
    finally:
        store.close()
    for device in config.devices:
        body = told.get(f"device/{device.id}")
        yield device.id, msgspec.json.decode(body, type=DeviceData) if body else None
