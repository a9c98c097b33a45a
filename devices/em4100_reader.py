"""A serial reader of 125 kHz badges: frames in, one credential for each time a badge is held to it. MicroPython subset.

Must not know whose badge it is nor what the holder may do.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import em4100

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"key_reader.em4100": "Em4100Reader"}

MOST_HELD = 8  # badges before a reader at one time; more are reported each time


class Em4100Reader(ByteDevice):
    """credential_presented {credential, bits, tag}: `bits` is 40, `tag` the ten hexadecimal digits of the badge.

    A badge that is read again within `gone_s` since it was read last is still the same presentation, however long it is
    held.
    """

    TYPE = "key_reader"
    EVENTS = ("credential_presented",)
    SETTINGS = {
        "format": ("3d5d", "how the credential is written: 3d5d (facility:card), 8h10d or hex, the whole tag"),
        "gone_s": (2, "seconds in which a badge must not be read before it counts as presented again"),
    }
    SERIAL = (9600, "8N1")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, em4100.Framer())
        em4100.check_format(self.settings["format"])
        if not 0 < self.settings["gone_s"] <= 60:
            raise ValueError(f"gone_s: {self.settings['gone_s']!r} is no time to wait; above 0, up to 60 seconds")
        self._gone = int(self.settings["gone_s"] * 1000) * 1_000_000
        self._held: dict[str, int] = {}  # tag to ns at which it was read last

    def _message(self, tag: str, t: int) -> "list[Observation]":
        self.understood += 1
        self._held = {each: at for each, at in self._held.items() if t - at < self._gone}
        held = tag in self._held
        if held or len(self._held) < MOST_HELD:
            self._held[tag] = t
        if held:
            return []
        credential = em4100.credential(tag, self.settings["format"])
        return [self.saw(t, "credential_presented", credential=credential, bits=40, tag=tag)]
