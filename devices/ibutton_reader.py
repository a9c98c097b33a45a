"""iButtons on a 1-Wire bus: touches in, one credential for each. MicroPython subset.

Must not know whose button it is nor what the holder may do.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import ibutton
from pitwatch.devices.protocols.line_framer import LineFramer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"key_reader.ibutton": "IButtonReader"}

MOST_GONE = 16  # buttons remembered after they were taken away


class IButtonReader(ByteDevice):
    """credential_presented {credential, bits}: the kernel's name of the button, such as "01-000015d4c2f3"; `bits` 64.

    A button that is there when the bus is opened was not presented. A button of another family, without a number or
    with a wrong CRC is a passing fault "unknown_family", "no_serial" or "bad_crc" {family}, and no credential.
    """

    TYPE = "key_reader"
    EVENTS = ("credential_presented",)
    SETTINGS = {"gone_s": (2, "seconds for which a button must be gone before it counts as presented again")}
    SERIAL = (9600, "8N1")  # where a link has no speed of its own this is not looked at

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, LineFramer(ibutton.LONGEST))
        if not 0 <= self.settings["gone_s"] <= 60:
            raise ValueError(f"gone_s: {self.settings['gone_s']!r} is no time to wait; 0 to 60 seconds")
        self._gone_after = int(self.settings["gone_s"] * 1000) * 1_000_000
        self._gone: dict[str, int] = {}  # button to ns at which it was taken away

    def _message(self, line: bytes, t: int) -> "list[Observation]":
        touch = ibutton.parse(line)
        if touch is None:
            self._framer.discarded += len(line)
            return []
        self.understood += 1
        name = touch.family + "-" + touch.serial
        self._gone = {each: at for each, at in self._gone.items() if t - at < self._gone_after}
        if touch.sign == "-":
            if len(self._gone) < MOST_GONE:
                self._gone[name] = t
            return []
        if touch.sign == "=" or name in self._gone:
            return []
        reason = ibutton.wrong(touch)
        if reason:
            return self._faults.once(t, reason, family=touch.family)
        return [self.saw(t, "credential_presented", credential=name, bits=64)]
