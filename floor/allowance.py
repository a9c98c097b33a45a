"""The number of requests that a table accepts (docs/access.md): a number at once, then a number a minute. Sends
nothing.
"""

from __future__ import annotations

import time

from pitwatch.daemon.requests.allowances import BURST, REFILL

REFILL_S = REFILL / 1e9 + 0.5
"""Seconds after which a table takes one more; a little longer than the table counts it."""


class Allowance:
    """Of every table as it counts its own; what others ask of it is not known here."""

    def __init__(self) -> None:
        self._full_at: dict[str, float] = {}
        """When it is whole again (monotonic seconds)."""

    def wait(self, table: str, left: int = 0) -> float:
        """Counts a request; seconds until it may be sent. `left`: so many others can be sent at once after it."""
        now = time.monotonic()
        full_at = max(self._full_at.get(table, 0.0), now) + REFILL_S
        self._full_at[table] = full_at
        return max(0.0, full_at - now - (BURST - left) * REFILL_S)
