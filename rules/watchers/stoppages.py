"""When machines shuffled and were jammed, so that a stretch of time can be asked how much of it that took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Span = tuple[float, float]


class Stoppages:
    """Times in seconds. Several machines at once are one stoppage. Each stretch is asked for once, in order."""

    def __init__(self) -> None:
        self._shuffling: dict[str, float] = {}
        self._shuffles: list[Span] = []
        self._stuck: dict[str, float] = {}
        self._jams: list[Span] = []

    def shuffle_started(self, device: str, t: float) -> None:
        self._shuffling[device] = t

    def shuffle_completed(self, device: str, t: float) -> None:
        began = self._shuffling.pop(device, None)
        if began is not None:
            self._shuffles.append((began, t))
        self.jam_cleared(device, t)

    def jammed(self, device: str, t: float) -> None:
        self._stuck.setdefault(device, t)

    def jam_cleared(self, device: str, t: float) -> None:
        began = self._stuck.pop(device, None)
        if began is not None:
            self._jams.append((began, t))

    def shuffled(self, begin: float, end: float) -> float:
        """Seconds of shuffles within a stretch, also of those that go on. Forgets what ended before its end."""
        found = _within(begin, end, self._shuffles, self._shuffling)
        self._shuffles = [each for each in self._shuffles if each[1] > end]
        return found

    def stuck(self, begin: float, end: float) -> float:
        """Seconds of jams within a stretch; as `shuffled`."""
        found = _within(begin, end, self._jams, self._stuck)
        self._jams = [each for each in self._jams if each[1] > end]
        return found


def _within(begin: float, end: float, over: Iterable[Span], lasting: Mapping[str, float]) -> float:
    total, done = 0.0, begin
    for first, last in sorted([*over, *((since, end) for since in lasting.values())]):
        first, last = max(first, done), min(last, end)
        if last > first:
            total += last - first
            done = last
    return total
