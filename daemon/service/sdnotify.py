"""Notifies systemd of the state of the process by sd_notify datagrams. Does nothing outside a Type=notify unit.

A timer of the event loop feeds the watchdog: a loop that hangs stops feeding it.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping


class Notifier:
    """`environment` is where systemd says NOTIFY_SOCKET and WATCHDOG_USEC."""

    def __init__(self, environment: Mapping[str, str] = os.environ):
        address = environment.get("NOTIFY_SOCKET", "")
        self._socket: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._interval = 0.0
        if not address:
            return
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        if environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid()):
            self._interval = int(environment.get("WATCHDOG_USEC", "0")) / 1_000_000 / 3

    def say(self, *assignments: str) -> None:
        """Send assignments such as "READY=1" or "STATUS=…"; it is not an error if systemd does not listen."""
        if self._socket is not None:
            try:
                self._socket.sendto("\n".join(assignments).encode(), self._address)
            except OSError:
                return

    def ready(self, status: str) -> None:
        """Started: the unit is up, and the watchdog is fed from now on."""
        self.say("READY=1", f"STATUS={status}")
        if self._interval:
            self._feed()

    def stopping(self) -> None:
        """The last word: no watchdog feeding after it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.say("STOPPING=1", "STATUS=stopping")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _feed(self) -> None:
        self.say("WATCHDOG=1")
        self._timer = asyncio.get_running_loop().call_later(self._interval, self._feed)
