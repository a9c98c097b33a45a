"""Digital inputs. MicroPython subset. Must not know what the line is wired to.

Back ends: `hal.sim`, `hal.gpiod_lines` (libgpiod v2). A back end implements `LineBank`; the contract suite in
tests/hal runs over every one.
"""

BIASES = ("as-is", "pull-up", "pull-down", "disabled")


class LineSpec:
    """One input line: name (the configuration's), chip (label or path), line (offset), active_low, bias, debounce_us."""

    __slots__ = ("name", "chip", "line", "active_low", "bias", "debounce_us")

    def __init__(self, name, chip, line, active_low=False, bias="as-is", debounce_us=0):
        self.name = name
        self.chip = chip
        self.line = line
        self.active_low = active_low
        self.bias = bias
        self.debounce_us = debounce_us


class LineBank:
    """The input lines of one device, requested together and exclusively.

    Levels are logical: 1 is active, whatever the wire does. Constructed closed; `start` may be called again after `stop`.
    """

    def start(self, on_edge, on_lost, on_state) -> None:
        """Begin listening; calls come on the event loop, in order of their stamps on each line.

        on_edge(name, level, t_ns); on_lost(count, t_ns): edges the hardware or kernel dropped, after which the levels
        have been read back and corrected by further on_edge calls; on_state(online: bool, reason: str): called with
        True once the lines are held, with False and a reason when they cannot be had or are taken away. A bank that
        is off line tries again with back-off; it never raises from a callback.
        """
        raise NotImplementedError

    def levels(self) -> dict:
        """{name: 0|1} read from the hardware now. Raises HalError if the lines are not held."""
        raise NotImplementedError

    def stop(self) -> None:
        """Release the lines; safe to call twice."""
        raise NotImplementedError
