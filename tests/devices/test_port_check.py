"""The wrong device on a port is told by the shape of what it says; noise, torn messages and the right one are not."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.port_check import GARBAGE_BYTES, PortCheck
from pitwatch.devices.protocols import (
    angel_eye,
    card_lines,
    em4100,
    ibutton,
    magstripe,
    mercury360,
    node_link,
    osdp,
    slingshot2,
    wiegand,
)
from pitwatch.devices.protocols.shape import looks_like, shapes
from pitwatch.devices.registry import classes, find
from tests.copied_tree import copy_of, python

SECOND = 1_000_000_000


def wheel(count):
    return [slingshot2.status_line(2, 7, "9", 0, 150, i % 2) for i in range(count)]


def shoe(count):
    return [angel_eye.frame("123456789"[i % 9], angel_eye.card_data(i % 2, i % 3, "8S")) for i in range(count)]


def plain(count):
    return [card_lines.line(code) for code in ("TD", "8S", "JK", "??") * count][:count]


def bar_codes(count):
    return [card_lines.line(code) for code in ("1010", "3130", "4100") * count][:count]


def felt(count):
    return [card_lines.line("TD", "3", i % 2 == 1) for i in range(count)]


def camera(count):
    return [json.dumps({"event": "dice_counted", "data": {"dice": i}}).encode() + b"\r\n" for i in range(count)]


def keys(count):
    return [osdp.encode(0x80, i % 3 + 1, osdp.RAW, osdp.raw_data(wiegand.bits(12, i, 26))) for i in range(count)]


def node(count):
    return [node_link.frame(node_link.PONG, bytes((i, 1, 2, 3, 4))) for i in range(count)]


def badges(count):
    return [em4100.frame(f"0F0184F0{i:02X}", i % 2 == 1) for i in range(count)]


def buttons(count):
    return [ibutton.line("+-"[i % 2], f"01-{i // 2 + 1:012x}") for i in range(count)]


def stripes(count):
    return [magstripe.line(f"{i:010d}", check=i % 2 == 1) for i in range(count)]


def rim(count):
    """In extended mode; what it says in advanced mode is for test_sister_wheels."""
    plain = mercury360.advanced_line(2, 7, "9", 0, 150, 0)
    return [mercury360.extended_line(plain, mercury360.Track(0x12, i, 1, 0x8000, None)) for i in range(count)]


SPEAKERS = {
    "slingshot2": (wheel,), "angel_eye": (shoe,), "card_lines": (plain, bar_codes, felt), "ndjson": (camera,),
    "osdp": (keys,), "node": (node,), "em4100": (badges,), "ibutton": (buttons,), "mercury360": (rim,),
    "magstripe": (stripes,),
}  # fmt: skip
LISTENERS = [
    ("wheel", "slingshot2"),
    ("shoe", "angel_eye"),
    ("shoe", "card_lines"),
    ("card_position", "card_lines"),
    ("dice", "ndjson"),
    ("key_reader", "em4100"),
    ("key_reader", "ibutton"),
    ("key_reader", "magstripe"),
]
SPOKEN = [(protocol, speaks) for protocol, all_of_them in SPEAKERS.items() for speaks in all_of_them]


def check(device_type, protocol, **settings):
    return PortCheck(find(device_type, protocol)("it", settings), protocol)


def feed(device, pieces, t=0, every=SECOND // 2):
    """What is seen, with every deadline kept."""
    seen = []
    for piece in pieces:
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        seen += device.feed(piece, t)
        t += every
    return seen


def faults(seen):
    return [(o.data["reason"], o.data.get("looks_like")) for o in seen if o.event == "device_fault"]


@pytest.mark.parametrize(("protocol", "speaks"), SPOKEN)
def test_each_protocol_has_its_shape_from_the_third_message_on(protocol, speaks):
    assert looks_like(b"".join(speaks(3))) == protocol
    assert looks_like(b"".join(speaks(20))) == protocol
    assert looks_like(b"".join(speaks(2))) == ""


@pytest.mark.parametrize(("protocol", "speaks"), SPOKEN)
def test_a_stream_tuned_into_and_broken_off_has_its_shape_still(protocol, speaks):
    stream = b"".join(speaks(12))
    for cut in range(1, 8):
        assert looks_like(stream[cut:-cut]) == protocol


@given(st.binary(max_size=600))
@settings(max_examples=300)
def test_noise_has_no_shape(noise):
    assert looks_like(noise) == ""


@pytest.mark.parametrize(("protocol", "speaks"), SPOKEN)
@pytest.mark.parametrize("listener", LISTENERS)
def test_every_device_on_the_port_of_every_other(listener, protocol, speaks):
    device = check(*listener)
    seen = feed(device, speaks(12))
    if listener[1] == protocol:
        assert faults([o for o in seen if o.data.get("reason") != "unknown_code"]) == []
        return
    assert [fault for fault in faults(seen) if fault[0] != "unknown_code"] == [("wrong_device_on_port", protocol)]
    told = next(i for i, o in enumerate(seen) if o.data.get("reason") == "wrong_device_on_port")
    assert seen[told].data["expected"] == listener[1]
    assert {o.event for o in seen[told + 1 :]} <= {"bytes_discarded"}


@pytest.mark.parametrize("listener", LISTENERS)
def test_put_right_it_is_well_again_with_the_first_message(listener):
    right, wrong = (shoe, wheel) if listener[1] == "angel_eye" else (SPEAKERS[listener[1]][0], shoe)
    if listener[0] == "card_position":
        right = felt
    device = check(*listener)
    assert len(faults(feed(device, wrong(9)))) == 1
    seen = feed(device, right(3), 60 * SECOND)
    told = [o.event for o in seen]
    assert "device_recovered" in told
    assert faults(seen) == []
    assert faults(feed(device, right(50), 70 * SECOND)) == []
    assert len(faults(feed(device, wrong(9), 100 * SECOND))) == 1, "swapped again it is told again"


def test_unplugged_it_begins_anew():
    device = check("wheel", "slingshot2")
    assert len(faults(feed(device, shoe(5)))) == 1
    assert [o.event for o in device.interrupted(10 * SECOND)] == ["device_recovered"]
    assert len(faults(feed(device, shoe(5), 20 * SECOND))) == 1


def test_unplugged_without_a_fault_it_has_nothing_to_recover_from():
    device = check("wheel", "slingshot2")
    feed(device, wheel(5))
    assert device.interrupted(10 * SECOND) == []


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_however_the_bytes_are_split(size):
    stream = b"".join(shoe(6))
    device = check("wheel", "slingshot2")
    pieces = [stream[i : i + size] for i in range(0, len(stream), size)]
    assert faults(feed(device, pieces, every=SECOND // 50)) == [("wrong_device_on_port", "angel_eye")]


def at_another_speed(stream, ratio):
    """What a port makes of 8N1 bytes that come `ratio` times too slow: every bit is read several times over."""
    line = "".join("0" + f"{byte:08b}"[::-1] + "1" for byte in stream)
    line = "".join(bit * ratio for bit in line) + "1" * 20
    read, at = bytearray(), 0
    while (at := line.find("0", at)) >= 0 and at + 10 <= len(line):
        read.append(int(line[at + 1 : at + 9][::-1], 2))
        at += 10
    return bytes(read)


@pytest.mark.parametrize("ratio", [2, 4, 8])
@pytest.mark.parametrize("listener", LISTENERS)
def test_a_wrong_speed_is_garbage(listener, ratio):
    device = check(*listener)
    lines = [at_another_speed(line, ratio) for line in wheel(60)]
    seen = feed(device, lines)
    assert ("garbage", None) in faults(seen)
    assert "wrong_device_on_port" not in [reason for reason, _ in faults(seen)]


def test_a_few_bytes_of_noise_between_messages_are_no_garbage():
    chance = random.Random(1)
    device = check("wheel", "slingshot2")
    pieces = [piece for line in wheel(200) for piece in (chance.randbytes(chance.randrange(12)) + b"\r\n", line)]
    assert faults(feed(device, pieces)) == []


def test_a_burst_of_noise_on_a_quiet_line_is_no_fault():
    chance = random.Random(2)
    device = check("shoe", "angel_eye")
    assert faults(feed(device, [chance.randbytes(GARBAGE_BYTES * 4)])) == []
    assert faults(feed(device, shoe(40), 60 * SECOND)) == []
    assert faults(feed(device, [chance.randbytes(20)] * 5, 90 * SECOND)) == []


@given(st.lists(st.binary(max_size=40), max_size=30), st.sampled_from(LISTENERS))
def test_nothing_hostile_raises(pieces, listener):
    device = check(*listener)
    seen = feed(device, pieces)
    device.interrupted(100 * SECOND)
    assert "wrong_device_on_port" not in [reason for reason, _ in faults(seen)]


SEMAPHORE = '''"""Flags, as bytes of 01 and 80 in turn."""

SHAPE = {"semaphore": "fits"}


def fits(data: bytes) -> "tuple[int, int]":
    flags = data.count(bytes([1, 128]))
    return flags, 2 * flags
'''
SHOW = """
from pitwatch.devices.protocols.shape import looks_like
print(looks_like(bytes([1, 128]) * 9))
"""


def test_a_protocol_that_is_added_is_detected(tmp_path):
    tree = copy_of(tmp_path / "tree", "hal", "devices")
    assert python(tree, "-c", SHOW).stdout == "\n"
    (tree / "pitwatch" / "devices" / "protocols" / "semaphore.py").write_text(SEMAPHORE)
    assert python(tree, "-c", SHOW).stdout == "semaphore\n"


def test_two_modules_of_one_protocol_are_reported(tmp_path):
    tree = copy_of(tmp_path / "tree", "hal", "devices")
    file = tree / "pitwatch" / "devices" / "protocols" / "semaphore.py"
    file.write_text(SEMAPHORE.replace('{"semaphore"', '{"osdp"'))
    said = python(tree, "-c", SHOW).stderr.splitlines()[-1]
    assert said == "ValueError: pitwatch.devices.protocols.semaphore: SHAPE: another module has osdp too"


def test_every_protocol_of_a_byte_device_has_a_shape():
    """Without one a swapped plug would be reported as garbage only."""
    spoken = {protocol for kind, protocol in classes() if find(kind, protocol).SERIAL}
    assert "slingshot2" in spoken
    assert spoken <= shapes().keys()
    assert shapes().keys() == SPEAKERS.keys()
