"""The 1-Wire link on a real folder that is filled as the kernel fills /sys/bus/w1/devices."""

import pytest

from pitwatch.hal.w1_link import W1Link
from tests.hal.contract_link import Listener
from tests.hal.rigs import RealTime

BUTTON = "01-000015d4c2f3"
NUMBER = "01f3c2d4150000c7"


@pytest.fixture
def rig(tmp_path):
    rig = RealTime()
    rig.folder = tmp_path / "devices"
    rig.folder.mkdir()
    (rig.folder / "w1_bus_master1").mkdir()
    rig.links = []

    def listen():
        link = W1Link(rig.clock, str(rig.folder))
        rig.links.append(link)
        return Listener(link).start()

    rig.listen = listen
    yield rig
    for link in rig.links:
        link.stop()


def touch(rig, name=BUTTON, number=NUMBER):
    made = rig.folder.parent / name
    made.mkdir()
    if number:
        (made / "id").write_bytes(bytes.fromhex(number))
    made.rename(rig.folder / name)  # as the kernel does: all at once


def take_away(rig, name=BUTTON):
    (rig.folder / name).rename(rig.folder.parent / "gone")
    for each in (rig.folder.parent / "gone").iterdir():
        each.unlink()
    (rig.folder.parent / "gone").rmdir()


async def test_touches_and_their_ends(rig):
    listener = rig.listen()
    assert listener.states == [(True, "")]
    for times in (1, 2):
        touch(rig)
        await rig.until(lambda times=times: listener.data.count(b"+") == times, 15)
        take_away(rig)
        await rig.until(lambda times=times: listener.data.count(b"\n-") == times, 15)
    assert listener.data == f"+{BUTTON} {NUMBER}\n-{BUTTON}\n".encode() * 2


async def test_a_button_that_is_there_at_the_start_is_said_to_be(rig):
    touch(rig)
    touch(rig, "28-0316a2795bff", "")
    listener = rig.listen()
    assert listener.data == f"=01-000015d4c2f3 {NUMBER}\n=28-0316a2795bff\n".encode()


async def test_no_folder_and_no_bus_say_so_and_come_back(rig):
    (rig.folder / "w1_bus_master1").rmdir()
    listener = rig.listen()
    assert listener.states == [
        (False, f"{rig.folder}: no 1-Wire bus; load the driver of the bus, w1-gpio or ds2490, and plug it in")
    ]
    (rig.folder / "w1_bus_master1").mkdir()
    await rig.until(lambda: listener.online, 30)
    (rig.folder / "w1_bus_master1").rmdir()
    rig.folder.rmdir()
    await rig.until(lambda: not listener.online, 15)
    assert "no such folder" in listener.states[-1][1]
    assert "modprobe" in listener.states[-1][1]


async def test_a_bus_full_of_buttons_is_refused(rig):
    for number in range(65):
        touch(rig, f"01-{number:012x}", "")
    listener = rig.listen()
    assert listener.states[0][0] is False
    assert "65 devices on the bus" in listener.states[0][1]


async def test_nothing_is_said_after_a_stop(rig):
    listener = rig.listen()
    listener.link.stop()
    touch(rig)
    await rig.wait(0.4)
    assert listener.data == b""
    listener.start()
    assert listener.data == f"=01-000015d4c2f3 {NUMBER}\n".encode()
