"""What `pitwatch doctor` says of the devices of a table whose daemon runs: what the daemon wrote down of them.

The daemon holds the ports and lines; whoever opened them besides would only find them in use, or take bytes away.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from daemon.config import Config
from daemon.holding import lock_file
from daemon.messages import DeviceData
from daemon.store import Store


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


def devices(config: Config) -> Iterator[tuple[str, DeviceData | None]]:
    """Each device and its state as the running daemon told it last; None if it has not yet. Raises StoreError."""
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
