"""Numbers of edges: gaps are counted, levels put right, stamps never fall."""

from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal.edges import EdgeBook


class Told:
    def __init__(self, levels):
        self.all = []
        self.book = EdgeBook(
            levels, lambda *edge: self.all.append(edge), lambda *lost: self.all.append(("lost", *lost))
        )


def test_a_gapless_stream_is_passed_on_as_it_is():
    told = Told({"a": 0, "b": 0})
    for edge in [("a", 1, 1, 10), ("b", 1, 1, 11), ("a", 2, 0, 12)]:
        told.book.edge(*edge)
    assert told.all == [("a", 1, 10), ("b", 1, 11), ("a", 0, 12)]
    assert not told.book.doubtful


def test_a_buffer_that_overflowed_before_the_first_read_is_noticed():
    """As measured on a kernel: buffer of 4, ten edges, the numbers 7 to 10 are read."""
    told = Told({"a": 0})
    for number in range(7, 11):
        told.book.edge("a", number, number % 2, number)
    assert told.all == [("lost", 6, 7), ("a", 1, 7), ("a", 0, 8), ("a", 1, 9), ("a", 0, 10)]
    assert told.book.doubtful


def test_the_numbers_wrap_at_32_bits():
    told = Told({"a": 0})
    told.book.edge("a", 0xFFFFFFFF, 1, 1)
    told.all.clear()
    told.book.edge("a", 0, 0, 2)
    told.book.edge("a", 2, 0, 3)
    assert told.all == [("a", 0, 2), ("lost", 1, 3), ("a", 0, 3)]


def test_levels_read_back_make_up_what_is_missing_and_nothing_else():
    told = Told({"a": 0, "b": 0, "c": 1})
    told.book.edge("a", 3, 1, 50)
    told.all.clear()
    told.book.correct({"a": 1, "b": 1, "c": 1}, 60)
    assert told.all == [("b", 1, 60)]
    assert not told.book.doubtful


def test_lines_of_which_no_level_was_read_back_stay_in_doubt():
    """A bank on two chips: the levels of one are read back while edges of the other still wait."""
    told = Told({"a": 0, "b": 0})
    told.book.edge("a", 3, 1, 50)
    told.all.clear()
    told.book.correct({"b": 0}, 60)
    assert told.book.doubtful
    told.book.correct({"a": 0}, 70)
    assert not told.book.doubtful
    assert told.all == [("a", 0, 70)]


def test_a_level_read_back_never_takes_stamps_back():
    told = Told({"a": 0})
    told.book.edge("a", 2, 1, 50)
    told.book.correct({"a": 0}, 40)
    told.book.edge("a", 3, 0, 45)
    assert told.all[1:] == [("a", 1, 50), ("a", 0, 50), ("a", 0, 50)]


def test_closed_from_a_callback_it_says_no_more():
    told = Told({"a": 0})

    def close(*_):
        told.all.append("lost")
        told.book.closed = True

    book = told.book = EdgeBook({"a": 0}, lambda *edge: told.all.append(edge), close)
    book.edge("a", 2, 1, 1)
    book.edge("a", 3, 0, 2)
    book.correct({"a": 1}, 3)
    assert told.all == ["lost"]


@given(st.lists(st.booleans(), max_size=80))
def test_whatever_is_dropped_is_counted_and_the_last_level_is_right(kept):
    """A wire that alternates; the kernel drops the edges where `kept` is false, and never the last."""
    told = Told({"a": 0})
    kept = [*kept, True]
    for number, is_kept in enumerate(kept, 1):
        if is_kept:
            told.book.edge("a", number, number % 2, number * 10)
    told.book.correct({"a": len(kept) % 2}, len(kept) * 10)
    assert sum(entry[1] for entry in told.all if entry[0] == "lost") == kept.count(False)
    edges = [entry for entry in told.all if entry[0] == "a"]
    assert len(edges) == kept.count(True)
    assert edges[-1][1] == len(kept) % 2
    assert [t for _, _, t in edges] == sorted(t for _, _, t in edges)
