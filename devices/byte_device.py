"""A device on a serial line whose bytes a framer cuts into messages. MicroPython subset.

Must not know what a message means.
"""

from pitwatch.devices.base import Device
from pitwatch.devices.discards import Discards
from pitwatch.devices.faults import Faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation
    from pitwatch.devices.protocols.framer import BaseFramer


class ByteDevice(Device):
    """Hands each message to `_message`, and reports what the framer threw away; waits for nothing else."""

    def __init__(self, device_id: str, settings: "dict[str, Any] | None", framer: "BaseFramer"):
        super().__init__(device_id, settings)
        self._framer = framer
        self._discards = Discards(self)
        self._faults = Faults(self)

    def feed(self, data: bytes, t: int) -> "list[Observation]":
        seen = self.tick(t)
        for message in self._framer.feed(data):
            seen += self._message(message, t)
        self._note_discards(t)
        return seen

    def _message(self, message: "Any", t: int) -> "list[Observation]":
        """What a message of the framer says; counts it as understood if it is one."""
        raise NotImplementedError

    def interrupted(self, t: int) -> "list[Observation]":
        self._framer.interrupt()
        self._note_discards(t)
        return []

    def tick(self, t: int) -> "list[Observation]":
        seen = self._discards.take(t)
        self.deadline = self._discards.due
        return seen

    def _note_discards(self, t: int) -> None:
        self._discards.add(self._framer.take_discarded(), t)
        self.deadline = self._discards.due
