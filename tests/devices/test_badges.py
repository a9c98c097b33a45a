"""Badges of 125 kHz and iButtons: what readers send in any split, noise, what is held."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.em4100_reader import Em4100Reader
from pitwatch.devices.ibutton_reader import IButtonReader
from pitwatch.devices.magstripe_reader import MagstripeReader
from pitwatch.devices.protocols import em4100, ibutton, magstripe
from pitwatch.hal import hid_keys
from pitwatch.rules.watchers.equipment import NOT_THE_EQUIPMENT
from tests.devices.vectors_badges import (
    BADGES,
    BUTTONS,
    CRC8,
    CREDENTIALS,
    EM4100,
    STRIPES,
    mismatch,
    presented,
    split_mismatch,
)

TAGS = st.integers(0, (1 << 40) - 1).map(lambda number: f"{number:010X}")


@pytest.mark.parametrize(("stream", "tags", "discarded"), EM4100)
def test_vectors_whole_and_byte_by_byte(stream, tags, discarded):
    framer = em4100.Framer()
    assert (framer.feed(stream), framer.take_discarded()) == (tags, discarded)
    assert split_mismatch(em4100.Framer, stream, tags, discarded) is None


@pytest.mark.parametrize(("tag", "form", "credential"), CREDENTIALS)
def test_credentials(tag, form, credential):
    assert em4100.credential(tag, form) == credential


@pytest.mark.parametrize("case", BADGES, ids=[case[0] for case in BADGES])
def test_badges(case):
    assert mismatch(Em4100Reader, case) is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"format": "26"}, "format: '26' is no format of a badge"), ({"gone_s": 0}, "gone_s: 0 is no time to wait")],
)
def test_settings_that_cannot_be_are_refused(settings, says):
    with pytest.raises(ValueError, match=says):
        Em4100Reader("keys", settings)


@given(TAGS, st.booleans())
def test_every_tag_there_and_back(tag, crlf):
    assert em4100.Framer().feed(em4100.frame(tag, crlf)) == [tag]


@given(TAGS, st.booleans(), st.integers(1, 12), st.integers(1, 15))
def test_no_damaged_digit_makes_another_badge(tag, crlf, place, shift):
    """One digit changed: the check finds it."""
    sent = bytearray(em4100.frame(tag, crlf))
    digits = "0123456789ABCDEF"
    sent[place] = ord(digits[(digits.index(chr(sent[place])) + shift) % 16])
    assert em4100.Framer().feed(bytes(sent)) == []


@given(st.lists(st.builds(em4100.frame, TAGS, st.booleans()) | st.binary(max_size=20), max_size=8), st.data())
def test_splits_never_change_what_is_heard(pieces, data):
    rest = b"".join(pieces)
    whole, split = em4100.Framer(), em4100.Framer()
    want, got = whole.feed(rest), []
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        got += split.feed(rest[:n])
        rest = rest[n:]
    whole.interrupt()
    split.interrupt()
    assert (got, split.take_discarded()) == (want, whole.take_discarded())


@given(st.lists(TAGS, max_size=20))
def test_more_badges_than_anybody_holds_take_no_memory(tags):
    device = Em4100Reader("keys")
    presented(device, [(0, em4100.frame(tag)) for tag in tags])
    assert len(device._held) <= 8


# --- iButtons


@pytest.mark.parametrize(("text", "check"), CRC8)
def test_the_check_of_a_button(text, check):
    assert ibutton.crc8(bytes.fromhex(text)) == check


@pytest.mark.parametrize("case", BUTTONS, ids=[case[0] for case in BUTTONS])
def test_buttons(case):
    assert mismatch(IButtonReader, case) is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"+28-0316a2795bff\n", "unknown_family"),
        (b"+01-000000000000 0100000000000000\n", "no_serial"),
        (b"+01-000015d4c2f3 01f3c2d4150000c6\n", "bad_crc"),
        (b"+01-000015d4c2f3 021cb801000000a2\n", "bad_crc"),
    ],
)
def test_what_is_no_credential_is_a_passing_fault_and_not_the_equipment_s(line, reason):
    seen = IButtonReader("keys").feed(line, 0)
    assert [(o.event, o.data.get("reason")) for o in seen] == [("device_fault", reason), ("device_recovered", None)]
    assert reason in NOT_THE_EQUIPMENT


@given(st.integers(1, (1 << 48) - 1), st.booleans())
def test_every_button_there_and_back(serial, with_number):
    name = f"01-{serial:012x}"
    assert presented(IButtonReader("keys"), [(0, ibutton.line("+", name, with_number))]) == [(0, name)]


@given(st.integers(1, (1 << 48) - 1), st.integers(0, 63))
def test_one_flipped_bit_of_its_number_is_found(serial, bit):
    sent = ibutton.line("+", f"01-{serial:012x}")
    number = int(sent[-17:-1], 16) ^ 1 << bit
    assert presented(IButtonReader("keys"), [(0, sent[:-17] + f"{number:016x}".encode() + b"\n")]) == []


# --- magnetic stripes

DIGITS = st.text("0123456789", max_size=24)


def longest_run(data):
    return max(len(run) for run in re.split(rb"[^0-9]", data))


@pytest.mark.parametrize("case", STRIPES, ids=[case[0] for case in STRIPES])
def test_stripes(case):
    assert mismatch(MagstripeReader, case) is None


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b";4111111111111111=2512?\n", {"reason": "card_refused", "digits": 16}),
        (b";1234567890123456=99?\n", {"reason": "card_refused", "digits": 16}),
        (b";0001234567=9912101?;\n", {"reason": "bad_lrc"}),
    ],
)
def test_what_is_refused_is_a_passing_fault_without_a_digit_and_not_the_equipment_s(line, fault):
    seen = MagstripeReader("keys").feed(line, 0)
    assert [(o.event, o.data) for o in seen] == [("device_fault", fault), ("device_recovered", {})]
    assert fault["reason"] in NOT_THE_EQUIPMENT


def with_luhn(digits):
    return next(digits + str(last) for last in range(10) if magstripe.luhn(digits + str(last)))


TRACKS = st.builds(
    lambda number, data, check, names, end: magstripe.line(number, data, check, names)[:-2] + end,
    st.text("0123456789", min_size=12, max_size=18).map(with_luhn),
    DIGITS,
    st.booleans(),
    st.sampled_from(["", "B4111111111111111^DOE/JANE^2512", "B4111 1111 1111 1111^DOE^"]),
    st.sampled_from([b"\r\n", b"\n", b"\r", b"\x03"]),
)


@given(st.lists(TRACKS | st.binary(max_size=30) | DIGITS.map(str.encode), max_size=8), st.data())
def test_no_split_cut_or_noise_lets_a_payment_card_through(pieces, data):
    """Of what passes the screen no run of digits is as long as a payment card's number, unless it has no Luhn sum and
    was read right; and there is no piece of one either: whatever is no whole track is hidden."""
    stream = b"".join(pieces)
    cut = data.draw(st.integers(0, len(stream)))
    screen, out = magstripe.Screen(), b""
    for part in (stream[:cut], stream[cut:]):
        if data.draw(st.booleans()):
            screen.interrupt()
        out += screen.feed(part)
    for line in out.split(b"\n"):
        if longest_run(line):
            assert re.fullmatch(rb";[0-9]{1,19}\\?.?", line), line
            number = line[1 : line.index(b"?")].decode()
            assert len(number) < 13 or not magstripe.luhn(number)
        assert magstripe.screened(line) == line, "screened twice it is the same"


@given(st.text("0123456789", min_size=12, max_size=18).map(with_luhn), st.integers(0, 18), st.integers(1, 9))
def test_a_payment_card_with_one_digit_misread_is_refused_too(number, place, shift):
    place %= len(number)
    misread = number[:place] + str((int(number[place]) + shift) % 10) + number[place + 1 :]
    sent = magstripe.line(number)
    for check in (sent[-3:-2], b""):
        got = magstripe.Screen().feed(b";" + misread.encode() + b"=9912101?" + check + b"\n")
        assert not longest_run(got)


@given(st.text("0123456789", min_size=1, max_size=12), st.booleans())
def test_every_staff_number_there_and_back(number, check):
    assert presented(MagstripeReader("keys"), [(0, magstripe.line(number, check=check))]) == [(0, number)]


def test_a_reader_that_types_gives_every_character_of_a_track():
    typed = hid_keys.Typed()
    text = "%BSTAFF/A^1?;0001234567=9912101?:\n"
    chars = [typed.event(*stroke) for stroke in hid_keys.strokes(text)]
    assert bytes(char for char in chars if char is not None).lower() == text.lower().encode()
