"""iButtons as the `w1:` link reports them, and the number of one. MicroPython subset.

A line for each button: a sign (`+` touched, `-` gone, `=` there as the link opened), the kernel's name, such as
01-000015d4c2f3, and after `+` and `=` the eight bytes of its number in hexadecimal if the kernel gives them: family,
serial number with the lowest byte first, CRC-8. Must not know whose button it is. General knowledge of the trade; the
CRC's check value is that of the maker's application note 27.
"""

from pitwatch.devices.protocols.line_framer import LineFramer

SHAPE = {"ibutton": "fits"}

LONGEST = 40  # bytes a line

DS1990A = "01"  # the family that is a number and nothing else

_HEX = "0123456789abcdef"


class Touch:
    """`sign` of "+-=", `family` two and `serial` twelve hexadecimal digits, highest first; `number` 16 digits or ""."""

    __slots__ = ("sign", "family", "serial", "number")

    def __init__(self, sign: str, family: str, serial: str, number: str):
        self.sign = sign
        self.family = family
        self.serial = serial
        self.number = number


def crc8(data: bytes) -> int:
    """Dallas/Maxim: polynomial 0x8C reflected, initial value 0; 0 over a number with its own check."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8C if crc & 1 else crc >> 1
    return crc


def parse(line: bytes) -> "Touch | None":
    """What a line of the link says, or None."""
    if not all([32 < byte < 127 or byte == 32 for byte in line]):
        return None
    name, _, number = str(line, "ascii").partition(" ")
    sign, family, serial = name[:1], name[1:3], name[4:]
    if sign not in ("+", "-", "=") or name[3:4] != "-" or not (_hex(family, 2) and _hex(serial, 12)):
        return None
    if number and not _hex(number, 16):
        return None
    return Touch(sign, family, serial, number)


def _hex(text: str, length: int) -> bool:
    return len(text) == length and all([char in _HEX for char in text])


def wrong(touch: Touch) -> str:
    """Why a button is no credential: "unknown_family", "no_serial", "bad_crc"; "" if it is one."""
    if touch.family != DS1990A:
        return "unknown_family"
    if touch.serial == "0" * 12:
        return "no_serial"
    if touch.number and (crc8(bytes.fromhex(touch.number)) or touch.number[:14] != _rom(touch)):
        return "bad_crc"
    return ""


def _rom(touch: Touch) -> str:
    pairs = [touch.serial[i : i + 2] for i in range(10, -1, -2)]
    return touch.family + "".join(pairs)


def line(sign: str, credential: str, with_number: bool = True) -> bytes:
    """The line of a simulated link for the button 01-…"""
    told = sign + credential
    if sign != "-" and with_number:
        rom = _rom(Touch(sign, credential[:2], credential[3:], ""))
        told += f" {rom}{crc8(bytes.fromhex(rom)):02x}"
    return told.encode() + b"\n"


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    lines = [each for each in LineFramer(LONGEST).feed(data) if parse(each) is not None]
    return len(lines), sum([len(each) + 1 for each in lines])
