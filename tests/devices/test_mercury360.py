"""The Mercury 360: its lines split everywhere and damaged; what they mean as a device."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices import vocabulary
from pitwatch.devices.mercury_wheel import MercuryWheel
from pitwatch.devices.protocols import mercury360 as wire
from tests.devices.vectors_mercury360 import CASES, PARSED, PIECES, SPEEDS, plain
from tests.devices.vectors_slingshot_wheel import mismatch, run

POCKETS = ["00", *map(str, range(37))]
MAYBE_POCKET = st.none() | st.sampled_from(POCKETS)
TRACKS = st.builds(
    wire.Track,
    st.integers(0, 0x1FF),
    st.integers(0, 255),
    st.none() | st.integers(0, 1),
    st.none() | st.integers(1, 0xFFFFF),
    st.none() | st.sampled_from(["00", "17", " 5", "05"]),
)
SPEED = st.just(0) | st.integers(wire.SLOWEST, wire.FASTEST)
ADVANCED = st.builds(
    wire.advanced_line,
    st.integers(1, 7),
    st.integers(0, 255),
    MAYBE_POCKET,
    st.integers(0, 15),
    SPEED,
    st.integers(0, 1),
)
LINES = ADVANCED | st.builds(wire.extended_line, ADVANCED, TRACKS)


@pytest.mark.parametrize(("stream", "messages", "discarded"), PARSED)
def test_vectors_whole_and_byte_by_byte(stream, messages, discarded):
    for size in (len(stream), 1):
        framer = wire.Framer()
        got = [m for i in range(0, len(stream), size) for m in framer.feed(stream[i : i + size])]
        assert [plain(m) for m in got] == messages
        assert framer.take_discarded() == discarded


@pytest.mark.parametrize(("lap", "rpm"), SPEEDS)
def test_speeds_of_the_ball(lap, rpm):
    assert f"{wire.rpm(lap):.2f}" == rpm


@given(LINES)
def test_every_line_there_and_back(line):
    (message,) = wire.Framer().feed(line)
    again = wire.advanced_line(
        message.state, message.spin, wire.pocket(message.win), message.warn, message.speed, message.direction
    )
    assert (wire.extended_line(again, message.track) if message.track else again) == line


@given(st.lists(LINES, min_size=1, max_size=6), st.data())
def test_a_good_line_after_a_cut_one_is_kept(lines, data):
    cut = data.draw(st.integers(1, len(lines[0])))
    got = [plain(m) for m in wire.Framer().feed(lines[0][:-cut] + b"".join(lines[1:]))]
    want = [plain(m) for line in lines[1:] for m in wire.Framer().feed(line)]
    assert got[-len(want) or len(got) :] == want


@given(st.lists(LINES | st.binary(max_size=40), max_size=12), st.data())
def test_splits_never_change_what_is_heard(pieces, data):
    rest = b"".join(pieces)
    whole, split, got = wire.Framer(), wire.Framer(), []
    want = [plain(m) for m in whole.feed(rest)]
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        got += [plain(m) for m in split.feed(rest[:n])]
        rest = rest[n:]
    assert got == want
    assert split.take_discarded() == whole.take_discarded()


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_cases(case):
    assert mismatch(MercuryWheel, case) is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"mode": "full"}, "mode: 'full' is no mode; 'basic', 'advanced' or 'extended'"),
        ({"wheel": "triple-zero"}, "wheel: 'triple-zero' is not a wheel"),
        ({"silent_s": 0}, "silent_s: 0 is no time to wait"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, says):
    with pytest.raises(ValueError, match=says):
        MercuryWheel("wheel", settings)


def test_only_the_extended_mode_is_said_to_count_revolutions():
    shows = {mode: MercuryWheel.events_with((), {"mode": mode}) for mode in ("basic", "advanced", "extended")}
    assert ["ball_left_rim" in events for events in shows.values()] == [False, False, True]
    assert "ball_launched" not in shows["basic"]
    assert shows["extended"] == MercuryWheel.EVENTS


@given(
    st.sampled_from(["basic", "advanced", "extended"]),
    st.lists(st.tuples(st.floats(0, 40), st.binary(max_size=30) | LINES | st.sampled_from([p for _, p in PIECES]))),
)
def test_nothing_hostile_raises_and_time_never_goes_back(mode, pieces):
    now, timed = 0.0, []
    for pause, data in pieces:
        now += pause
        timed.append((now, data))
    seen = run(MercuryWheel("wheel", {"mode": mode}), timed)
    assert [o.t for o in seen] == sorted(o.t for o in seen)
    assert not [o for o in seen if vocabulary.problem("wheel", o.event, o.data)]
