"""Lines out of bytes: every split, every kind of line end, nothing lost uncounted."""

from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.protocols.line_framer import LineFramer

ENDS = st.sampled_from([b"\r\n", b"\n\r", b"\r", b"\n", b"\r\n\r\n", b"\n\n\r"])
LINES = st.lists(st.tuples(st.text("abc *;1", min_size=1, max_size=30), ENDS), max_size=12)


@given(LINES, st.data())
def test_any_split_and_any_line_end_give_the_same_lines(lines, data):
    stream = b"".join(text.encode() + end for text, end in lines)
    framer, got = LineFramer(30), []
    while stream:
        n = data.draw(st.integers(1, len(stream)))
        got += framer.feed(stream[:n])
        stream = stream[n:]
    assert got == [text.encode() for text, _ in lines]
    assert framer.take_discarded() == 0


@given(st.lists(st.binary(max_size=40), max_size=30))
def test_every_byte_is_in_a_line_a_line_end_kept_or_counted(chunks):
    framer = LineFramer(16)
    lines = [line for chunk in chunks for line in framer.feed(chunk)]
    framer.interrupt()
    stream = b"".join(chunks)
    ends = stream.count(b"\r") + stream.count(b"\n")
    assert sum(map(len, lines)) + ends + framer.take_discarded() == len(stream)
    assert all(0 < len(line) <= 16 for line in lines)


def test_an_overlong_line_is_thrown_away_to_its_end_and_the_next_one_kept():
    framer = LineFramer(8)
    assert framer.feed(b"x" * 20) == []
    assert framer.feed(b"yyyy\r\nnext\r\n") == [b"next"]
    assert framer.take_discarded() == 24


def test_after_an_interruption_halves_are_not_joined():
    framer = LineFramer()
    framer.feed(b"*X;2;0")
    framer.interrupt()
    assert framer.feed(b"02;31;0;146;1\r\n") == [b"02;31;0;146;1"]
    assert framer.take_discarded() == 6
