"""A roulette rotor's direction, speed and angle from an index mark and a quadrature encoder. MicroPython subset.

Must not know of pockets, the ball or lines. One pulse in which either edge is heard counts, so a single lost edge
loses nothing.
"""

AGREE = 4  # samples in a row that make a direction


class Rotor:
    """pulses: encoder pulses in a revolution. direction: "cw", "ccw" or None; period: seconds a revolution or 0."""

    def __init__(self, pulses: int):
        self.pulses = pulses
        self.stop()

    def stop(self) -> None:
        """Nothing is known any more."""
        self.direction: str | None = None
        self.period = 0.0
        self.steps = 0
        self.last = 0  # ns of the last pulse
        self._mark = (0, 0)  # (steps, ns) from which the speed is measured
        self._index: float | None = None  # angle of the index mark, in encoder pulses
        self._sample = ("", 0)  # (direction, times in a row)
        self._revolution = 0.0

    def pulse(self, t: int) -> bool:
        """An encoder pulse; returns whether `period` was measured anew."""
        self.steps += 1
        self.last = t
        steps, since = self._mark
        if self.steps == 1:
            self._mark = (1, t)
        elif 4 * (self.steps - steps) >= self.pulses and t > since:
            self.period = (t - since) / 1e9 * self.pulses / (self.steps - steps)
            self._mark = (self.steps, t)
            return True
        return False

    def sample(self, direction: str) -> bool:
        """What the quadrature says at a pulse; returns whether `direction` changed."""
        last, times = self._sample
        self._sample = (direction, times + 1 if direction == last else 1)
        if self._sample[1] < AGREE or direction == self.direction:
            return False
        self.direction = direction
        self._index = None
        self._mark = (self.steps, self.last)
        return True

    def index(self, t: int) -> "float | None":
        """The index mark passed; returns how many encoder pulses the revolution had, None for the first."""
        at = self._at(t)
        if at is None:
            return None
        before, self._index = self._index, at
        return None if before is None else at - before

    def turned(self, t: int) -> "float | None":
        """Parts of a revolution from the index mark's last pass to `t`; None while unknown."""
        at = self._at(t)
        return None if at is None or self._index is None else (at - self._index) / self.pulses

    def _at(self, t: int) -> "float | None":
        """The angle in encoder pulses at `t`, which must be near the last pulse."""
        if not self.period:
            return None
        return self.steps + (t - self.last) / 1e9 * self.pulses / self.period
