"""Decides which of several addresses is tried next, and after what delay. Opens nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pitwatch.daemon.config.broker_url import BrokerAddress


class Turns:
    """Each address in turn. The wait doubles with each full turn that found nobody, from `first` to `most` seconds,
    with jitter of half; to the next address of the same turn it is the shortest."""

    def __init__(self, addresses: Sequence[BrokerAddress], first: float, most: float):
        self._addresses = addresses
        self._first = first
        self._most = most
        self._turn = 0
        self._tried = 0
        self._wait = first

    @property
    def address(self) -> BrokerAddress:
        return self._addresses[self._turn]

    def next(self, lasted: float) -> float:
        """The connection to this address has ended, or could not be had, after so many seconds. Returns the seconds to
        wait before the next."""
        self._turn = (self._turn + 1) % len(self._addresses)
        self._tried += 1
        if lasted > self._most:
            self._wait, self._tried = self._first, 1
        wait = self._first
        if self._tried >= len(self._addresses):
            wait, self._wait, self._tried = self._wait, min(self._wait * 2, self._most), 0
        return wait * random.uniform(0.5, 1.0)
