"""The board's device files, shown elsewhere than in /dev: what is opened, and by which name it is spoken of."""

import os

import pytest

from pitwatch.hal.address import parse
from pitwatch.hal.device_files import BOARD_DEVICES, configured_path, device_file, device_folder
from pitwatch.hal.serial_link import SerialLink
from tests.hal.contract_link import Listener
from tests.hal.rigs import PtyRig


def test_without_a_word_they_are_in_dev(monkeypatch):
    monkeypatch.delenv(BOARD_DEVICES, raising=False)
    assert device_folder() == "/dev"
    assert device_file("/dev/ttyS0") == configured_path("/dev/ttyS0") == "/dev/ttyS0"
    monkeypatch.setenv(BOARD_DEVICES, "")
    assert device_folder() == "/dev"


@pytest.mark.parametrize("path", ["/dev/ttyUSB0", "/dev/serial/by-id/usb-FTDI_1-if00-port0", "/dev/input/event0"])
def test_elsewhere_and_back(monkeypatch, path):
    monkeypatch.setenv(BOARD_DEVICES, "/devices")
    assert device_file(path) == path.replace("/dev/", "/devices/")
    assert configured_path(device_file(path)) == path


@pytest.mark.parametrize("path", ["/device", "/srv/dev/ttyS0", "dev/ttyS0", "/dev"])
def test_what_is_not_in_dev_stays_where_it_is(monkeypatch, path):
    monkeypatch.setenv(BOARD_DEVICES, "/devices")
    assert device_file(path) == configured_path(path) == path


async def test_a_port_is_opened_there_through_its_lasting_name_and_spoken_of_as_configured(tmp_path, monkeypatch):
    """Names by id are relative links, so they lead to what lies beside them."""
    rig = PtyRig(tmp_path)
    names = tmp_path / "devices" / "serial" / "by-id"
    names.mkdir(parents=True)
    os.symlink("../../ttyUSB0", names / "usb-a")
    os.symlink(rig.path, tmp_path / "devices" / "ttyUSB0")
    monkeypatch.setenv(BOARD_DEVICES, str(tmp_path / "devices"))
    there = Listener(SerialLink(rig.clock, parse("serial:/dev/serial/by-id/usb-a"))).start()
    missing = Listener(SerialLink(rig.clock, parse("serial:/dev/serial/by-id/usb-b"))).start()
    try:
        assert there.online
        await rig.until(lambda: missing.states, 15)
        assert missing.states[0][1].startswith("/dev/serial/by-id/usb-b: no such port")
    finally:
        there.link.stop()
        missing.link.stop()
        rig.unplug()
