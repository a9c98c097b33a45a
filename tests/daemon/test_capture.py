"""Captures: what is written is read back; what cannot be read is one line with file and line number."""

from __future__ import annotations

import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from pitwatch.daemon.captures import capture
from pitwatch.daemon.captures.capture import CaptureError, Writer
from pitwatch.daemon.common.errors import UsageError


def read(path):
    with capture.opened(str(path)) as file:
        return list(capture.lines(str(path), file))


def lines(tmp_path, text):
    path = tmp_path / "c.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def test_every_form_of_line_is_read_and_blank_lines_are_passed_over(tmp_path):
    read = lines(
        tmp_path,
        '{"t": 1.25, "device": "wheel", "event": "ball_settled", "data": {"pocket": "17", "more": [1]}, "extra": 1}\n\n'
        '{"t": 1.5, "device": "wheel", "rx": "*X;3\\r\\n\\u00ff"}\n'
        '{"t": 2, "device": "shoe", "rx_hex": "0531ff"}\n'
        '{"t": 2, "device": "dice", "line": "rail-left", "level": 1}\n'
        '{"t": 2, "device": "dice", "levels": {"rail-left": 0}}\n'
        '{"t": 3, "device": "wheel", "event": "ball_expelled"}',
    )
    assert [number for number, _ in read] == [1, 3, 4, 5, 6, 7]
    first, rx, hexa, edge, levels, bare = (line for _, line in read)
    assert (first.t_ns, first.event, first.data) == (1_250_000_000, "ball_settled", {"pocket": "17", "more": [1]})
    assert rx.received() == b"*X;3\r\n\xff"
    assert hexa.received() == b"\x051\xff"
    assert (edge.line, edge.level) == ("rail-left", 1)
    assert levels.levels == {"rail-left": 0}
    assert bare.data == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not readable"),
        ("nonsense", "not readable"),
        ("[]", "expected `object`, got `array`"),
        ('{"device": "wheel", "rx": ""}', "missing required field `t`"),
        ('{"t": 1, "rx": ""}', "missing required field `device`"),
        ('{"t": "1", "device": "w", "rx": ""}', "expected `float`, got `str` - at `$.t`"),
        ('{"t": 1, "device": "w"}', "nothing is given"),
        ('{"t": 1, "device": "w", "rx": "a", "rx_hex": "00"}', "rx and rx_hex is given"),
        ('{"t": 1, "device": "w", "rx": "\\u0100"}', "no byte; write such bytes as rx_hex"),
        ('{"t": 1, "device": "w", "rx_hex": "0"}', 'rx_hex "0" is not hexadecimal'),
        ('{"t": 1, "device": "w", "line": "a"}', 'line "a" has no level; 0 or 1 is right'),
        ('{"t": 1, "device": "w", "line": "a", "level": 2}', 'line "a" has level 2; 0 or 1 is right'),
        ('{"t": 1, "device": "w", "event": "e", "data": []}', "expected `object`, got `array`"),
        (b'{"t": 1, "device": "\xff", "rx": ""}', "not"),
        ('{"t": -9, "device": "w", "rx": ""}', "t goes back from 0.0 to -9.0"),
        ('{"t": 1e300, "device": "w", "rx": ""}', "t 1e+300 is no time; seconds are right, such as 1.25"),
        ("not JSON", "not readable: JSON is malformed"),
    ],
)
def test_an_unreadable_line_names_file_and_line(tmp_path, line, told):
    raw = line if isinstance(line, bytes) else line.encode()
    with pytest.raises(CaptureError) as caught:
        lines(tmp_path, b'{"t": 0, "device": "w", "rx": "ok"}\n' + raw + b"\n")
    assert str(caught.value).startswith(f"{tmp_path}/c.jsonl:2: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_stamp_read_late_is_put_where_it_was_read(tmp_path):
    read = lines(tmp_path, '{"t": 5, "device": "w", "rx": ""}\n{"t": 4.5, "device": "w", "rx": ""}\n')
    assert [line.t for _, line in read] == [5, 5]


@pytest.mark.parametrize("t", [1.25, 1795851999.25, 1795851999.123456, 86400.000001, -3.5])
def test_a_time_is_kept_to_the_nanosecond_that_its_number_says(tmp_path, t):
    """Also one since 1970: in nanoseconds that is more than a float can hold."""
    ((_, line),) = lines(tmp_path, f'{{"t": {t}, "device": "w", "rx": ""}}\n')
    assert line.t_ns == round(Fraction(t) * 1_000_000_000)
    assert line.t_ns / 1_000_000_000 == t


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    ((number, line),) = lines(tmp_path, b'\xef\xbb\xbf{"t": 1, "device": "w", "rx": "ok"}\r\n')
    assert (number, line.rx) == (1, "ok")


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(UsageError, match="nowhere: cannot be read: No such file"):
        read(tmp_path / "nowhere")


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_any_bytes_survive_writing_and_reading(tmp_path_factory, pieces):
    out = io.BytesIO()
    writer = Writer(out)
    for n, piece in enumerate(pieces):
        writer.received("w", piece, n * 1_000_003)
    path = tmp_path_factory.mktemp("c") / "c.jsonl"
    path.write_bytes(out.getvalue())
    there = [line for _, line in read(path)]
    assert [line.received() for line in there] == pieces
    assert [line.t_ns for line in there] == [n * 1_000_003 for n in range(len(pieces))]


def test_edges_levels_and_observations_survive_writing_and_reading(tmp_path):
    out = io.BytesIO()
    writer = Writer(out)
    writer.observation("d", "device_online", {}, 0)
    writer.levels("d", {"a": 1}, 1)
    writer.edge("d", "a", 0, 2)
    online, levels, edge = (line for _, line in lines(tmp_path, out.getvalue()))
    assert (online.event, online.data) == ("device_online", {})
    assert levels.levels == {"a": 1}
    assert (edge.line, edge.level, edge.rx) == ("a", 0, UNSET)
