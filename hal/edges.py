"""Detects lost edges in a numbered stream of edges and corrects the levels afterwards. MicroPython subset.

Pure: uses no hardware and reads no clock. The numbers are the kernel's per-line sequence numbers: 32 bits, the first
edge after a request is 1 (linux/gpio.h, struct gpio_v2_line_event).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class EdgeBook:
    """Keeps for each line the last number, level and stamp; reports to on_edge and on_lost of `hal.line.LineBank`."""

    def __init__(
        self,
        levels: "dict[str, int]",
        on_edge: "Callable[[str, int, int], object]",
        on_lost: "Callable[[int, int], object]",
    ) -> None:
        """levels: what was read when the lines were requested, before any edge."""
        self._level = dict(levels)
        self._seqno = dict.fromkeys(levels, 0)
        self._stamp = dict.fromkeys(levels, 0)
        self._on_edge = on_edge
        self._on_lost = on_lost
        self.closed = False  # nothing is reported any more
        self.doubtful: set[str] = set()  # lines that lost edges and whose level was not put right since

    def edge(self, name: str, seqno: int, level: int, t: int) -> None:
        """An edge as the hardware numbered it. A jump in the numbers is reported as lost edges first."""
        if self.closed:
            return
        lost = (seqno - self._seqno[name] - 1) & 0xFFFFFFFF
        self._seqno[name] = seqno
        if lost:
            self.doubtful.add(name)
            self._on_lost(lost, max(t, self._stamp[name]))
        self._report(name, level, t)

    def correct(self, levels: "dict[str, int]", t: int) -> None:
        """Make up the missing edges: `levels` were read back at `t`, when no edge waited to be given to `edge`."""
        for name in sorted(levels):
            if levels[name] != self._level[name]:
                self._report(name, levels[name], t)
        self.doubtful.difference_update(levels)

    def _report(self, name: str, level: int, t: int) -> None:
        if self.closed:
            return
        # A level read back is stamped by us, an edge by the kernel: an edge in between may carry the earlier stamp.
        t = max(t, self._stamp[name])
        self._level[name] = level
        self._stamp[name] = t
        self._on_edge(name, level, t)
