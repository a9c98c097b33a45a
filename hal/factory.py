"""Opens links and line banks by the URL of a device's configuration. Imports a back end only when it is needed.

`check_url` and `check_lines` check a configuration without opening anything.
"""

from pitwatch.hal.address import Address, check_lines, parse
from pitwatch.hal.clock import Clock
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.link import ByteLink, DuplexLink

__all__ = ["Factory", "check_lines", "check_url"]


def check_url(url: str, serial: "tuple[int, str]" = (9600, "8N1")) -> Address:
    """The parts of a link URL, `serial` where it is silent.

    Raises ValueError with one line that says what is wrong and what would be right."""
    return parse(url, serial)


class Factory:
    """Real hardware. `hal.sim.SimFactory` answers the same two calls with simulated hardware."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def link(self, url: str, name: str, serial: "tuple[int, str]" = (9600, "8N1")) -> ByteLink:
        """A closed byte link for device `name`. serial: the protocol's (baud, "8N1"), where the URL is silent.

        Raises ValueError with one line for a URL that no byte link can be.
        """
        address = parse(url, serial)
        if address.scheme == "serial":
            from pitwatch.hal.serial_link import SerialLink

            return SerialLink(self._clock, address)
        if address.scheme == "tcp":
            from pitwatch.hal.tcp_link import TcpLink

            return TcpLink(self._clock, address.host, address.port)
        if address.scheme == "rfc2217":
            from pitwatch.hal.rfc2217_link import Rfc2217Link

            return Rfc2217Link(self._clock, address)
        if address.scheme == "hid":
            from pitwatch.hal.hid_link import HidLink

            return HidLink(self._clock, address.path)
        if address.scheme == "w1":
            from pitwatch.hal.w1_link import W1Link

            return W1Link(self._clock, address.path)
        if address.scheme == "mqtt":
            from pitwatch.hal.mqtt_links import MqttLink

            return MqttLink(self._clock, address)
        raise ValueError("%s: %s; use serial:, tcp:, rfc2217:, hid:, w1: or mqtt:" % (name, _unfit(address)))

    def duplex(self, url: str) -> DuplexLink:
        """A closed link to the sensor node (node:serial:…) or the bus of key-card readers (osdp:serial:…) at `url`: the
        two kinds of link that can be written to.

        Raises ValueError with one line for any other URL."""
        address = parse(url)
        if address.scheme not in ("node", "osdp"):
            raise ValueError("link %s: only a sensor node or a key-card reader is written to; use node: or osdp:" % url)
        from pitwatch.hal.duplex_serial import DuplexSerialLink

        return DuplexSerialLink(self._clock, address)

    def lines(self, url: str, specs: "list[LineSpec]", name: str) -> LineBank:
        """A closed bank of the lines of device `name`, which the kernel will show as held by "pitwatch:<name>".

        Raises ValueError with one line for a URL that no bank can be or lines that cannot be requested together.
        """
        address = parse(url)
        if not address.is_lines or address.scheme == "node":
            raise ValueError("%s: %s; use gpio:, wiegand:, modbus: or onvif:" % (name, _unfit(address)))
        check_lines(specs)
        if address.scheme == "onvif":
            from pitwatch.hal.mqtt_links import OnvifLines

            return OnvifLines(self._clock, specs, "pitwatch:" + name, address)
        if address.scheme == "modbus":
            from pitwatch.hal.modbus import MOST_INPUTS
            from pitwatch.hal.modbus_lines import ModbusLines

            inputs = [spec.line for spec in specs]
            if max(inputs) - min(inputs) >= MOST_INPUTS:
                raise ValueError("%s: its lines are more than %d inputs apart; use two devices" % (name, MOST_INPUTS))
            return ModbusLines(self._clock, specs, "pitwatch:" + name, address)
        if address.stack == "RPi.GPIO":
            from pitwatch.hal.rpigpio_lines import RpiGpioLines

            return RpiGpioLines(self._clock, specs, "pitwatch:" + name)
        from pitwatch.hal.gpiod_lines import GpiodLines

        return GpiodLines(self._clock, specs, "pitwatch:" + name)


def _unfit(address: Address) -> str:
    if address.scheme == "none":
        return "link none is for replay only"
    if address.scheme == "sim":
        return "link sim: is there only on the bench"
    if address.scheme in ("node", "osdp"):
        return "link %s: is opened by what speaks its wire" % address.scheme
    return "link %s: carries %s" % (address.scheme, "lines, not bytes" if address.is_lines else "bytes, not lines")
