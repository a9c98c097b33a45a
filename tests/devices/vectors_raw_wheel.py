"""What a raw wheel's sensors mean: cases as in `vectors_lines`, for a ball and a rotor that move evenly."""

from tests.devices.vectors_lines import pulse


def laps(start, first, growth, count, direction):
    """Passes at track-a (0) and track-b (90 degrees clockwise) of a ball that slows by `growth` each revolution."""
    script, t, period = [], start, first
    for _ in range(count):
        quarter = 0.25 if direction == "cw" else 0.75
        script += pulse("track-a", t, 5) + pulse("track-b", t + quarter * period, 5)
        t += period
        period *= growth
    return script + pulse("track-a", t, 5)


def turning(start, rpm, count, direction, first="rotor-encoder", second="rotor-encoder-b"):
    """`count` revolutions of a rotor with a 16-pulse encoder, the index mark first."""
    script, step = [], 60 / rpm / 16
    if direction == "ccw":
        first, second = second, first
    for i in range(16 * count):
        t = start + i * step
        if i % 16 == 0:
            script += pulse("rotor-index", t - step / 32, 5)
        script += [(t, first, 1), (t + step / 4, second, 1), (t + step / 2, first, 0), (t + 3 * step / 4, second, 0)]
    script.sort()
    return script


def revolutions(count, direction, **more):
    return dict(more, revolutions=count, direction=direction)


WHEEL_OPEN = (
    0,
    {
        "rotor-index": 0,
        "rotor-encoder": 0,
        "rotor-encoder-b": 0,
        "track-a": 0,
        "track-b": 0,
        "pocket": 0,
    },
)

CASES = [
    (
        "nine revolutions clockwise",
        "wheel",
        {},
        [WHEEL_OPEN, laps(1, 0.5, 1.08, 9, "cw"), (30,)],
        [
            (None, "ball_launched", {"direction": "cw"}),
            (None, "ball_left_rim", revolutions(9, "cw", seen_ago_ms=1309)),
        ],
    ),
    (
        "three revolutions counter-clockwise",
        "wheel",
        {},
        [WHEEL_OPEN, laps(1, 0.9, 1.05, 3, "ccw"), (30,)],
        [
            (None, "ball_launched", {"direction": "ccw"}),
            (None, "ball_left_rim", revolutions(3, "ccw", seen_ago_ms=1399)),
        ],
    ),
    (
        "a pass unheard",
        "wheel",
        {},
        [WHEEL_OPEN, laps(1, 0.5, 1.08, 9, "cw")[:16], laps(1, 0.5, 1.08, 9, "cw")[18:], (30,)],
        [
            (None, "ball_launched", {"direction": "cw"}),
            (None, "ball_left_rim", revolutions(9, "cw", seen_ago_ms=1309, uncertain=True, at_least=9, at_most=10)),
        ],
    ),
    (
        "a ball ten pockets behind the index pocket on a rotor that turns counter-clockwise",
        "wheel",
        {"encoder_pulses": 16},
        sorted(turning(1, 20, 4, "ccw") + pulse("pocket", 7.78, 20) + pulse("pocket", 10.78, 20)),
        [
            (None, "rotor", {"rpm": 20.0, "direction": "ccw"}),
            (None, "ball_settled", {"pocket": "5"}),
        ],
    ),
]
