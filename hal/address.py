"""Parses the `link` of a device's configuration. MicroPython subset. Opens nothing.

serial:/dev/serial/by-id/usb-…?baud=9600&parity=N&bits=8&stop=1     tcp:host:port     rfc2217:host:port?baud=9600&…
hid:/dev/input/by-id/…     w1:/sys/bus/w1/devices
osdp:serial:/dev/…?baud=9600&address=0&key_file=…     node:serial:/dev/…?baud=…#unique-id
modbus:host:502?unit=1&poll_ms=50     mqtt:host:1883/topic/filter     onvif:host:1883/prefix
gpio:     wiegand:     gpio:RPi.GPIO     wiegand:RPi.GPIO     sim:     none
"""

from pitwatch.hal.line import BIASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.hal.line import LineSpec

SCHEMES = (
    "serial:",
    "tcp:",
    "rfc2217:",
    "hid:",
    "w1:",
    "osdp:",
    "gpio:",
    "wiegand:",
    "node:",
    "modbus:",
    "mqtt:",
    "onvif:",
    "sim:",
    "none",
)
BAUD_LEAST = 50
BAUD_MOST = 4_000_000
PARITIES = ("N", "E", "O", "M", "S")
STACKS = ("libgpiod", "RPi.GPIO")
W1_FOLDER = "/sys/bus/w1/devices"
NODE_SERIAL = (115200, "8N1")
SERIAL_KEYS = ("baud", "parity", "bits", "stop")
MODBUS_UNIT, MODBUS_POLL = 1, (50, 5, 60_000)
"""Unit of a module, and milliseconds between two questions (usual, least, most), where the URL is silent."""
OSDP_KEYS = ("address", "key_file")
OSDP_SERIAL = (9600, "8N1")
OSDP_HIGHEST = 126  # 127 calls every reader at once


class Address:
    """scheme without colon; path (serial, hid, w1, osdp, node); host, port (tcp, rfc2217, modbus, mqtt, onvif); baud,
    bits, parity, stop (those with a serial port); stack (lines); node: unique id that a sensor node must have, or "";
    address of a reader on its bus and key_file, "" for none (osdp); unit and poll_ms of a module (modbus); topic, user,
    password_file and ca, "" for none (mqtt, onvif: the prefix)."""

    __slots__ = (
        "address", "baud", "bits", "host", "key_file", "node", "parity", "path", "poll_ms", "port", "scheme", "stack",
        "stop", "unit", "topic", "user", "password_file", "ca",
    )  # fmt: skip

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme
        self.path = ""
        self.host = ""
        self.port = 0
        self.node = ""
        self.baud = 0
        self.bits = 8
        self.parity = "N"
        self.stop = 1
        self.stack = STACKS[0]
        self.address = 0
        self.key_file = ""
        self.unit = 0
        self.poll_ms = 0
        self.topic = ""
        self.user = ""
        self.password_file = ""
        self.ca = ""

    @property
    def is_lines(self) -> bool:
        """Whether it opens digital lines rather than a stream of bytes."""
        return self.scheme in ("gpio", "wiegand", "node", "modbus", "onvif")


def parse(url: str, serial: "tuple[int, str]" = (9600, "8N1")) -> Address:
    """The parts of a link URL. `serial` is what the protocol states (baud, "8N1"), used where the URL is silent.

    Raises ValueError with one line that says what is wrong and what would be right.
    """
    scheme, colon, rest = url.partition(":")
    if url == "none":
        return Address("none")
    if not colon or scheme + ":" not in SCHEMES:
        raise ValueError("link %r: unknown kind; it must begin with one of %s" % (url, ", ".join(SCHEMES)))
    if any([char < " " or char == "\x7f" for char in url]):
        raise ValueError("link %r: holds a character that no name has; write it anew" % url)
    address = Address(scheme)
    if scheme == "serial":
        _parse_serial(url, rest, serial, address)
    elif scheme == "tcp":
        _parse_tcp(url, rest, address)
    elif scheme == "rfc2217":
        place, _, query = rest.partition("?")
        _parse_tcp(url, place, address)
        _parse_settings(url, query, serial, address)
    elif scheme == "hid":
        if not rest.startswith("/") or rest == "/":
            raise ValueError("link %r: names no device; write the whole path, such as hid:/dev/input/by-id/…" % url)
        address.path = rest
    elif scheme == "w1":
        if rest and not rest.startswith("/"):
            raise ValueError("link %r: names no folder; write w1: alone, or the whole path of the folder" % url)
        address.path = rest or W1_FOLDER
    elif scheme == "osdp":
        if not rest.startswith("serial:"):
            raise ValueError(
                "link %r: names no port; write the port after osdp:, such as osdp:serial:/dev/ttyUSB0" % url
            )
        _parse_serial(url, rest[7:], OSDP_SERIAL, address, OSDP_KEYS)
    elif scheme in ("mqtt", "onvif"):
        _parse_mqtt(url, rest, address)
    elif scheme == "modbus":
        _parse_modbus(url, rest, address)
    elif scheme == "node":
        _parse_node(url, rest, address)
    elif scheme in ("gpio", "wiegand") and rest:
        if rest not in STACKS:
            raise ValueError(
                "link %r: after the colon may stand %s; chips and lines stand in the device's `lines`"
                % (url, " or ".join(STACKS))
            )
        address.stack = rest
    return address


def _parse_serial(
    url: str, rest: str, serial: "tuple[int, str]", address: Address, more: "tuple[str, ...]" = ()
) -> None:
    path, _, query = rest.partition("?")
    if not path.startswith("/") or path == "/":
        raise ValueError("link %r: names no port; write the whole path, such as serial:/dev/ttyUSB0?baud=9600" % url)
    address.path = path
    _parse_settings(url, query, serial, address, more)


def _parse_settings(
    url: str, query: str, serial: "tuple[int, str]", address: Address, more: "tuple[str, ...]" = ()
) -> None:
    address.baud = serial[0]
    address.bits, address.parity, address.stop = int(serial[1][0]), serial[1][1], int(serial[1][2])
    seen: set[str] = set()
    for item in query.split("&") if query else ():
        key, _, value = item.partition("=")
        if key not in SERIAL_KEYS + more:
            raise ValueError("link %r: unknown setting %r; known are %s" % (url, key, ", ".join(SERIAL_KEYS + more)))
        if key in seen:
            raise ValueError("link %r: %s is given twice; leave one" % (url, key))
        seen.add(key)
        if key == "baud":
            address.baud = _number(url, key, value, BAUD_LEAST, BAUD_MOST)
        elif key == "bits":
            address.bits = _number(url, key, value, 5, 8)
        elif key == "stop":
            address.stop = _number(url, key, value, 1, 2)
        elif key == "address":
            address.address = _number(url, key, value, 0, OSDP_HIGHEST)
        elif key == "key_file":
            if not value.startswith("/"):
                raise ValueError("link %r: key_file=%s; it must be a whole path, from /" % (url, value))
            address.key_file = value
        elif value not in PARITIES:
            raise ValueError("link %r: parity=%s; it must be one of %s" % (url, value, ", ".join(PARITIES)))
        else:
            address.parity = value


def _parse_node(url: str, rest: str, address: Address) -> None:
    port, hash_, address.node = rest.partition("#")
    if not port.startswith("serial:"):
        raise ValueError("link %r: names no port; write the port after node:, such as node:serial:/dev/ttyACM0" % url)
    if hash_ and not address.node:
        raise ValueError("link %r: nothing follows the #; write the node's unique id, or leave the # out" % url)
    _parse_serial(url, port[7:], NODE_SERIAL, address)


def _parse_modbus(url: str, rest: str, address: Address) -> None:
    place, _, query = rest.partition("?")
    _parse_tcp(url, place, address)
    address.unit, address.poll_ms = MODBUS_UNIT, MODBUS_POLL[0]
    for item in query.split("&") if query else ():
        key, _, value = item.partition("=")
        if key == "unit":
            address.unit = _number(url, key, value, 0, 255)
        elif key == "poll_ms":
            address.poll_ms = _number(url, key, value, MODBUS_POLL[1], MODBUS_POLL[2])
        else:
            raise ValueError("link %r: unknown setting %r; known are unit, poll_ms" % (url, key))


def _parse_mqtt(url: str, rest: str, address: Address) -> None:
    place, _, query = rest.partition("?")
    place, _, address.topic = place.partition("/")
    _parse_tcp(url, place, address)
    levels = address.topic.split("/")
    wild = [level for level in levels if "+" in level or "#" in level]
    good = all([level in ("+", "#") for level in wild]) and "#" not in levels[:-1]
    if not address.topic or not good or (wild and address.scheme == "onvif"):
        what = "topic filter, such as mqtt:10.0.0.9:1883/dice/RL-07/says"
        if address.scheme == "onvif":
            what = "topic prefix without wildcards, such as onvif:10.0.0.9:1883/IO7"
        raise ValueError("link %r: wants a %s" % (url, what))
    for item in query.split("&") if query else ():
        key, _, value = item.partition("=")
        if key not in ("user", "password_file", "ca"):
            raise ValueError("link %r: unknown setting %r; known are user, password_file, ca" % (url, key))
        if key != "user" and not value.startswith("/"):
            raise ValueError("link %r: %s=%s; it must be a whole path, from /" % (url, key, value))
        setattr(address, key, value)


def _parse_tcp(url: str, rest: str, address: Address) -> None:
    host, colon, port = rest.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host or "/" in host:
        raise ValueError(
            "link %r: %r is no host; write %s:host:port, an IPv6 address in [ ]" % (url, host, address.scheme)
        )
    if not colon or not host:
        raise ValueError("link %r: wants a host and a port, such as %s:192.168.1.20:4001" % (url, address.scheme))
    address.host = host
    address.port = _number(url, "port", port, 1, 65535)


def _number(url: str, key: str, text: str, least: int, most: int) -> int:
    value = 0
    for char in text:
        if char not in "0123456789":
            value = -1
            break
        value = value * 10 + ord(char) - ord("0")
        if value > most:
            break
    if not text or not least <= value <= most:
        raise ValueError("link %r: %s=%s; it must be a whole number from %d to %d" % (url, key, text, least, most))
    return value


def check_lines(specs: "list[LineSpec]") -> None:
    """Whether lines can be requested together. Raises ValueError with one line that names the line at fault."""
    names: set[str] = set()
    places: dict[tuple[str, int], str] = {}
    for spec in specs:
        if spec.name in names:
            raise ValueError("line %s: is given twice; give each line its own name" % spec.name)
        names.add(spec.name)
        if not spec.chip:
            raise ValueError("line %s: names no chip; give its label, such as pinctrl-bcm2711" % spec.name)
        if spec.line < 0:
            raise ValueError("line %s: line %d; it must be an offset on the chip, from 0" % (spec.name, spec.line))
        if spec.bias not in BIASES:
            raise ValueError("line %s: bias %r; it must be one of %s" % (spec.name, spec.bias, ", ".join(BIASES)))
        if not 0 <= spec.debounce_us <= 10_000_000:
            raise ValueError("line %s: debounce_us %d; it must be from 0 to 10000000" % (spec.name, spec.debounce_us))
        place = (spec.chip, spec.line)
        if place in places:
            raise ValueError(
                "line %s: %s line %d is claimed by %s already; give each its own"
                % (spec.name, spec.chip, spec.line, places[place])
            )
        places[place] = spec.name
