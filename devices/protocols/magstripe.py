"""Track 2 of a magnetic stripe as a reader sends it, and what of it may be heard at all. MicroPython subset.

`;NUMBER=DATA?` and, from some readers, a check character, ended by CR, LF or ETX; track 1 may stand before it. A
payment card has a number of 13 to 19 digits whose Luhn sum fits. Such a number must reach no capture and no journal,
so `Screen` stands before everything that hears a reader: it lets through the number of a staff card and nothing else.
Must not know who holds a card. General knowledge of the trade (ISO/IEC 7811, 7812, 7813).
"""

from pitwatch.devices.protocols.line_framer import LineFramer

SHAPE = {"magstripe": "fits"}

LONGEST = 300  # bytes of a line; three tracks have fewer
PAYMENT = (13, 19)  # digits
HIDDEN = "#"  # stands for a character that may not be heard
MISREAD = "!"  # stands for a check character that does not fit

_ENDS = b"\r\n\x03"


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def check_char(track: str) -> str:
    """The check character of a track from `;` to `?`: exclusive or of its five-bit characters without parity."""
    check = 0
    for char in track:
        check ^= ord(char) - 0x30
    return chr(0x30 + (check & 0x0F))


def screened(line: bytes) -> bytes:
    """A line of which nothing is left but the number of a staff card: `;NUMBER?`, with a check character if there was
    one. A card that is refused is `;####?`, a misread one `;####?!`, any other line is all `#`."""
    hidden = HIDDEN.encode() * len(line)
    start = line.find(b";")
    end = line.find(b"?", start)
    body = line[start + 1 : end]
    if start < 0 or end < 0 or not all([byte in b"0123456789=#" for byte in body]):
        return hidden
    number, _, data = str(body, "ascii").partition("=")
    after = line[end + 1 : end + 2]
    if number and number == HIDDEN * len(number):
        return line if line == body_line(number, str(after, "ascii") if after == b"!" else "") else hidden
    if not number or "=" in data or HIDDEN in number + data or len(number) > PAYMENT[1]:
        return hidden
    checked = after == check_char(str(line[start : end + 1], "ascii")).encode()
    if after and not checked:
        return body_line(HIDDEN * len(number), MISREAD)
    if len(number) >= PAYMENT[0] and (luhn(number) or not checked):
        return body_line(HIDDEN * len(number), "")
    track = ";" + number + "?"
    return body_line(number, check_char(track) if checked else "")


def body_line(number: str, after: str) -> bytes:
    return (";" + number + "?" + after).encode()


class Screen:
    """Whole lines out of bytes that come in any split, each `screened`. What is half received stays in memory alone."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = 0  # bytes of a line that is too long

    def feed(self, data: bytes) -> bytes:
        """What of the bytes may be heard, ended by LF each."""
        out = b""
        for byte in data:
            if byte not in _ENDS:
                if len(self._rest) < LONGEST:
                    self._rest += bytes((byte,))
                else:
                    self._skipping += 1
                continue
            if self._skipping:
                out += HIDDEN.encode() * LONGEST + b"\n"
            elif self._rest:
                out += screened(self._rest) + b"\n"
            self._rest, self._skipping = b"", 0
        return out

    def interrupt(self) -> None:
        """The link was lost: what was half received is forgotten."""
        self._rest, self._skipping = b"", 0


def line(number: str, data: str = "9912101", check: bool = True, names: str = "") -> bytes:
    """The line of a simulated reader; `names` is what track 1 holds."""
    track = ";" + number + "=" + data + "?"
    first = "%" + names + "?" if names else ""
    return (first + track + (check_char(track) if check else "") + "\r\n").encode()


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    messages = fitting = 0
    for each in LineFramer(LONGEST).feed(data.replace(b"\x03", b"\n")):
        if screened(each)[:1] == b";":
            messages += 1
            fitting += len(each) + 2
    return messages, fitting
