"""A sensor node's microseconds as the board's nanoseconds, with the error that this may have. MicroPython subset.

Pure: knows times, no link. A ping leaves the board at `sent` and its answer is back at `back`; the node saw it come and
answered in between. So the board's time at the node's instant lies between the two, whatever the delays were: a bound,
no guess. Bounds of half a minute, carried over by how far two crystals can drift apart, are cut with each other; the
middle is the offset, half of what is left is the error that is stated.

The bound holds while both clocks keep their rates. When NTP begins or ends to slew the board's clock it may be exceeded
for a quarter of a minute, by less than a millisecond.

Peers: NTP takes the middle of the best exchange; Paxson (SIGMETRICS 1998) fits a line below the cloud of delays. Both
give an estimate without a bound.
"""

PPB = 1_000_000_000
MOST_PPB = 600_000
"""Most that two clocks drift apart, in billionths: crystals 50 ppm each, and NTP may slew the board's by 500 ppm."""
KEPT = 32
"""Exchanges remembered, one a second: what is older says nothing about today's temperature."""
AHEAD = 8_000_000_000
"""Nanoseconds in which the line is brought to the middle, so that intervals between edges stay true to 0.1 %."""
GOOD_FOR = 2_000_000_000
"""Nanoseconds after an exchange for which the stated error holds: the next one is due within them."""
RESOLUTION = 1_000
"""Nanoseconds that the node's stamp may be short of the instant."""


class NodeClock:
    """`error` is the most, in ns, that a stamp may be off until GOOD_FOR after the last exchange; None: not known."""

    def __init__(self) -> None:
        self.error: int | None = None
        self.drift_ppb = 0  # how much faster the board's clock runs than the node's
        self.exchanges = 0
        self._bounds: list[tuple[int, int, int]] = []  # (node ns, board ns at least, at most)
        self._slowest = -MOST_PPB
        self._fastest = MOST_PPB
        self._node = 0  # the line: board time at this node time …
        self._board = 0
        self._rate = 0  # … and its slope beyond 1, in billionths

    def exchange(self, sent: int, came: int, answered: int, back: int) -> None:
        """A ping left at `sent`, its answer came at `back` (board ns); the node says `came`, `answered` (its µs)."""
        node = came * 1000
        held = (answered - came) * 1000
        if held < 0 or back - sent < held - RESOLUTION:
            return  # no such ping: the node was started anew in between
        self._bounds.append((node, sent - RESOLUTION, back - held + RESOLUTION))
        del self._bounds[:-KEPT]
        self.exchanges += 1
        while not self._drift():
            del self._bounds[0]  # the oldest contradicts: a clock was slewed or warmed since
        self._draw(node + held)

    def board(self, node_us: int) -> int:
        """The board's time of a node's instant, in ns. Raises ValueError before the first exchange."""
        if self.error is None:
            raise ValueError("the node's clock is not known yet")
        return self._at(node_us * 1000)

    def _at(self, node: int) -> int:
        since = node - self._node
        return self._board + since + since * self._rate // PPB

    def _drift(self) -> bool:
        """Bound the drift by every two exchanges; False if they contradict each other."""
        slowest, fastest = -MOST_PPB, MOST_PPB
        node, low, high = self._bounds[-1]
        for earlier, least, most in self._bounds[:-1]:
            between = node - earlier
            if between <= 0:
                return False
            fastest = min(fastest, (high - least - between) * PPB // between + 1)
            slowest = max(slowest, (low - most - between) * PPB // between)
        self._slowest, self._fastest = slowest, fastest
        low, high = self._within(node)
        return slowest <= fastest and low <= high

    def _within(self, node: int) -> "tuple[int, int]":
        """Between which two board times a node's instant must lie."""
        lows, highs = [], []
        for then, least, most in self._bounds:
            since = node - then
            slow, fast = since * self._slowest // PPB, since * self._fastest // PPB + 1
            lows.append(least + since + min(slow, fast))
            highs.append(most + since + max(slow, fast))
        return max(lows), min(highs)

    def _draw(self, node: int) -> None:
        """A new line from `node` on: continues the old one where that is possible, and heads for the middle."""
        low, high = self._within(node)
        begin = max(low, min(high, self._at(node))) if self.error is not None else (low + high) // 2
        later_low, later_high = self._within(node + AHEAD)
        rate = ((later_low + later_high) // 2 - begin - AHEAD) * PPB // AHEAD
        self._node, self._board = node, begin
        self._rate = max(-2 * MOST_PPB, min(2 * MOST_PPB, rate))
        self.drift_ppb = (self._slowest + self._fastest) // 2
        self.error = max([self._off(node + ahead) for ahead in (0, GOOD_FOR // 2, GOOD_FOR)])

    def _off(self, node: int) -> int:
        low, high = self._within(node)
        board = self._at(node)
        return max(board - low, high - board)
