"""The Slingshot 2 wire format: each vector, split everywhere, damaged, run together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.protocols import slingshot2 as wire
from tests.devices.vectors_slingshot2 import PARSED, plain

POCKETS = ["00", *map(str, range(37))]
STATUS = st.builds(
    wire.status_line,
    st.integers(1, 6),
    st.integers(0, 256),
    st.sampled_from([*POCKETS, None]),
    st.integers(0, 15),
    st.integers(0, 999),
    st.integers(0, 1),
)


@pytest.mark.parametrize(("stream", "messages", "discarded"), PARSED)
def test_vectors_whole_and_byte_by_byte(stream, messages, discarded):
    for size in (len(stream), 1):
        framer = wire.Framer()
        got = [m for i in range(0, len(stream), size) for m in framer.feed(stream[i : i + size])]
        assert [plain(m) for m in got] == messages
        assert framer.take_discarded() == discarded


@pytest.mark.parametrize("pocket", POCKETS)
def test_every_pocket_there_and_back(pocket):
    (message,) = wire.Framer().feed(wire.result_line(pocket))
    assert wire.pocket(message.win) == pocket


@pytest.mark.parametrize("text", ["  ", "37", "99", "07", "5 ", "-1", "a1", " x"])
def test_what_is_no_pocket(text):
    assert wire.pocket(text) is None


@given(st.lists(STATUS, min_size=1, max_size=6), st.data())
def test_a_good_line_after_a_cut_one_is_kept(lines, data):
    """Any number of bytes lost from the end of one line, line end included, never costs the next line."""
    cut = data.draw(st.integers(1, len(lines[0])))
    framer = wire.Framer()
    got = framer.feed(lines[0][:-cut] + b"".join(lines[1:]))
    want = [plain(m) for line in lines[1:] for m in wire.Framer().feed(line)]
    assert [plain(m) for m in got][-len(want) or len(got) :] == want


@given(st.lists(st.one_of(STATUS, st.binary(max_size=40)), max_size=12), st.data())
def test_splits_never_change_what_is_heard(pieces, data):
    stream = b"".join(pieces)
    whole = wire.Framer()
    want = [plain(m) for m in whole.feed(stream)]
    split, got = wire.Framer(), []
    rest = stream
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        got += [plain(m) for m in split.feed(rest[:n])]
        rest = rest[n:]
    assert got == want
    assert split.take_discarded() == whole.take_discarded()
