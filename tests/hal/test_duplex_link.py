"""Only the link of a sensor node can be written to, and it is told apart from every other by its type."""

from __future__ import annotations

import asyncio
import os

import pytest

from pitwatch.hal.address import parse
from pitwatch.hal.duplex_serial import DuplexSerialLink
from pitwatch.hal.factory import Factory
from pitwatch.hal.link import ByteLink, DuplexLink
from pitwatch.hal.sim import SimClock, SimFactory
from tests.hal.contract_link import LinkContract
from tests.hal.rigs import PtyRig


@pytest.mark.parametrize("url", ["serial:/dev/ttyUSB0", "tcp:10.0.0.7:4001"])
def test_the_link_of_a_gaming_device_has_nothing_to_write_with(url):
    for factory in (Factory(SimClock()), SimFactory(SimClock())):
        link = factory.link(url, "wheel")
        assert not isinstance(link, DuplexLink)
        assert not hasattr(link, "write")
    with pytest.raises(ValueError, match="is written to"):
        Factory(SimClock()).duplex(url)
    assert not hasattr(ByteLink, "write")


def test_a_nodes_address():
    address = parse("node:serial:/dev/serial/by-id/usb-Pico?baud=921600#e660583883724a32")
    assert (address.path, address.baud, address.node) == ("/dev/serial/by-id/usb-Pico", 921600, "e660583883724a32")
    assert address.is_lines
    plain = parse("node:serial:/dev/ttyACM0")
    assert (plain.baud, plain.bits, plain.parity, plain.stop, plain.node) == (115200, 8, "N", 1, "")
    assert isinstance(Factory(SimClock()).duplex("node:serial:/dev/ttyACM0"), DuplexLink)


@pytest.mark.parametrize("url", ["node:serial:/dev/ttyACM0#", "node:serial:ttyACM0", "node:/dev/ttyACM0", "node:"])
def test_what_is_wrong_with_an_address_is_said_in_one_line(url):
    with pytest.raises(ValueError, match=r"^link .*; ") as caught:
        parse(url)
    assert "\n" not in str(caught.value)


class DuplexRig(PtyRig):
    def link(self) -> DuplexSerialLink:
        link = DuplexSerialLink(self.clock, parse(f"serial:{self.path}"))
        self.made.append(link)
        return link


@pytest.fixture
async def rig(tmp_path):
    rig = DuplexRig(tmp_path)
    yield rig
    rig.stop_all()
    rig.unplug()


class TestDuplexSerialLink(LinkContract):
    @pytest.fixture
    def rig(self, rig):
        return rig

    async def test_what_is_written_arrives_whole_and_in_order(self, rig):
        listener = await self._listen(rig)
        sent = [bytes([number % 256]) * 100 for number in range(100)]
        for piece in sent:
            listener.link.write(piece)
        got = bytearray()
        while len(got) < 10_000:
            await asyncio.sleep(0.001)
            try:
                got += os.read(rig.master, 4096)
            except BlockingIOError:
                continue
        assert got == b"".join(sent)

    async def test_a_port_that_takes_nothing_costs_memory_up_to_an_end(self, rig):
        listener = await self._listen(rig)
        for _ in range(2000):
            listener.link.write(bytes(100))
        assert len(listener.link._waiting) <= 16_384
        assert listener.states == [(True, "")]

    async def test_writing_off_line_does_nothing(self, rig):
        link = rig.link()
        link.write(b"early")
        listener = await self._listen(rig)
        rig.unplug()
        listener.link.write(b"late")
        await rig.until(lambda: not listener.online, 2)
        listener.link.write(b"later")
        assert listener.link._waiting == b""
