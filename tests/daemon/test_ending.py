"""What tells a process to end, and what does not."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from pitwatch.daemon.common import ending
from pitwatch.daemon.common.ending import cancel_when_told, when_told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_each_of_them_tells(number):
    before = signal.signal(number, signal.default_int_handler)  # whatever who started the tests has them ignore
    try:
        told = asyncio.Event()
        when_told(told.set)
        os.kill(os.getpid(), number)
        await asyncio.wait_for(told.wait(), 5)
    finally:
        signal.signal(number, before)


async def test_a_terminal_that_goes_is_nothing_to_who_was_started_by_nohup():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        told = asyncio.Event()
        when_told(told.set)
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0.05)
        assert not told.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(told.wait(), 5)
    finally:
        signal.signal(signal.SIGHUP, before)


async def test_who_misses_that_he_is_cancelled_is_cancelled_again(monkeypatch):
    monkeypatch.setattr(ending, "SAID_AGAIN_S", 0.05)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    missed = []

    async def work():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:  # as asyncio.wait_for does in Python 3.11 when what it waits for has just come
            missed.append(True)
        await asyncio.sleep(60)

    try:
        task = asyncio.create_task(work())
        cancel_when_told(task)
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGTERM)
        done, _ = await asyncio.wait({task}, timeout=5)
        assert done
        assert task.cancelled()
        assert missed
    finally:
        signal.signal(signal.SIGTERM, before)
