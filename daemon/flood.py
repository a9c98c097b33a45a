"""Keeps one device that sends far more than it can mean from taking the others' time.

Sans-I/O: time comes with what is counted, so that a replay refuses what the live run refused. Must not know protocols.
"""

from __future__ import annotations

SECOND = 1_000_000_000

BYTES, BYTES_BURST = 64 * 1024, 96 * 1024
"""Bytes a second that a device may send for long, and at once."""

FULL, STOCK_BURST = 4_095, 2 << 20
"""Bytes in one reading that show a sender who waits for us, such as a box that hands over what it had buffered; so much
may come at once in that way."""

SEEN, SEEN_BURST = 2_000, 4_000
"""Observations a second that a device may make for long, and at once."""

CALM = 16 * 1024
"""Bytes in a second, of which none is looked at, after which a flood is over: a line of 115,200 baud brings less."""


class _Bucket:
    def __init__(self, rate: int, burst: int):
        self._rate, self._burst = rate, burst
        self._room = float(burst)
        self._t = 0

    def take(self, count: int, t: int) -> bool:
        """Whether `count` at `t` (ns) is too much."""
        self._room = min(self._burst, self._room + (t - self._t) * self._rate / SECOND) - count
        self._t = t
        return self._room < 0

    def empty(self, t: int) -> None:
        self._room, self._t = 0.0, t


class Flood:
    """`bytes` and `seen` count; either returns True once it is too much. While `on`, `refuse` takes what is thrown
    away, and `calm` tells once a second whether it is over, with the bytes thrown away since."""

    def __init__(self) -> None:
        self.on = False
        self._bytes = _Bucket(BYTES, BYTES_BURST)
        self._stock = _Bucket(BYTES, STOCK_BURST)
        self._seen = _Bucket(SEEN, SEEN_BURST)
        self._refused = 0
        self._total = 0

    def bytes(self, count: int, t: int) -> bool:
        return (self._stock if count >= FULL else self._bytes).take(count, t)

    def seen(self, count: int, t: int) -> bool:
        return self._seen.take(count, t)

    def begin(self) -> None:
        self.on, self._refused, self._total = True, 0, 0

    def refuse(self, count: int) -> None:
        self._refused += count
        self._total += count

    def calm(self, t: int, gone: bool = False) -> int | None:
        """Bytes thrown away in all if the past second was calm, or the link is `gone`, which ends the flood; else
        None."""
        refused, self._refused = self._refused, 0
        if refused > CALM and not gone:
            return None
        self.on = False
        for bucket in (self._bytes, self._stock, self._seen):
            bucket.empty(t)
        return self._total
