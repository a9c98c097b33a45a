"""How often one address may ask. Pure; bounded; `now` is any clock in seconds."""

from __future__ import annotations

MOST_ADDRESSES = 20_000


class Bucket:
    """`most` at once, `per_second` after that, for each key."""

    def __init__(self, most: float, per_second: float):
        self._most, self._per_second = most, per_second
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str, now: float) -> bool:
        """Whether there is one left; then it is taken."""
        left, at = self._left.pop(key, (self._most, now))
        left = min(self._most, left + max(now - at, 0.0) * self._per_second)
        allowed = left >= 1.0
        self._left[key] = (left - 1.0 if allowed else left, now)
        if len(self._left) > MOST_ADDRESSES:
            del self._left[next(iter(self._left))]  # the one that has been silent longest
        return allowed
