"""A wheel of bare sensors: whole games, lost edges, what must stay silent, and how exact the count is."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.raw_wheel import RawWheel
from pitwatch.devices.registry import find
from pitwatch.devices.wheel_pockets import DOUBLE_ZERO, ORDERS, SINGLE_ZERO, order_of, pocket_at
from tests.devices.vectors_lines import SECOND, mismatch, pulse, run
from tests.devices.vectors_raw_wheel import CASES
from tests.devices.wheel_motion import pocket_passes, rotor, spin, spoil

OPENED = (0, dict.fromkeys(RawWheel.LINES, 0))


def events(seen, *names):
    return [(o.event, o.data) for o in seen if o.event in names]


def game(rng, pocket="17", wheel="double-zero", rotor_direction=None, ball=None, rpm=20, lost=0.0, **how):
    """(rotor direction, ball direction, revolutions, script) of a whole game of some 45 s."""
    rotor_direction = rotor_direction or rng.choice(["cw", "ccw"])
    ball = ball or ("ccw" if rotor_direction == "cw" else "cw")
    _, revolutions, passes, last = spin(rng, direction=ball, start=8.0, **how)
    turning, angle = rotor(rpm, rotor_direction, 1.0, last + 30, phase=rng.random(), slowing=0.1)
    resting = pocket_passes(ORDERS[wheel], pocket, rotor_direction, angle, last + 6, 20)
    spoiled = [e for e in turning + passes + resting if rng.random() >= lost]
    spoiled.sort()
    return rotor_direction, ball, revolutions, [OPENED, *spoiled, (last + 35,)]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_cases(case):
    assert mismatch(find, case) is None


@pytest.mark.parametrize("wheel", ORDERS)
@pytest.mark.parametrize("rpm", [10, 20, 30])
@pytest.mark.parametrize("direction", ["cw", "ccw"])
def test_a_whole_game(wheel, rpm, direction):
    rng = random.Random(f"{wheel} {rpm} {direction}")
    for pocket in rng.sample(ORDERS[wheel], 2):
        turning, ball, revolutions, script = game(rng, pocket, wheel, direction, rpm=rpm)
        seen = run(RawWheel("wheel", {"wheel": wheel}), script)
        assert [o.t for o in seen] == sorted(o.t for o in seen)
        told = [o for o in seen if o.event != "rotor"]
        assert [o.event for o in told] == ["ball_launched", "ball_left_rim", "ball_settled"]
        assert told[0].data["direction"] == ball
        assert told[0].data.get("under") in (None, *ORDERS[wheel])  # None: the index mark has not passed yet
        left = dict(told[1].data)
        assert 0 < left.pop("seen_ago_ms") < 4000
        assert left == {"revolutions": revolutions, "direction": ball}
        assert told[2].data == {"pocket": pocket}
        rotors = events(seen, "rotor")
        assert rotors[0][1]["direction"] == turning
        assert abs(rotors[0][1]["rpm"] - rpm) < 1
        assert rotors[-1][1] == {"rpm": 0.0, "direction": None}


def test_every_pocket_of_both_wheels_both_ways():
    rng = random.Random(4)
    for order in (DOUBLE_ZERO, SINGLE_ZERO):
        wheel = "double-zero" if order is DOUBLE_ZERO else "single-zero"
        for direction in ("cw", "ccw"):
            turning, angle = rotor(30, direction, 0, 16, phase=rng.random())
            for pocket in order[:: len(order) // 9]:
                resting = pocket_passes(order, pocket, direction, angle, 4, 8, at_index="5")
                device = RawWheel("wheel", {"wheel": wheel, "pocket_at_index": "5"})
                seen = run(device, [OPENED, *sorted(turning + resting)])
                assert events(seen, "ball_settled") == [("ball_settled", {"pocket": pocket})]


def test_a_ball_that_stays_is_told_once_and_a_ball_put_back_again():
    turning, angle = rotor(20, "cw", 0, 70)
    first = pocket_passes(DOUBLE_ZERO, "8", "cw", angle, 4, 20)
    again = pocket_passes(DOUBLE_ZERO, "8", "cw", angle, 40, 20)
    seen = run(RawWheel("wheel"), [OPENED, *sorted(turning + first + again)])
    assert events(seen, "ball_settled") == [("ball_settled", {"pocket": "8"})] * 2


def test_one_reading_is_not_a_result():
    turning, angle = rotor(20, "cw", 0, 30)
    bouncing = pocket_passes(DOUBLE_ZERO, "8", "cw", angle, 6, 3) + pocket_passes(DOUBLE_ZERO, "31", "cw", angle, 9, 3)
    assert events(run(RawWheel("wheel"), [OPENED, *sorted(turning + bouncing)]), "ball_settled") == []


def test_a_number_that_moves_while_the_ball_lies_is_a_fault():
    turning, angle = rotor(20, "cw", 0, 60)
    moved = pocket_passes(DOUBLE_ZERO, "8", "cw", angle, 4, 15) + pocket_passes(DOUBLE_ZERO, "19", "cw", angle, 19, 15)
    seen = run(RawWheel("wheel"), [OPENED, *sorted(turning + moved)])
    assert events(seen, "ball_settled") == [("ball_settled", {"pocket": "8"})]
    assert [d["reason"] for _, d in events(seen, "device_fault")] == ["pocket moved"]


@pytest.mark.parametrize("seed", range(6))
def test_a_game_in_which_one_edge_in_200_is_lost(seed):
    rng = random.Random(seed)
    _, ball, revolutions, script = game(rng, "23", lost=1 / 200)
    seen = run(RawWheel("wheel"), script)
    assert [data["direction"] for _, data in events(seen, "ball_launched")] == [ball]
    assert [d["revolutions"] for _, d in events(seen, "ball_left_rim")] == [revolutions]
    assert events(seen, "ball_settled") == [("ball_settled", {"pocket": "23"})]


def test_ball_and_rotor_the_same_way_are_both_told():
    rng = random.Random(1)
    _, _, _, script = game(rng, rotor_direction="cw", ball="cw")
    seen = run(RawWheel("wheel"), script)
    assert [data["direction"] for _, data in events(seen, "ball_launched")] == ["cw"]
    before = [o.data["direction"] for o in seen if o.event == "rotor" and o.data["direction"]]
    assert before == ["cw"] * len(before)


@pytest.mark.parametrize("direction", ["cw", "ccw"])
@pytest.mark.parametrize("rpm", [10, 30])
def test_the_pocket_under_the_launch(direction, rpm):
    rng = random.Random(rpm)
    for _ in range(4):
        _, _, passes, last = spin(rng, direction="ccw" if direction == "cw" else "cw", start=8.0)
        turning, angle = rotor(rpm, direction, 1.0, last + 5, phase=rng.random(), slowing=0.1)
        seen = run(RawWheel("wheel"), [OPENED, *sorted(turning + passes), (last + 5,)])
        (told,) = [data["under"] for _, data in events(seen, "ball_launched")]
        first = next(t for t, line, level in passes if line == "track-a" and level)
        truth = DOUBLE_ZERO.index(pocket_at(DOUBLE_ZERO, "0", angle(first) % 1, direction))
        assert (DOUBLE_ZERO.index(told) - truth) % 38 in (37, 0, 1)


def test_the_pocket_under_the_launch_is_not_told_where_the_rotor_is_not_known():
    _, _, passes, last = spin(random.Random(5))
    seen = run(RawWheel("wheel"), [OPENED, *passes, (last + 5,)])
    assert [list(data) for _, data in events(seen, "ball_launched")] == [["direction"]]


@pytest.mark.parametrize("revolutions", [2, 3, 4, 5])
def test_a_short_spin(revolutions):
    rng = random.Random(revolutions)
    for _ in range(20):
        ball, seen_revolutions, passes, last = spin(rng, first=rng.uniform(0.5, 0.9), revolutions=revolutions + 0.5)
        seen = run(RawWheel("wheel"), [OPENED, *passes, (last + 9,)])
        assert [o.event for o in seen] == ["ball_launched", "ball_left_rim"]
        assert seen[1].data["revolutions"] == seen_revolutions
        assert "uncertain" not in seen[1].data
        assert seen[0].data["direction"] == seen[1].data["direction"] == ball


def test_the_drop_sensor_tells_at_once():
    rng = random.Random(2)
    _, revolutions, passes, last = spin(rng)
    seen = run(RawWheel("wheel"), [OPENED, *passes, *pulse("drop", last + 0.3)])
    assert seen[-1].event == "ball_left_rim"
    assert seen[-1].data["revolutions"] == revolutions
    assert seen[-1].t == round((last + 0.3) * SECOND)


def both_edges_lost(passes, which):
    """The passes without the one at index `which`."""
    return passes[: 2 * which] + passes[2 * which + 2 :]


def test_a_whole_pass_unheard_is_told_as_uncertain_and_the_count_is_right():
    rng = random.Random(3)
    for _ in range(30):
        _, revolutions, passes, last = spin(rng, last=rng.uniform(1.0, 1.5))
        which = rng.randrange(4, len(passes) // 2 - 3)
        seen = run(RawWheel("wheel"), [OPENED, *both_edges_lost(passes, which), (last + 9,)])
        data = seen[-1].data
        assert data["revolutions"] == revolutions
        assert data["uncertain"] is True
        assert data["at_least"] <= revolutions <= data["at_most"]


def test_the_ball_caught_and_spun_again_is_two_launches():
    rng = random.Random(5)
    first, _, one, last = spin(rng, direction="cw")
    _, revolutions, two, end = spin(rng, direction="ccw", start=last + 2.5)
    seen = run(RawWheel("wheel"), [OPENED, *one, *two, (end + 9,)])
    told = [(o.event, o.data["direction"]) for o in seen]
    assert told == [
        ("ball_launched", "cw"),
        ("ball_left_rim", "cw"),
        ("ball_launched", "ccw"),
        ("ball_left_rim", "ccw"),
    ]
    assert seen[-1].data["revolutions"] == revolutions
    assert first == "cw"


@pytest.mark.parametrize("seed", range(20))
def test_a_hand_at_the_rim_is_no_launch(seed):
    rng = random.Random(seed)
    times = sorted(rng.uniform(0, 20) for _ in range(6))
    script = [OPENED]
    for t in times:
        script += pulse(rng.choice(["track-a", "track-b"]), t, rng.uniform(5, 120))
    assert run(RawWheel("wheel"), sorted(script[1:])) == []


def test_expelled():
    rng = random.Random(6)
    _, _, passes, last = spin(rng)
    seen = run(RawWheel("wheel"), [OPENED, *passes, *pulse("outside", last + 0.4), (last + 90,)])
    assert [o.event for o in seen] == ["ball_launched", "ball_expelled"]
    assert run(RawWheel("wheel"), [OPENED, *pulse("outside", 5), (90,)]) == []


def test_missing_and_floating():
    rng = random.Random(7)
    _, _, passes, last = spin(rng)
    seen = run(RawWheel("wheel"), [OPENED, *passes, (last + 90,)])
    assert [o.event for o in seen] == ["ball_launched", "ball_left_rim", "ball_missing"]
    bowl = []
    for i in range(30):
        bowl += pulse("drop", last + 1 + i)
    seen = run(RawWheel("wheel"), [OPENED, *passes, *bowl, (last + 90,)])
    assert [o.event for o in seen] == ["ball_launched", "ball_left_rim", "ball_floating", "ball_missing"]


def test_without_a_pocket_reader_no_ball_is_missing():
    rng = random.Random(8)
    _, _, passes, last = spin(rng)
    lines = {line: 0 for line in RawWheel.REQUIRED}
    seen = run(RawWheel("wheel"), [(0, lines), *passes, (last + 90,)])
    assert [o.event for o in seen] == ["ball_launched", "ball_left_rim"]


def test_object():
    seen = run(RawWheel("wheel"), [OPENED, *pulse("object", 3), *pulse("object", 3.5)])
    assert [o.event for o in seen] == ["object_detected"]


def test_a_silent_track_sensor_is_a_fault_and_no_direction_is_claimed():
    rng = random.Random(9)
    _, revolutions, passes, last = spin(rng, start=5)
    alone = [e for e in passes if e[1] == "track-a"]
    seen = run(RawWheel("wheel"), [OPENED, *alone, (last + 9,)])
    assert [o.event for o in seen] == ["device_fault", "ball_launched", "ball_left_rim"]
    assert seen[0].data["line"] == "track-b"
    assert seen[1].data["direction"] is seen[2].data["direction"] is None
    assert abs(seen[2].data["revolutions"] - revolutions) <= 1


def test_impossible_rotor_and_encoder_out_of_step():
    fast, _ = rotor(120, "cw", 0, 3)
    seen = run(RawWheel("wheel"), [OPENED, *fast])
    assert [d["reason"] for _, d in events(seen, "device_fault")] == ["impossible rotor speed"]
    wrong, _ = rotor(20, "cw", 0, 20, pulses=60)
    seen = run(RawWheel("wheel"), [OPENED, *wrong])
    faults = events(seen, "device_fault")
    assert [(d["reason"], d["pulses"], d["expected"]) for _, d in faults] == [("encoder out of step", 60, 64)]
    right, _ = rotor(20, "cw", 0, 20)
    assert events(run(RawWheel("wheel"), [OPENED, *right]), "device_fault") == []


def test_rotor_reversed_between_games():
    one, _ = rotor(20, "cw", 0, 10)
    two, _ = rotor(15, "ccw", 15, 10)
    told = [d for _, d in events(run(RawWheel("wheel"), [OPENED, *one, *two, (40,)]), "rotor")]
    assert [d["direction"] for d in told] == ["cw", None, "ccw", None]


def test_lines_lost_in_a_spin_tell_nothing_more_of_it():
    rng = random.Random(10)
    _, _, passes, _ = spin(rng)
    device = RawWheel("wheel")
    half = passes[: len(passes) // 2]
    assert [o.event for o in run(device, [OPENED, *half])] == ["ball_launched"]
    device.interrupted(round(half[-1][0] * SECOND) + 1000)
    assert run(device, [(half[-1][0] + 100,)]) == []


BAD = [
    ({"wheel": "triple-zero"}, "'triple-zero' is not a wheel"),
    ({"wheel": "single-zero", "pocket_at_index": "00"}, "no pocket '00'"),
    ({"sensor_angle": 180}, "180 shows no direction; 20 to 160"),
    ({"encoder_pulses": 2}, "2 are too few; 8 or more"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_settings_that_cannot_be(wrong, message):
    with pytest.raises(ValueError, match=message):
        RawWheel("wheel", wrong)


def test_pocket_orders():
    assert sorted(DOUBLE_ZERO, key=lambda p: (int(p), p)) == ["0", "00", *(str(n) for n in range(1, 37))]
    assert sorted(SINGLE_ZERO, key=int) == [str(n) for n in range(37)]
    opposite = len(DOUBLE_ZERO) // 2  # on a double-zero wheel each odd number faces the next even one, and 0 faces 00
    for n in range(1, 36, 2):
        assert DOUBLE_ZERO[(DOUBLE_ZERO.index(str(n)) + opposite) % 38] == str(n + 1)
    assert DOUBLE_ZERO[(DOUBLE_ZERO.index("0") + opposite) % 38] == "00"
    with pytest.raises(ValueError, match="is not a wheel"):
        order_of("mini")


@given(st.sampled_from(sorted(ORDERS)), st.integers(0, 36), st.floats(-2, 2), st.sampled_from(["cw", "ccw"]))
def test_pocket_at_is_in_the_order_and_turns_with_the_rotor(wheel, index, turned, direction):
    order = ORDERS[wheel]
    pocket = pocket_at(order, order[index], turned, direction)
    assert pocket in order
    assert pocket_at(order, order[index], 0, direction) == order[index]
    assert pocket_at(order, order[index], 1 / len(order), "ccw") == order[(index + 1) % len(order)]


def accuracy(seed, spins, missed=0.0, strays=0, jitter=0.001, mounting=0.0):
    """(spins, exact, wrong direction, verdict on four revolutions wrong and not told as uncertain)."""
    rng = random.Random(seed)
    judged = exact = astray = misjudged = 0
    while judged < spins:
        revolutions = rng.choice([None, None, rng.uniform(2.5, 6)])
        first, last = rng.uniform(0.3, 0.7), rng.uniform(1.0, 1.5)
        angle = 90 + rng.uniform(-mounting, mounting)
        ball, truth, passes, end = spin(rng, first, last, rng.uniform(0.03, 0.16), angle, revolutions=revolutions)
        seen = run(RawWheel("wheel"), [OPENED, *spoil(rng, passes, jitter, missed, strays), (end + 9,)])
        left = [o.data for o in seen if o.event == "ball_left_rim"]
        judged += 1
        if len(left) != 1:
            continue
        exact += left[0]["revolutions"] == truth
        astray += any(o.data.get("direction") not in (None, ball) for o in seen if o.event.startswith("ball_"))
        misjudged += (left[0]["revolutions"] < 4) != (truth < 4) and not left[0].get("uncertain")
    return judged, exact, astray, misjudged


CONDITIONS = [
    ("clean", {}, 1.0),
    ("one edge in 200 lost", {"missed": 1 / 200}, 0.999),
    ("a second object", {"strays": 1}, 0.99),
    ("lost edges and a second object", {"missed": 1 / 200, "strays": 1}, 0.99),
    ("3 ms of jitter", {"jitter": 0.003}, 0.999),
    ("a sensor 3 degrees out of place", {"mounting": 3, "missed": 1 / 200}, 0.999),
]


@pytest.mark.parametrize(("name", "how", "least"), CONDITIONS, ids=[c[0] for c in CONDITIONS])
def test_accuracy_over_the_physical_range(name, how, least):
    judged, exact, astray, misjudged = accuracy(name, 300, **how)
    assert exact >= least * judged
    assert astray == 0
    assert misjudged == 0


NAMES = [*sorted(RawWheel.LINES), "no-such-line"]
STEP = st.tuples(
    st.sampled_from([0, 1, 500_000, 50_000_000, 400_000_000, 40 * SECOND]), st.integers(0, 30), st.integers(0, 1)
)


@settings(max_examples=60)
@given(st.lists(STEP, max_size=60), st.booleans())
def test_nothing_hostile_raises(steps, back):
    device, t, seen = RawWheel("wheel"), 0, []
    for pause, which, level in steps:
        t += -pause if back and which % 7 == 0 else pause
        line = NAMES[which % len(NAMES)]
        seen += device.initial({line: level}, t) if which == 30 else device.edge(line, level, t)
        if device.deadline is not None and which % 3 == 0:
            seen += device.tick(device.deadline)
            t = max(t, device.now)
    assert [o.t for o in seen] == sorted(o.t for o in seen)
    assert all(o.event in RawWheel.EVENTS or o.event in ("device_fault", "device_recovered") for o in seen)


@settings(max_examples=30)
@given(st.lists(STEP, max_size=60))
def test_ticks_in_between_change_nothing(steps):
    script, ticked, t = [], [], 0
    for pause, which, level in steps:
        t += pause
        step = (t / SECOND, NAMES[which % len(NAMES)], level)
        script.append(step)
        ticked += [((t - pause // 2) / SECOND,), step]
    end = (t / SECOND + 200,)
    assert run(RawWheel("w"), [*script, end]) == run(RawWheel("w"), [*ticked, end])


def test_a_chattering_track_sensor_is_a_fault_and_no_ball():
    script = [(1 + i / 1000, "track-a", i % 2) for i in range(2001)]
    seen = run(RawWheel("wheel"), [OPENED, *script, (60,)])
    assert "line chattering" in [o.data.get("reason") for o in seen]
    assert "ball_left_rim" not in [o.event for o in seen]
