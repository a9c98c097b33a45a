"""What the running number of a shoe's frames tells of noise between them."""

import pytest

from pitwatch.devices.angel_eye_shoe import AngelEyeShoe
from tests.devices.vectors_angel_eye import framed, run

HEX = "123456789ABCDEF0"
DECIMAL = "123456789"
DECIMAL_0 = "1234567890"


def cards(numbers, start=0, noise=()):
    """A card a second with these numbers; `noise`: (before which of them, bytes), half a second before."""
    pieces = []
    for i, number in enumerate(numbers):
        pieces += [(start + i - 0.5, data) for at, data in noise if at == i]
        pieces.append((start + i, framed(number, b"D" + bytes((0x80 | i % 2 << 4 | i % 3 + 1, 0xB8)))))
    return pieces


def told(pieces, device=None):
    device = device or AngelEyeShoe("shoe")
    seen = run(device, [*pieces, (pieces[-1][0] + 100, b"")])
    return [o.data for o in seen if o.event == "bytes_discarded"]


@pytest.mark.parametrize("turn", [HEX, DECIMAL, DECIMAL_0, HEX[:-1]], ids=["0 to F", "1 to 9", "0 to 9", "1 to F"])
def test_a_number_that_runs_on_tells_nothing_whatever_its_turn(turn):
    assert told(cards(turn * 4)) == []


@pytest.mark.parametrize("turn", [HEX, DECIMAL, DECIMAL_0], ids=["0 to F", "1 to 9", "0 to 9"])
def test_noise_before_any_number_of_the_turn_hid_nothing(turn):
    for at in range(1, 2 * len(turn)):
        assert told(cards(turn * 3, noise=[(at, b"\x00\xff")])) == [{"count": 2, "lost": 0}], at


@pytest.mark.parametrize("gone", [1, 2, 7, 15])
@pytest.mark.parametrize("noise", [b"", b"\xff"], ids=["silence", "noise"])
def test_a_jump_tells_how_many_are_lost(gone, noise):
    numbers = HEX * 3
    at = 20
    pieces = cards(numbers[:at] + numbers[at + gone :], noise=[(at, noise)] if noise else [])
    assert told(pieces) == [{"count": len(noise), "lost": gone}]


def test_what_is_lost_is_told_before_the_frame_that_tells_it():
    pieces = cards("12345678AB", noise=[(8, b"\xff")])
    seen = [o.event for o in run(AngelEyeShoe("shoe"), pieces)]
    assert seen == ["card_drawn"] * 8 + ["bytes_discarded"] + ["card_drawn"] * 2


def test_noise_with_no_frame_after_it_is_open_and_then_decided():
    pieces = [*cards("12345"), (5, b"\xff\xff"), (30, framed("6", b"G\x90"))]
    assert told(pieces) == [{"count": 2, "lost": None}, {"count": 0, "lost": 0}]
    pieces[-1] = (30, framed("7", b"G\x90"))
    assert told(pieces) == [{"count": 2, "lost": None}, {"count": 0, "lost": 1}]


def test_a_frame_sent_again_says_that_the_noise_before_it_hid_nothing():
    frame = framed("2", b"D\x91\xa5")
    assert told([*cards("1"), (1, frame), (1.1, b"\xff"), (1.2, frame), (9, b"")]) == [{"count": 1, "lost": 0}]


@pytest.mark.parametrize(
    "pieces",
    [
        [(0, b"\xff"), *cards("123", 1)],
        [*cards("12"), (2, b"\xff"), (3, framed("1", b"S"))],
        [*cards("12"), (2, b"\xff" * 96), *cards("345", 5)],
        [*cards("89"), (2, b"\xff" * 42), *cards("123", 5)],
        [*cards("7111"), (5, b"\xff"), *cards("2345", 8)],
        [*cards("GH"), (3, b"\xff"), *cards("IJ", 8)],
    ],
    ids=["no number before", "a start", "room for a whole turn", "for one of 1 to 9", "does not run", "no number"],
)
def test_where_the_number_cannot_tell_nothing_is_said_of_what_is_lost(pieces):
    assert [set(data) for data in told(pieces) if data.get("lost", 0) is not None] == [{"count"}]


def test_a_link_that_was_lost_begins_anew():
    device = AngelEyeShoe("shoe")
    run(device, cards("12345678"))
    device.interrupted(9_000_000_000)
    assert told([(10, b"\xff"), *cards("9A", 11)], device) == [{"count": 1}]


def test_a_frame_whose_check_is_right_by_chance_does_not_stand_for_the_one_with_its_number():
    """Two damaged copies of a card that ran into one: the exclusive or of both is right again."""
    merged = framed("4", b"D\x81\xc534D\x81\xbd")
    assert told([*cards("123"), (4, merged), *cards("56", 8)]) == [{"count": 0, "lost": None}, {"count": 0, "lost": 1}]


def test_a_shoe_whose_numbers_do_not_run_has_no_lost_frames_in_silence():
    assert told(cards("1537284615372846")) == []
    assert told(cards("1" * 20)) == []
