"""Digital inputs. MicroPython subset. Must not know what the line is wired to.

Back ends: `hal.gpiod_lines` (libgpiod v2), `hal.rpigpio_lines`, `hal.machine_lines` (a microcontroller), `hal.sim`.
A back end implements `LineBank`; the contract suite in tests/hal runs over every one.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BIASES = ("as-is", "pull-up", "pull-down", "disabled")


class LineSpec:
    """One input line: name (the configuration's), chip (label, name or path), line (offset), active_low, bias (of
    BIASES), debounce_us (microseconds that a level must hold before it counts; 0: every edge counts)."""

    __slots__ = ("active_low", "bias", "chip", "debounce_us", "line", "name")

    def __init__(
        self,
        name: str,
        chip: str,
        line: int,
        active_low: bool = False,
        bias: str = "as-is",
        debounce_us: int = 0,
    ) -> None:
        self.name = name
        self.chip = chip
        self.line = line
        self.active_low = active_low
        self.bias = bias
        self.debounce_us = debounce_us


class LineBank:
    """The input lines of one device, requested together and exclusively.

    Levels are logical: 1 is active, whatever the wire does. Constructed closed; `start` may come again after `stop`.
    """

    def start(
        self,
        on_edge: "Callable[[str, int, int], object]",
        on_lost: "Callable[[int, int], object]",
        on_state: "Callable[[bool, str], object]",
    ) -> None:
        """Begin listening; calls come on the event loop, in order of their stamps on each line.

        on_edge(name, level, t_ns): a line went to `level`. The same level may come twice running: edges were lost, or
        a glitch was over before the kernel looked. The stamp of a debounced line is when it had settled.
        on_lost(count, t_ns): edges the hardware or kernel dropped, after which the levels have been read back and
        corrected by further on_edge calls.
        on_state(online, reason): True ("") once the lines are held, possibly before `start` returns; `levels()` then
        reports what holds already. False and one clear sentence when they cannot be had or are taken away; again
        while off line only if there is another kind of reason. A bank that is off line tries again with back-off.
        No call comes after `stop`. Errors are reported by on_state, never raised.
        """
        raise NotImplementedError

    def levels(self) -> "dict[str, int]":
        """{name: 0|1} read from the hardware now, settled levels where debounced. Raises HalError if off line."""
        raise NotImplementedError

    def stop(self) -> None:
        """Release the lines; safe to call twice, and from a callback."""
        raise NotImplementedError
