"""Detects lost messages behind noise by the running number of the next message. MicroPython subset.

One hexadecimal character. It counts up by one; after F comes 0. Some devices may count in decimal digits: after 9 comes
0 or 1, which is accepted until a letter was seen. The public descriptions name the number and not its last value.
"""

from pitwatch.devices.discards import WINDOW, Discards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.base import Device
    from pitwatch.devices.observation import Observation

DIGITS = "0123456789ABCDEF"
SHORTEST = 6  # bytes of a message: as many that begin with a number may hide a whole turn of it
STEADY = 8  # steps by one in a row after which a jump without noise counts as lost messages


class NumberedDiscards(Discards):
    """As `Discards`, with `lost` beside the count: 0 if the number went on, how many messages are lost if it jumped,
    null while the next message has not come, absent if the number does not show it. What is not 0 is reported before
    that message."""

    def __init__(self, device: "Device") -> None:
        Discards.__init__(self, device)
        self._last: str | None = None
        self._letters = False
        self._zero = False
        self._steady = 0  # steps by one in a row
        self._runs = True  # False: the number jumped without noise before it was known to be steady
        self._hidden = 0  # bytes thrown away since the last message
        self._open = False  # null was reported
        self._blind = False  # what is still to be reported cannot be judged

    def add(self, count: int, t: int) -> None:
        Discards.add(self, count, t)
        self._hidden += count

    def unread(self, count: int, t: int) -> None:
        """A message of `count` bytes whose check was right and whose content is impossible: its number is not heard."""
        self._hidden += count
        if self.due is None:
            self.due = t + WINDOW

    def take(self, t: int) -> "list[Observation]":
        if self.due is None or t < self.due:
            return []
        if self._blind or self._last is None:
            return self._tell(t)
        if not self._hidden:
            return self._tell(t, lost=0)
        self._open = True
        return self._tell(t, lost=None)

    def interrupted(self) -> None:
        """The link was lost: the next number shows nothing of what came before it."""
        self._last, self._open, self._hidden = None, False, 0
        self._blind = self.due is not None

    def restarted(self, number: str, t: int) -> "list[Observation]":
        """The device counts anew from this number: it is unknown what noise before it hid."""
        untold = self._open or self._hidden > 0
        self.interrupted()
        self._last = number
        return self._tell(t) if untold else []

    def message(self, number: str, repeated: bool, t: int) -> "list[Observation]":
        """A message with this number came; what its number shows of the noise before it."""
        noise, self._hidden = self._hidden, 0
        last, self._last = self._last, number
        if last is None:
            self._blind = self._blind or noise > 0
            return []
        lost = 0 if repeated else self._lost(last, number, noise)
        was_open, self._open = self._open, False
        if lost == 0 and self._runs:
            return self._tell(t, lost=0) if was_open else []
        if noise:
            return self._tell(t, lost=lost) if self._runs and lost else self._tell(t)
        steady, self._steady = self._steady, 0 if lost else self._steady
        if lost and steady >= STEADY:
            return self._tell(t, lost=lost)
        self._runs = self._runs and not lost
        return []

    def _lost(self, last: str, number: str, noise: int) -> "int | None":
        """Messages between two numbers; None if unknown."""
        here, before = DIGITS.find(number), DIGITS.find(last)
        self._letters = self._letters or here > 9
        if here < 0 or before < 0:
            return None
        missing = (here - before - 1) % len(DIGITS)
        decimal = before == 9 and here <= 1 and not self._letters
        skips_zero = last == "F" and here == 1 and not noise and not self._zero
        self._zero = self._zero or here == 0
        if missing and not (decimal or skips_zero):
            return missing
        self._steady += 1
        if self._steady >= STEADY:
            self._runs = True
        turn = missing if decimal else len(DIGITS)
        return None if noise >= turn * SHORTEST else 0

    def _tell(self, t: int, **more: "int | None") -> "list[Observation]":
        count, self._count, self.due = self._count, 0, None
        self._blind = False
        return [self._device.saw(t, "bytes_discarded", count=count, **more)]
