"""Watches when the table's certificates end: with an expired certificate a table reaches no broker.

Independent of MQTT; reads no key.
"""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pitwatch.daemon.common.background import Background

SOON_DAYS = 30

LOOK_EVERY = 86_400.0
"""Seconds between looks."""


class CertificateWatch(Background):
    """`tell(what ends, and when)` is called on the loop at each change; None: nothing ends soon any more. `first`: when
    the first of them ends, UTC; None while that is unknown."""

    def __init__(self, files: Sequence[str], tell: Callable[[str | None], None]):
        self._files = tuple(file for file in files if file)
        self._tell = tell
        self._told: str | None = None
        self.first: str | None = None

    def start(self) -> None:
        """As `Background.start`. Without any certificate there is nothing to do."""
        if self._files:
            super().start()

    async def _run(self) -> None:
        while True:
            ends = [(file, await asyncio.to_thread(end_of, file)) for file in self._files]
            told = "; ".join(f"{file} ends {end}" for file, end in ends if end and is_soon(end)) or None
            known = [ssl.cert_time_to_seconds(end) for _, end in ends if end]
            self.first = _utc(min(known)) if known else None
            if told != self._told:
                self._told = told
                self._tell(told)
            await asyncio.sleep(LOOK_EVERY)


def ends_soon(certificate: str) -> str | None:
    """When a certificate ends, if that is within 30 days; None too if openssl cannot say."""
    end = end_of(certificate)
    return end if end and is_soon(end) else None


def end_of(certificate: str) -> str | None:
    """When a certificate ends, as openssl writes it; None if it cannot say."""
    try:
        done = subprocess.run(
            ["openssl", "x509", "-noout", "-enddate", "-in", certificate],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
        )
        end = done.stdout.partition("notAfter=")[2].partition("\n")[0]
        ssl.cert_time_to_seconds(end)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return end


def is_soon(end: str) -> bool:
    """Whether a time as openssl writes it is within 30 days, or past."""
    return ssl.cert_time_to_seconds(end) < time.time() + SOON_DAYS * 86_400


def _utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
