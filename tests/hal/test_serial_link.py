"""The serial link keeps the contract on a pseudo-terminal; its settings, reasons, and that it leaves nothing behind."""

import fcntl
import os
import termios
import threading
import time
from pathlib import Path

import pytest

from pitwatch.hal.address import parse
from pitwatch.hal.serial_link import SerialLink
from tests.hal.contract_link import ExclusiveLinkContract, Listener
from tests.hal.rigs import PtyRig


@pytest.fixture
async def rig(tmp_path):
    rig = PtyRig(tmp_path)
    yield rig
    rig.stop_all()
    rig.unplug()


class TestSerialLink(ExclusiveLinkContract):
    @pytest.fixture
    def rig(self, rig):
        return rig


async def _first_reason(rig, url: str) -> str:
    link = SerialLink(rig.clock, parse(url))
    listener = Listener(link).start()
    await rig.until(lambda: listener.states, 15)
    link.stop()
    online, reason = listener.states[0]
    assert not online
    return reason


@pytest.mark.parametrize(
    ("options", "speed", "on", "off"),
    [
        ("?baud=9600", termios.B9600, termios.CS8, termios.PARENB | termios.CSTOPB),
        ("?baud=4800&bits=7&parity=E&stop=2", termios.B4800, termios.CSTOPB | termios.CS7, termios.PARODD),
    ],
)
async def test_the_port_is_set_as_the_url_says(rig, options, speed, on, off):
    rig.options = options
    mode = termios.tcgetattr(rig.master)
    mode[2] |= termios.HUPCL  # what a real port has, and a pty has not
    termios.tcsetattr(rig.master, termios.TCSANOW, mode)
    listener = Listener(rig.link()).start()
    assert listener.online
    mode = termios.tcgetattr(rig.master)  # a pty keeps one set of settings for both ends
    assert mode[4] == mode[5] == speed
    assert mode[2] & on == on
    assert not mode[2] & off
    assert not mode[2] & termios.HUPCL, "DTR would fall when the daemon restarts"
    assert not mode[3] & (termios.ECHO | termios.ICANON)


async def test_nothing_is_ever_written(rig):
    listener = Listener(rig.link()).start()
    await rig.write(b"*X;1;000;  ;0;000;0\r\n")
    await rig.until(lambda: len(listener.data) == 21, 15)
    listener.link.stop()
    await rig.wait(0.05)
    with pytest.raises(OSError):  # noqa: PT011 - nothing there, or the other end closed: either way no bytes
        os.read(rig.master, 100)


async def test_bytes_of_unknown_age_are_dropped_at_opening(rig):
    slave = os.open(rig.path, os.O_RDWR | os.O_NOCTTY)
    await rig.write(b"old\n")
    listener = Listener(rig.link()).start()
    os.close(slave)
    await rig.write(b"new")
    await rig.until(lambda: listener.data.endswith(b"new"), 15)
    assert listener.data == b"new"


async def test_no_such_port(rig):
    reason = await _first_reason(rig, "serial:/dev/no-such-port")
    assert reason.startswith("/dev/no-such-port: no such port; ")


async def test_no_permission(rig, tmp_path):
    path = tmp_path / "locked"
    path.write_bytes(b"")
    path.chmod(0)
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)  # root may open everything
    try:
        reason = await _first_reason(rig, f"serial:{path}")
    finally:
        os.seteuid(was)
    assert reason.startswith(f"{path}: no permission to open it; ")
    assert "dialout" in reason


async def test_held_by_another_program(rig):
    holder = os.open(rig.path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    reason = await _first_reason(rig, f"serial:{rig.path}")
    os.close(holder)
    assert reason.startswith(f"{rig.path}: another program holds it; ")


async def test_a_file_is_no_port(rig, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"")
    reason = await _first_reason(rig, f"serial:{path}")
    assert "cannot be used as a serial port" in reason


async def test_another_kind_of_failure_is_told_though_off_line_already(rig, tmp_path):
    listener = Listener(rig.link()).start()
    rig.unplug()
    await rig.until(lambda: not listener.online, 15)
    rig.path.write_bytes(b"")  # something else is in its place now
    await rig.until(lambda: len(listener.states) == 3, 15)
    await rig.wait(1.1)
    assert [online for online, _ in listener.states] == [True, False, False]
    assert "unplugged" in listener.states[1][1]
    assert "cannot be used" in listener.states[2][1]
    rig.path.unlink()


async def test_two_ports_swapped_are_two_ports(rig, tmp_path):
    other_directory = tmp_path / "other"
    other_directory.mkdir()
    other = PtyRig(other_directory)
    wheel, shoe = Listener(rig.link()).start(), Listener(other.link()).start()
    await rig.write(b"from wheel")
    await other.write(b"from shoe")
    await rig.until(lambda: wheel.data == b"from wheel" and shoe.data == b"from shoe", 15)
    other.stop_all()
    other.unplug()


async def test_a_flooding_device_does_not_starve_the_others(rig):
    """A thread writes faster than the bytes are digested; a timer of the loop must still come in time."""
    heard = 0

    def digest(data: bytes, t: int) -> None:
        nonlocal heard
        heard += len(data)
        time.sleep(0.001)

    rig.link().start(digest, lambda online, reason: None)
    os.set_blocking(rig.master, True)
    flooding = True
    enough = time.monotonic() + 3

    def flood():
        while flooding and time.monotonic() < enough:
            os.write(rig.master, b"\xaa" * 4000)

    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    late = []
    for _ in range(20):
        before = time.monotonic()
        await rig.wait(0.01)
        late.append(time.monotonic() - before - 0.01)
    flooding = False
    while thread.is_alive():
        await rig.wait(0.01)
    assert heard > 100_000
    assert max(late) < 1


async def test_two_hundred_unplugs_leave_no_descriptor_and_no_thread(rig):
    def descriptors():
        return len(list(Path("/proc/self/fd").iterdir()))

    async def once():
        listener = Listener(rig.link()).start()
        assert listener.online
        rig.unplug()
        await rig.until(lambda: not listener.online, 15)
        listener.link.stop()
        await rig.replug()

    await once()
    threads = {each for each in threading.enumerate() if not each.name.startswith("close ")}  # of other tests too
    await rig.until(lambda: set(threading.enumerate()) <= threads, 15)
    before = descriptors()
    for _ in range(200):
        await once()
    await rig.until(lambda: set(threading.enumerate()) <= threads, 15)
    assert descriptors() == before
