"""A bar-code reader that claims to be a keyboard, made by the kernel's uinput: typed, grabbed, unplugged, put back."""

from __future__ import annotations

import asyncio
import fcntl
import os
import select
import struct
import time
from pathlib import Path

import pytest

from pitwatch.devices.card_line_readers import CardLineShoe
from pitwatch.hal.hid_keys import EVENT, strokes
from pitwatch.hal.hid_link import HidLink
from tests.hal.contract_link import Listener
from tests.hal.rigs import RealTime

# linux/uinput.h
UI_DEV_CREATE, UI_DEV_DESTROY = 0x5501, 0x5502
UI_DEV_SETUP = 0x405C5503
UI_SET_EVBIT, UI_SET_KEYBIT = 0x40045564, 0x40045565
EV_KEY, EV_REP, BUS_USB = 1, 0x14, 3


class Scanner:
    """A keyboard that types."""

    def __init__(self, name):
        self.fd = os.open("/dev/uinput", os.O_WRONLY)
        fcntl.ioctl(self.fd, UI_SET_EVBIT, EV_KEY)
        fcntl.ioctl(self.fd, UI_SET_EVBIT, EV_REP)
        for key in range(1, 128):
            fcntl.ioctl(self.fd, UI_SET_KEYBIT, key)
        fcntl.ioctl(self.fd, UI_DEV_SETUP, struct.pack("@HHHH80sI", BUS_USB, 0x05F9, 0x2203, 1, name.encode(), 0))
        before = set(Path("/sys/class/input").glob("event*"))
        fcntl.ioctl(self.fd, UI_DEV_CREATE)
        (made,) = set(Path("/sys/class/input").glob("event*")) - before
        self.event = Path("/dev/input") / made.name

    def burst(self, text):
        for kind, code, value in strokes(text):
            os.write(self.fd, struct.pack(EVENT, 0, 0, kind, code, value))

    async def type(self, text):
        """A key at a time, as USB brings them; the kernel keeps 64 events for who reads slowly."""
        for char in text:
            self.burst(char)
            await asyncio.sleep(0.001)

    def close(self):
        fcntl.ioctl(self.fd, UI_DEV_DESTROY)
        os.close(self.fd)


class Rig(RealTime):
    """The scanner behind a path that stays the same, as udev's by-id links do."""

    def __init__(self, folder):
        super().__init__()
        self.path = folder / "usb-Scanner-event-kbd"
        self.scanner = None
        self.plug()

    def plug(self):
        self.scanner = Scanner("Scanner")
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(self.scanner.event)

    def unplug(self):
        if self.scanner is not None:
            self.scanner.close()
            self.scanner = None

    def link(self):
        link = HidLink(self.clock, str(self.path))
        self.made.append(link)
        return link


@pytest.fixture
async def rig(tmp_path):
    rig = Rig(tmp_path)
    yield rig
    rig.stop_all()
    rig.unplug()


async def test_codes_come_as_they_are_typed_with_the_kernel_s_stamp(rig):
    listener = Listener(rig.link()).start()
    assert listener.states == [(True, "")]
    before = rig.clock.now()
    await rig.scanner.type("1010\n3130\nTd-X_!?\n")
    await rig.until(lambda: listener.data.count(b"\n") == 3, 5)
    assert listener.data == b"1010\n3130\nTd-X_!?\n"
    stamps = [t for _, t in listener.pieces]
    assert stamps == sorted(stamps)
    assert before <= stamps[0]
    assert stamps[-1] <= rig.clock.now()


async def test_cards_of_a_shoe_by_their_bar_codes(rig):
    shoe = CardLineShoe("shoe", {"codes": "barcode4"})
    seen = []
    link = rig.link()
    link.start(lambda data, t: seen.extend(shoe.feed(data, t)), lambda online, reason: None)
    for code in ("1010", "3130", "3130", "4100"):
        await rig.scanner.type(code + "\n")
    await rig.until(lambda: len(seen) == 4, 5)
    assert [(each.event, each.data["card"]) for each in seen] == [("card_drawn", c) for c in ("AS", "KC", "KC", "TD")]


async def test_what_is_typed_reaches_nobody_else(rig):
    other = os.open(rig.path, os.O_RDONLY | os.O_NONBLOCK)
    listener = Listener(rig.link()).start()
    await rig.scanner.type("1010\n")
    await rig.until(lambda: listener.data == b"1010\n", 5)
    assert select.select([other], [], [], 0)[0] == []
    second = Listener(rig.link()).start()
    assert not second.online
    assert "another program has grabbed it" in second.states[0][1]
    listener.link.stop()
    await rig.until(lambda: second.online, 5)
    os.close(other)


async def test_unplugged_it_is_told_once_and_found_again(rig):
    listener = Listener(rig.link()).start()
    rig.unplug()
    await rig.until(lambda: not listener.online, 5)
    busy = time.process_time()
    await rig.wait(0.8)
    assert time.process_time() - busy < 0.2
    assert len(listener.states) == 2
    assert "unplugged" in listener.states[1][1]
    rig.plug()
    await rig.until(lambda: listener.online, 10)
    await rig.scanner.type("2020\n")
    await rig.until(lambda: listener.data == b"2020\n", 5)


async def test_a_listener_that_was_held_up_hears_of_what_the_kernel_dropped(rig):
    listener = Listener(rig.link()).start()
    rig.scanner.burst("1010\n" * 60)  # more than the kernel keeps; nobody reads meanwhile
    await rig.until(lambda: listener.data.endswith(b"\n") or b"\0" in listener.data, 5)
    await rig.wait(0.1)
    assert len(listener.data) < 300
    assert b"\0" in listener.data
