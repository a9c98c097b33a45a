"""Splits a byte stream into text lines at any line ending. MicroPython subset. Must not know what a line means.

CR LF, LF CR, a lone CR or LF and any run of them end a line; empty lines are ignored.
"""

from pitwatch.devices.protocols.framer import BaseFramer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class LineFramer(BaseFramer):
    """Lines out of bytes that come in any split.

    cap: longest line believed, in bytes; a longer one is thrown away up to its end and counted in `discarded`.
    """

    def __init__(self, cap: int = 128):
        super().__init__()
        self.cap = cap
        self._skipping = False

    def feed(self, data: bytes) -> "list[bytes]":
        """The lines that `data` completes, without their ends."""
        pieces = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        rest = pieces.pop()
        if self._skipping and pieces:
            self.discarded += len(pieces[0])
            pieces[0] = b""
            self._skipping = False
        lines = []
        for piece in pieces:
            if len(piece) > self.cap:
                self.discarded += len(piece)
            elif piece:
                lines.append(piece)
        if self._skipping or len(rest) > self.cap:
            self._skipping = True
            self.discarded += len(rest)
            rest = b""
        self._rest = rest
        return lines

    def interrupt(self) -> None:
        super().interrupt()
        self._skipping = False


def fitting_lines(data: bytes, fits: "Callable[[str], bool]") -> "tuple[int, int]":
    """How many lines of printable ASCII in `data` fit, and how many bytes they have, an end of two bytes included."""
    messages = fitting = 0
    for line in LineFramer(len(data)).feed(data):
        if all([32 <= byte < 127 for byte in line]) and fits(str(line, "ascii")):
            messages += 1
            fitting += len(line) + 2
    return messages, fitting
