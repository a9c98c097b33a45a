"""Finds the pulses at two sensors on a roulette track that are one ball going round. MicroPython subset.

Must not know lines, launches or rules: timed passes in, the likeliest path of a ball out.

A ball on the rim only slows down, and smoothly. For both directions every pass is tried as the next point of the
paths that end at the last few passes, once with no pass missed in between and with as many missed as possible. A path
gains for every pass it explains, and pays for each pass that it assumes was missed and for each change of
pace that is unlikely for a free ball. No good path explains stray pulses. The best few paths are kept at
each pass, so the work for a pass does not depend on how long the ball runs.
"""

from math import log, sqrt

CW, CCW = 0, 1
SHORTEST, LONGEST = 0.2, 2.5  # seconds a revolution: the rim allows nothing else
EXPLAINED = 6.0  # gain for a pass on the path
FAINT = 3.0  # the same for a pass of which only the trailing edge was heard
MISSED = 5.0  # price of a pass that was not heard
SLOWING = 0.07  # usual growth of the period in a revolution, as a logarithm
PACE = 0.05  # spread of the pace between neighbouring stretches: sensors not quite where they should be
GROWTH = 0.07  # spread of the growth in a revolution
JITTER = 0.003  # seconds
FASTER, SLOWER = -0.4, 0.6  # logarithm of a change of pace beyond which it is another ball
WINDOW = 8  # passes back that a path may be continued from
KEPT = 4  # paths kept at each pass and direction
RIVAL = 3.0  # a path this much worse than the best may still be the true one


class Path:
    """A ball's way so far. revolutions are counted from the first pass on it.

    travel: revolutions, with the part since the last whole one; bridged: whole revolutions of it that passed unheard
    between two passes; missed: passes not heard; passes: passes heard; both: it has passes of both sensors; began: how
    many passes were heard before it; last: ns of its last pass; period: seconds a revolution at the end, 0 if unknown.
    """

    __slots__ = (
        "score", "travel", "bridged", "missed", "passes", "both", "began", "last", "sensor", "period", "stretch"
    )  # fmt: skip

    def __init__(self, sensor: int, t: int, score: float, began: int):
        self.score = score
        self.travel = 0.0
        self.bridged = 0
        self.missed = 0
        self.passes = 1
        self.both = False
        self.began = began
        self.last = t
        self.sensor = sensor
        self.period = 0.0
        self.stretch = 0.0  # revolutions from the last pass but one to the last

    def revolutions(self) -> int:
        return int(self.travel + 0.001)

    def extended(self, sensor: int, t: int, stretch: float, bridged: int, missed: int, score: float) -> "Path":
        more = Path(sensor, t, score, self.began)
        more.travel = self.travel + stretch
        more.bridged = self.bridged + bridged
        more.missed = self.missed + missed
        more.passes = self.passes + 1
        more.both = self.both or sensor != self.sensor
        more.period = (t - self.last) / 1e9 / stretch
        more.stretch = stretch
        return more


class BallTrack:
    """angle: degrees clockwise from sensor 0 to sensor 1."""

    def __init__(self, angle: float):
        part = angle / 360.0
        # revolutions from sensor 0 to sensor 1, and back, for each direction
        self._apart = ((part, 1.0 - part), (1.0 - part, part))
        self._ends: list[tuple[int, int, float, tuple[list[Path], list[Path]]]] = []
        self._best: list[Path | None] = [None, None]
        self._heard = 0

    def add(self, sensor: int, t: int, faint: bool = False) -> None:
        """A pass at `sensor` (0 or 1) at `t` ns. faint: only its trailing edge was heard."""
        gain = FAINT if faint else EXPLAINED
        ending = (self._continued(CW, sensor, t, gain), self._continued(CCW, sensor, t, gain))
        for direction in (CW, CCW):
            best = self._best[direction]
            if best is None or ending[direction][0].score > best.score:
                self._best[direction] = ending[direction][0]
        self._heard += 1
        self._ends.append((sensor, t, gain, ending))
        if len(self._ends) > WINDOW:
            self._ends.pop(0)

    def _continued(self, direction: int, sensor: int, t: int, gain: float) -> "list[Path]":
        """The best paths that end at this pass, the best first. Paths are built only if they are kept."""
        found = [Path(sensor, t, gain, self._heard)]
        for before, then, _, paths in reversed(self._ends):
            apart = 1.0 if before == sensor else self._apart[direction][before]
            for bridged in (0, 1):
                stretch = apart + bridged
                period = (t - then) / 1e9 / stretch
                if not SHORTEST <= period <= LONGEST:
                    continue
                missed = 2 * bridged + (1 if before == sensor else 0)
                for path in paths[direction]:
                    score = path.score + gain - MISSED * missed
                    if len(found) == KEPT and score <= found[-1].score:
                        break  # the others that end there are worse still
                    price = _unlikely(path, period, stretch)
                    if price is None or (len(found) == KEPT and score - price <= found[-1].score):
                        continue
                    found.append(path.extended(sensor, t, stretch, bridged, missed, score - price))
                    found.sort(key=_rank)
                    del found[KEPT:]
        return found

    def best(self) -> "tuple[Path | None, int, float]":
        """(the likeliest path or None, its direction CW or CCW, by how much it beats the other direction)."""
        clockwise, counter = self._best
        if clockwise is None or counter is None:
            return None, CW, 0.0
        if clockwise.score >= counter.score:
            return clockwise, CW, clockwise.score - counter.score
        return counter, CCW, counter.score - clockwise.score

    def strays(self) -> int:
        """Passes heard since the likeliest path began that it does not explain."""
        best, _, _ = self.best()
        return 0 if best is None else self._heard - best.began - best.passes

    def bounds(self) -> "tuple[int, int]":
        """(least, most) whole revolutions that may be true: equal if every pass is explained and none was missed."""
        best, direction, _ = self.best()
        if best is None:
            return 0, 0
        rivals = [best]
        for _, _, _, ending in self._ends:
            rivals.extend([path for path in ending[direction] if path.score >= best.score - RIVAL])
        least = min([path.revolutions() - path.bridged for path in rivals])
        most = max([path.revolutions() + (1 if path.missed else 0) for path in rivals])
        if self.strays():
            least, most = min(least, best.revolutions() - 1), max(most, best.revolutions() + 1)
        return max(least, 0), most

    def first_at(self, sensor: int) -> "int | None":
        """ns of the first pass at a sensor since the likeliest path began, as far back as passes are kept."""
        best, _, _ = self.best()
        if best is None:
            return None
        gone = self._heard - len(self._ends)
        for number, (at, then, _, _) in enumerate(self._ends):
            if at == sensor and gone + number >= best.began:
                return then
        return None

    def since(self, t: int) -> "list[tuple[int, int, bool]]":
        """The passes after `t`, as `add` takes them."""
        return [(sensor, then, gain == FAINT) for sensor, then, gain, _ in self._ends if then > t]


def _rank(path: Path) -> float:
    return -path.score


def _unlikely(path: Path, period: float, stretch: float) -> "float | None":
    """The price of going on at `period` for `stretch` revolutions; None if no ball does that."""
    if not path.period:
        return 0.0
    change = log(period / path.period)
    if not FASTER < change < SLOWER:
        return None
    apart = (path.stretch + stretch) / 2
    before, after = JITTER / (path.stretch * path.period), JITTER / (stretch * period)
    spread = sqrt(PACE * PACE + GROWTH * GROWTH * apart * apart + before * before + after * after)
    off = (change - SLOWING * apart) / spread
    return off * off / 2
