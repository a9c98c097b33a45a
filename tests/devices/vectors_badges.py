"""Badges, keys and stripes: what readers send and what it means. Plain data; also run on MicroPython."""

RDM = b"\x020F0184F07A00\x03"
ID12 = b"\x020F0184F07A00\r\n\x03"
OTHER = b"\x0262E3086CED08\x03"

EM4100 = [
    (RDM, ["0F0184F07A"], 0),
    (ID12, ["0F0184F07A"], 0),
    (OTHER, ["62E3086CED"], 0),
    (RDM + ID12 + OTHER, ["0F0184F07A", "0F0184F07A", "62E3086CED"], 0),
    (b"\x020f0184f07a00\x03", ["0F0184F07A"], 0),
    # a wrong check, cut, noise before, between and after
    (b"\x020F0184F07B00\x03", [], 14),
    (b"\x020F0184" + RDM, ["0F0184F07A"], 7),
    (b"\xff\x00" + RDM + b"\x03\r\n" + OTHER, ["0F0184F07A", "62E3086CED"], 5),
    (b"\x020F0184F07A00\r\x03" + RDM, ["0F0184F07A"], 15),
    (b"\x02\x02\x02" + RDM, ["0F0184F07A"], 3),
    (b"\x020F0184F07G00\x03", [], 14),
]
"""(stream, tags, bytes thrown away)."""

CREDENTIALS = [
    ("0F0184F07A", "3d5d", "132:61562"),
    ("0F0184F07A", "8h10d", "0025489530"),
    ("0F0184F07A", "hex", "0F0184F07A"),
    ("62E3086CED", "3d5d", "8:27885"),
]

BADGES = [
    ("held: repeated for seconds, once", {}, [(i / 10, RDM) for i in range(60)], [(0, "132:61562")]),
    ("taken away and held again", {}, [(0, RDM), (1, RDM), (3.1, RDM)], [(0, "132:61562"), (3.1, "132:61562")]),
    (
        "two in turn, each once",
        {},
        [(0, RDM), (0.1, OTHER), (0.2, RDM), (0.3, OTHER)],
        [(0, "132:61562"), (0.1, "8:27885")],
    ),
    ("the whole tag", {"format": "hex"}, [(0, ID12)], [(0, "0F0184F07A")]),
    ("a quicker house", {"gone_s": 0.5}, [(0, RDM), (0.6, RDM)], [(0, "132:61562"), (0.6, "132:61562")]),
]  # fmt: skip
"""(name, settings, [(seconds, bytes)], [(seconds, credential)])."""


def presented(device, pieces):
    """[(ns, credential)] of what a device makes of (seconds, bytes) pieces; every deadline is kept."""
    seen = []
    for seconds, data in pieces:
        t = int(seconds * 1000) * 1000000
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        seen += device.feed(data, t)
    return [(o.t, o.data["credential"]) for o in seen if o.event == "credential_presented"]


def mismatch(device_class, case):
    _, settings, pieces, want = case
    got = presented(device_class("keys", settings), pieces)
    want = [(int(t * 1000) * 1000000, credential) for t, credential in want]
    return None if got == want else got


def split_mismatch(framer_class, stream, want, discarded):
    framer = framer_class()
    got = [each for i in range(len(stream)) for each in framer.feed(stream[i : i + 1])]
    lost = framer.take_discarded()
    return None if got == want and lost == discarded else [got, lost]


NAME, NUMBER = "01-000015d4c2f3", "01f3c2d4150000c7"
CAME, WENT = b"+01-000015d4c2f3 01f3c2d4150000c7\n", b"-01-000015d4c2f3\n"

CRC8 = [("021cb801000000", 0xA2), ("01f3c2d4150000", 0xC7), ("021cb801000000a2", 0), (NUMBER, 0)]

BUTTONS = [
    ("touched twice", {}, [(0, CAME), (0.5, WENT), (5, CAME)], [(0, NAME), (5, NAME)]),
    ("a contact that opens for a moment", {}, [(0, CAME), (0.5, WENT), (0.7, CAME), (9, WENT)], [(0, NAME)]),
    ("there as the bus is opened", {}, [(0, b"=" + CAME[1:]), (60, WENT), (70, CAME)], [(70, NAME)]),
    ("a kernel that gives no number", {}, [(0, b"+01-000015d4c2f3\n")], [(0, NAME)]),
    ("another family, no number, a wrong check", {}, [
        (0, b"+28-0316a2795bff\n"), (1, b"+01-000000000000\n"), (2, b"+01-000015d4c2f3 01f3c2d4150000c6\n"),
        (3, b"+01-000015d4c2f3 021cb801000000a2\n"),
    ], []),
    ("no such lines", {}, [(0, b"+01-000015D4C2F3\n01-000015d4c2f3\n+01-15d4c2f3\n+01-000015d4c2f3 01\n\xff\n")], []),
]  # fmt: skip

STRIPES = [
    ("staff card with its check", {}, [(0, b";0001234567=9912101?:\r\n")], [(0, "0001234567")]),
    ("staff card as a keyboard types it", {}, [(0, b";1234567890=2512?\n")], [(0, "1234567890")]),
    ("its other check", {}, [(0, b";1234567890=2512?<\r")], [(0, "1234567890")]),
    ("with track 1 before it", {}, [(0, b"%BSTAFF/A^1?;0001234567=9912101?:\r\n")], [(0, "0001234567")]),
    ("long, no Luhn sum, and read right", {}, [(0, b";1234567890123456=99??\r\n")], [(0, "1234567890123456")]),
    ("long, no Luhn sum, and nobody knows whether it was read right", {}, [(0, b";1234567890123456=99?\r\n")], []),
    ("a check that does not fit", {}, [(0, b";0001234567=9912101?;\r\n")], []),
    ("payment cards", {}, [
        (0, b";4111111111111111=25121010000012300000?\r\n"), (1, b";378282246310005=2512?\n"),
        (2, b"%B4111111111111111^DOE/J^2512?;4111111111111111=2512?\x03"), (3, b";6304000000000000=2512?\n"),
        (4, b";4222222222222=2512?\n"),
    ], []),
    ("no track", {}, [(0, b"4111111111111111\n1111=2512?\n;12x4?\n;?\n;=1?\n;1=2=3?\n;" + b"1" * 400 + b"?\n")], []),
]  # fmt: skip
