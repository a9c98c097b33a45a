"""Splits a byte stream into text lines at any line ending. MicroPython subset. Must not know what a line means.

CR LF, LF CR, a lone CR or LF and any run of them end a line; empty lines are ignored.
"""

from pitwatch.devices.protocols.framer import BaseFramer


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
