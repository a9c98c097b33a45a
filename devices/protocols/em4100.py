"""Frames of a serial reader of 125 kHz badges (EM4100), as of ID-12, ID-20 and RDM6300. MicroPython subset.

9600 8N1. A frame is 02, ten hexadecimal digits (a version byte and a number of four bytes), two of their exclusive or,
CR LF from an ID-12 and not from an RDM6300, and 03. An RDM6300 repeats it while the badge is held. Must not know whose
badge it is. General knowledge of the trade.
"""

from pitwatch.devices.protocols.framer import BaseFramer

SHAPE = {"em4100": "fits"}

START, END = 0x02, 0x03
FORMATS = ("3d5d", "8h10d", "hex")

_HEX = b"0123456789ABCDEFabcdef"
_DIGITS = 12


class Framer(BaseFramer):
    """Tags, as ten hexadecimal digits in capitals, out of bytes that come in any split or damaged."""

    def feed(self, data: bytes) -> "list[str]":
        """The tags that `data` completes."""
        rest, tags = self._rest + data, []
        at = 0
        while at < len(rest):
            start = rest.find(bytes((START,)), at)
            if start < 0:
                self.discarded += len(rest) - at
                at = len(rest)
                break
            self.discarded += start - at
            at = start
            length = _length(rest, at)
            if length < 0:  # no frame begins here
                self.discarded += 1
                at += 1
            elif length == 0:  # the end is still to come
                break
            else:
                tag = _tag(rest[at + 1 : at + 1 + _DIGITS])
                if tag:
                    tags.append(tag)
                else:
                    self.discarded += length
                at += length
        self._rest = rest[at:]
        return tags


def _length(rest: bytes, at: int) -> int:
    """Bytes of the frame that begins at `at`; 0 if more must come, -1 if it is none."""
    body = rest[at + 1 : at + 1 + _DIGITS]
    if not all([byte in _HEX for byte in body]):
        return -1
    tail = rest[at + 1 + _DIGITS : at + 4 + _DIGITS]
    for end in (b"\x03", b"\r\n\x03"):
        if tail[: len(end)] == end:
            return 1 + _DIGITS + len(end)
        if len(body) < _DIGITS or end[: len(tail)] == tail:
            return 0
    return -1


def _tag(digits: bytes) -> str:
    """The tag of twelve digits, or "" if the check does not fit."""
    text = str(digits, "ascii").upper()
    check = 0
    for i in range(0, _DIGITS, 2):
        check ^= int(text[i : i + 2], 16)
    return "" if check else text[:10]


def credential(tag: str, form: str) -> str:
    """The credential of a tag: "132:61562" (3d5d, as most badges have it printed on), "0025489530" (8h10d) or the ten
    digits (hex). The first two leave out part of the tag."""
    if form == "3d5d":
        return f"{int(tag[4:6], 16)}:{int(tag[6:10], 16)}"
    return f"{int(tag[2:10], 16):010d}" if form == "8h10d" else tag


def check_format(form: object) -> None:
    """Raises ValueError with one line for a format there is none of."""
    if form not in FORMATS:
        raise ValueError(f"format: {form!r} is no format of a badge; '3d5d', '8h10d' or 'hex'")


def frame(tag: str, crlf: bool = False) -> bytes:
    """The frame of a simulated reader; `crlf` as an ID-12 sends it."""
    check = 0
    for i in range(0, 10, 2):
        check ^= int(tag[i : i + 2], 16)
    return b"\x02" + f"{tag}{check:02X}".encode() + (b"\r\n\x03" if crlf else b"\x03")


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    messages = framer.feed(data)
    framer.interrupt()
    return len(messages), len(data) - framer.take_discarded()
