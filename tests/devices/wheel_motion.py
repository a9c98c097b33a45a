"""A ball and a rotor in motion, as edges at the sensors of a raw wheel. The truth comes with the edges.

Ball on a level rim: dw/dt = -a w^2 - b (J.-I. Eichberger, "Roulette Physics", 2003, without the tilt term).
"""

from math import floor, pi

SECOND = 1_000_000_000
RIM_SPEED_TO_WIDTH = 0.007  # revolutions that the ball darkens a sensor: 17 mm of 2.4 m


def spin(rng, first=0.3, last=1.5, slowing=0.08, angle=90.0, direction=None, start=1.0, revolutions=None):
    """(direction, revolutions seen, [(seconds, line, level)], seconds of the last pass) of one spin on the rim.

    first, last: period in seconds at launch and on leaving the rim; slowing: growth of the period in a revolution.
    """
    direction = direction or rng.choice(["cw", "ccw"])
    drag = slowing / (2 * pi) * rng.uniform(0.3, 0.9)
    speed = 2 * pi / first
    friction = max(0.0, (slowing / (2 * pi) - drag)) * (speed * 2 * pi / last)
    part = angle / 360
    marks = {"track-a": 0.0, "track-b": part if direction == "cw" else 1 - part}
    turned = rng.random()  # revolutions from sensor a in the direction of the ball
    travelled, t, step = 0.0, start, 0.001
    passes = []
    while speed > 2 * pi / last and (revolutions is None or travelled < revolutions):
        for line, mark in marks.items():
            before, after = turned - mark, turned - mark + speed / (2 * pi) * step
            if floor(after) > floor(before):
                passes.append((t + (floor(after) - before) / (speed / (2 * pi)), line, 2 * pi / speed))
        turned += speed / (2 * pi) * step
        travelled += speed / (2 * pi) * step
        speed -= (drag * speed * speed + friction) * step
        t += step
    passes.sort()
    counts = [sum(1 for p in passes if p[1] == line) for line in marks]
    edges = []
    for at, line, period in passes:
        edges += [(at, line, 1), (at + RIM_SPEED_TO_WIDTH * period, line, 0)]
    return direction, max(0, max(counts) - 1), edges, passes[-1][0] if passes else start


def spoil(rng, edges, jitter=0.001, missed=0.0, strays=0, span=None):
    """The same edges with jitter, each lost with probability `missed`, and passes of something else among them."""
    kept = [(t + rng.gauss(0, jitter / 2), line, level) for t, line, level in edges if rng.random() >= missed]
    first, last = span or (edges[0][0], edges[-1][0])
    for _ in range(strays):
        at, line = rng.uniform(first, last), rng.choice(["track-a", "track-b"])
        kept += [(at, line, 1), (at + 0.004, line, 0)]
    kept.sort()
    return kept


def rotor(rpm, direction, start, seconds, pulses=64, phase=0.0, slowing=0.0):
    """Edges of index and quadrature encoder. phase: revolutions from the index mark at `start`; slowing: part of the
    speed lost in a minute. Returns (edges, angle(t) in revolutions from the index mark)."""
    rate = rpm / 60

    def angle(t):
        dt = t - start
        return phase + rate * (dt - slowing * dt * dt / 120)

    edges, t, step = [], start, 1 / (rate * pulses * 16)
    order = ("rotor-encoder", "rotor-encoder-b") if direction == "cw" else ("rotor-encoder-b", "rotor-encoder")
    levels = {}
    while t < start + seconds:
        turned = angle(t)
        part = turned * pulses % 1
        now = {order[0]: int(part < 0.5), order[1]: int(0.25 <= part < 0.75), "rotor-index": int(turned % 1 < 0.01)}
        for line, level in now.items():
            if levels.get(line) != level:
                if line in levels:
                    edges.append((t, line, level))
                levels[line] = level
        t += step
    return edges, angle


def pocket_passes(order, pocket, direction, angle, start, seconds, at_index="0"):
    """Edges at the pocket reader of a ball that lies in `pocket` from `start` on."""
    places = len(order)
    offset = (order.index(pocket) - order.index(at_index)) / places
    if direction == "cw":
        offset = -offset
    edges, t, inside = [], start, None
    while t < start + seconds:
        part = (angle(t) - offset + 0.5) % 1 - 0.5  # revolutions from the reader
        now = abs(part) < 0.25 / places
        if now != inside and inside is not None:
            edges.append((t, "pocket", int(now)))
        inside = now
        t += 0.002
    return edges
