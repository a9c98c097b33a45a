"""A bench run that is watched in a browser: its tables, its captures, its server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO

from pitwatch.daemon.bench.panel.feed import Feed
from pitwatch.daemon.bench.panel.notes import PanelNotes
from pitwatch.daemon.bench.panel.server import PanelServer
from pitwatch.daemon.bench.panel.table import PanelTable
from pitwatch.daemon.bench.scenario import Part
from pitwatch.daemon.common.ending import when_told
from pitwatch.daemon.config import Config
from pitwatch.daemon.publishing.envelope import ECHO


class Panel:
    """`folder`: for captures that nobody named a file for."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._feed = Feed()
        self._tables: list[PanelTable] = []
        self._files = contextlib.ExitStack()

    def table(self, config: Config, part: Part, seed: int, capture: BinaryIO | None) -> PanelTable:
        """A table to be watched. Raises UsageError."""
        name = config.table.id
        if capture is None:
            path = self._folder / f"{len(self._tables)}-{name}.jsonl"
            capture = self._files.enter_context(path.open("w+b"))
        table = PanelTable(config, part, seed, PanelNotes(name, capture, self._feed))
        self._tables.append(table)
        return table

    def show(self, table: str, kind: str, data: dict[str, Any]) -> None:
        """What the subscriber received: `daemon.bench.subscriber.Show`."""
        if kind == "observation":
            self._feed.put(table, "observation", data)
        elif kind != ECHO:  # it tests the broker
            self._feed.put(table, "verdict", {"type": kind, "t": data["t"], "data": data})

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Answers for the length of the block; the link to open."""
        server = PanelServer(self._tables, self._feed)
        with self._files:
            async with server.serving():
                yield server.address

    async def stay(self, speed: float, *, playing: bool) -> None:
        """Let the tables go on until somebody ends it (Ctrl-C); `playing`: the dealers play meanwhile."""
        told = asyncio.Event()
        when_told(told.set)
        for table in self._tables:
            table.speed = speed
            table.live.let_play(playing)
        async with asyncio.TaskGroup() as beside:
            going = [beside.create_task(table.stay()) for table in self._tables]
            await told.wait()
            for each in going:
                each.cancel()
