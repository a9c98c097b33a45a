"""Card-line readers, reporting devices and Wiegand: what goes in, what comes out. Plain data; also run on MicroPython.

SHOE, POSITIONS: (name, settings, [(seconds, bytes)], [(event, data)]). REPORTING: (name, device type, pieces, events).
"""

from tests.devices.flat import flat

RECOVERED = ("device_recovered", {})


def fault(reason, **evidence):
    evidence["reason"] = reason
    return ("device_fault", evidence)


def passing(reason, said):
    return [fault(reason, said=said), RECOVERED]


def garbage(count):
    return ("bytes_discarded", {"count": count})


def drawn(card):
    return ("card_drawn", {"card": card, "to": None})


def placed(card, to):
    return ("card_placed", {"card": card, "to": to})


CUT = ("cut_card_drawn", {})
WHAT_KEYS = (
    "one of no_more_bets, round_over, no_spin, no_roll, misdeal, supervisor, dealer_change, dice_inspected, "
    "dice_set_changed, deck_changed, cards_verified, hand_shuffled, collection_taken, wheel_serviced, hand:<name>, "
    "report:<rule-id>; at most 128 characters, all printable"
)

SHOE = [
    ("plain", {}, [(0, b"TD\r\nAS\n\rJK\r??\nCUT\r\n")], [drawn("TD"), drawn("AS"), drawn("JK"), drawn(None), CUT]),
    ("equal cards are cards", {}, [(0, b"TD\r\nTD\r\nTD\r\n")], [drawn("TD")] * 3),
    (
        "bar codes",
        {"codes": "barcode4"},
        [(0, b"1010\r\n3130\r\n4100\r\n2020\r\n")],
        [drawn(c) for c in ("AS", "KC", "TD", "2H")],
    ),
    (
        "a table of the house",
        {"codes": {"X1": "9H", "X2": "??", "0000": "cut"}},
        [(0, b"X1\r\nX2\r\n0000\r\n")],
        [drawn("9H"), drawn(None), CUT],
    ),
    (
        "a code nobody knows is a card not read, and told once",
        {},
        [(0, b"TD\r\nZZ\r\nZZ\r\nQQ\r\n")],
        [
            drawn("TD"),
            drawn(None),
            passing("unknown_code", "ZZ"),
            drawn(None),
            drawn(None),
            passing("unknown_code", "QQ"),
        ],
    ),
    ("tuning in within a line", {"codes": "barcode4"}, [(0, b"10\r\n1010\r\n"), (9, b"")], [drawn("AS"), garbage(2)]),
    ("noise is no card", {}, [(0, b"TD\r\n\xff\x00\xfe\r\n"), (9, b"")], [drawn("TD"), garbage(3)]),
    (
        "far too long a line",
        {},
        [(0, b"TD\r\n" + b"9" * 50 + b"\r\nAS\r\n"), (9, b"")],
        [drawn("TD"), drawn("AS"), garbage(50)],
    ),
]

POSITIONS = [
    (
        "placed and removed",
        {},
        [(0, b"1 TD\r\n0 AS\r\n-1 TD\r\n")],
        [placed("TD", "seat-1"), placed("AS", "dealer"), ("card_removed", {"card": "TD", "to": "seat-1"})],
    ),
    (
        "channels of the house, further hands",
        {"channels": {"A": "seat-3/2", "b": "banker"}, "codes": "barcode4"},
        [(0, b"A 1010\r\nb 3130\r\n")],
        [placed("AS", "seat-3/2"), placed("KC", "banker")],
    ),
    (
        "a channel and a code nobody knows",
        {},
        [(0, b"1 TD\r\nx TD\r\nx AS\r\n2 ZZ\r\n")],
        [
            placed("TD", "seat-1"),
            placed("TD", None),
            passing("unknown_channel", "x"),
            placed("AS", None),
            placed(None, "seat-2"),
            passing("unknown_code", "ZZ"),
        ],
    ),
    ("tuning in within a line", {}, [(0, b"D\r\n1 TD\r\nTD\r\n"), (9, b"")], [placed("TD", "seat-1"), garbage(3)]),
]

REPORTING = [
    (
        "a camera that reads dice",
        "dice",
        [(0, b'{"event": "dice_settled", "data": {"faces": [3, null], "at": ["layout", "rail"], "score": 0.5}}\r\n')],
        [("dice_settled", {"faces": [3, None], "at": ["layout", "rail"], "score": 0.5})],
    ),
    ("no data", "progressive", [(0, b'{"event":"meter_locked"}\n')], [("meter_locked", {})]),
    ("the adapter's own fault", "dice", [(0, b'{"event":"device_fault","data":{"reason":"lens"}}\n')], [fault("lens")]),
    (
        "another device's event",
        "dice",
        [(0, b'{"event":"card_drawn","data":{"card":"TD","to":null}}\n')],
        [fault("unknown_event", event="card_drawn"), RECOVERED],
    ),
    (
        "the link's state is not the adapter's to say",
        "dice",
        [(0, b'{"event":"device_online"}\n')],
        [fault("unknown_event", event="device_online"), RECOVERED],
    ),
    (
        "a field left out, a field that cannot be",
        "wheel",
        [
            (0, b'{"event":"ball_settled"}\n{"event":"ball_settled","data":{"pocket":"37"}}\n'),
            (1, b'{"event":"ball_settled","data":{"pocket":"00"}}\n'),
        ],
        [
            fault("bad_field", event="ball_settled", problem='pocket is missing; a pocket "0" to "36" or "00"'),
            RECOVERED,
            fault("bad_field", event="ball_settled", problem='pocket is not a pocket "0" to "36" or "00"'),
            RECOVERED,
            ("ball_settled", {"pocket": "00"}),
        ],
    ),
    (
        "a key that does not print, or is too long",
        "panel",
        [
            (0, b'{"event":"key_pressed","data":{"key":"hand:0\\u0000"}}\n'),
            (1, b'{"event":"key_pressed","data":{"key":"hand:' + b"a" * 124 + b'"}}\n'),
            (2, b'{"event":"key_pressed","data":{"key":"hand:' + b"a" * 123 + b'"}}\n'),
        ],
        [
            [fault("bad_field", event="key_pressed", problem="key is not " + WHAT_KEYS), RECOVERED] * 2,
            ("key_pressed", {"key": "hand:" + "a" * 123}),
        ],
    ),
    (
        "a key that no panel has: a line's name, one made up, one that names nothing",
        "panel",
        [
            (0, b'{"event":"key_pressed","data":{"key":"no-more-bets"}}\n'),
            (1, b'{"event":"key_pressed","data":{"key":"foo"}}\n'),
            (2, b'{"event":"key_pressed","data":{"key":"report:"}}\n'),
            (3, b'{"event":"key_pressed","data":{"key":"no_more_bets"}}\n'),
            (4, b'{"event":"key_pressed","data":{"key":"hand:straight-flush"}}\n'),
            (5, b'{"event":"key_pressed","data":{"key":"report:die-on-die"}}\n'),
        ],
        [
            [fault("bad_field", event="key_pressed", problem="key is not " + WHAT_KEYS), RECOVERED] * 3,
            ("key_pressed", {"key": "no_more_bets"}),
            ("key_pressed", {"key": "hand:straight-flush"}),
            ("key_pressed", {"key": "report:die-on-die"}),
        ],
    ),
    (
        "what is no report",
        "dice",
        [
            (0, b'{"event":\r\n[1]\r\n{"data":{}}\r\n{"event":7}\r\n{"event":"dice_counted","data":[2]}\r\n'),
            (0.1, b"\xff\xfe\r\n"),
            (9, b""),
        ],
        [garbage(9 + 3 + 11 + 11 + 35 + 2)],
    ),
    ("nesting", "dice", [(0, b"[" * 4000 + b"\r\n"), (9, b"")], [garbage(4000)]),
]  # fmt: skip


def run(device, pieces):
    """Feed (seconds, bytes) pieces, keeping every deadline; returns the observations."""
    seen = []
    for seconds, data in pieces:
        t = int(seconds * 1000) * 1000000
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        seen += device.feed(data, t)
    return seen


def mismatch(device, pieces, want):
    """None if the pieces give what is wanted, else what was seen instead."""
    seen = [(o.event, o.data) for o in run(device, pieces)]
    return None if seen == flat(want) else seen


# Wiegand: (facility, card, bits of the swipe), reckoned by hand
SWIPES = [
    (0, 0, "0" + "0" * 24 + "1"),
    (255, 65535, "0" + "1" * 24 + "1"),
    (12, 34567, "1" + "00001100" + "1000011100000111" + "1"),
    (1, 1, "1" + "00000001" + "0000000000000001" + "0"),
    (0, 0, "0" + "0" * 32 + "1"),
    (4660, 22136, "1" + "0001001000110100" + "0101011001111000" + "1"),
    (0, 0, "0" + "0" * 35 + "1"),
    (1, 1, "1" + "0000000000000001" + "0000000000000000001" + "0"),
    (4660, 305419, "0" + "0001001000110100" + "1001010100100001011" + "0"),
]

MS = 1000000


def swipe(device, bits, start, gap=2 * MS, width=100000):
    """Pulse the bits ("0101...") into a reader from `start` ns on, keeping its deadlines; (observations, end)."""
    seen, t = [], start
    for bit in bits:
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        line = "d1" if bit == "1" else "d0"
        seen += device.edge(line, 1, t)
        seen += device.edge(line, 0, t + width)
        t += gap
    return seen, t


def settle(device, t):
    """Let the time run to `t`."""
    seen = []
    while device.deadline is not None and device.deadline <= t:
        seen += device.tick(device.deadline)
    return seen
