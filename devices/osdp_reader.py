"""A key-card reader that speaks OSDP: its replies in, "facility:card" out. MicroPython subset.

The replies come as plain packets, whether they crossed the bus in the clear or over a secure channel (`osdp_panel`).
Must not know whose card it is nor what the holder may do.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import osdp, wiegand
from pitwatch.devices.wiegand_reader import FORMAT_37

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"key_reader.osdp": "OsdpReader"}


class OsdpReader(ByteDevice):
    """credential_presented {credential, bits}: of 26, 34 or 37 bits as a Wiegand reader reports it; a reader that sends
    characters gives them as they are, with `bits` null.

    Bits of another length or with wrong parity are the passing fault "bad_length" or "bad_parity" {bits, pattern}.
    The reader's own word that its case was opened or its power fails is the fault "tamper" or "power" until it says
    otherwise.
    """

    TYPE = "key_reader"
    EVENTS = ("credential_presented",)
    SETTINGS = {"format_37": FORMAT_37}
    SERIAL = (9600, "8N1")
    POLLED = True

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, osdp.Framer())
        wiegand.check_format_37(self.settings["format_37"])

    def _message(self, packet: osdp.Packet, t: int) -> "list[Observation]":
        self.understood += 1
        if not packet.reply:
            return []
        if packet.code == osdp.RAW:
            return self._bits(packet.data, t)
        if packet.code == osdp.FMT:
            return self._characters(packet.data, t)
        if packet.code == osdp.LSTATR and len(packet.data) >= 2:
            return self._state("tamper", packet.data[0], t) + self._state("power", packet.data[1], t)
        return []

    def _bits(self, data: bytes, t: int) -> "list[Observation]":
        try:
            bits = osdp.bits_of(data)
            credential = wiegand.credential(bits, self.settings["format_37"])
        except ValueError:
            return self._faults.once(t, "malformed_frame", bytes=_hex(data))
        except wiegand.BadFrameError as bad:
            pattern = "".join([str(bit) for bit in bits[:64]])
            return self._faults.once(t, bad.reason, bits=len(bits), pattern=pattern)
        return [self.saw(t, "credential_presented", credential=credential, bits=len(bits))]

    def _characters(self, data: bytes, t: int) -> "list[Observation]":
        """Reader, direction of the swipe, number of characters, characters."""
        text = data[3:]
        if len(data) < 4 or len(text) != data[2] or not all([33 <= byte < 127 for byte in text]):
            return self._faults.once(t, "malformed_frame", bytes=_hex(data))
        return [self.saw(t, "credential_presented", credential=str(text, "ascii"), bits=None)]

    def _state(self, what: str, level: int, t: int) -> "list[Observation]":
        return self._faults.set(t, what) if level else self._faults.clear(t, what)


def _hex(data: bytes) -> str:
    return "".join([f"{byte:02x}" for byte in data])
