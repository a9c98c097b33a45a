"""Work beside the table: one task for as long as the table is watched, or many that nobody waits for. Knows no work."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

AGAIN = 5.0
"""Seconds after which work that has not ended is asked again: `wait_for` of Python 3.11 swallows what asks it to end
where what it waits for is just done."""


class Background:
    """A kind of work overrides `_run`, which runs until it is cancelled."""

    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; to be called on the event loop."""
        self._task = asyncio.create_task(self._run(), name=type(self).__name__)

    async def stop(self) -> None:
        """End, and do nothing more."""
        if self._task is not None:
            while not self._task.done():
                self._task.cancel()
                await asyncio.wait({self._task}, timeout=AGAIN)
            self._task = None

    async def _run(self) -> None:
        raise NotImplementedError


class Tasks:
    """Work under way that nobody waits for. They are held here: the loop itself would let go of them half done."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._under_way)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin; to be called on the event loop."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def cancel(self) -> None:
        for task in self._under_way:
            task.cancel()
