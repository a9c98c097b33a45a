"""Work beside the table ends when it is asked to, whatever it was just waiting for."""

from __future__ import annotations

import asyncio
import contextlib

from pitwatch.daemon.common import background
from pitwatch.daemon.common.background import Background
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.hal.sim import SimClock


class Woken(Background):
    """Waits in the way in which Python 3.11 loses the end that is asked for."""

    def __init__(self):
        self.wake = asyncio.Event()

    async def _run(self):
        while True:
            self.wake.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wake.wait(), 60)


async def test_work_that_was_woken_just_then_ends_all_the_same(monkeypatch):
    monkeypatch.setattr(background, "AGAIN", 0.01)
    work = Woken()
    work.start()
    await asyncio.sleep(0.01)
    work.wake.set()
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await work.stop()


async def test_signing_that_was_woken_just_then_ends_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(background, "AGAIN", 3_600)
    journal = Journal(tmp_path / "j.db", SimClock(), "first")
    journal.start()
    signing = Checkpoints(journal, SimClock(), "toledo/RL-07")
    signing.start()
    await asyncio.sleep(0.01)
    signing._wake.set()
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await signing.stop()
    await journal.close()
