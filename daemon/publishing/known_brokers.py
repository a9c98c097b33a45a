"""Remembers the limits of each broker, how long they are valid, and how often they may be tested again.

Each test sends the largest message there and back. A line that fails every second must not carry it every second.
Opens nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from pitwatch.daemon.config.broker_url import BrokerAddress

if TYPE_CHECKING:
    from pitwatch.daemon.publishing.broker_trial import Takes

BELIEVED = 3600.0
"""Seconds. A broker may be given another configuration while it runs."""

AT_ONCE, EVERY = 10, 60.0
"""Trials that may follow one another, and seconds after which there may be another."""


class KnownBrokers:
    """`now` gives seconds."""

    def __init__(self, now: Callable[[], float]):
        self._now = now
        self._found: dict[BrokerAddress, tuple[Takes, float]] = {}
        self._doubted: set[BrokerAddress] = set()
        self._left = float(AT_ONCE)
        self._counted = now()

    def takes(self, address: BrokerAddress) -> Takes | None:
        """What the broker takes; None if that is to be found out now."""
        now = self._now()
        self._left = min(AT_ONCE, self._left + (now - self._counted) / EVERY)
        self._counted = now
        if address not in self._found:
            return None
        takes, at = self._found[address]
        if address not in self._doubted and now - at < BELIEVED:
            return takes
        return takes if self._left < 1 else None

    def trying(self) -> None:
        """One trial begins."""
        self._left = max(0.0, self._left - 1)

    def learned(self, address: BrokerAddress, takes: Takes) -> None:
        """A trial has found this out."""
        self._found[address] = takes, self._now()
        self._doubted.discard(address)

    def doubt(self, address: BrokerAddress) -> None:
        """The broker may have been started again, with another configuration."""
        self._doubted.add(address)

    def suspect_will(self, address: BrokerAddress) -> None:
        """The broker refused the will that a table really leaves."""
        if address in self._found:
            takes, at = self._found[address]
            self._found[address] = msgspec.structs.replace(takes, will=False), at
            self._doubted.discard(address)

    def largest(self, address: BrokerAddress) -> int | None:
        """Bytes of the largest message that the broker took last; None if it was never reached."""
        found = self._found.get(address)
        return found[0].largest if found else None
