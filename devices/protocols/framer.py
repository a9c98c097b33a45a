"""Counts the bytes that no framer can decode. MicroPython subset. Must not know how a message differs from
noise, nor what it means.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class BaseFramer:
    """Messages out of bytes that come in any split; what belongs to none is counted in `discarded`."""

    def __init__(self) -> None:
        self.discarded = 0  # bytes thrown away since take_discarded()
        self._rest = b""  # half received

    def feed(self, data: bytes) -> "list[Any]":
        """The messages that `data` completes."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """The link was lost: what is half received must not be joined to what comes next."""
        self.discarded += len(self._rest)
        self._rest = b""

    def take_discarded(self) -> int:
        """Bytes thrown away since the last call."""
        count, self.discarded = self.discarded, 0
        return count
