"""Wire vectors of the Slingshot 2: (bytes, what they say, bytes thrown away). Plain data; also run on MicroPython."""

PARSED = [
    (b"*X;2;007; 9;0;144;0\r\n", [("status", 2, 7, " 9", 0, 144, 0)], 0),
    (b"*X;3;007; 9;0;150;1\n\r", [("status", 3, 7, " 9", 0, 150, 1)], 0),
    (b"*X;4;001;  ;1;000;0\r\n", [("status", 4, 1, "  ", 1, 0, 0)], 0),
    (b"*X;4;001;00;7;953;0\r\n", [("status", 4, 1, "00", 7, 953, 0)], 0),
    (b"*X;2;001;31;F;000;0\r\n", [("status", 2, 1, "31", 15, 0, 0)], 0),
    (b" 5\r\n", [("result", " 5")], 0),
    (b"31\n\r", [("result", "31")], 0),
    (b" 0\r\n", [("result", " 0")], 0),
    (b"00\r\n", [("result", "00")], 0),
    (b"*Y;1;014\r\n*Y;6;999\r\n", [("bonus", 1, 14), ("bonus", 6, 999)], 0),
    (b"*u OK\r\n*P NO\r\n*o 1157\r\n", [("reply", "u", "OK"), ("reply", "P", "NO"), ("reply", "o", "1157")], 0),
    (b"*S SS2 1.22\r\n*K\r\n", [("reply", "S", "SS2 1.22"), ("reply", "K", "")], 0),
    (b"*F 0\r\n*F 21\r\n*F BUSY\r\n", [("self_test", 0), ("self_test", 21), ("reply", "F", "BUSY")], 0),
    # damaged: cut short, wrong width, wrong range, noise
    (b"*X;2;094\r\n", [], 8),
    (b"00;0\r\n", [], 4),
    (b"6; 9;0;158;0\r\n", [], 12),
    (b"*X;7;007; 9;0;144;0\r\n", [("foreign", False)], 19),
    (b"*X;2;000; 9;0;144;0\r\n", [("foreign", False)], 19),
    (b"*X;2;007;09;0;144;0\r\n", [("foreign", False)], 19),
    (b"*X;3;004;17;0;150;0;0012;02;1;08000;??\r\n", [("foreign", True)], 38),
    (b"*X;3;004;17;0;150;0;0012;02;1;08000\r\n", [], 35),
    (b"*Y:P:3\r\n*Y:A:07\r\n*Y:6:255\r\n*Y:7:255\r\n", [("foreign", False)] * 3, 6 + 7 + 8 + 8),
    (b"*S\r\n*N\r\n*W 17\r\n05\r\n", [("foreign", False)] * 4, 2 + 2 + 5 + 2),
    (b"*X;0;007; 9;0;144;0\r\n", [], 19),
    (b"*X;2;07; 9;0;144;0\r\n", [], 18),
    (b"*X;2;007;9 ;0;144;0\r\n", [], 19),
    (b"*X;2;007; 9;a;144;0\r\n", [], 19),
    (b"*X;2;007; 9;0;144;2\r\n", [], 19),
    (b"*Y;7;014\r\n*Y;1;256\r\n", [], 16),
    (b"\xff\x00*\xfe\r\n", [], 4),
    (b"  \r\n5\r\n", [], 3),
    # run together
    (b"*X;4;14*X;*X;4;146; 9;0;158;0\r\n", [("status", 4, 146, " 9", 0, 158, 0)], 10),
    (b"*X;4;146; 9;0;158;0*X;4;14\r\n", [("status", 4, 146, " 9", 0, 158, 0)], 7),
    (b"\xf0\x0f*X;4;146; 9;0;158;0\r\n", [("status", 4, 146, " 9", 0, 158, 0)], 2),
    (
        b"*X;4;146; 9;0;158;0*X;5;146;12;0;158;0\r\n",
        [("status", 4, 146, " 9", 0, 158, 0), ("status", 5, 146, "12", 0, 158, 0)],
        0,
    ),
]


def plain(message):
    """A message as a tuple that compares the same on every Python."""
    kind = type(message).__name__
    if kind == "Status":
        m = message
        return ("status", m.state, m.spin, m.win, m.warn, m.speed, m.direction)
    if kind == "Result":
        return ("result", message.win)
    if kind == "Bonus":
        return ("bonus", message.number, message.value)
    if kind == "SelfTest":
        return ("self_test", message.code)
    if kind == "Foreign":
        return ("foreign", message.sure)
    return ("reply", message.command, message.text)
