"""Watches for certificates of the table that expire soon: with an expired certificate a table reaches no broker.

Independent of MQTT; reads no key.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Sequence

from pitwatch.daemon.common.background import Background

SOON_DAYS = 30

LOOK_EVERY = 86_400.0
"""Seconds between looks."""


class CertificateWatch(Background):
    """`tell(what ends, and when)` is called on the loop at each change; None: nothing ends soon any more."""

    def __init__(self, files: Sequence[str], tell: Callable[[str | None], None]):
        self._files = tuple(file for file in files if file)
        self._tell = tell
        self._told: str | None = None

    def start(self) -> None:
        """As `Background.start`. Without any certificate there is nothing to do."""
        if self._files:
            super().start()

    async def _run(self) -> None:
        while True:
            ends = [(file, await asyncio.to_thread(ends_soon, file)) for file in self._files]
            told = "; ".join(f"{file} ends {end}" for file, end in ends if end) or None
            if told != self._told:
                self._told = told
                self._tell(told)
            await asyncio.sleep(LOOK_EVERY)


def ends_soon(certificate: str) -> str | None:
    """When a certificate ends, if that is within 30 days; None too if openssl cannot say."""
    try:
        done = subprocess.run(
            ["openssl", "x509", "-noout", "-enddate", "-checkend", str(SOON_DAYS * 86_400), "-in", certificate],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    end = done.stdout.partition("notAfter=")[2].partition("\n")[0]
    return end if end and done.returncode == 1 else None
