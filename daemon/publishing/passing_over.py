"""Records too large for a broker: whether another broker may accept them, and which were skipped. Sends nothing.

The outbox is in order, so a record that no broker accepts would block all later ones. It is skipped, a record of its
own reports that, and a connection that accepts it sends it later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.publishing.envelope import LARGEST
from pitwatch.daemon.publishing.known_brokers import KnownBrokers

TELL_AFTER = 1.0
"""Seconds in which skipped records are reported together."""

AWAY_FOR = 300.0
"""Seconds for which a broker that could not be reached is not waited for."""

MOST = 1_000
"""Records kept in mind to be sent later."""

NAMED = 50

log = logging.getLogger("pitwatch.mqtt")


class PassedOver:
    """`on_told(detail)` is what shall be journalled of those that were passed over since it was last reported."""

    def __init__(self, addresses: Sequence[BrokerAddress], known: KnownBrokers):
        self._addresses = addresses
        self._known = known
        self._seq = 0
        self._tried: set[BrokerAddress] = set()
        self._away: dict[BrokerAddress, float] = {}
        self._sizes: dict[int, int] = {}
        self._untold: dict[int, int] = {}
        self._takes = LARGEST
        self._telling: asyncio.TimerHandle | None = None
        self.on_told: Callable[[dict[str, Any]], None] = lambda detail: None

    def unreachable(self, address: BrokerAddress) -> None:
        self._away[address] = asyncio.get_running_loop().time()

    def reached(self, address: BrokerAddress) -> None:
        self._away.pop(address, None)

    def elsewhere(self, seq: int, size: int, here: BrokerAddress) -> bool:
        """Whether another broker may take this record; each is tried once for it."""
        if size > LARGEST:
            return False
        if seq != self._seq:
            self._seq, self._tried = seq, set()
        self._tried.add(here)
        now = asyncio.get_running_loop().time()
        for address in self._addresses:
            largest = self._known.largest(address)
            there = now - self._away.get(address, -AWAY_FOR) >= AWAY_FOR
            if address not in self._tried and there and (largest is None or largest >= size):
                return True
        return False

    def add(self, record: Record, size: int, takes: int) -> None:
        """It is passed over. `takes`: bytes of the largest message that the broker takes."""
        self._sizes[record.seq] = size
        while len(self._sizes) > MOST:
            del self._sizes[next(iter(self._sizes))]
        log.warning(
            "record %d (%s) is not published: it has %d bytes, and the broker takes %d; the journal has it",
            record.seq, record.kind, size, takes,
        )  # fmt: skip
        if record.kind == "system" and b'"records_not_published"' in record.body:
            return  # the report about this report would be too large itself, and so on
        self._untold[record.seq] = size
        self._takes = takes
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(TELL_AFTER, self.tell)

    def tell(self) -> None:
        """Report what is not reported yet."""
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        untold, self._untold = self._untold, {}
        if untold:
            sequences = sorted(untold)
            self.on_told(
                {
                    "count": len(untold),
                    "sequences": sequences[:NAMED],
                    "largest_bytes": max(untold.values()),
                    "broker_takes_bytes": self._takes,
                }
            )

    def take(self, largest: int) -> list[int]:
        """Sequences of those that were passed over and would be taken now; they are forgotten."""
        found = [seq for seq, size in self._sizes.items() if size <= largest]
        for seq in found:
            del self._sizes[seq]
        return found
