"""What a `link` may be, and the one line that says what is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal.address import SCHEMES
from pitwatch.hal.duplex_serial import DuplexSerialLink
from pitwatch.hal.factory import Factory, check_lines, check_url
from pitwatch.hal.gpiod_lines import GpiodLines
from pitwatch.hal.hid_link import HidLink
from pitwatch.hal.line import LineSpec
from pitwatch.hal.rfc2217_link import Rfc2217Link
from pitwatch.hal.serial_link import SerialLink
from pitwatch.hal.sim import SimClock, SimFactory, SimLines, SimLink
from pitwatch.hal.tcp_link import TcpLink
from pitwatch.hal.w1_link import W1Link


def line(name="beam", chip="pinctrl-bcm2711", number=17, **rest):
    return LineSpec(name, chip, number, **rest)


def test_serial():
    address = check_url("serial:/dev/serial/by-id/usb-FTDI_A5-if00-port0?baud=4800&parity=E&bits=7&stop=2")
    assert address.scheme == "serial"
    assert address.path == "/dev/serial/by-id/usb-FTDI_A5-if00-port0"
    assert (address.baud, address.parity, address.bits, address.stop) == (4800, "E", 7, 2)


def test_serial_defaults():
    address = check_url("serial:/dev/ttyUSB0")
    assert (address.baud, address.parity, address.bits, address.stop) == (9600, "N", 8, 1)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("tcp:box.example:4001", "box.example", 4001),
        ("tcp:[fd00::7]:1", "fd00::7", 1),
        ("tcp:10.0.0.2:65535", "10.0.0.2", 65535),
    ],
)
def test_tcp(url, host, port):
    address = check_url(url)
    assert (address.scheme, address.host, address.port) == ("tcp", host, port)
    assert not address.is_lines


def test_a_port_on_the_network_that_is_set_from_here():
    address = check_url("rfc2217:[fd00::7]:4001?parity=E", (4800, "7N2"))
    assert (address.host, address.port, address.baud) == ("fd00::7", 4001, 4800)
    assert (address.bits, address.parity, address.stop) == (7, "E", 2)


def test_a_reader_that_types():
    assert check_url("hid:/dev/input/by-id/usb-Scanner-event-kbd").path == "/dev/input/by-id/usb-Scanner-event-kbd"


def test_a_reader_on_a_bus():
    address = check_url("osdp:serial:/dev/ttyUSB0?baud=115200&address=5&key_file=/etc/pitwatch/keys.scbk")
    assert (address.path, address.baud, address.address) == ("/dev/ttyUSB0", 115200, 5)
    assert address.key_file == "/etc/pitwatch/keys.scbk"


@pytest.mark.parametrize("url", ["gpio:", "wiegand:"])
def test_lines(url):
    assert check_url(url).is_lines


@pytest.mark.parametrize("url", ["none", "sim:", "sim:wheel"])
def test_no_hardware(url):
    assert not check_url(url).is_lines


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("", "unknown kind"),
        ("serial", "unknown kind"),
        ("none:", "none"),
        ("usb:/dev/ttyUSB0", "must begin with one of serial:, tcp:, rfc2217:"),
        ("/dev/ttyUSB0", "unknown kind"),
        ("SERIAL:/dev/ttyUSB0", "unknown kind"),
        ("serial:", "names no port"),
        ("serial:ttyUSB0", "such as serial:/dev/ttyUSB0?baud=9600"),
        ("serial:/dev/ttyUSB0?baud=fast", "baud=fast; it must be a whole number from 50 to 4000000"),
        ("serial:/dev/ttyUSB0?baud=", "baud="),
        ("serial:/dev/ttyUSB0?baud=-9600", "whole number"),
        ("serial:/dev/ttyUSB0?baud=9600.0", "whole number"),
        ("serial:/dev/ttyUSB0?baud=40000000000", "whole number"),
        ("serial:/dev/ttyUSB0?baud=10", "from 50"),
        ("serial:/dev/ttyUSB0?speed=9600", "unknown setting 'speed'; known are baud, parity, bits, stop"),
        ("serial:/dev/ttyUSB0?baud=9600&baud=4800", "baud is given twice"),
        ("serial:/dev/ttyUSB0?parity=even", "parity=even; it must be one of N, E, O"),
        ("serial:/dev/ttyUSB0?bits=9", "from 5 to 8"),
        ("serial:/dev/ttyUSB0?stop=0", "from 1 to 2"),
        ("serial:/dev/ttyUSB0?", ""),
        ("tcp:box", "wants a host and a port"),
        ("tcp:", "wants a host and a port"),
        ("tcp::4001", "wants a host and a port"),
        ("tcp:box:", "port=; it must be a whole number from 1 to 65535"),
        ("tcp:box:0", "from 1 to 65535"),
        ("tcp:box:65536", "from 1 to 65535"),
        ("tcp:fd00::7:4001", "an IPv6 address in [ ]"),
        ("tcp://box:4001", "is no host"),
        ("tcp:box\0:4001", "holds a character that no name has"),
        ("hid:/dev/input/event3\n", "holds a character that no name has"),
        ("gpio:17", "after the colon may stand libgpiod or RPi.GPIO"),
        ("wiegand:reader", "after the colon may stand libgpiod or RPi.GPIO"),
        ("node:left-rail", "names no port"),
        ("rfc2217:box", "such as rfc2217:192.168.1.20:4001"),
        ("rfc2217:box:4001?parity=even", "parity=even; it must be one of N, E, O"),
        ("hid:scanner", "write the whole path"),
        ("osdp:/dev/ttyUSB0", "write the port after osdp:"),
        ("osdp:serial:/dev/ttyUSB0?address=127", "address=127; it must be a whole number from 0 to 126"),
        ("osdp:serial:/dev/ttyUSB0?key_file=keys", "key_file=keys; it must be a whole path"),
        ("serial:/dev/ttyUSB0?address=1", "unknown setting 'address'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(url, what):
    if not what:  # an empty query is nothing to complain of
        assert check_url(url).baud == 9600
        return
    with pytest.raises(ValueError, match=r"^link ") as caught:
        check_url(url)
    message = str(caught.value)
    assert what in message
    assert repr(url) in message
    assert "\n" not in message


@given(
    st.one_of(
        st.text(max_size=40),
        st.from_regex(r"(serial|tcp|rfc2217|hid|osdp|gpio|none|sim):[/a-z0-9?&=:\[\].]{0,30}", fullmatch=True),
    )
)
def test_any_text_is_either_an_address_or_one_clear_line(text):
    try:
        address = check_url(text)
    except ValueError as error:
        assert str(error).startswith("link ")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert address.scheme + ":" in SCHEMES or address.scheme == "none"


def test_a_protocol_fills_in_what_the_url_leaves_out():
    link = Factory(SimClock()).link("serial:/dev/ttyUSB0?parity=O", "shoe", (4800, "7E2"))
    assert isinstance(link, SerialLink)
    a = link._address
    assert (a.baud, a.bits, a.parity, a.stop) == (4800, 7, "O", 2)


def test_the_back_end_follows_the_url():
    factory = Factory(SimClock())
    assert isinstance(factory.link("tcp:box:4001", "shoe"), TcpLink)
    assert isinstance(factory.link("rfc2217:box:4001", "shoe"), Rfc2217Link)
    assert isinstance(factory.link("hid:/dev/input/event3", "shoe"), HidLink)
    assert isinstance(factory.link("w1:", "keys"), W1Link)
    assert factory.link("w1:/run/w1", "keys")._path == "/run/w1"
    assert isinstance(factory.duplex("osdp:serial:/dev/ttyUSB0"), DuplexSerialLink)
    assert isinstance(factory.lines("gpio:", [line()], "dice"), GpiodLines)
    assert isinstance(factory.lines("wiegand:", [line()], "keys"), GpiodLines)


def test_simulated_back_ends_are_had_by_the_same_urls():
    factory = SimFactory(SimClock())
    assert isinstance(factory.link("serial:/dev/ttyUSB0", "wheel"), SimLink)
    assert isinstance(factory.lines("gpio:", [line()], "dice"), SimLines)
    assert factory.links["wheel"] is not None
    assert factory.banks["dice"] is not None


@pytest.mark.parametrize("make", [Factory, SimFactory])
def test_lines_for_bytes_and_bytes_for_lines_are_refused(make):
    factory = make(SimClock())
    with pytest.raises(ValueError, match=r"^dice: .*use serial:, tcp:, rfc2217:, hid:, w1: or mqtt:$"):
        factory.link("gpio:", "dice")
    with pytest.raises(ValueError, match=r"^wheel: .*use gpio:, wiegand:, modbus: or onvif:$"):
        factory.lines("serial:/dev/ttyUSB0", [line()], "wheel")


@pytest.mark.parametrize(
    "url", ["serial:/dev/ttyUSB0", "tcp:box:4001", "rfc2217:box:4001", "hid:/dev/input/event3", "gpio:"]
)
def test_no_link_to_a_gaming_device_can_be_written_to(url):
    with pytest.raises(ValueError, match="only a sensor node or a key-card reader is written to"):
        Factory(SimClock()).duplex(url)


@pytest.mark.parametrize(("url", "why"), [("none", "for replay only"), ("sim:", "only on the bench")])
def test_what_is_no_hardware_cannot_be_opened_for_real(url, why):
    with pytest.raises(ValueError, match=why):
        Factory(SimClock()).link(url, "wheel")


@pytest.mark.parametrize(
    ("specs", "what"),
    [
        ([line(), line(number=18)], "line beam: is given twice"),
        ([line("a"), line("b")], "line b: pinctrl-bcm2711 line 17 is claimed by a already"),
        ([line(chip="")], "names no chip"),
        ([line(number=-1)], "from 0"),
        ([line(bias="up")], "bias 'up'; it must be one of as-is, pull-up, pull-down, disabled"),
        ([line(debounce_us=-1)], "debounce_us -1"),
        ([line(debounce_us=60_000_000)], "debounce_us 60000000"),
    ],
)
def test_lines_that_cannot_be_requested_together(specs, what):
    for refuse in (
        lambda: check_lines(specs),
        lambda: Factory(SimClock()).lines("gpio:", specs, "dice"),
        lambda: SimFactory(SimClock()).lines("gpio:", specs, "dice"),
    ):
        with pytest.raises(ValueError, match=r"^line ") as caught:
            refuse()
        assert what in str(caught.value)


def test_the_same_offset_on_two_chips_is_two_lines():
    check_lines([line("a"), line("b", chip="mcp23017")])
