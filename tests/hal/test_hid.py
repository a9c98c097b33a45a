"""What a keyboard-like reader types; reasons why it cannot be had. On a real input device: tests/kernel/guest."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal.hid_keys import LOST, Typed, key_of, strokes
from pitwatch.hal.hid_link import HidLink
from tests.hal.contract_link import Listener
from tests.hal.rigs import RealTime

TYPEABLE = "".join(map(chr, range(32, 127))) + "\n\t"
SYN_DROPPED = (0, 3, 0)
ENTER, KP_ENTER, A, ONE, LEFT_SHIFT, RIGHT_SHIFT, CAPS = 28, 96, 30, 2, 42, 54, 58


def typed(events):
    keys = Typed()
    return "".join(chr(char) for event in events if (char := keys.event(*event)) is not None)


@given(st.text(TYPEABLE, max_size=60))
def test_what_a_reader_types_is_what_comes_out(text):
    assert typed(strokes(text)) == text


@pytest.mark.parametrize(
    ("code", "plain", "shifted"),
    [(A, "a", "A"), (ONE, "1", "!"), (11, "0", ")"), (12, "-", "_"), (ENTER, "\n", "\n"), (KP_ENTER, "\n", "\n"),
     (79, "1", "1"), (82, "0", "0"), (71, "7", "7"), (44, "z", "Z"), (53, "/", "?"), (57, " ", " ")],
)  # fmt: skip
def test_key_codes_of_the_kernel(code, plain, shifted):
    """The numbers of linux/input-event-codes.h: KEY_A 30, KEY_1 2, KEY_KP1 79, KEY_KP7 71, KEY_Z 44, ..."""
    assert typed([(1, code, 1), (1, code, 0)]) == plain
    for shift in (LEFT_SHIFT, RIGHT_SHIFT):
        assert typed([(1, shift, 1), (1, code, 1), (1, code, 0), (1, shift, 0), (1, code, 1)]) == shifted + plain


def test_a_key_held_down_types_once():
    assert typed([(1, ONE, 1), (1, ONE, 2), (1, ONE, 2), (1, ONE, 0)]) == "1"


def test_capital_letters_by_caps_lock():
    assert typed([(1, CAPS, 1), (1, CAPS, 0), (1, A, 1), (1, ONE, 1), (1, LEFT_SHIFT, 1), (1, A, 1)]) == "A1a"


def test_key_presses_that_the_kernel_dropped_spoil_the_line():
    assert typed([*strokes("10"), SYN_DROPPED, *strokes("0\n")]) == "10" + chr(LOST) + "0\n"


def test_no_key_types_what_is_not_on_a_keyboard():
    with pytest.raises(KeyError):
        key_of("é")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 800), st.integers(-2, 3)), max_size=60))
def test_any_events_type_ascii_or_nothing(events):
    assert all(char in TYPEABLE + chr(LOST) for char in typed(events))


async def first_reason(path):
    rig = RealTime()
    link = HidLink(rig.clock, str(path))
    listener = Listener(link).start()
    await rig.until(lambda: listener.states, 5)
    link.stop()
    return listener.states[0][1].removeprefix(f"{path}: ")


async def test_no_such_reader(tmp_path):
    reason = await first_reason(tmp_path / "none")
    assert reason == "no such reader; plug it in, or correct `link`; readers are in /dev/input/by-id"


async def test_what_is_no_input_device(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"")
    assert (await first_reason(file)).startswith("is no input device; ")
    assert (await first_reason("/dev/null")).startswith("is no input device; ")


async def test_no_permission(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"")
    file.chmod(0)
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)  # root may open everything
    try:
        reason = await first_reason(file)
    finally:
        os.seteuid(was)
    assert reason == "no permission to open it; add the daemon's user to the group input"
