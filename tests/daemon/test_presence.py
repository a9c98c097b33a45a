"""Boxes and adapters that open and hang up: one absence, told once, which ends when something is understood.

The box is a real TCP server; time is the daemon's own and passes as the test says.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter

import pytest

from pitwatch.daemon.config import config
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.wiring.nodes import Hardware
from pitwatch.devices.protocols import angel_eye
from pitwatch.hal.sim import SimClock, SimFactory
from pitwatch.hal.tcp_link import HUNG_UP_FIX
from tests.roulette import roulette

SECOND = 1_000_000_000
STATUS = b"*X;2;007; 9;0;150;1\r\n"
SHOE = '[[device]]\nid = "shoe"\ntype = "shoe"\nprotocol = "angel_eye"\nlink = "{}"\n'


class Box:
    """A serial-to-TCP box. `hold`: seconds it keeps a client, None for ever; `greeting`: what it sends first."""

    def __init__(self, clock):
        self.clock = clock
        self.hold: float | None = None
        self.greeting = b""
        self.clients: list[asyncio.StreamWriter] = []
        self.accepted = 0
        self.port = 0
        self._server: asyncio.Server | None = None

    async def switch_on(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def switch_off(self):
        if self._server is not None:
            self._server.close()
        for writer in list(self.clients):
            self._hang_up(writer)

    def say(self, data):
        for writer in self.clients:
            writer.write(data)

    async def _serve(self, reader, writer):
        self.accepted += 1
        self.clients.append(writer)
        if self.greeting:
            writer.write(self.greeting)
        if self.hold == 0:
            self._hang_up(writer)
        elif self.hold is not None:
            self.clock.call_at(self.clock.now() + round(self.hold * SECOND), lambda: self._hang_up(writer))

    def _hang_up(self, writer):
        if writer in self.clients:
            self.clients.remove(writer)
            writer.close()


class Table:
    def __init__(self, folder, clock, opener, text):
        (folder / "table.toml").write_text(text)
        self.clock = clock
        self.box: Box | None = None
        self.daemon = Daemon(config.load(folder / "table.toml"), clock, opener)

    async def settle(self):
        """Until both ends of the wire have seen what the other did."""
        patience = time.monotonic() + 20
        link = self.daemon._wires[0]._link
        while self.box is not None:
            receiver = link._receiver
            connected = receiver is not None and receiver.transport is not None
            if link._connecting is None and connected == bool(self.box.clients):
                break
            assert time.monotonic() < patience
            await asyncio.sleep(0)
        for _ in range(3):
            await asyncio.sleep(0)

    async def wait(self, seconds):
        end = self.clock.now() + round(seconds * SECOND)
        while True:
            due = self.clock.next_timer()
            self.clock.advance_to(end if due is None else min(max(due, self.clock.now()), end))
            await self.settle()
            if self.clock.now() >= end and (self.clock.next_timer() or end + 1) > end:
                return

    async def hear(self, data):
        """The device says something, and it has come."""
        tape = self.daemon.channels["wheel" if "wheel" in self.daemon.channels else "shoe"]
        before = self.daemon._wires[0].presence._tried
        self.box.say(data)
        patience = time.monotonic() + 20
        came = self.daemon.tape._pieces
        size = sum(piece.size() for piece in came)
        while sum(piece.size() for piece in came) == size and self.daemon._wires[0].presence._tried == before:
            assert time.monotonic() < patience, tape.id
            await asyncio.sleep(0)

    async def end(self):
        self.settle = lambda: asyncio.sleep(0)
        await self.daemon.stop()
        if self.box is not None:
            self.box.switch_off()

    def records(self):
        store = Store(self.daemon.journal.path, read_only=True)
        found = [(r.kind, json.loads(r.body), r.t_ns / SECOND) for r, _ in store.records()]
        store.close()
        return found

    def states(self):
        return [(data["state"], data["reason"]) for kind, data, _ in self.records() if kind == "device"]

    def vanished(self):
        """When it was told, in seconds."""
        return [t for kind, data, t in self.records() if kind == "irregularity" and "vanished" in data["rule"]]


@pytest.fixture
async def at_box(tmp_path):
    """A wheel (or a shoe) behind a box, not yet started."""
    made = []

    async def make(device=None):
        clock = SimClock(now=1000 * SECOND)
        box = Box(clock)
        await box.switch_on()
        link = f"tcp:127.0.0.1:{box.port}"
        text = roulette(link, "mqtt://127.0.0.1:9", "journal.db")
        if device:
            head, _, _ = roulette(link, "mqtt://127.0.0.1:9", "journal.db").partition("[[device]]")
            text = head.replace("toledo-2020/roulette", "toledo-2020/mini-midi-baccarat") + device.format(link)
        table = Table(tmp_path, clock, Hardware(clock), text)
        table.box = box
        made.append(table)
        return table

    yield make
    for table in made:
        table.box.switch_off()


NOISE = [b"", b"\x00", b"\xff\x81\x05"]


@pytest.mark.parametrize("hold", [0, 1])
@pytest.mark.parametrize("noise", NOISE)
async def test_a_box_that_hangs_up_again_and_again_is_one_absence(at_box, hold, noise):
    table = await at_box()
    await table.daemon.start()
    await table.settle()
    for _ in range(2):
        await table.hear(STATUS)
        await table.wait(20)
    table.box.hold, table.box.greeting = hold, noise
    table.box._hang_up(table.box.clients[0])  # whoever has come in its place holds the port from now on
    await table.settle()
    began = table.clock.now() / SECOND
    await table.wait(3600)
    accepted = table.box.accepted
    await table.end()
    assert 100 < accepted < 200, "it is tried on, more slowly"
    told = [each for each in table.records() if each[2] > began]
    states = table.states()
    assert [state for state, _ in states] == ["online", "offline", "online", "offline"], "one try is believed"
    assert states[3][1] == f"tcp:127.0.0.1:{table.box.port}: the box accepted the connection and hung up; {HUNG_UP_FIX}"
    assert "another client may hold the port" in states[3][1]
    assert len(table.vanished()) == 1
    assert 600 <= table.vanished()[0] - began <= 635
    alerts = [data for kind, data, _ in told if kind == "alert"]
    assert [(alert["key"], alert["raised"]) for alert in alerts] == [
        ("wheel-offline", False),
        ("wheel-offline", True),
    ]
    counted = Counter(kind for kind, _, _ in told)
    del counted["checkpoint"], counted["wire"], counted["system"]
    assert sum(counted.values()) <= 10, counted


async def test_what_is_understood_ends_the_absence_and_nothing_of_it_is_lost(at_box):
    table = await at_box()
    table.box.hold = 0
    await table.daemon.start()
    await table.wait(120)
    assert table.daemon._wires[0].presence.away_since is not None
    table.box.hold = None
    await table.wait(31)
    assert table.box.clients
    before = table.daemon.channels["wheel"]._device._device.understood
    await table.hear(b"\x00\x00" + STATUS[:5])
    assert not table.daemon._wires[0].presence.told
    await table.hear(STATUS[5:] + STATUS)
    assert table.daemon._wires[0].presence.proved
    assert table.daemon.channels["wheel"]._device._device.understood == before + 2
    await table.wait(2)
    await table.end()
    assert table.states()[-1] == ("online", None)
    assert table.vanished() == []


async def test_a_quiet_device_that_comes_back_is_on_line_once_its_connection_has_stood(at_box):
    table = await at_box(SHOE)
    table.box.hold = 0
    await table.daemon.start()
    await table.wait(60)
    table.box.hold = None
    await table.wait(31 + 59)
    assert table.box.clients
    await table.wait(32)
    await table.end()
    assert table.states()[-1] == ("online", None)


async def test_a_quiet_healthy_device_is_on_line_for_hours(at_box):
    table = await at_box(SHOE)
    await table.daemon.start()
    await table.wait(3 * 3600)
    await table.hear(angel_eye.frame("1", b"S"))
    await table.end()
    assert table.states() == [("online", None)]
    assert table.vanished() == []
    assert table.box.accepted == 1


@pytest.mark.parametrize("dark", [0, 30, 590])
async def test_a_box_that_starts_anew_comes_back_and_its_quiet_device_with_it(at_box, dark):
    table = await at_box(SHOE)
    await table.daemon.start()
    await table.wait(300)
    table.box.switch_off()
    await table.wait(dark)
    await table.box.switch_on()
    await table.wait(31)
    assert table.daemon._states.states["shoe"].state == "online"
    await table.wait(3600)
    await table.end()
    assert [state for state, _ in table.states()] == ["online", "offline", "online"]
    assert table.vanished() == []


async def test_a_connection_in_between_does_not_begin_the_absence_anew(at_box):
    """Nine minutes without the box, then one that hangs up after a second, then nothing again."""
    table = await at_box(SHOE)
    await table.daemon.start()
    await table.wait(300)
    table.box.switch_off()
    began = table.clock.now() / SECOND
    await table.wait(530)
    table.box.hold = 1
    await table.box.switch_on()
    await table.wait(40)
    assert table.box.accepted > 1
    table.box.switch_off()
    await table.wait(600)
    await table.end()
    (told,) = table.vanished()
    assert 600 <= told - began <= 635


async def test_a_box_that_lets_a_word_through_and_hangs_up_is_bounded_too(at_box):
    """Each connection proves the device, so each is told; how often is bounded."""
    table = await at_box()
    table.box.hold, table.box.greeting = 0.1, STATUS
    await table.daemon.start()
    await table.wait(3600)
    await table.end()
    assert table.box.accepted < 250
    assert table.vanished() == []


@pytest.mark.parametrize("stands", [0, 3])
async def test_an_adapter_that_comes_and_goes_is_one_absence(tmp_path, stands):
    clock = SimClock(now=1000 * SECOND)
    factory = SimFactory(clock)
    table = Table(tmp_path, clock, factory, roulette("sim:", "mqtt://127.0.0.1:9", "journal.db"))
    await table.daemon.start()
    link = factory.links["wheel"]
    for _ in range(2):
        link.inject(STATUS)
        await table.wait(20)
    link.unplug()
    for _ in range(3600 // 5):
        link.replug()
        await table.wait(5 - stands)
        link.unplug()
        await table.wait(stands)
    await table.end()
    assert [state for state, _ in table.states()][:2] == ["online", "offline"]
    assert len(table.states()) <= 5
    assert len(table.vanished()) == 1
