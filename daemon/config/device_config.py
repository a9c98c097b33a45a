"""One `[[device]]` of a configuration, checked against its device class: settings, lines, serial parameters."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pitwatch.daemon.config.sections import Sections, kind_of, nearest, shown
from pitwatch.devices import registry
from pitwatch.devices.base import OWN_KEYS, Device
from pitwatch.devices.port_check import PortCheck
from pitwatch.devices.protocols.pulse_timing import IN_A_THREAD
from pitwatch.devices.vocabulary import MOST_KEY, is_printable
from pitwatch.hal.factory import check_url
from pitwatch.hal.line import BIASES, LineSpec

if TYPE_CHECKING:
    from pitwatch.daemon.config.outside_devices import OutsideDevice

LINE_SCHEMES = ("gpio", "wiegand", "node", "modbus", "onvif")
BYTE_SCHEMES = ("serial", "tcp", "rfc2217", "hid", "w1", "mqtt")
POLLED_SCHEMES = ("osdp", "pn532")
EITHER = ("sim", "none")

MOST_GPIO = 255
MOST_INPUT = 65535  # of a Modbus module

OBSERVED = "ndjson"
"""The protocol of a device that a capture shows by its observations alone."""


DeviceClass = type[Device]


class DeviceConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A device as configured: `cls` decodes it, `settings` are its own keys, `lines` its input lines, if any; `outside`
    is the package's that brings the class, if it is not Pitwatch's own."""

    id: str
    type: str
    link: str
    protocol: str
    settings: dict[str, Any]
    lines: tuple[LineSpec, ...]
    cls: DeviceClass
    outside: OutsideDevice | None = None

    @property
    def scheme(self) -> str:
        return self.link.partition(":")[0]

    @property
    def by_lines(self) -> bool:
        """Whether the device is read from lines rather than bytes."""
        return bool(self.cls.LINES)

    def decoder(self) -> Device:
        """What makes observations of the wire: the device's class and, for bytes, a watch on which device speaks."""
        device = self.cls(self.id, self.settings)
        return device if self.by_lines or self.cls.POLLED else PortCheck(device, self.protocol)


class LineSection(msgspec.Struct, frozen=True, kw_only=True):
    """`chip` is left out on a sensor node, where `line` is the number of the GPIO."""

    line: int
    chip: str = ""
    active_low: bool = False
    bias: str = "as-is"
    debounce_us: int = 0


def read_device(reader: Sections, data: Any, where: str, options: Mapping[str, Any]) -> DeviceConfig:
    """Check one device table, at a table with these settled options. Raises ConfigError."""
    if not isinstance(data, dict):
        raise reader.error(where, "is no table; write [[device]] and its keys below")
    for key in ("id", "type", "link"):
        if key not in data:
            raise reader.error(f"{where}.{key}", "missing; a device needs id, type and link")
        reader.value(data[key], str, f"{where}.{key}")
    reader.name(data["id"], f"{where}.id")
    kind, link = data["type"], data["link"]
    if kind not in registry.TYPES:
        raise reader.error(f"{where}.type", f'"{kind}" is no device type; {nearest(kind, registry.TYPES)}')
    try:
        check_url(link)
    except ValueError as error:
        raise reader.error(f"{where}.link", str(error).removeprefix("link ")) from None
    protocol = _protocol(reader, data, where)
    outside = None if protocol in registry.protocols(kind) else _outside(reader, kind, protocol, where)
    cls: type[Device] = registry.find(kind, protocol)
    for key in data:
        if key not in OWN_KEYS and key not in cls.SETTINGS:
            known = (*OWN_KEYS, *cls.SETTINGS)
            reader.unknown(f"{where}.{key}", f"unknown key of a {kind} by {protocol}; {nearest(key, known)}")
    _check_scheme(reader, link, protocol, cls, where)
    of_table = {key: options[key] for key in cls.OF_TABLE if key in options}
    settings = of_table | _of_link(link, cls) | _settings(reader, data, cls, where)
    try:
        cls(data["id"], settings)
    except ValueError as error:
        raise reader.error(f"{where}.{error}", "") from None
    except Exception as error:
        if outside is None:
            raise
        raise reader.error(f"{where}.protocol", outside.fails(error)) from None
    for key, of_all in of_table.items():
        if settings[key] != of_all:
            raise reader.error(
                f"{where}.{key}",
                f"{shown(settings[key])}, but the table's option is {shown(of_all)}; set it in the options of [table]"
                " and leave it out here",
            )
    return DeviceConfig(
        id=data["id"],
        type=kind,
        link=link,
        protocol=protocol,
        settings=settings,
        lines=_lines(reader, data, cls, where),
        cls=cls,
        outside=outside,
    )


def _protocol(reader: Sections, data: dict[str, Any], where: str) -> str:
    kind = data["type"]
    fitting = registry.protocols(kind)
    if "protocol" not in data:
        implied = "wiegand" if kind == "key_reader" else "lines"
        scheme = data["link"].partition(":")[0]
        if implied in fitting and (scheme in LINE_SCHEMES or "lines" in data):
            return implied
        if scheme == "none":
            return OBSERVED
        fitting += _offered(kind)
        raise reader.error(f"{where}.protocol", f"missing; a {kind} speaks one of {', '.join(fitting)}")
    protocol: str = reader.value(data["protocol"], str, f"{where}.protocol")
    if protocol not in fitting:
        fitting += _offered(kind)
    if protocol not in fitting:
        raise reader.error(f"{where}.protocol", f'"{protocol}" does not fit a {kind}; {nearest(protocol, fitting)}')
    return protocol


def _offered(kind: str) -> list[str]:
    from pitwatch.daemon.config.outside_devices import offered

    return offered(kind)


def _outside(reader: Sections, kind: str, protocol: str, where: str) -> OutsideDevice:
    """The class of an installed package for this protocol, which the registry knows from now on."""
    from pitwatch.daemon.config.outside_devices import OutsideDeviceError, load

    try:
        outside = load(kind, protocol)
    except OutsideDeviceError as error:
        raise reader.error(f"{where}.protocol", str(error)) from None
    registry.add(kind, protocol, outside.cls)
    return outside


def _check_scheme(reader: Sections, link: str, protocol: str, cls: type[Device], where: str) -> None:
    scheme = link.partition(":")[0]
    fitting = LINE_SCHEMES if cls.LINES else _polled(protocol) if cls.POLLED else BYTE_SCHEMES
    if scheme not in fitting and scheme not in EITHER:
        carries = "lines" if cls.LINES else "questions and answers" if cls.POLLED else "bytes"
        wanted = " or ".join(f"{name}:" for name in fitting)
        raise reader.error(f"{where}.link", f'"{link}" does not carry {carries}, which {protocol} needs; {wanted} does')


def _polled(protocol: str) -> tuple[str, ...]:
    """The link that a protocol with questions and answers has to itself, or all of them for one from outside."""
    return (protocol,) if protocol in POLLED_SCHEMES else POLLED_SCHEMES


def _of_link(link: str, cls: type[Device]) -> dict[str, Any]:
    """Settings that the link implies: what RPi.GPIO hears is stamped in a thread."""
    return {"timing": IN_A_THREAD} if "timing" in cls.SETTINGS and link.endswith(":RPi.GPIO") else {}


def _settings(reader: Sections, data: dict[str, Any], cls: type[Device], where: str) -> dict[str, Any]:
    settings = {}
    for key, (default, says) in cls.SETTINGS.items():
        if key not in data:
            continue
        value = data[key]
        if isinstance(default, dict) and isinstance(value, str) and value.endswith(".toml"):
            value = _table_in(reader, value, f"{where}.{key}")
        wants_number = isinstance(default, (int, float)) and not isinstance(default, bool)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if default is not None and not (is_number if wants_number else isinstance(value, type(default))):
            right = "a number" if wants_number else kind_of(default)
            raise reader.error(f"{where}.{key}", f"{shown(value)} is {kind_of(value)}; {right} is right: {says}")
        settings[key] = value
    return settings


def _input_of_module(reader: Sections, section: LineSection, link: str, key: str) -> str:
    """The module of a line, where others have a chip. Raises ConfigError for what only a chip has."""
    if section.chip:
        raise reader.error(f"{key}.chip", "a module has no chips; leave it out, line is the input's address, from 0")
    if section.line > MOST_INPUT:
        raise reader.error(f"{key}.line", f"{section.line} is no input of a module; 0 to {MOST_INPUT} are right")
    _no_chip_s(reader, section, key)
    return link.partition("?")[0] + f"?unit={check_url(link).unit}"


def _no_chip_s(reader: Sections, section: LineSection, key: str) -> None:
    """Raises ConfigError for what an input on the network does not have."""
    if section.bias != "as-is" or section.debounce_us:
        field = "bias" if section.bias != "as-is" else "debounce_us"
        raise reader.error(f"{key}.{field}", "an input of a module has none; set it at the module, and leave it out")


def _table_in(reader: Sections, name: str, key: str) -> dict[str, Any]:
    """A setting that is long enough for a file of its own, beside the configuration. Raises ConfigError."""
    path = reader.beside(name, key)
    try:
        raw = path.read_bytes()
        table: dict[str, Any] = tomllib.loads(raw.decode())
    except OSError as error:
        raise reader.error(key, f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise reader.error(key, f"{path} is not TOML: {str(error).splitlines()[0]}") from None
    reader.included.append(raw)
    return table


def _lines(reader: Sections, data: dict[str, Any], cls: type[Device], where: str) -> tuple[LineSpec, ...]:
    given = data.get("lines", {})
    wired = data["link"].partition(":")[0] in LINE_SCHEMES
    if given and not cls.LINES:
        raise reader.error(f"{where}.lines", "this protocol is read from bytes and has no lines; leave the key out")
    if not isinstance(given, dict):
        raise reader.error(f"{where}.lines", "is no table; lines = { NAME = { chip = ..., line = ... } } is right")
    specs = []
    for name, line in given.items():
        key = f"{where}.lines.{name}"
        if not _known_line(name, cls):
            raise reader.error(key, f"no such line of this device; {nearest(name, list(cls.LINES))}")
        if len(name) > MOST_KEY or not is_printable(name):
            raise reader.error(key, f"a line's name is at most {MOST_KEY} characters, all of them printable")
        section: LineSection = reader.section(line, LineSection, key)
        chip = section.chip
        if data["link"].startswith("node:"):
            if chip:
                raise reader.error(f"{key}.chip", "a sensor node has no chips; leave it out, line is the GPIO's number")
            if section.line > MOST_GPIO:
                raise reader.error(f"{key}.line", f"{section.line} is no GPIO of a node; 0 to {MOST_GPIO} are right")
            chip = data["link"].partition("#")[0]
        elif data["link"].startswith("modbus:"):
            chip = _input_of_module(reader, section, data["link"], key)
        elif data["link"].startswith("onvif:"):
            _no_chip_s(reader, section, key)
            chip = data["link"].partition("?")[0] + "#" + (chip or str(section.line))
        elif not chip:
            raise reader.error(f"{key}.chip", "missing; give the chip's label, such as pinctrl-bcm2711")
        if section.bias not in BIASES:
            raise reader.error(f"{key}.bias", f'"{section.bias}" is none of {", ".join(BIASES)}')
        for field in ("line", "debounce_us"):
            if getattr(section, field) < 0:
                raise reader.error(f"{key}.{field}", f"{getattr(section, field)} is negative; 0 or more is right")
        specs.append(LineSpec(name, chip, section.line, section.active_low, section.bias, section.debounce_us))
    if wired and not specs:
        raise reader.error(f"{where}.lines", f"missing; this device reads {', '.join(cls.LINES)}")
    if specs:
        for name in cls.REQUIRED:
            if name not in given:
                raise reader.error(
                    f"{where}.lines.{name}", f"missing; without it the device sees nothing: {cls.LINES[name]}"
                )
    return tuple(specs)


def _known_line(name: str, cls: type[Device]) -> bool:
    return name in cls.LINES or any(
        known.endswith("*") and name.startswith(known[:-1]) and len(name) >= len(known) for known in cls.LINES
    )


def warnings_of(device: DeviceConfig) -> list[str]:
    """What is unusual but may be meant, one line each."""
    found = []
    if device.scheme == "none":
        found.append(f'device "{device.id}": link = "none" is for replay only; a running table shows it off line')
    if device.scheme in ("serial", "rfc2217") and device.cls.SERIAL:
        address, (baud, frame) = check_url(device.link, device.cls.SERIAL), device.cls.SERIAL
        known = f"where {device.protocol} is known to use"
        if address.baud != baud:
            found.append(f'device "{device.id}": {address.baud} baud, {known} {baud}')
        if f"{address.bits}{address.parity}{address.stop}" != frame:
            given = f"{address.bits} bits, parity {address.parity}, {address.stop} stop bits"
            right = f"{frame[0]}, {frame[1]}, {frame[2]}"
            found.append(f'device "{device.id}": {given}, {known} {right}')
    return found
