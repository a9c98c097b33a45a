"""Detects when a process must end: by systemd, by a key, or because its terminal closed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from typing import Any

TOLD = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SAID_AGAIN_S = 3.0
"""Seconds."""


def when_told(call: Callable[[], object], signals: Sequence[signal.Signals] = TOLD) -> None:
    """Have `call` called on the running loop at each such signal, but at none that who started us has us ignore
    (nohup)."""
    loop = asyncio.get_running_loop()
    for number in signals:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, call)


def cancel_when_told(task: asyncio.Task[Any], signals: Sequence[signal.Signals] = TOLD) -> None:
    """Have the task cancelled at each such signal, and once more every three seconds until it has ended: where a
    cancellation meets the end of `asyncio.wait_for` (Python 3.11; aiomqtt connects so), it is lost."""
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        if not task.done():
            task.cancel()
            loop.call_later(SAID_AGAIN_S, cancel)

    when_told(cancel, signals)
