"""What is plugged into the board: serial adapters, readers that type, 1-Wire buses, GPIO chips. Opens no port."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from pitwatch.hal.address import W1_FOLDER
from pitwatch.hal.device_files import configured_path, device_folder

Kind = Literal["serial", "keyboard", "1-wire", "gpio"]

UNNAMED = ("ttyUSB", "ttyACM", "ttyAMA")
"""Serial ports that count if no stable name leads to them. A PC's ttyS* are there even where no socket is."""


class Plug(NamedTuple):
    """`path`: as a configuration names it, for a chip its label; `name`: for people; `lines`: how many a chip has."""

    kind: Kind
    path: str
    name: str
    lines: int = 0


def plugs(w1_folder: str = W1_FOLDER) -> list[Plug]:
    """Everything that may be a device, in a fixed order."""
    return [*_serial(), *_keyboards(), *_one_wire(w1_folder), *_chips()]


def _serial() -> Iterator[Plug]:
    """By the name that survives another socket, else by the socket, else by the kernel's number."""
    dev = Path(device_folder())
    named: set[str] = set()
    for folder in ("serial/by-id", "serial/by-path"):
        for entry in _entries(dev / folder):
            port = os.path.realpath(entry)
            if port not in named and os.path.exists(port):
                named.add(port)
                yield Plug("serial", configured_path(str(entry)), _readable(entry.name))
    for entry in _entries(dev):
        if entry.name.startswith(UNNAMED) and os.path.realpath(entry) not in named:
            yield Plug("serial", configured_path(str(entry)), entry.name)


def _keyboards() -> Iterator[Plug]:
    for entry in _entries(Path(device_folder()) / "input/by-id"):
        if entry.name.endswith("-event-kbd") and entry.exists():
            yield Plug("keyboard", configured_path(str(entry)), _readable(entry.name.removesuffix("-event-kbd")))


def _one_wire(folder: str) -> Iterator[Plug]:
    if any(entry.name.startswith("w1_bus_master") for entry in _entries(Path(folder))):
        yield Plug("1-wire", folder, "1-Wire bus of the kernel")


def _chips() -> Iterator[Plug]:
    import gpiod

    for entry in _entries(Path(device_folder())):
        if not entry.name.startswith("gpiochip"):
            continue
        try:
            with gpiod.Chip(str(entry)) as chip:
                info = chip.get_info()
        except OSError:  # not for this user, or gone
            continue
        yield Plug("gpio", info.label, f"{info.label} ({info.num_lines} lines)", info.num_lines)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _readable(name: str) -> str:
    """`usb-FTDI_FT232R_USB_UART_A10K-if00-port0` is FTDI FT232R USB UART A10K."""
    return re.sub(r"-if\d\d(-port\d+)?\Z", "", name.removeprefix("usb-")).replace("_", " ")
