"""The TCP link keeps the contract on the loopback; its reasons; its keepalive."""

import asyncio
import socket

import pytest

from pitwatch.hal.tcp_link import TcpLink
from tests.hal.contract_link import LinkContract, Listener
from tests.hal.rigs import RealTime, TcpRig


@pytest.fixture
async def rig():
    rig = TcpRig()
    await rig.replug()
    yield rig
    rig.stop_all()
    rig.unplug()


class TestTcpLink(LinkContract):
    @pytest.fixture
    def rig(self, rig):
        return rig


async def test_nobody_listening_is_told_in_one_sentence(rig):
    rig.unplug()
    listener = Listener(rig.link()).start()
    await rig.until(lambda: listener.states, 15)
    assert listener.states[0] == (
        False,
        f"tcp:127.0.0.1:{rig.port}: connection refused; switch the box to raw TCP server mode on this port",
    )


@pytest.mark.parametrize("host", ["no-such-box.invalid", "a" * 70 + ".example"])
async def test_a_host_that_is_none_is_told(rig, host):
    link = TcpLink(rig.clock, host, 4001)
    listener = Listener(link).start()
    try:
        await rig.until(lambda: listener.states, 40)  # a resolver without a network may try for long
    finally:
        link.stop()
    assert listener.states[0][1].startswith(f"tcp:{host}:4001: ")
    assert "correct `link`" in listener.states[0][1]


@pytest.mark.parametrize("turns", range(8))
async def test_stopped_while_connecting_it_never_comes_on_line_and_hangs_up(turns):
    """Stopped after so many turns of the loop: before, in the middle of and after the connection."""
    rig = RealTime()
    ended = []

    async def box(reader, writer):
        await reader.read()
        ended.append(True)
        writer.close()

    server = await asyncio.start_server(box, "127.0.0.1", 0)
    listener = Listener(TcpLink(rig.clock, "127.0.0.1", server.sockets[0].getsockname()[1])).start()
    for _ in range(turns):
        await asyncio.sleep(0)
    listener.link.stop()
    said = len(listener.states)
    await rig.wait(0.05)
    assert len(listener.states) == said
    listener.start()
    await rig.until(lambda: listener.online, 15)
    listener.link.stop()
    await rig.until(lambda: ended, 15)
    # Only this test itself is left: each box has seen the end of its connection.
    await rig.until(lambda: len(asyncio.all_tasks()) == 1, 15)
    server.close()


async def test_a_box_that_loses_its_power_is_noticed_by_keepalive(rig):
    listener = Listener(rig.link()).start()
    await rig.until(lambda: listener.online, 15)
    sock = listener.link._receiver.transport.get_extra_info("socket")
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    idle, interval, probes = (
        sock.getsockopt(socket.IPPROTO_TCP, option)
        for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
    )
    assert idle + interval * probes <= 30
