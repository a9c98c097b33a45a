"""Garbage bytes, counted and reported together: a noisy wire gives one observation a second. MicroPython subset."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.base import Device
    from pitwatch.devices.observation import Observation

WINDOW = 1_000_000_000  # ns from the first bad byte to the report


class Discards:
    """What a byte device threw away and has not reported yet; `due` is when to report it (ns), or None."""

    def __init__(self, device: "Device") -> None:
        self._device = device
        self.due: int | None = None
        self._count = 0

    def add(self, count: int, t: int) -> None:
        if count:
            self._count += count
            if self.due is None:
                self.due = t + WINDOW

    def take(self, t: int) -> "list[Observation]":
        """The `bytes_discarded` observation if it is due at `t`, else nothing."""
        if self.due is None or t < self.due:
            return []
        count, self._count, self.due = self._count, 0, None
        return [self._device.saw(t, "bytes_discarded", count=count)]
