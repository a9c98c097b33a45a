"""Background work beside the running table: one task of the event loop for each job."""

from __future__ import annotations

import asyncio


class Background:
    """A kind of work overrides `_run`, which goes on until it is cancelled."""

    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; to be called on the event loop."""
        self._task = asyncio.create_task(self._run(), name=type(self).__name__)

    async def stop(self) -> None:
        """End, and do nothing more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            self._task = None

    async def _run(self) -> None:
        raise NotImplementedError
