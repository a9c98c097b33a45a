"""Limits the requests of each client of a table: a number at once, then a number a minute. Sends nothing.

Memory is bounded: a fixed number of names is remembered. Further clients share one allowance with clients without a
name.
"""

from __future__ import annotations

from collections.abc import Callable

BURST, REFILL = 10, 6_000_000_000
"""Requests that may come at once, and the time (ns) after which one more may."""

COUNT_EVERY = 60_000_000_000
"""Requests beyond that are counted, and the count is reported so often at most (ns)."""

MOST_CLIENTS = 64
"""Names that are remembered at a time; one whose allowance is whole again makes room for another."""

UNNAMED = ""
"""The name of those that have none."""

TOO_MANY = "more than may be asked at a time"


class _Client:
    def __init__(self) -> None:
        self.full_at = 0
        """When the allowance is whole again (monotonic ns)."""
        self.uncounted: dict[str, int] = {}
        """Requests that were not taken and not reported yet, by the reason."""
        self.counted_at: dict[str, int] = {}

    def forgotten(self, now: int) -> bool:
        """Whether it makes no difference that the client asked before."""
        return self.full_at <= now and all(now - at >= COUNT_EVERY for at in self.counted_at.values())


class Allowances:
    """`told(client, count, why)` is called for requests that were refused."""

    def __init__(self, told: Callable[[str, int, str], None]):
        self._told = told
        self._clients: dict[str, _Client] = {UNNAMED: _Client()}
        self.refused = 0
        """Requests that were not taken."""

    def take(self, name: str, now: int) -> bool:
        """Whether the client may ask now; counts the request. Times are monotonic ns."""
        client = self._client(name, now)
        if max(client.full_at, now) - now > (BURST - 1) * REFILL:
            self.count(name, now, TOO_MANY)
            return False
        client.full_at = max(client.full_at, now) + REFILL
        return True

    def count(self, name: str, now: int, why: str, last: str = "") -> None:
        """A request of the client is not taken. `why` is one of few reasons, `last` what is said of this request."""
        client = self._client(name, now)
        self.refused += 1
        count = client.uncounted.pop(why, 0) + 1
        at = client.counted_at.get(why)
        if at is None or now - at >= COUNT_EVERY:
            client.counted_at[why] = now
            self._told(name if name in self._clients else UNNAMED, count, f"{why}{last}")
        else:
            client.uncounted[why] = count

    def _client(self, name: str, now: int) -> _Client:
        if name in self._clients:
            return self._clients[name]
        if len(self._clients) > MOST_CLIENTS:
            for other in [each for each, client in self._clients.items() if each and client.forgotten(now)]:
                del self._clients[other]
        if len(self._clients) > MOST_CLIENTS:
            return self._clients[UNNAMED]
        return self._clients.setdefault(name, _Client())
