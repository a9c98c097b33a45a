"""A reader that already speaks the vocabulary, as JSON lines: a camera that reads dice, a progressive controller.

One line is `{"event": "dice_settled", "data": {...}}`. MicroPython subset. Checks the adapter's words against
the vocabulary: a missing or impossible field is a fault, and the event is dropped.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import ndjson
from pitwatch.devices.protocols.line_framer import LineFramer
from pitwatch.devices.vocabulary import EVENTS, fields_of, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

LONGEST = 4096  # bytes a line
OWN = ("device_online", "device_offline")  # the daemon's to say, from the state of the link


class ReportingDevice(ByteDevice):
    """Lines that are no such JSON object are `bytes_discarded`; an unknown event or a bad field is a passing fault."""

    SERIAL = (115200, "8N1")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, LineFramer(LONGEST))

    def _message(self, line: bytes, t: int) -> "list[Observation]":
        report = ndjson.report(line)
        if report is None:
            self._framer.discarded += len(line)
            return []
        self.understood += 1
        return self._reported(report[0], report[1], t)

    def _reported(self, event: str, data: "dict[str, Any]", t: int) -> "list[Observation]":
        if event in OWN or fields_of(self.TYPE, event) is None:
            return self._faults.once(t, "unknown_event", event=event)
        wrong = problem(self.TYPE, event, data)
        if wrong:
            return self._faults.once(t, "bad_field", event=event, problem=wrong)
        seen = self.saw(t, event)
        seen.data = data
        return [seen]


def reporting_class(device_type: str) -> "type[ReportingDevice]":
    """The class of a reporting device of one type. Raises KeyError if there is no such type."""

    class Reporting(ReportingDevice):
        TYPE = device_type
        EVENTS = tuple(EVENTS[device_type])

    return Reporting
