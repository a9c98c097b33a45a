"""The RFC 2217 link keeps the contract with pyserial's server; what it sets, what it says when that cannot be had."""

import asyncio
import os
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal import rfc2217
from pitwatch.hal.address import parse
from pitwatch.hal.rfc2217_link import Rfc2217Link
from tests.hal.contract_link import LinkContract, Listener
from tests.hal.rigs import RealTime, Rfc2217Rig

IAC = 255


@pytest.fixture
async def rig():
    rig = Rfc2217Rig()
    await rig.replug()
    yield rig
    rig.stop_all()
    await rig.wait(0)
    rig.close()


class TestRfc2217Link(LinkContract):
    @pytest.fixture
    def rig(self, rig):
        return rig


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ("?baud=4800&bits=7&parity=E&stop=2", (4800, 7, "E", 2)),
        ("", (9600, 8, "N", 1)),
        ("?parity=O", (9600, 8, "O", 1)),
    ],
)
async def test_the_box_s_port_is_set_as_the_url_says(rig, options, settings):
    rig.options = options
    listener = Listener(rig.link()).start()
    await rig.until(lambda: listener.online, 15)
    port = rig.serial
    assert (port.baudrate, port.bytesize, port.parity, port.stopbits) == settings
    assert not port.rtscts
    assert not port.xonxoff


async def test_nothing_reaches_the_device(rig):
    listener = Listener(rig.link()).start()
    await rig.until(lambda: listener.online, 15)
    await rig.write(b"*X;1;000;  ;0;000;0\r\n")
    await rig.until(lambda: len(listener.data) == 21, 15)
    listener.link.stop()
    await rig.wait(0.05)
    assert rig.said, "the box was spoken to"
    with pytest.raises(BlockingIOError):
        os.read(rig.master, 100)


class Box(RealTime):
    """A box that answers by a script: a function of what it has heard so far."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    async def reason(self, options="?baud=9600"):
        """The first thing a link says of the box."""

        async def serve(reader, writer):
            while data := await reader.read(1000):
                writer.write(self.answer(data))
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        link = Rfc2217Link(self.clock, parse(f"rfc2217:127.0.0.1:{self.port}{options}"))
        listener = Listener(link).start()
        try:
            await self.until(lambda: listener.states, 15)
        finally:
            link.stop()
            server.close()
        await self.wait(0.01)
        online, reason = listener.states[0]
        assert not online
        return reason.removeprefix(f"rfc2217:127.0.0.1:{self.port}: ")


async def test_a_box_in_raw_mode_is_told(monkeypatch):
    monkeypatch.setattr("pitwatch.hal.rfc2217_link.ANSWER_NS", 100_000_000)
    reason = await Box(lambda data: b"*X;1;000;  ;0;000;0\r\n").reason()
    what, fix = reason.split("; ")
    assert what == "the box does not answer as RFC 2217 wants"
    assert fix == "switch it to RFC 2217 (telnet) mode, or write tcp: for raw mode"


async def test_a_telnet_box_without_port_control_is_told():
    reason = await Box(lambda data: bytes((IAC, rfc2217.DONT, rfc2217.COM_PORT))).reason()
    assert reason.startswith("the box does not let its port be set (RFC 2217); ")


async def test_a_box_that_cannot_do_the_speed_is_told():
    def answer(data):
        said = bytes((IAC, rfc2217.DO, rfc2217.COM_PORT))
        if bytes((IAC, rfc2217.SB, rfc2217.COM_PORT)) in data:
            said += bytes((IAC, rfc2217.SB, 44, 101)) + (9600).to_bytes(4, "big") + bytes((IAC, rfc2217.SE))
        return said

    reason = await Box(answer).reason("?baud=4800")
    assert reason.startswith("the box cannot be set to 4800 baud: it answered 9600 baud; ")


def test_a_box_that_says_nothing_to_flow_control_is_ready():
    """Some do not; pyserial has a setting for them, ignore_set_control_answer."""
    there = session()
    there.feed(bytes((IAC, rfc2217.DO, rfc2217.COM_PORT)))
    answers = [(101, (9600).to_bytes(4, "big")), (102, b"\x08"), (103, b"\x01"), (104, b"\x01")]
    for number, (command, value) in enumerate(answers):
        assert not there.ready, number
        there.feed(bytes((IAC, rfc2217.SB, rfc2217.COM_PORT, command)) + value + bytes((IAC, rfc2217.SE)))
    assert there.ready
    there.feed(bytes((IAC, rfc2217.SB, rfc2217.COM_PORT, 105, 0, IAC, rfc2217.SE)))
    assert (there.ready, there.trouble) == (True, "")


def session():
    return rfc2217.Session(parse("rfc2217:box:1?baud=9600"))


def binary():
    """A session in which the box sends in binary."""
    there = session()
    there.feed(bytes((IAC, rfc2217.WILL, rfc2217.BINARY)))
    return there


@given(st.binary(max_size=300), st.lists(st.integers(0, 600), max_size=8))
def test_the_device_s_bytes_come_out_whole_however_they_are_split(data, cuts):
    """With commands of the box in between."""
    go_ahead = bytes((IAC, 249))
    state = bytes((IAC, rfc2217.SB, 44, 107, 176, IAC, rfc2217.SE))
    doubled = [data[i : i + 1].replace(b"\xff", b"\xff\xff") for i in range(len(data))]
    wire = b"".join((go_ahead, b"", state)[i % 3] + byte for i, byte in enumerate(doubled))
    places = sorted({0, *(min(cut, len(wire)) for cut in cuts), len(wire)})
    there = binary()
    assert b"".join(there.feed(wire[a:b]) for a, b in pairwise(places)) == data


def test_before_the_box_sends_in_binary_a_return_is_cr_nul():
    assert session().feed(b"31\r\x00\n\x00") == b"31\r\n\x00"
    assert binary().feed(b"31\r\x00\n\x00") == b"31\r\x00\n\x00"


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_no_box_however_mad_raises_or_is_answered_without_end(pieces):
    there = session()
    for piece in pieces:
        there.out.clear()
        there.feed(piece)
        assert len(there.out) <= 3 * len(piece) + 60


def test_two_ends_that_agree_say_no_more():
    there = session()
    there.out.clear()
    for verb, option in ((rfc2217.DO, 44), (rfc2217.WILL, 44), (rfc2217.WILL, 0), (rfc2217.DO, 0), (rfc2217.WILL, 3)):
        there.feed(bytes((IAC, verb, option)))
    assert there.out.count(bytes((IAC, rfc2217.SB))) == 5
    there.out.clear()
    for verb, option in ((rfc2217.DO, 44), (rfc2217.WILL, 0), (rfc2217.WILL, 3)):
        there.feed(bytes((IAC, verb, option)))
    assert not there.out
    there.feed(bytes((IAC, rfc2217.WILL, 1, IAC, rfc2217.DO, 31)))
    assert there.out == bytes((IAC, rfc2217.DONT, 1, IAC, rfc2217.WONT, 31))
