"""Limits a device that sends far more than is plausible, so that the other devices keep their share of time.

Sans-I/O: time comes with the data, so that a replay refuses what the live run refused. Must not know protocols.
"""

from __future__ import annotations

SECOND = 1_000_000_000

BYTES, BYTES_TOLD, BYTES_BURST = 64 * 1024, 96 * 1024, 512 * 1024
"""Bytes a second that a device may send for long; bytes beyond that at once before it is reported, and refused."""

SPELL, SPELL_BYTES = 350_000_000, 32 * 1024
"""Nanoseconds, and bytes in them: two such spells in a row with more are reported, however the bytes were read. On a
busy machine a flood comes in full readings too."""

SEEN, SEEN_TOLD, SEEN_BURST = 2_000, 4_000, 20_000
"""Observations, likewise."""

FULL, STOCK_BURST = 4_095, 2 << 20
"""Bytes in one reading that show a sender with stored data, such as a box that delivers its buffer; so much
may come at once in that way."""

CALM = 16 * 1024
"""Bytes in a second after which a flood is over: a line of 115,200 baud brings less."""

FINE, TOLD, REFUSED = 0, 1, 2


class _Bucket:
    def __init__(self, rate: int, burst: int, told: int):
        self._rate, self._burst, self._told = rate, burst, told
        self._over = 0.0  # what came beyond the rate
        self._t = 0

    def add(self, count: int, t: int) -> int:
        """What to do with `count` more at `t` (ns): accept, report or refuse."""
        self._over = max(0.0, self._over - (t - self._t) * self._rate / SECOND) + count
        self._t = t
        return REFUSED if self._over > self._burst else TOLD if self._over > self._told else FINE


class Flood:
    """`bytes` and `seen` count and say what to do. Once something is `told`, `calm` says once a second whether it is
    over; once it is `refused`, `refuse` takes what is thrown away."""

    def __init__(self) -> None:
        self.told = self.refused = False
        self._bytes = _Bucket(BYTES, BYTES_BURST, BYTES_TOLD)
        self._stock = _Bucket(BYTES, STOCK_BURST, STOCK_BURST)
        self._seen = _Bucket(SEEN, SEEN_BURST, SEEN_TOLD)
        self._volume = 0
        self._thrown = 0
        self._spell_at = 0
        self._spell = 0  # bytes in it so far
        self._lasting = False  # the spell before it had too many

    def bytes(self, count: int, t: int) -> int:
        self._volume += count
        how = (self._stock if count >= FULL else self._bytes).add(count, t)
        return max(how, TOLD) if self._lasts(count, t) else how

    def _lasts(self, count: int, t: int) -> bool:
        gone = t - self._spell_at
        if gone >= SPELL:
            self._lasting = self._spell > SPELL_BYTES and gone < 2 * SPELL
            self._spell_at, self._spell = t, 0
        self._spell += count
        return self._lasting and self._spell > SPELL_BYTES

    def seen(self, count: int, t: int) -> int:
        return self._seen.add(count, t)

    def refuse(self, count: int) -> None:
        self._thrown += count
        self._volume += count

    def calm(self, gone: bool = False) -> int | None:
        """Bytes thrown away in all if the past second was calm, or the link is `gone`, which ends the flood; else
        None."""
        volume, self._volume = self._volume, 0
        if volume > CALM and not gone:
            return None
        self.told = self.refused = False
        thrown, self._thrown = self._thrown, 0
        return thrown
