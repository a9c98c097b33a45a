"""What the fault harness does inside the daemon's process: shortens its waits, and measures the work of its loop.
For tests only."""

from __future__ import annotations

import asyncio
import importlib
import os
import struct
from pathlib import Path
from time import thread_time_ns
from typing import Any

NANOSECONDS = struct.Struct("<q")


def shorten(module: str, **values: Any) -> None:
    """Set constants of a module. Raises AttributeError for one that is not there: a fault at its old pace would only
    look done."""
    found = importlib.import_module(module)
    for name, value in values.items():
        if not hasattr(found, name):
            raise AttributeError(f"{module} has no {name} any more")
        setattr(found, name, value)


def bring_in(pages: int) -> None:
    """Have SQLite bring the journal's write-ahead file into the database whenever it has so many pages; 1,000 is its
    own way."""
    from pitwatch.daemon.journal.store import Store

    make_room = Store.make_room

    def made_room(store: Store) -> None:
        make_room(store)
        store._db.execute(f"PRAGMA wal_autocheckpoint = {pages}")

    Store.make_room = made_room  # type: ignore[method-assign]


def measure(file: str) -> None:
    """Keep in a file the most processor time, in ns, that one turn of the event loop has taken from when the daemon
    watches, all processes that measure into it together. Unlike lateness it does not grow with what else the machine
    does; it is there though the process be killed."""
    from pitwatch.daemon.service.app import Daemon

    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    most = longest(Path(file))
    watching = False
    turn = asyncio.BaseEventLoop._run_once  # type: ignore[attr-defined]
    start = Daemon.start

    def measured(loop: asyncio.BaseEventLoop) -> None:
        nonlocal most
        counts, began = watching, thread_time_ns()
        turn(loop)
        took = thread_time_ns() - began
        if counts and took > most:
            most = took
            os.pwrite(descriptor, NANOSECONDS.pack(most), 0)

    async def started(daemon: Daemon) -> None:
        nonlocal watching
        await start(daemon)
        watching = True

    asyncio.BaseEventLoop._run_once = measured  # type: ignore[attr-defined]
    Daemon.start = started  # type: ignore[method-assign]


def longest(path: Path) -> int:
    """What was measured into a file; 0 if nothing was."""
    data = path.read_bytes() if path.exists() else b""
    return int(NANOSECONDS.unpack(data)[0]) if data else 0
