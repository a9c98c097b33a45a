"""Payment cards in what a port hears are hidden, however the bytes are split; everything else passes unchanged."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.wiring.card_mask import SHOWN, CardMask
from pitwatch.devices.protocols import card_lines, magstripe, slingshot2

CARD = "4111111111111111"
HIDDEN = b"411111##########"


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        (b";4111111111111111=2512?\r\n", b";" + HIDDEN + b"=2512?\r\n"),
        (
            b"%B4111111111111111^DOE/J^2512?;4111111111111111=2512?\n",
            b"%B" + HIDDEN + b"^DOE/J^2512?;" + HIDDEN + b"=2512?\n",
        ),
        (b"4111111111111111=2512\n", HIDDEN + b"=2512\n"),
        (b"xx;378282246310005?", b"xx;378282#########?"),
        # no card: no Luhn sum, too short, too long, no track
        (b";4111111111111112=2512?\n", b";4111111111111112=2512?\n"),
        (b";411111111111=2512?\n", b";411111111111=2512?\n"),
        (b";" + b"4" * 20 + b"?\n", b";" + b"4" * 20 + b"?\n"),
        (b"4111111111111111\n", b"4111111111111111\n"),
        (b'{"event": "x", "data": {"ns": 4111111111111111}}\n', b'{"event": "x", "data": {"ns": 4111111111111111}}\n'),
    ],
)
def test_vectors_whole_and_byte_by_byte(sent, heard):
    assert CardMask().feed(sent) == heard
    mask = CardMask()
    assert b"".join(mask.feed(sent[i : i + 1]) for i in range(len(sent))) == heard


badge = b"\x020F0184F07A00\x03"
LINES = st.sampled_from(
    [
        slingshot2.status_line(2, 7, "9", 0, 150, 0),
        card_lines.line("TD"),
        card_lines.line("3130"),
        b"\x020F0184F07A00\x03",
    ]
)


@given(st.lists(LINES, max_size=8), st.data())
def test_what_devices_send_passes_at_once_and_unchanged(lines, data):
    mask = CardMask()
    for line in lines:
        cut = data.draw(st.integers(0, len(line)))
        assert mask.feed(line[:cut]) + mask.feed(line[cut:]) == line


def with_luhn(digits):
    return next(digits + str(last) for last in range(10) if magstripe.luhn(digits + str(last)))


CARDS = st.text("0123456789", min_size=12, max_size=18).map(with_luhn)


@given(CARDS, st.binary(max_size=20), st.sampled_from([b";", b"%B", b""]), st.integers(0, 60), st.integers(0, 60))
def test_no_card_passes_however_it_is_split(card, before, mark, first, second):
    sent = before + (mark or b"\n") + card.encode() + (b"^" if mark == b"%B" else b"=") + b"2512?\n"
    one, two = sorted((min(first, len(sent)), min(second, len(sent))))
    mask = CardMask()
    heard = mask.feed(sent[:one]) + mask.feed(sent[one:two]) + mask.feed(sent[two:])
    assert len(heard) == len(sent)
    assert card.encode() not in heard
    assert (mark or b"\n") + card[:SHOWN].encode() + b"#" * (len(card) - SHOWN) in heard


@given(st.binary(max_size=60) | st.text("0123456789;=%B?", max_size=60).map(str.encode), st.lists(st.integers(0, 60)))
def test_splits_never_change_what_is_heard_and_nothing_is_made_up(sent, cuts):
    whole, split = CardMask(), CardMask()
    at_once, heard = whole.feed(sent + b"\n"), b""
    edges = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    for start, end in itertools.pairwise(edges):
        heard += split.feed(sent[start:end])
        assert len(split._held) <= 19
    heard += split.feed(b"\n")
    assert heard == at_once
    assert all(now in (was, ord("#")) for now, was in zip(at_once, sent + b"\n", strict=True))


def test_half_a_card_before_a_lost_link_is_forgotten():
    mask = CardMask()
    assert mask.feed(b";41111111111") == b";411111"
    mask.interrupt()
    assert mask.feed(b"11111=2512?\n") == b"11111=2512?\n"
