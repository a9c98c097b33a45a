"""Detects what two devices of a table cannot share: an id, a line of a chip, a port. Independent of device classes."""

from __future__ import annotations

from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.daemon.config.sections import Sections
from pitwatch.hal.address import Address
from pitwatch.hal.factory import check_url


class Claims:
    """Who has what so far; `claim` raises ConfigError for a device that wants what another has."""

    def __init__(self, reader: Sections):
        self._reader = reader
        self._ids: dict[str, str] = {}
        self._pins: dict[tuple[str, int], str] = {}
        self._ports: dict[str, dict[str, Address]] = {}

    def claim(self, device: DeviceConfig, where: str) -> None:
        first = self._ids.setdefault(device.id, where)
        if first != where:
            raise self._reader.error(f"{where}.id", f'"{device.id}" is already the id of {first}')
        for spec in device.lines:
            key = f"{where}.lines.{spec.name}"
            claimed = self._pins.setdefault((spec.chip, spec.line), key)
            if claimed != key:
                raise self._reader.error(key, f"line {spec.line} of {spec.chip} is already claimed by {claimed}")
        self._port(check_url(device.link), where)

    def _port(self, address: Address, where: str) -> None:
        """A port is opened exclusively; only a sensor node and a bus of key-card readers serve several devices."""
        if not address.path:
            return
        others = self._ports.setdefault(address.path, {})
        for other, theirs in others.items():
            if address.scheme != theirs.scheme or address.scheme not in ("node", "osdp"):
                raise self._reader.error(f"{where}.link", f"{address.path} is already the port of {other}")
            if address.scheme == "osdp" and address.address == theirs.address:
                raise self._reader.error(
                    f"{where}.link",
                    f"address={address.address} on {address.path} is already {other}'s; give each reader its own",
                )
        others[where] = address
