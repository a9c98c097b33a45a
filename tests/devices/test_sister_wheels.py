"""Each Cammegh wheel on the port of the other: the fault is the wrong device, whatever it sends and wherever the
listener tunes in; and neither is ever taken for the other by its own decoder."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.mercury_wheel import MercuryWheel
from pitwatch.devices.port_check import PortCheck
from pitwatch.devices.protocols import cammegh, mercury360, slingshot2
from pitwatch.devices.sister_wheel import SisterWheel
from pitwatch.devices.slingshot_wheel import SlingshotWheel

SECOND = 1_000_000_000
EVERY = SECOND // 2
MOST = 3 * SECOND
"""What may go unheard in one piece; after more the listener knows that it missed something."""

TRUE_OF_BOTH = {"rotor", "wheel_state", "ball_launched", "ball_settled", "result_announced", "bytes_discarded"}
SAYS_MORE = {"unseen_result", "commanded", "void", "object_or_sensor"}


def mercury_games(chance, games, mode="advanced", first=None, zero_pads=False):
    """What a Mercury sends: (ns, bytes) twice a second, as its guide has it."""
    count = chance.randrange(256) if first is None else first
    t, last, sent = SECOND, chance.choice(["17", " 5", "  "]), []

    def say(state, lines, spins=0, warn=0, way=None):
        nonlocal t
        for _ in range(lines):
            speed = chance.choice([0, chance.randrange(20, 601), 180])
            slow = 1 if not 100 <= speed <= 300 else 0
            line = f"*X;{state};{count:03d};{last};{warn | slow:X};{speed:03d};{chance.randrange(2)}"
            if mode == "extended":
                line += f";0012;{spins:02X};{'?' if way is None else way};?????;??"
            if mode != "basic":
                sent.append((t, line.encode() + b"\r\n"))
            t += EVERY

    def basic(text):
        if mode == "basic":
            sent.append((t, text + b"\r\n"))

    for _ in range(games):
        if chance.random() < 0.1:
            count, last = 0, "  "
            say(6, chance.randrange(1, 30))
        if chance.random() < 0.2:
            say(7, chance.randrange(1, 9))
        basic(b"*S")
        say(chance.choice([1, 2]), chance.randrange(1, 5))
        say(2, chance.randrange(8, 40), warn=chance.choice([0, 0, 4, 8]))
        say(3, chance.randrange(2, 30), 3, chance.choice([0, 0, 2, 4, 8]), 1)
        if chance.random() < 0.15:
            continue  # void: place bets again, nothing counted
        basic(b"*N")
        say(4, chance.randrange(4, 25), 6, chance.choice([0, 0, 0, 4]), 1)
        count = (count + 1) % 256
        number = chance.choice(["00", "31", "17", "05" if zero_pads else " 5", "07" if zero_pads else " 7"])
        last = number
        basic(b"*W " + number.strip().encode())
        if mode != "basic":
            sent.append((t, number.encode() + b"\r\n"))
        say(5, chance.randrange(3, 20))
    return sent


def slingshot_games(chance, games):
    """What a Slingshot sends by itself, (ns, bytes), with whatever warnings."""
    spin, t, last, sent = chance.randrange(1, 257), SECOND, "  ", []

    def say(state, lines, warn=0):
        nonlocal t
        for _ in range(lines):
            line = slingshot2.status_line(state, spin, None, warn, chance.choice([0, 150, 190, 280]), 0)
            sent.append((t, line.replace(b";  ;", f";{last};".encode())))
            t += EVERY

    for _ in range(games):
        say(2, chance.randrange(8, 25), chance.choice([0, 0, 1, 4, 8]))
        say(3, chance.randrange(4, 12), chance.choice([0, 0, 2, 4, 8]))
        say(4, chance.randrange(40, 56), chance.choice([0, 0, 1, 4]))
        last = chance.choice(["00", "31", " 5"])
        sent.append((t, last.encode() + b"\r\n"))
        say(5, chance.randrange(6, 14), chance.choice([0, 0, 1, 4]))
        spin = spin % 256 + 1
        if chance.random() < 0.1:
            say(6, 4)
            say(1, 4)
    return sent


def holed(chance, sent):
    """The same, tuned into somewhere and with pieces that went unheard."""
    sent = sent[chance.randrange(0, 1 + len(sent) // 3) :]
    deaf_until, out = 0, []
    for t, data in sent:
        if t >= deaf_until and chance.random() < 0.02:
            deaf_until = t + chance.randrange(1, MOST)
        if t >= deaf_until:
            out.append((t, data))
    return out


def hear(device, sent):
    seen = []
    for t, data in sent:
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        seen += device.feed(data, t)
    return seen


def checked(cls, protocol, **more):
    return PortCheck(cls("wheel", more), protocol)


def wrongs(seen):
    return [o.data["looks_like"] for o in seen if o.data.get("reason") == "wrong_device_on_port"]


def lasting(seen, sent, bit=4):
    """Whether a fault of a sensor was heard for the five seconds after which it is one of either wheel."""
    since = None
    for t, data in sent:
        parts = data.split(b";")
        if len(parts) < 7:
            continue
        warned = int(parts[4], 16) & bit
        since = (t if since is None else since) if warned else None
        if since is not None and t - since >= 5 * SECOND:
            return True
    return False


def nothing_false(seen, sent, other):
    allowed = {"wrong_device_on_port"} | (
        {"sensor_motor_or_encoder", "object_or_sensor"} if lasting(seen, sent) else set()
    )
    for o in seen:
        if o.event == "device_fault":
            assert o.data["reason"] in allowed, o
        else:
            assert o.event in TRUE_OF_BOTH | {"device_recovered"}, o
            assert not SAYS_MORE - {"unseen_result"} & set(o.data), o
    assert wrongs(seen) in ([], [other])
    if wrongs(seen):
        at = next(i for i, o in enumerate(seen) if o.data.get("reason") == "wrong_device_on_port")
        assert {o.event for o in seen[at + 1 :]} <= {"bytes_discarded"}


@given(st.integers(0, 2**32), st.sampled_from(["basic", "advanced", "extended"]), st.booleans())
@settings(max_examples=150)
def test_a_mercury_on_the_port_of_a_slingshot(seed, mode, zero_pads):
    chance = Random(seed)
    sent = holed(chance, mercury_games(chance, chance.randrange(1, 6), mode, zero_pads=zero_pads))
    nothing_false(hear(checked(SlingshotWheel, "slingshot2"), sent), sent, "mercury360")


@given(st.integers(0, 2**32))
@settings(max_examples=150)
def test_a_slingshot_on_the_port_of_a_mercury(seed):
    chance = Random(seed)
    sent = holed(chance, slingshot_games(chance, chance.randrange(1, 6)))
    for mode in ("basic", "advanced", "extended"):
        nothing_false(hear(checked(MercuryWheel, "mercury360", mode=mode), sent), sent, "slingshot2")


@pytest.mark.parametrize("seed", range(20))
def test_two_whole_games_are_enough(seed):
    chance = Random(seed)
    sent = slingshot_games(chance, 2)
    assert wrongs(hear(checked(MercuryWheel, "mercury360"), sent)) == ["slingshot2"]
    for mode in ("basic", "advanced", "extended"):
        sent = mercury_games(chance, 5, mode, 9)
        assert wrongs(hear(checked(SlingshotWheel, "slingshot2"), sent)) == ["mercury360"], mode


@given(st.integers(0, 2**32), st.sampled_from(["basic", "advanced", "extended"]))
def test_each_on_its_own_port_is_never_the_other(seed, mode):
    chance = Random(seed)
    for cls, protocol, sent in (
        (SlingshotWheel, "slingshot2", slingshot_games(chance, 6)),
        (MercuryWheel, "mercury360", mercury_games(chance, 6, mode)),
    ):
        seen = hear(checked(cls, protocol), holed(chance, sent))
        assert wrongs(seen) == []


def test_plugs_exchanged_while_the_adapter_stays():
    """Six seconds without a plug, then a Mercury, of which no line is its own alone, warns of a sensor for a second."""
    chance = Random(3)
    device = checked(SlingshotWheel, "slingshot2")
    ours = slingshot_games(chance, 3)
    assert wrongs(hear(device, ours)) == []
    at = ours[-1][0] + 6 * SECOND
    theirs = [slingshot2.status_line(state, 9, "17", warn, 150, 0) for state, warn in ((2, 0), (2, 4), (2, 4), (2, 0))]
    seen = hear(device, [(at + n * EVERY, line) for n, line in enumerate(theirs)])
    assert {o.event for o in seen} <= TRUE_OF_BOTH
    more = mercury_games(chance, 3, first=40)
    seen = hear(device, [(at + 2 * SECOND + t, line) for t, line in more])
    assert wrongs(seen) == ["mercury360"]


def test_put_right_it_is_well_again():
    chance = Random(5)
    device = checked(SlingshotWheel, "slingshot2")
    extended = mercury_games(chance, 1, "extended", 9)
    assert wrongs(hear(device, extended)) == ["mercury360"]
    at = extended[-1][0] + 10 * SECOND
    seen = hear(device, [(at + t, line) for t, line in slingshot_games(chance, 3)])
    told = [o.event for o in seen if o.event != "bytes_discarded"]
    assert told[0] == "device_recovered"
    assert "ball_settled" in {o.event for o in seen}


@pytest.mark.parametrize(
    "line", [b"*X;7;007; 9;0;150;0\r\n", b"*X;2;000; 9;0;150;0\r\n", b"*Y:1:014\r\n", b"*W 17\r\n"]
)
def test_one_line_that_noise_may_have_made_is_not_another_wheel(line):
    chance = Random(7)
    device = checked(SlingshotWheel, "slingshot2")
    for _ in range(5):
        seen = hear(device, slingshot_games(chance, 2)) + device.feed(line, 10_000 * SECOND)
        assert wrongs(seen) == []


def test_a_fault_that_waited_for_the_proof_is_reported_then():
    """A component of a Slingshot that warned for a moment in the first spin after a start."""
    device = SlingshotWheel("wheel")
    said = [slingshot2.status_line(4, 7, " 9", 4 if n == 3 else 0, 150, 0) for n in range(12)]
    said += [slingshot2.status_line(5, 7, "31", 0, 150, 0)] * 4 + [slingshot2.status_line(2, 8, "31", 0, 150, 0)] * 2
    seen = hear(device, [(SECOND + n * EVERY, line) for n, line in enumerate(said)])
    told = [(o.t, o.event) for o in seen if o.event.startswith("device_")]
    proved = SECOND + 16 * EVERY
    assert told == [(proved, "device_fault"), (proved, "device_recovered")]


@pytest.mark.parametrize(
    ("steps", "own", "other"),
    [
        ([(4, 7), (5, 7), (2, 8)], True, False),
        ([(4, 256), (5, 256), (2, 1)], True, False),
        ([(4, 7), (5, 8), (2, 8)], False, True),
        ([(4, 255), (5, 0), (2, 0)], False, True),
        ([(4, 7), (5, 7), (5, 8), (2, 8)], False, True),
        ([(4, 7), (5, 7), (6, 8)], False, False),
        ([(4, 7), (2, 7), (3, 7)], False, False),
        ([(4, 7), (5, 9), (2, 11)], False, False),
    ],
)
def test_when_a_spin_is_counted_shows_the_wheel(steps, own, other):
    which = SisterWheel(counts_at_result=False)
    for n, (state, spin) in enumerate(steps):
        which.heard(cammegh.Status(state, spin, "17", 0, 150, 0), n * EVERY)
    assert (which.is_own, which.is_other) == (own, other)


def test_the_shape_alone_does_not_tell_the_two_apart_but_other_lines_do():
    from pitwatch.devices.protocols.shape import looks_like

    both = slingshot2.status_line(2, 7, "9", 0, 150, 0) * 5
    assert looks_like(both, "slingshot2") == "slingshot2"
    assert looks_like(both, "mercury360") == "mercury360"
    assert looks_like(mercury360.advanced_line(7, 7, "9", 0, 150, 0) * 5, "slingshot2") == "mercury360"
    assert looks_like(slingshot2.status_line(2, 256, "9", 0, 150, 0) * 5, "mercury360") == "slingshot2"
    assert looks_like(b"*S\r\n*N\r\n*W 17\r\n" * 2, "slingshot2") == "mercury360"
