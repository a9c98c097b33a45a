"""Wire vectors of the Angel Eye shoe and what they mean. Plain data; also run on MicroPython.

GOLDEN: (hex of one frame, its command, the events it gives on a fresh shoe).
CASES: (name, [(seconds, bytes)], [(event, data)]).
"""


def unhex(text):
    return bytes([int(text[i : i + 2], 16) for i in range(0, len(text), 2)])


def framed(seq, data):
    """A frame made here, independently of the code under test."""
    body = seq.encode() + data + b"\x03"
    total = 0
    for byte in body:
        total ^= byte
    return b"\x05" + body + f"{total:02X}".encode()


GOLDEN = [
    ("053153033631", "S", [("shoe_started", {"decks": None})]),
    ("053250033631", "P", []),
    ("05334481B8033444", "D", [("card_drawn", {"card": "8S", "to": "player", "index": 1})]),
    ("05344491A5033437", "D", [("card_drawn", {"card": "5C", "to": "banker", "index": 1})]),
    ("05354791034530", "G", [("result_declared", {"winner": "player", "pairs": ["player"]})]),
    ("053647A0034432", "G", [("result_declared", {"winner": "tie", "pairs": []})]),
    ("053743033737", "C", [("cut_card_drawn", {})]),
    ("053845C2034243", "E", [("reader_error", {"kind": "overdraw", "error_mode": True})]),
    ("05396582034444", "e", [("reader_error_cleared", {"kind": "overdraw"})]),
    ("05414C81033846", "L", [("locked", {})]),
]

START = framed("1", b"S")
PLAYER_8S = framed("3", b"D\x81\xb8")
BANKER_5C = framed("4", b"D\x91\xa5")
P8S = ("card_drawn", {"card": "8S", "to": "player", "index": 1})
B5C = ("card_drawn", {"card": "5C", "to": "banker", "index": 1})
RECOVERED = ("device_recovered", {})


def fault(reason, **evidence):
    evidence["reason"] = reason
    return ("device_fault", evidence)


def garbage(count):
    return ("bytes_discarded", {"count": count})


def impossible(card, to, index, payload):
    """A card of which a field is out of range: what can be known of it, and the fault."""
    drawn = ("card_drawn", {"card": card, "to": to, "index": index})
    return [drawn, fault("impossible_card", bytes=payload), RECOVERED]


CASES = [
    (
        "every golden frame in one stream",
        [(0, b"".join([unhex(text) for text, _, _ in GOLDEN]))],
        [event for _, _, events in GOLDEN for event in events],
    ),
    ("three times the same is once", [(0, PLAYER_8S * 3)], [P8S]),
    ("repeats seconds apart are repeats", [(0, PLAYER_8S), (3, PLAYER_8S), (6, PLAYER_8S)], [P8S]),
    ("the same sequence with other content is new", [(0, PLAYER_8S + framed("3", b"D\x91\xa5"))], [P8S, B5C]),
    ("the same content with another sequence is new", [(0, PLAYER_8S + framed("5", b"D\x81\xb8"))], [P8S, P8S]),
    ("an identical frame much later is new", [(0, PLAYER_8S), (60, PLAYER_8S)], [P8S, P8S]),
    (
        "a sequence used again after a restart is new",
        [(0, START + PLAYER_8S), (5, START + PLAYER_8S)],
        [("shoe_started", {"decks": None}), P8S, fault("restarted"), RECOVERED, P8S],
    ),
    ("start, thrice, and again with nothing drawn", [(0, START * 3), (60, START)], [("shoe_started", {"decks": None})]),
    (
        "start after the cut card opens a shoe once",
        [(0, PLAYER_8S + framed("5", b"C")), (60, START * 2), (90, framed("1", b"P"))],
        [P8S, ("cut_card_drawn", {}), ("shoe_started", {"decks": None})],
    ),
    (
        "burning at the start of a shoe",
        [
            (0, PLAYER_8S + framed("4", b"D\xc0\x93") + framed("5", b"D\xd0\x83")),
            (1, framed("6", b"D\xa1\xa5") + framed("7", b"D\xa2\xa5")),
        ],
        [
            P8S,
            ("shoe_started", {"decks": None}),
            ("card_drawn", {"card": "3D", "to": "burn", "index": 0, "first_card": True}),
            ("card_drawn", {"card": "5C", "to": "burn", "index": 1, "burn_count": 3}),
            ("card_drawn", {"card": "5C", "to": "burn", "index": 2}),
        ],
    ),
    (
        "cards outside the game are drawn all the same",
        [(0, framed("1", b"d\x81\xb8") + framed("2", b"d\x91\xb8") + framed("3", b"d\xa1\xb8"))],
        [
            ("card_drawn", {"card": "8S", "to": "discard", "index": 1, "outside": "lock"}),
            ("card_drawn", {"card": "8S", "to": "discard", "index": 1, "outside": "error"}),
            ("card_drawn", {"card": "8S", "to": "discard", "index": 1, "outside": "setting"}),
        ],
    ),
    (
        "a retransmission is told and moves nothing",
        [(0, framed("1", b"R\x81\xb8"))],
        [fault("retransmission", card="8S", to="player", index=1), RECOVERED],
    ),
    (
        "a hand ended by force has no winner",
        [(0, framed("1", b"G\xf0"))],
        [("result_declared", {"winner": None, "pairs": [], "forced_quit": True})],
    ),
    (
        "both pairs",
        [(0, framed("1", b"G\xc3"))],
        [("result_declared", {"winner": "banker", "pairs": ["player", "banker"]})],
    ),
    (
        "lock and unlock, each once",
        [(0, framed("1", b"L\x81") + framed("2", b"L\x81") + framed("3", b"L\x80"))],
        [("locked", {}), ("unlocked", {})],
    ),
    (
        "an error outside error mode, an error without a name",
        [(0, framed("1", b"E\x81") + framed("2", b"e\xbf"))],
        [
            ("reader_error", {"kind": "unreadable", "error_mode": False}),
            ("reader_error_cleared", {"kind": "code 63"}),
        ],
    ),
    ("the host's answers are no garbage", [(0, b"\x06" + PLAYER_8S + b"\x15\x02\x06\x15\xff"), (9, b"")], [P8S]),
    ("preset changed", [(0, framed("1", b"M010042"))], [fault("preset_changed", preset="01", value="0042"), RECOVERED]),
    # impossible though well checked
    (
        "rank 0 and 14, suit 5, index 11, target 3",
        [
            (0, framed("1", b"D\x81\xb0") + framed("2", b"D\x81\xbe") + framed("3", b"D\x81\xd8")),
            (1, framed("4", b"D\x8b\xb8") + framed("5", b"D\xb1\xb8")),
        ],
        impossible(None, "player", 1, "81b0")
        + impossible(None, "player", 1, "81be")
        + impossible(None, "player", 1, "81d8")
        + impossible("8S", "player", None, "8bb8")
        + impossible("8S", None, 1, "b1b8"),
    ),
    ("no such winner", [(0, framed("1", b"G\xb0"))], [fault("impossible_result", bytes="b0"), RECOVERED]),
    ("an unknown command", [(0, framed("1", b"Z\x81"))], [fault("unknown_event", event="Z", bytes="81"), RECOVERED]),
    ("too short a card", [(0, framed("1", b"D\x81"))], [fault("malformed_frame", command="D", bytes="81"), RECOVERED]),
    # damaged
    ("wrong check", [(0, PLAYER_8S[:-1] + b"0" + BANKER_5C), (9, b"")], [B5C, garbage(8)]),
    ("lower-case check", [(0, PLAYER_8S[:-2] + b"4d" + BANKER_5C), (9, b"")], [B5C, garbage(8)]),
    ("ETX lost", [(0, b"\x053D\x81\xb84D" + BANKER_5C), (9, b"")], [B5C, garbage(7)]),
    ("check lost", [(0, PLAYER_8S[:-2] + BANKER_5C), (9, b"")], [B5C, garbage(6)]),
    ("a frame cut by the next", [(0, PLAYER_8S[:4] + BANKER_5C), (9, b"")], [B5C, garbage(4)]),
    ("ETX split off", [(0, PLAYER_8S[:5]), (0.1, PLAYER_8S[5:6]), (0.2, PLAYER_8S[6:])], [P8S]),
    ("an endless frame", [(0, b"\x05" + b"1" * 200 + BANKER_5C), (9, b"")], [B5C, garbage(201)]),
    ("a NAK cut by a frame", [(0, b"\x15" + BANKER_5C), (9, b"")], [B5C, garbage(1)]),
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


def mismatch(device_class, pieces, want):
    """None if the pieces give what is wanted, else what was seen instead."""
    seen = [(o.event, o.data) for o in run(device_class("shoe"), pieces)]
    return None if seen == want else seen
