"""Checks whether pulses on Wiegand lines have the timing of a reader. MicroPython subset. Must not know the bits'
meaning.

Published timing (SIA access control standard for the 26-bit reader interface, and makers' manuals after it): a pulse
lasts 20 to 100 us, with some readers 200. The interval is 200 us to 20 ms, constant for one reader. An
interrupt stamps an edge some tens of us late, sometimes much later; the next pulse is at its place again.
"""

US = 1_000
MS = 1_000_000
SHORTEST_INTERVAL, LONGEST_INTERVAL = 150 * US, 21 * MS
SHORTEST_PULSE, LONGEST_PULSE = 10 * US, 300 * US  # the middle one of a swipe
LONGEST_SEEN = MS  # a single one, its end stamped late
JITTER = 30 * US, 80 * US  # of a stamp, at the shortest and at long intervals
OUTLIERS = 3  # later stamps, and pulses of another length, in a swipe
LATE = 10 * MS  # how late stamps are that a thread makes

EXACT, IN_A_THREAD = "exact", "late"
TIMINGS = (EXACT, IN_A_THREAD)


def check(value: object) -> None:
    """Whether a setting names how edges are stamped. Raises ValueError with one line that says what would be right."""
    if value not in TIMINGS:
        raise ValueError(f"timing: {value!r} is no way to stamp edges; {' or '.join(TIMINGS)}")


def as_sent(begins: "list[int]", lasted: "list[int]", timing: str = EXACT) -> bool:
    """Whether pulses that began at these times (ns, three or more) are those of one reader. `lasted`: the lengths (ns)
    of those whose both edges were seen. Late stamps show the pace alone."""
    pace, late = _pace(begins)
    if not SHORTEST_INTERVAL <= pace <= LONGEST_INTERVAL:
        return False
    if timing != EXACT:
        return max(late) - min(late) <= LATE
    near = pace // 10 + min(max(pace // 12, JITTER[0]), JITTER[1])
    off = [each > near for each in late]
    if sum(off) > OUTLIERS or max(late) > pace * 3 // 4 or min(late) < -near:
        return False
    for i in range(1, len(begins)):
        if not off[i - 1] and not off[i] and abs(begins[i] - begins[i - 1] - pace) > near:
            return False
    return _short(lasted)


def _pace(begins: "list[int]") -> "tuple[int, list[int]]":
    """The interval, and how much later than at its place each pulse began: by the middle of many, so that a few late
    stamps do not move the others."""
    count = len(begins)
    half = count // 2
    pace = sorted([begins[i + half] - begins[i] for i in range(count - half)])[(count - half) // 2] // half
    places = [at - i * pace for i, at in enumerate(begins)]
    middle = sorted(places)[count // 2]
    return pace, [place - middle for place in places]


def _short(lasted: "list[int]") -> bool:
    if not lasted:
        return True  # every pulse was over before the kernel looked
    if not SHORTEST_PULSE <= sorted(lasted)[len(lasted) // 2] <= LONGEST_PULSE:
        return False
    return len([each for each in lasted if not SHORTEST_PULSE <= each <= LONGEST_SEEN]) <= OUTLIERS
