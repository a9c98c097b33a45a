"""Detects that another device than the configured one sends on a port. MicroPython subset.

Ports get swapped: two plugs after cleaning, two adapters after a restart. Wraps a byte device and reads along; must not
know any protocol, only what the device decoded, what it recognised itself (`sister`) and what `shape` detects in the
rest.
"""

from pitwatch.devices.base import Device
from pitwatch.devices.protocols import shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.observation import Observation

LEAST = 12  # bytes not understood before the first look at what they are
STEP = 8  # further bytes before the next look
KEPT = 512  # bytes, the last ones, that are looked at
GARBAGE_BYTES = 256
GARBAGE_NS = 5_000_000_000
"""So many bytes in so long a time without one complete message are more than passing noise."""


class PortCheck(Device):
    """As the device it wraps. While nothing of what comes is understood and it has the shape of another protocol, there
    is the fault "wrong_device_on_port" {looks_like, expected}; if it has no shape at all, as at a wrong speed, the
    fault "garbage" {bytes, expected}. Both end with the first message that is understood, or when the link is lost.

    Until then nothing that the device makes of it is passed on but the count of bytes: what is not its own is no
    evidence.
    """

    def __init__(self, device: Device, protocol: str):
        super().__init__(device.id)
        self._device = device
        self._protocol = protocol
        self._understood = 0
        self._kept = b""  # since something was understood
        self._count = 0
        self._since = 0
        self._asked = 0
        self._wrong = False

    def opened(self, t: int) -> "list[Observation]":
        seen = self._device.opened(t)
        self.deadline = self._device.deadline
        return seen

    def feed(self, data: bytes, t: int) -> "list[Observation]":
        seen = self._device.feed(data, t)
        self.deadline = self._device.deadline
        if self._device.sister:
            return self._found(self._device.sister, seen, t)
        if self._device.understood != self._understood:
            self._understood = self._device.understood
            self._kept, self._count, self._asked = b"", 0, 0
            if self._wrong:
                self._wrong = False
                seen.insert(0, self.saw(t, "device_recovered"))
            return seen
        if not self._count:
            self._since = t
        self._count += len(data)
        self._kept = (self._kept + data)[-KEPT:]
        if not self._wrong and self._count >= LEAST and self._count - self._asked >= STEP:
            self._asked = self._count
            return seen + self._judge(t)
        return self._passed(seen)

    def interrupted(self, t: int) -> "list[Observation]":
        self._kept, self._count, self._asked = b"", 0, 0
        seen = [self.saw(t, "device_recovered")] if self._wrong else []
        self._wrong = False
        seen += self._device.interrupted(t)
        self.deadline = self._device.deadline
        return seen

    def tick(self, t: int) -> "list[Observation]":
        seen = self._device.tick(t)
        self.deadline = self._device.deadline
        return self._passed(seen)

    def _found(self, looks_like: str, seen: "list[Observation]", t: int) -> "list[Observation]":
        """The device itself recognised who sends."""
        self._understood = self._device.understood
        self._kept, self._count, self._asked = b"", 0, 0
        already, self._wrong = self._wrong, True
        seen = self._passed(seen)
        if not already:
            seen.append(self.fault(t, "wrong_device_on_port", looks_like=looks_like, expected=self._protocol))
        return seen

    def _judge(self, t: int) -> "list[Observation]":
        looks_like = shape.looks_like(self._kept, self._protocol)
        if looks_like and looks_like != self._protocol:
            self._wrong = True
            return [self.fault(t, "wrong_device_on_port", looks_like=looks_like, expected=self._protocol)]
        if not looks_like and self._count >= GARBAGE_BYTES and t - self._since >= GARBAGE_NS:
            self._wrong = True
            return [self.fault(t, "garbage", bytes=self._count, expected=self._protocol)]
        return []

    def _passed(self, seen: "list[Observation]") -> "list[Observation]":
        if not self._wrong:
            return seen
        return [each for each in seen if each.event == "bytes_discarded"]
