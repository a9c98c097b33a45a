"""A reader of magnetic stripes: lines in, the number of a staff card out. MicroPython subset.

Payment cards are refused, and their numbers are heard by nothing behind `screen`. Must not know whose card it is.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import magstripe
from pitwatch.devices.protocols.framer import BaseFramer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"key_reader.magstripe": "MagstripeReader"}


class ScreenedLines(BaseFramer):
    """Screened lines, once more: what is decoded need not have passed the screen, such as a capture of others."""

    def __init__(self) -> None:
        super().__init__()
        self._screen = magstripe.Screen()

    def feed(self, data: bytes) -> "list[bytes]":
        return [line for line in self._screen.feed(data).split(b"\n") if line]

    def interrupt(self) -> None:
        self._screen.interrupt()


class MagstripeReader(ByteDevice):
    """credential_presented {credential, bits}: the number of track 2, `bits` null.

    A number of 13 to 19 digits is refused if it may be that of a payment card: its Luhn sum fits, or no check character
    shows that it was read right. That is the passing fault "card_refused" {digits}; a check character that does not fit
    is "bad_lrc". Neither holds a digit of the card.
    """

    TYPE = "key_reader"
    EVENTS = ("credential_presented",)
    SERIAL = (9600, "8N1")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, ScreenedLines())

    @classmethod
    def screen(cls) -> "magstripe.Screen":
        return magstripe.Screen()

    def _message(self, line: bytes, t: int) -> "list[Observation]":
        number, _, after = str(line[1:], "ascii").partition("?")
        if line[:1] != b";":
            self._framer.discarded += len(line)
            return []
        self.understood += 1
        if after == magstripe.MISREAD:
            return self._faults.once(t, "bad_lrc")
        if number[:1] == magstripe.HIDDEN:
            return self._faults.once(t, "card_refused", digits=len(number))
        return [self.saw(t, "credential_presented", credential=number, bits=None)]
