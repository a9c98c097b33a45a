"""Lines and what they mean, for every device read from lines. Plain data and a runner that MicroPython can run too.

A case: (name, type, settings, script, [(seconds, event, data)]), None in place of what is not under test. A script line
is (seconds, {line: level}) for levels read at the start, (seconds, line, level) for an edge, (seconds,) for time going
on.
"""

from tests.devices.flat import flat

SECOND = 1_000_000_000


def run(device, script):
    """Feed a script, calling tick at each deadline as the wiring does; returns the observations."""
    out = []
    for step in flat(script):
        t = round(step[0] * SECOND)
        while device.deadline is not None and device.deadline <= t:
            out += device.tick(device.deadline)
        if len(step) == 1:
            out += device.tick(t)
        elif len(step) == 2:
            out += device.initial(step[1], t)
        else:
            out += device.edge(step[1], step[2], t)
    return out


def pulse(line, start, width_ms=10.0):
    return [(start, line, 1), (start + width_ms / 1000, line, 0)]


def bouncing(line, start, width_ms, bounce_ms=0.4, times=4):
    """A pulse with bounce at both its edges."""
    script = []
    for at, level in ((start, 1), (start + width_ms / 1000, 0)):
        for i in range(times):
            script += [
                (at + 2 * i * bounce_ms / 1000, line, level),
                (at + (2 * i + 1) * bounce_ms / 1000, line, 1 - level),
            ]
        script.append((at + 2 * times * bounce_ms / 1000, line, level))
    return script


def cards(start, count, every=0.12, line="card-exit"):
    script = []
    for i in range(count):
        script += pulse(line, start + i * every, 40)
    return script


def throw(start, gap=0.05):
    return pulse("release", start, 15) + pulse("release", start + gap, 15)


def wall(start, gap=0.2):
    return pulse("end-wall", start, 5) + pulse("end-wall", start + gap, 5)


SHUFFLER_IDLE = (0, {"motor": 0, "jam": 0, "door": 0, "card-exit": 0, "count-ok": 0, "count-bad": 0})
STARTED = (0, "door_closed", {})
PACKET = {"machine": "packet"}

CASES = [
    # enclosure
    ("lid closed at the start", "enclosure", {}, [(0, {"lid": 0})], [(0, "closed", {})]),
    (
        "lid opened and closed, bouncing",
        "enclosure",
        {},
        [(0, {"lid": 0}), bouncing("lid", 1, 3000), (9,)],
        [(0, "closed", {}), (1.0232, "opened", {}), (4.0232, "closed", {})],
    ),
    (
        "a spike on the lid line is nothing",
        "enclosure",
        {},
        [(0, {"lid": 0}), pulse("lid", 1, 2), (9,)],
        [(0, "closed", {})],
    ),
    (
        "lid opened while nobody listened",
        "enclosure",
        {},
        [(0, {"lid": 0}), (5, {"lid": 1})],
        [(0, "closed", {}), (5, "opened", {})],
    ),
    # panel
    (
        "a press with bounce is one key",
        "panel",
        {},
        [(0, {"no-more-bets": 0}), bouncing("no-more-bets", 1, 200), (2,)],
        [(1.0132, "key_pressed", {"key": "no_more_bets"})],
    ),
    (
        "a key held long is one press, the next press another",
        "panel",
        {},
        [pulse("round-over", 1, 5000), pulse("round-over", 7, 80), (9,)],
        [(1.01, "key_pressed", {"key": "round_over"}), (7.01, "key_pressed", {"key": "round_over"})],
    ),
    (
        "a second press straight after is the same press",
        "panel",
        {},
        [pulse("misdeal", 1, 80), pulse("misdeal", 1.2, 80), (2,)],
        [(1.01, "key_pressed", {"key": "misdeal"})],
    ),
    (
        "named keys",
        "panel",
        {},
        [
            pulse("hand-straight-flush", 1, 80),
            pulse("report-die-on-die", 2, 80),
            pulse("hand-shuffled", 3, 80),
            (4,),
        ],
        [
            (1.01, "key_pressed", {"key": "hand:straight-flush"}),
            (2.01, "key_pressed", {"key": "report:die-on-die"}),
            (3.01, "key_pressed", {"key": "hand_shuffled"}),
        ],
    ),
    ("a touch is no press", "panel", {}, [pulse("no-roll", 1, 4), (2,)], []),
    (
        "a key found pressed was not pressed now, and is stuck",
        "panel",
        {},
        [(0, {"no-spin": 1}), (40, "no-spin", 0), (41,)],
        [
            (30, "device_fault", {"reason": "line stuck", "line": "no-spin", "seconds": 30}),
            (40.01, "device_recovered", {}),
        ],
    ),
    (
        "no such key",
        "panel",
        {},
        [pulse("jackpot", 1, 80), pulse("jackpot", 2, 80), (3,)],
        [(1, "device_fault", None), (1, "device_recovered", {})],
    ),
    # seats
    (
        "seats and the bank",
        "seats",
        {},
        [
            (0, {"seat-1": 1, "seat-2": 0, "bank-1": 1, "bank-2": 0}),
            (1, "seat-2", 1),
            (2, "seat-1", 0),
            (3, "bank-1", 0),
            (4, "bank-2", 1),
            (5, "bank-2", 0),
            (6, "bank-2", 1),
            (9,),
        ],
        [
            (0, "bank_moved", {"seat": "seat-1"}),
            (0, "seat_taken", {"seat": "seat-1"}),
            (1.3, "seat_taken", {"seat": "seat-2"}),
            (2.3, "seat_left", {"seat": "seat-1"}),
            (4.3, "bank_moved", {"seat": "seat-2"}),
        ],
    ),
    (
        "the bank marker goes back to the house",
        "seats",
        {},
        [(0, {"bank-1": 0}), (1, "bank-1", 1), (20, "bank-1", 0), (25, "bank-1", 1), (30, "bank-1", 0), (60,)],
        [(1.3, "bank_moved", {"seat": "seat-1"}), (40.3, "bank_moved", {"seat": None})],
    ),
    ("a hand over a seat is no wager", "seats", {}, [(0, {"seat-4": 0}), pulse("seat-4", 1, 200), (5,)], []),
    # discard rack
    (
        "cards counted, then taken out",
        "discard_rack",
        {},
        [(0, {"card": 0, "empty": 1}), cards(1, 5, 0.1, "card"), (1.2, "empty", 0), (9, "empty", 1), (10,)],
        [(0, "emptied", {}), (2.4, "cards_counted", {"cards": 5}), (9.1, "emptied", {})],
    ),
    (
        "a card lying in the optic",
        "discard_rack",
        {},
        [(1, "card", 1), (20, "card", 0), (21,)],
        [
            (2, "cards_counted", {"cards": 1}),
            (11, "device_fault", {"reason": "line stuck", "line": "card", "seconds": 10}),
            (20, "device_recovered", {}),
        ],
    ),
    # peek
    (
        "no blackjack",
        "peek",
        {},
        [pulse("hole-checked", 1, 2000), (9,)],
        [(1.32, "hole_card_checked", {"blackjack": False})],
    ),
    (
        "blackjack, its lamp second",
        "peek",
        {},
        [(1, "hole-checked", 1), (1.2, "blackjack", 1), (3, "hole-checked", 0), (3, "blackjack", 0), (9,)],
        [(1.22, "hole_card_checked", {"blackjack": True})],
    ),
    (
        "blackjack, its lamp first; the next check is another",
        "peek",
        {},
        [
            (1, "blackjack", 1),
            (1.1, "hole-checked", 1),
            (3, "blackjack", 0),
            (3.2, "hole-checked", 0),
            pulse("hole-checked", 5, 500),
            (9,),
        ],
        [(1.02, "hole_card_checked", {"blackjack": True}), (5.32, "hole_card_checked", {"blackjack": False})],
    ),
    (
        "a lamp lit at the start is an old check",
        "peek",
        {},
        [(0, {"hole-checked": 1}), (5, "hole-checked", 0), (9,)],
        [],
    ),
    # progressive
    (
        "wagers, lock-out and a keyed jackpot",
        "progressive",
        {},
        [
            (0, {"coin-in-2": 0, "meter-lock": 0}),
            (1, "coin-in-2", 1),
            (2, "meter-lock", 1),
            (3, "hand-royal-flush", 1),
            (4, "jackpot-2", 1),
            (5, "hand-royal-flush", 0),
            (6, "coin-in-2", 0),
            (7, "meter-lock", 0),
            (9,),
        ],
        [
            (0, "meter_unlocked", {}),
            (1.02, "coin_in", {"seat": "seat-2"}),
            (2.02, "meter_locked", {}),
            (3.02, "hand_keyed", {"hand": "royal-flush", "on": True}),
            (4.02, "jackpot", {"seat": "seat-2", "hand": "royal-flush"}),
            (5.02, "hand_keyed", {"hand": "royal-flush", "on": False}),
            (6.02, "coin_in_cleared", {"seat": "seat-2"}),
            (7.02, "meter_unlocked", {}),
        ],
    ),
    # shuffler, batch machine
    (
        "batch: a clean shuffle",
        "shuffler",
        {},
        [
            SHUFFLER_IDLE,
            (1, "motor", 1),
            cards(20, 52),
            (31, "count-ok", 1),
            (32, "motor", 0),
            (40, "count-ok", 0),
            (50,),
        ],
        [STARTED, (1.02, "shuffle_started", {}), (31.02, "shuffle_completed", {"cards": 52})],
    ),
    (
        "batch: count lamp after the motor stopped",
        "shuffler",
        {},
        [SHUFFLER_IDLE, (1, "motor", 1), (31, "motor", 0), (32, "count-ok", 1), (50,)],
        [STARTED, (1.02, "shuffle_started", {}), (32.02, "shuffle_completed", {"cards": 52})],
    ),
    (
        "batch: the count fails",
        "shuffler",
        {},
        [SHUFFLER_IDLE, (1, "motor", 1), cards(20, 51), (31, "motor", 0), (32, "count-bad", 1), (50,)],
        [STARTED, (1.02, "shuffle_started", {}), (32.02, "count_failed", {"cards": 51})],
    ),
    (
        "batch: jam stops the motor; the next run is a new shuffle",
        "shuffler",
        {},
        [
            SHUFFLER_IDLE,
            (1, "motor", 1),
            (9, "jam", 1),
            (9.5, "motor", 0),
            (20, "door", 1),
            (25, "door", 0),
            (26, "jam", 0),
            (30, "motor", 1),
            (60, "count-ok", 1),
            (60.5, "motor", 0),
            (70,),
        ],
        [
            STARTED,
            (1.02, "shuffle_started", {}),
            (9.02, "jammed", {"during": "shuffle", "cards_out": 0}),
            (20.02, "door_opened", {}),
            (25.02, "door_closed", {}),
            (26.02, "jam_cleared", {}),
            (30.02, "shuffle_started", {}),
            (60.02, "shuffle_completed", {"cards": 52}),
        ],
    ),
    (
        "batch: stopped half-way",
        "shuffler",
        {},
        [SHUFFLER_IDLE, (1, "motor", 1), (15, "motor", 0), (50,)],
        [STARTED, (1.02, "shuffle_started", {}), (18.02, "stopped", {})],
    ),
    (
        "batch: a pause in the cycle is no stop",
        "shuffler",
        {},
        [
            SHUFFLER_IDLE,
            (1, "motor", 1),
            (15, "motor", 0),
            (16, "motor", 1),
            (30, "count-ok", 1),
            (31, "motor", 0),
            (50,),
        ],
        [STARTED, (1.02, "shuffle_started", {}), (30.02, "shuffle_completed", {"cards": 52})],
    ),
    (
        "batch without count lamps: the length of the run decides",
        "shuffler",
        {},
        [(0, {"motor": 0}), (1, "motor", 1), (20, "motor", 0), (30, "motor", 1), (34, "motor", 0), (50,)],
        [
            (1.02, "shuffle_started", {}),
            (23.02, "shuffle_completed", {"cards": None}),
            (30.02, "shuffle_started", {}),
            (37.02, "stopped", {}),
        ],
    ),
    (
        "a cycle that does not end",
        "shuffler",
        {},
        [SHUFFLER_IDLE, (1, "motor", 1), (400, "count-ok", 1), (401, "motor", 0), (500,)],
        [
            STARTED,
            (1.02, "shuffle_started", {}),
            (301.02, "device_fault", {"reason": "cycle too long", "line": "motor", "seconds": 300}),
            (400.02, "shuffle_completed", {"cards": 52}),
            (401.02, "device_recovered", {}),
        ],
    ),
    (
        "a pause makes a cycle that does not end no shorter",
        "shuffler",
        {},
        [SHUFFLER_IDLE, (1, "motor", 1), (100, "motor", 0), (101, "motor", 1), (400, "motor", 0), (500,)],
        [
            STARTED,
            (1.02, "shuffle_started", {}),
            (301.02, "device_fault", {"reason": "cycle too long", "line": "motor", "seconds": 300}),
            (400.02, "device_recovered", {}),
            (403.02, "stopped", {}),
        ],
    ),
    ("a lamp test is no shuffle", "shuffler", {}, [SHUFFLER_IDLE, pulse("count-ok", 1, 500), (9,)], [STARTED]),
    (
        "tray",
        "shuffler",
        {},
        [(0, {"tray": 0}), pulse("tray", 1, 5000), (9,)],
        [(1.02, "cards_inserted", {}), (6.02, "cards_removed", {})],
    ),
    # shuffler, packet machine
    (
        "packet: a shuffle, then packets from a running motor",
        "shuffler",
        PACKET,
        [
            SHUFFLER_IDLE,
            (1, "motor", 1),
            (30, "count-ok", 1),
            (31, "motor", 0),
            (35, "motor", 1),
            cards(35.2, 3),
            cards(37, 3),
            (38.5, "motor", 0),
            (50,),
        ],
        [
            STARTED,
            (4.02, "shuffle_started", {}),
            (30.02, "shuffle_completed", {"cards": 52}),
            (36.04, "packet_dispensed", {"cards": 3, "to": None}),
            (37.84, "packet_dispensed", {"cards": 3, "to": None}),
        ],
    ),
    (
        "packet: a motor that runs on after dealing is no shuffle",
        "shuffler",
        PACKET,
        [SHUFFLER_IDLE, (1, "motor", 1), cards(1.5, 3), (20, "motor", 0), (30,)],
        [STARTED, (2.34, "packet_dispensed", {"cards": 3, "to": None})],
    ),
    (
        "packet: jam in a packet",
        "shuffler",
        PACKET,
        [SHUFFLER_IDLE, (1, "motor", 1), cards(1.5, 2), (2, "jam", 1), (2.1, "motor", 0), (9, "jam", 0), (20,)],
        [STARTED, (2.02, "jammed", {"during": "deal", "cards_out": 2}), (9.02, "jam_cleared", {})],
    ),
    (
        "packet: jam at the very start of a shuffle",
        "shuffler",
        PACKET,
        [SHUFFLER_IDLE, (1, "motor", 1), (2, "jam", 1), (2.1, "motor", 0), (20,)],
        [STARTED, (2.02, "shuffle_started", {}), (2.02, "jammed", {"during": "shuffle", "cards_out": 0})],
    ),
    (
        "packet: a card in a running shuffle ends it",
        "shuffler",
        PACKET,
        [SHUFFLER_IDLE, (1, "motor", 1), cards(30, 3), (32, "motor", 0), (50,)],
        [
            STARTED,
            (4.02, "shuffle_started", {}),
            (30, "shuffle_completed", {"cards": None}),
            (30.84, "packet_dispensed", {"cards": 3, "to": None}),
        ],
    ),
    # dice
    (
        "a clean throw with an at-rest line",
        "dice",
        {},
        [(0, {"at-rest": 1}), (0.9, "at-rest", 0), throw(1), wall(1.8), (3.5, "at-rest", 1), (9,)],
        [
            (1.165, "throw_started", {"dice": 2, "spread_ms": 50}),
            (2, "end_wall_struck", {"dice": 2}),
            (3.55, "dice_settled", {"faces": None, "at": ["layout", "layout"]}),
        ],
    ),
    (
        "beams alone leave the rest to a camera",
        "dice",
        {},
        [throw(1), wall(1.8), (60,)],
        [(1.165, "throw_started", {"dice": 2, "spread_ms": 50}), (2, "end_wall_struck", {"dice": 2})],
    ),
    (
        "beams alone told how long dice run",
        "dice",
        {"rest_after_s": 3},
        [throw(1), pulse("end-wall", 1.8), (60,)],
        [
            (1.165, "throw_started", {"dice": 2, "spread_ms": 50}),
            (3.3, "end_wall_struck", {"dice": 1}),
            (4.8, "dice_settled", {"faces": None, "at": ["layout", "layout"]}),
        ],
    ),
    (
        "a die over the left rail, the other on the bank",
        "dice",
        {"rest_after_s": 3},
        [(0, {"on-bank": 0}), throw(1), pulse("rail-left", 1.9, 6), (2, "on-bank", 1), (60,)],
        [
            (1.165, "throw_started", {"dice": 2, "spread_ms": 50}),
            (1.9, "die_off_table", {"zone": "rail-left"}),
            (4.9, "dice_settled", {"faces": None, "at": ["off", "bank"]}),
        ],
    ),
    (
        "a die on a rail is not over it",
        "dice",
        {"rest_after_s": 3},
        [throw(1), (2, "on-rail-left", 1), (60,)],
        [
            (1.165, "throw_started", {"dice": 2, "spread_ms": 50}),
            (4.165, "dice_settled", {"faces": None, "at": ["rail", "layout"]}),
        ],
    ),
    (
        "a die off the table with no throw seen",
        "dice",
        {},
        bouncing("off-floor", 1, 6),
        [(1, "die_off_table", {"zone": "off-floor"})],
    ),
    (
        "the second die 600 ms later",
        "dice",
        {},
        [throw(1, 0.6), (9,)],
        [(1.715, "throw_started", {"dice": 2, "spread_ms": 600})],
    ),
    (
        "the second die after the first has struck",
        "dice",
        {},
        [pulse("release", 1, 15), pulse("end-wall", 1.7, 5), pulse("release", 1.8, 15), (9,)],
        [
            (1.7, "throw_started", {"dice": 1, "spread_ms": 0}),
            (1.815, "throw_started", {"dice": 1, "spread_ms": 800}),
            (3.2, "end_wall_struck", {"dice": 1}),
        ],
    ),
    (
        "one die only",
        "dice",
        {},
        [pulse("release", 1, 15), (9,)],
        [(2.015, "throw_started", {"dice": 1, "spread_ms": 0})],
    ),
    (
        "three dice",
        "dice",
        {},
        [throw(1), pulse("release", 1.1, 15), (9,)],
        [(1.215, "throw_started", {"dice": 3, "spread_ms": 100})],
    ),
    (
        "two dice overlapping",
        "dice",
        {},
        [pulse("release", 1, 90), (9,)],
        [(1.19, "throw_started", {"dice": 2, "spread_ms": 0})],
    ),
    ("a hand in the beam", "dice", {}, [pulse("release", 1, 900), (9,)], []),
    (
        "the set poured into the bowl",
        "dice",
        {},
        [cards(1, 5, 0.1, "bowl"), (9,)],
        [(2.9, "dice_counted", {"dice": 5})],
    ),
    ("shaken three times", "dice", {}, [cards(1, 3, 0.3, "shaker"), (9,)], [(3.1, "shaker_count", {"shakes": 3})]),
]


def mismatch(find, case):
    """None, or what differs between a case and what the device of `find(type, "lines")` made of it."""
    name, kind, settings, script, expected = case
    seen = run(find(kind, "lines")("x", settings), script)
    got = [(o.t, o.event, o.data) for o in seen]
    want = [(None if t is None else round(t * SECOND), event, data) for t, event, data in expected]
    if len(got) != len(want):
        return (name, got, want)
    for saw, meant in zip(got, want):  # noqa: B905 - MicroPython's zip has no strict
        if (
            (meant[0] is not None and abs(saw[0] - meant[0]) > 1000)
            or saw[1] != meant[1]
            or (meant[2] is not None and saw[2] != meant[2])
        ):
            return (name, saw, meant)
    return None
