"""When a process is told to end: by systemd, by a key, or because the terminal it was started from went."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence

TOLD = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def when_told(call: Callable[[], object], signals: Sequence[signal.Signals] = TOLD) -> None:
    """Have `call` called on the running loop at each such signal, but at none that who started us has us ignore
    (nohup)."""
    loop = asyncio.get_running_loop()
    for number in signals:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, call)
