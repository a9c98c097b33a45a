"""The simulated byte link keeps the contract, and what else it offers to whoever plays the device."""

import pytest

from pitwatch.hal.sim import SimClock, SimFactory
from tests.hal.contract_link import ExclusiveLinkContract, Listener
from tests.hal.rigs import SimLinkRig


class TestSimLink(ExclusiveLinkContract):
    @pytest.fixture
    def rig(self):
        return SimLinkRig()


def test_bytes_can_be_planned_ahead():
    clock = SimClock()
    link = SimFactory(clock).link("tcp:box:4001", "shoe")
    listener = Listener(link).start()
    link.inject(b"second", 20)
    link.inject(b"first", 10)
    clock.advance_to(30)
    assert listener.pieces == [(b"first", 10), (b"second", 20)]


def test_what_is_sent_while_unplugged_is_gone():
    clock = SimClock()
    link = SimFactory(clock).link("serial:/dev/ttyUSB0", "wheel")
    listener = Listener(link).start()
    link.unplug()
    link.inject(b"lost")
    link.replug()
    link.inject(b"too early")
    clock.advance_to(500_000_000)
    link.inject(b"heard")
    assert listener.data == b"heard"


def test_bare_sim_links_are_ports_of_their_own():
    factory = SimFactory(SimClock())
    listeners = [Listener(factory.link("sim:", name)).start() for name in ("wheel", "shoe")]
    assert all(listener.online for listener in listeners)
    assert set(factory.links) == {"wheel", "shoe"}


def test_one_port_for_two_devices_is_refused():
    factory = SimFactory(SimClock())
    Listener(factory.link("serial:/dev/ttyUSB0?baud=9600", "wheel")).start()
    second = Listener(factory.link("serial:/dev/ttyUSB0?baud=4800", "shoe")).start()
    assert second.states == [(False, "/dev/ttyUSB0: held by another device; give each device its own")]
