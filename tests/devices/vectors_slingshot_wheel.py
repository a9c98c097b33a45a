"""A wheel's lines and what they mean: (name, settings, [(seconds, bytes)], [(seconds, event, data)]). Plain data.

Only the events under test are listed: those of the vector's `events`.
"""

from tests.devices.flat import flat

KNOWN = b"*u OK\r\n*u OK\r\n"  # replies that no other wheel gives
START = [(0, KNOWN + b"*X;2;007; 9;0;150;0\r\n"), (0.5, b"*X;2;007; 9;0;150;0\r\n")]
LAUNCH = [START, (1, b"*X;3;007; 9;0;150;0\r\n")]
WHEEL_STATE = ("wheel_state",)
FAULTS = ("device_fault", "device_recovered")


def state(name, last, spin=7, **more):
    data = {"state": name, "spin": spin, "last": last}
    data.update(more)
    return data


def held(line, start, count):
    """The same line every half second."""
    return [(start + i / 2, line) for i in range(count)]


CASES = [
    (
        "a clean spin: each change once",
        {},
        [
            LAUNCH,
            held(b"*X;3;007; 9;0;150;0\r\n", 1.5, 6),
            held(b"*X;4;007; 9;0;150;0\r\n", 5, 40),
            (25, b"31\r\n"),
            held(b"*X;5;007;31;0;150;0\r\n", 25.5, 10),
            held(b"*X;2;008;31;0;150;0\r\n", 31, 3),
        ],
        None,
        [
            (0, "wheel_state", state("place_bets", "9")),
            (0.5, "rotor", {"rpm": 15.0, "direction": "cw"}),
            (1, "rotor", {"rpm": 15.0, "direction": "cw"}),
            (1, "ball_launched", {"direction": "ccw", "spin": 7}),
            (1, "wheel_state", state("ball_in_rim", "9")),
            (5, "wheel_state", state("no_more_bets", "9")),
            (25, "result_announced", {"pocket": "31"}),
            (25.5, "wheel_state", state("result", "31")),
            (25.5, "ball_settled", {"pocket": "31", "spin": 7}),
            (31, "wheel_state", state("place_bets", "31", 8)),
        ],
    ),
    (
        "ball with the rotor, known at the launch",
        {},
        [START, (1, b"*X;3;007; 9;2;150;1\r\n"), (1.5, b"*X;3;007; 9;2;150;1\r\n")],
        ("ball_launched", "wheel_state"),
        [
            (0, "wheel_state", state("place_bets", "9")),
            (1, "ball_launched", {"direction": "ccw", "spin": 7}),
            (1, "wheel_state", state("ball_in_rim", "9")),
        ],
    ),
    (
        "ball with the rotor, found after the launch",
        {},
        [LAUNCH, (1.5, b"*X;3;007; 9;2;150;0\r\n"), (2, b"*X;3;007; 9;2;150;0\r\n")],
        ("ball_launched", "wheel_state"),
        [
            (0, "wheel_state", state("place_bets", "9")),
            (1, "ball_launched", {"direction": "ccw", "spin": 7}),
            (1, "wheel_state", state("ball_in_rim", "9")),
            (1.5, "wheel_state", state("ball_in_rim", "9", same_direction=True)),
        ],
    ),
    (
        "warning 2 outside state 3 says nothing about the ball",
        {},
        [START, (1, b"*X;2;007; 9;2;150;0\r\n"), (2, b"*X;3;007; 9;0;150;0\r\n"), (3, b"*X;4;007; 9;2;150;0\r\n")],
        ("ball_launched", "wheel_state"),
        [
            (0, "wheel_state", state("place_bets", "9")),
            (2, "ball_launched", {"direction": "ccw", "spin": 7}),
            (2, "wheel_state", state("ball_in_rim", "9")),
            (3, "wheel_state", state("no_more_bets", "9")),
        ],
    ),
    (
        "a landing that was not heard shows in the last number of the next spin",
        {},
        [LAUNCH, (2, b"*X;4;007; 9;0;150;0\r\n"), (20, b"*X;2;008;20;0;150;0\r\n")],
        WHEEL_STATE,
        [
            (0, "wheel_state", state("place_bets", "9")),
            (1, "wheel_state", state("ball_in_rim", "9")),
            (2, "wheel_state", state("no_more_bets", "9")),
            (20, "wheel_state", state("place_bets", "20", 8, unseen_result="20")),
        ],
    ),
    (
        "the counter wraps from 256 to 1",
        {},
        [
            (0, b"*X;2;256; 9;0;150;0\r\n"),
            (1, b"*X;3;256; 9;0;150;0\r\n"),
            (20, b"*X;2;001;20;0;150;0\r\n"),
        ],
        WHEEL_STATE,
        [
            (0, "wheel_state", state("place_bets", "9", 256)),
            (1, "wheel_state", state("ball_in_rim", "9", 256)),
            (20, "wheel_state", state("place_bets", "20", 1, unseen_result="20")),
        ],
    ),
    (
        "two spins missed: the last number is not that of the launch",
        {},
        [LAUNCH, (20, b"*X;2;009;20;0;150;0\r\n")],
        WHEEL_STATE,
        [
            (0, "wheel_state", state("place_bets", "9")),
            (1, "wheel_state", state("ball_in_rim", "9")),
            (20, "wheel_state", state("place_bets", "20", 9)),
        ],
    ),
    (
        "a result whose launch was not seen is still told",
        {},
        [START, (25, b"*X;5;007;14;0;150;0\r\n")],
        ("ball_launched", "ball_settled"),
        [(25, "ball_settled", {"pocket": "14", "spin": 7})],
    ),
    (
        "tuning in at state 5: nobody saw the ball land",
        {},
        [(0, b"*X;5;007;14;0;150;0\r\n"), (0.5, b"*X;5;007;14;0;150;0\r\n")],
        ("ball_settled", "wheel_state"),
        [(0, "wheel_state", state("result", "14"))],
    ),
    (
        "ball missing is believed after five seconds",
        {},
        [
            LAUNCH,
            held(b"*X;4;007; 9;1;150;0\r\n", 2, 8),
            (6, b"*X;4;007; 9;0;150;0\r\n"),
            held(b"*X;4;007; 9;1;150;0\r\n", 6.5, 20),
        ],
        ("ball_missing",),
        [(11.5, "ball_missing", {"state": "no_more_bets"})],
    ),
    (
        "a failed launch is told once",
        {},
        [START, held(b"*X;2;007; 9;8;150;0\r\n", 1, 9)],
        ("launch_failed",),
        [(1, "launch_failed", {"spin": 7})],
    ),
    (
        "warning 8 in the first three seconds of state 3 is nothing, later it is",
        {},
        [START, held(b"*X;3;007; 9;8;150;0\r\n", 1, 8)],
        ("launch_failed",),
        [(4, "launch_failed", {"spin": 7})],
    ),
    (
        "component fault, nonsense speed, recovery",
        {},
        [
            LAUNCH,
            (2, b"*X;4;007; 9;4;953;0\r\n"),
            (2.5, b"*X;4;007; 9;4;150;0\r\n"),
            (3, b"*X;4;007; 9;0;150;0\r\n"),
            (6.9, b"*X;4;007; 9;0;150;0\r\n"),
            (7, b"*X;4;007; 9;0;150;0\r\n"),
        ],
        FAULTS + ("rotor",),
        [
            (0.5, "rotor", {"rpm": 15.0, "direction": "cw"}),
            (1, "rotor", {"rpm": 15.0, "direction": "cw"}),
            (2, "device_fault", {"reason": "sensor_motor_or_encoder", "state": "no_more_bets", "rpm": 95.3}),
            (2, "device_fault", {"reason": "impossible_speed", "rpm": 95.3, "limit": 30}),
            (7, "device_recovered", {}),
        ],
    ),
    (
        "closing in the middle of a game is a fault until it opens",
        {},
        [LAUNCH, (2, b"*X;6;007; 9;0;000;0\r\n"), (9, b"*X;1;007; 9;0;000;0\r\n")],
        FAULTS,
        [
            (2, "device_fault", {"reason": "closed_without_result", "state": "ball_in_rim", "spin": 7}),
            (9, "device_recovered", {}),
        ],
    ),
    (
        "closing because somebody switched it off is none",
        {},
        [LAUNCH, (1.5, b"*P OK\r\n"), (2, b"*X;6;007; 9;0;000;0\r\n")],
        FAULTS + ("wheel_state",),
        [
            (0, "wheel_state", state("place_bets", "9")),
            (1, "wheel_state", state("ball_in_rim", "9")),
            (2, "wheel_state", state("closed", "9", commanded=True)),
        ],
    ),
    (
        "closing after a result is none",
        {},
        [LAUNCH, (2, b"*X;5;007;14;0;150;0\r\n"), (9, b"*X;6;008;14;0;000;0\r\n")],
        FAULTS,
        [],
    ),
    (
        "a number that changes in the pocket",
        {},
        [LAUNCH, (2, b"*X;5;007;14;0;150;0\r\n"), (3, b"*X;5;007;15;0;150;0\r\n")],
        FAULTS + ("ball_settled",),
        [
            (2, "ball_settled", {"pocket": "14", "spin": 7}),
            (3, "device_fault", {"reason": "number_changed", "said": "14", "now": "15"}),
            (3, "device_recovered", {}),
        ],
    ),
    (
        "silence is a fault at its limit, speech the recovery; none before the first status line",
        {"silent_s": 10},
        [(0, b" 5\r\n"), [(t, b"*X;2;007; 9;0;150;0\r\n") for t in (100, 109.9, 130)]],
        FAULTS,
        [(119.9, "device_fault", {"reason": "silent", "seconds": 10}), (130, "device_recovered", {})],
    ),
    (
        "a wheel told not to speak by itself is not silent",
        {"silent_s": 10},
        [START, (1, b"*o 1029\r\n"), (100, b"*X;2;007; 9;0;150;0\r\n")],
        FAULTS,
        [],
    ),
    (
        "double zero on a double-zero wheel",
        {},
        [LAUNCH, (2, b"00\r\n"), (2.5, b"*X;5;007;00;0;150;0\r\n")],
        FAULTS + ("result_announced", "ball_settled"),
        [(2, "result_announced", {"pocket": "00"}), (2.5, "ball_settled", {"pocket": "00", "spin": 7})],
    ),
    (
        "double zero on a single-zero wheel, and pockets no wheel has",
        {"wheel": "single-zero"},
        [LAUNCH, (2, b"00\r\n"), (2.5, b"*X;5;007;37;0;150;0\r\n"), (3, b" 0\r\n")],
        FAULTS + ("result_announced", "ball_settled"),
        [
            (2, "device_fault", {"reason": "impossible_pocket", "said": "00"}),
            (3, "device_recovered", {}),
            (3, "result_announced", {"pocket": "0"}),
        ],
    ),
    (
        "self-test verdicts",
        {},
        [(0, b"*F 5\r\n"), (1, b"*F 5\r\n"), (2, b"*F BUSY\r\n"), (3, b"*F 0\r\n")],
        FAULTS,
        [(0, "device_fault", {"reason": "self_test", "code": 5, "meaning": "motor"}), (3, "device_recovered", {})],
    ),
    (
        "garbage is one report a second",
        {},
        [(0, b"6; 9;0\r\n"), (0.2, b"xx*X;2;0\r\n"), (5, b"*X;2;007; 9;0;150;0\r\n")],
        ("bytes_discarded",),
        [(1, "bytes_discarded", {"count": 14})],
    ),
]


def run(device, pieces):
    """Feed (seconds, bytes) pieces, keeping every deadline; returns the observations."""
    seen = []
    for seconds, data in flat(pieces):
        t = int(seconds * 1000) * 1000000
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        seen += device.feed(data, t)
    return seen


def mismatch(device_class, case):
    """None if the case holds, else what was seen instead."""
    _, settings, pieces, events, want = case
    seen = [(o.t, o.event, o.data) for o in run(device_class("wheel", settings), pieces)]
    seen = [one for one in seen if events is None or one[1] in events]
    want = [(int(t * 1000) * 1000000, event, data) for t, event, data in want]
    return None if seen == want else seen
