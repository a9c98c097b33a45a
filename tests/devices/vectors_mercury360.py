"""Wire vectors of the Mercury 360: (bytes, what they say, bytes thrown away); and its lines as a device hears them, in
the form of vectors_slingshot_wheel. Plain data; also run on MicroPython."""

from tests.devices.flat import flat
from tests.devices.vectors_slingshot_wheel import held, state

TRACKED = b"*X;2;004;17;0;180;0;0012;00;?;?????;17\r\n"

PARSED = [
    (TRACKED, [("status", 2, 4, "17", 0, 180, 0, 0x12, 0, None, None, "17")], 0),
    (
        b"*X;3;004;17;0;150;0;0012;02;1;08000;??\r\n",
        [("status", 3, 4, "17", 0, 150, 0, 0x12, 2, 1, 0x8000, None)],
        0,
    ),
    (
        b"*X;4;004;17;0;144;0;0012;05;1;0C000;??\r\n",
        [("status", 4, 4, "17", 0, 144, 0, 0x12, 5, 1, 0xC000, None)],
        0,
    ),
    (
        b"*X;5;005;31;0;130;0;0112;0B;?;?????;31\r\n31\r\n",
        [("status", 5, 5, "31", 0, 130, 0, 0x112, 11, None, None, "31"), ("result", "31")],
        0,
    ),
    (b"*X;3;004;17;0;150;0;0092;00;?;?????;??\r\n", [("status", 3, 4, "17", 0, 150, 0, 0x92, 0, None, None, None)], 0),
    (b"*X;3;004;17;2;150;1\r\n*X;3;004;17;8;150;1\r\n", [("status", 3, 4, "17", w, 150, 1) for w in (2, 8)], 0),
    (
        b"*X;4;004;17;1;096;0\n\r*X;4;004;17;4;140;0\r\n",
        [("status", 4, 4, "17", 1, 96, 0), ("status", 4, 4, "17", 4, 140, 0)],
        0,
    ),
    (
        b"*X;6;000;  ;0;000;0\r\n*X;7;004;17;0;140;0\r\n",
        [("status", 6, 0, "  ", 0, 0, 0), ("status", 7, 4, "17", 0, 140, 0)],
        0,
    ),
    (
        bytes([0x2A, 0x53, 13, 10, 0x2A, 0x4E, 13, 10, 0x2A, 0x57, 0x20, 0x31, 0x37, 13, 10]),
        [("basic", "S", ""), ("basic", "N", ""), ("basic", "W", "17")],
        0,
    ),
    (b"*W 1\xb4\r\n", [], 5),
    (b" 5\r\n05\r\n5\r\n0\r\n 0\r\n00\r\n", [("result", w) for w in (" 5", "05", " 5", " 0", " 0", "00")], 0),
    (b"*Y:P:3\r\n*Y:A:07\r\n*Y:6:255\r\n", [("bonus", "P", 3), ("bonus", "A", 7), ("bonus", "6", 255)], 0),
    # of a Slingshot
    (b"*Y;1;014\r\n*X;2;256; 9;0;150;0\r\n*X;2;007; 9;0;953;0\r\n", [("foreign", False)] * 3, 8 + 19 + 19),
    # 11 and 13 fields, lower case, widths and ranges, replies to somebody's queries
    (b"*X;3;004;17;0;150;0;0012;02;1;08000\r\n", [], 35),
    (b"*X;3;004;17;0;150;0;0012;02;1;08000;??;1\r\n", [], 40),
    (b"*X;3;004;17;0;150;0;00a2;02;1;08000;??\r\n", [], 38),
    (b"*X;3;004;17;0;150;0;0012;0b;1;08000;??\r\n", [], 38),
    (b"*X;3;004;17;0;150;0;0012;02;2;08000;??\r\n", [], 38),
    (b"*X;3;004;17;0;150;0;0012;02;1;00000;??\r\n", [], 38),
    (b"*X;0;004;17;0;150;0\r\n*X;8;004;17;0;150;0\r\n*X;9;004;17;0;150;0\r\n", [], 57),
    (b"*Y:A:08\r\n*Y:7:001\r\n*W 37\r\n*W 170\r\n", [], 7 + 8 + 5 + 6),
    (b"*V 1.02\r\n*u OK\r\n", [], 7 + 5),
    # run together, cut
    (b"*X;4;14*X;*X;4;146; 9;0;158;0\r\n", [("status", 4, 146, " 9", 0, 158, 0)], 10),
    (b"*X;4;14" + TRACKED, [("status", 2, 4, "17", 0, 180, 0, 0x12, 0, None, None, "17")], 7),
]  # fmt: skip

SPEEDS = [(0x8000, "60.00"), (0xA3D7, "46.88"), (0xC000, "40.00"), (0x18000, "20.00")]
"""(time of a revolution, rpm)."""


def plain(message):
    """A message as a tuple that compares the same on every Python."""
    kind = type(message).__name__
    if kind == "Status":
        m, track = message, message.track
        told = ("status", m.state, m.spin, m.win, m.warn, m.speed, m.direction)
        if track is None:
            return told
        return told + (track.flags, track.spins, track.direction, track.lap, track.pocket)
    if kind == "Result":
        return ("result", message.win)
    if kind == "Basic":
        return ("basic", message.kind, message.win)
    if kind == "Bonus":
        return ("bonus", message.kind, message.value)
    return ("foreign", message.sure)


EXTENDED = {"mode": "extended"}


def x(state, spins, way="?", lap="?????", pocket="??", count=4, win="17", warn=0, speed=150, flags=0x12):
    """A line of the extended mode; the rotor turns clockwise."""
    line = "*X;%d;%03d;%s;%X;%03d;0;%04X;%02X;%s;%s;%s\r\n" % (
        state, count, win, warn, speed, flags, spins, way, lap, pocket,
    )  # fmt: skip
    return line.encode()


BETS = [(0, x(2, 0, speed=180, pocket="17")), (0.5, x(2, 0, speed=180, pocket="17"))]
RUN = [
    BETS,
    (3, x(3, 1, 1, "08000")),
    (3.5, x(3, 2, 1, "08000")),
    (4, x(3, 3, 1, "09000")),
    (9, x(4, 7, 1, "0C000")),
    (9.5, x(4, 8, 1, "0D000")),
]
LANDS = [(14, x(5, 8, count=5, win="31", pocket="31", flags=0x112)), (14.2, b"31\r\n")]


def short(spins, *after):
    """A ball that is heard for so many revolutions, then what follows."""
    return [BETS, [(3 + i, x(3, i + 1, 1, "0C000")) for i in range(spins)], list(after)]


def left(revolutions, ago, **more):
    data = {"revolutions": revolutions, "direction": "ccw", "seen_ago_ms": ago}
    data.update(more)
    return data


CASES = [
    (
        "a clean spin in extended mode",
        EXTENDED,
        [RUN, held(x(4, 8), 10, 8), LANDS, held(x(5, 8, count=5, win="31", pocket="31", flags=0x112), 14.5, 4),
         (20, x(2, 0, count=5, win="31"))],
        None,
        [
            (0, "wheel_state", state("place_bets", "17", 4)),
            (0.5, "rotor", {"rpm": 18.0, "direction": "cw"}),
            (3, "rotor", {"rpm": 15.0, "direction": "cw"}),
            (3, "ball_launched", {"direction": "ccw", "spin": 4}),
            (3, "wheel_state", state("ball_in_rim", "17", 4)),
            (9, "wheel_state", state("no_more_bets", "17", 4)),
            (11.5, "ball_left_rim", left(8, 2000, uncertain=True, at_least=8, at_most=9)),
            (14, "ball_left_rim", left(8, 4500)),
            (14, "wheel_state", state("result", "31", 5)),
            (14, "ball_settled", {"pocket": "31", "spin": 5}),
            (14.2, "result_announced", {"pocket": "31"}),
            (20, "wheel_state", state("place_bets", "31", 5)),
        ],
    ),
    (
        "a count that rises with the line that shows the pocket is certain with the next line",
        EXTENDED,
        [short(2, (6, x(4, 3, pocket="31", flags=0x112)), (6.5, x(4, 3, pocket="31", flags=0x112)))],
        ("ball_left_rim",),
        [
            (6, "ball_left_rim", left(3, 2000, uncertain=True, at_least=3, at_most=4)),
            (6.5, "ball_left_rim", left(3, 2500)),
        ],
    ),
    (
        "a ball out of the track for a line or two is there still",
        EXTENDED,
        [short(4, (7, x(3, 4)), (7.5, x(3, 4)), (8, x(3, 5, 1, "0C000")))],
        ("ball_left_rim",),
        [],
    ),
    (
        "a count that falls within a game, or that a sensor was blind to, says nothing",
        EXTENDED,
        [
            short(4, held(x(3, 2), 7, 5), (10, x(2, 0))),
            (20, x(3, 1, 1, "0C000")), (21, x(3, 2, 1, "0C000", warn=4)), held(x(3, 2), 21.5, 6),
        ],
        ("ball_left_rim",),
        [
            (8, "ball_left_rim", left(None, 2000, uncertain=True)),
            (23, "ball_left_rim", left(None, 2000, uncertain=True)),
        ],
    ),
    (
        "something at a sensor for a second is told, and no fault; for five it is",
        {},
        [(0, b"*X;7;004;17;0;140;0\r\n*X;7;004;17;0;140;0\r\n"), held(b"*X;4;004;17;4;140;0\r\n", 1, 3),
         held(b"*X;4;004;17;0;140;0\r\n", 2.5, 4), held(b"*X;4;004;17;4;140;0\r\n", 4.5, 12),
         (10.5, b"*X;4;004;17;0;140;0\r\n")],
        ("device_fault", "device_recovered", "wheel_state"),
        [
            (0, "wheel_state", state("dealer_lock", "17", 4)),
            (1, "wheel_state", state("no_more_bets", "17", 4, object_or_sensor=True)),
            (4.5, "wheel_state", state("no_more_bets", "17", 4, object_or_sensor=True)),
            (9.5, "device_fault", {"reason": "object_or_sensor", "state": "no_more_bets", "rpm": 14.0}),
            (10.5, "device_recovered", {}),
        ],
    ),
    (
        "the reader declares the game void; a slow rotor is nothing",
        EXTENDED,
        [short(1, (4, x(3, 1, 1, "0C000", warn=9, speed=96)), (4.5, x(3, 1, 1, "0C000", warn=9, speed=96)))],
        ("wheel_state", "device_fault"),
        [
            (0, "wheel_state", state("place_bets", "17", 4)),
            (3, "wheel_state", state("ball_in_rim", "17", 4)),
            (4, "wheel_state", state("ball_in_rim", "17", 4, void=True)),
        ],
    ),
    (
        "the ball with the rotor: by the warning at once, against it nobody knows",
        EXTENDED,
        [BETS, (3, x(3, 1, 0, "08000", warn=2)), (9, x(2, 0)), (15, x(3, 1, 0, "08000"))],
        ("ball_launched",),
        [(3, "ball_launched", {"direction": "cw", "spin": 4}), (15, "ball_launched", {"direction": None, "spin": 4})],
    ),
    (
        "no ball in the wheel for ten seconds of a game",
        EXTENDED,
        [RUN, held(x(4, 8, flags=0x92), 10, 25)],
        ("ball_missing",),
        [(20, "ball_missing", {"state": "no_more_bets"})],
    ),
    (
        "a rotor that stands has no direction; 000 without that flag is none to report",
        EXTENDED,
        [
            held(x(1, 0, speed=0, flags=0x11), 0, 2),
            held(x(1, 0, speed=0, flags=0x14), 1, 4),
        ],
        ("rotor",),
        [(0, "rotor", {"rpm": 0.0, "direction": None})],
    ),
    (
        "the counter wraps from 255 to 0, and an unheard landing shows afterwards",
        EXTENDED,
        [(0, x(2, 0, count=255)), (3, x(3, 1, 1, "08000", count=255)), (40, x(2, 0, count=0, win="20"))],
        ("wheel_state",),
        [
            (0, "wheel_state", state("place_bets", "17", 255)),
            (3, "wheel_state", state("ball_in_rim", "17", 255)),
            (40, "wheel_state", state("place_bets", "20", 0, unseen_result="20")),
        ],
    ),
    (
        "basic mode",
        {"mode": "basic"},
        [(0, b"*S\r\n"), (200, b"*N\r\n"), (220, b"*W 5\r\n"), (300, b"*S\r\n")],
        None,
        [
            (0, "wheel_state", {"state": "before_game"}),
            (200, "wheel_state", {"state": "no_more_bets"}),
            (220, "wheel_state", {"state": "result"}),
            (220, "ball_settled", {"pocket": "5"}),
            (300, "wheel_state", {"state": "before_game"}),
        ],
    ),
    (
        "a port that shows less than its mode was said to, put right",
        EXTENDED,
        [held(b"*X;7;004;17;0;140;0\r\n", 0, 6), (3, x(7, 0))],
        ("device_fault", "device_recovered"),
        [
            (1.5, "device_fault", {"reason": "wrong_mode", "heard": "advanced", "expected": "extended"}),
            (3, "device_recovered", {}),
        ],
    ),
    (
        "one zero that is written as two, where other single digits have a zero before them",
        {"mode": "extended", "wheel": "single-zero"},
        [(0, b"05\r\n"), RUN, (14, x(5, 8, count=5, win="00", pocket="00", flags=0x112))],
        ("ball_settled", "result_announced", "device_fault"),
        [(0, "result_announced", {"pocket": "5"}), (14, "ball_settled", {"pocket": "0", "spin": 5})],
    ),
]  # fmt: skip

PIECES = [piece for case in CASES for piece in flat(case[2])]
