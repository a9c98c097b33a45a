"""GPIO chips of the kernel's gpio-sim driver, seen from the wires' side. Knows neither libgpiod nor any back end.

(Documentation/admin-guide/gpio/gpio-sim.rst of Linux tells the files below configfs and sysfs.)
"""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path

CONFIGFS = Path("/sys/kernel/config/gpio-sim")
DRIVER = Path("/sys/bus/platform/drivers/gpio-sim")
_numbers = itertools.count()


class _Wires:
    """name: the chip's device, such as gpiochip0, None while it is unplugged; lines: its folder in sysfs."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.lines = Path()
        self._open: dict[int, int] = {}

    def wire(self, line: int, raw: int) -> None:
        """The wire of a line goes high (1) or low (0); the kernel has taken the edge when this returns."""
        if line not in self._open:
            self._open[line] = os.open(self.lines / f"sim_gpio{line}" / "pull", os.O_WRONLY)
        os.pwrite(self._open[line], b"pull-up" if raw else b"pull-down", 0)

    @property
    def path(self) -> str:
        return f"/dev/{self.name}"

    def _appeared(self, lines: Path) -> None:
        self.name, self.lines = lines.name, lines
        deadline = time.monotonic() + 5
        while not os.path.exists(self.path):  # the device file is made in the background
            assert time.monotonic() < deadline, f"{self.path} does not appear"
            time.sleep(0.001)

    def _gone(self) -> None:
        for file in self._open.values():
            os.close(file)
        self._open.clear()
        self.name = None


class SimChip(_Wires):
    """A chip with a label that is plugged in and pulled out at will."""

    def __init__(self, label: str, lines: int = 58) -> None:
        super().__init__()
        self._folder = CONFIGFS / f"chip{os.getpid()}-{next(_numbers)}"
        self._bank = self._folder / "bank0"
        self._bank.mkdir(parents=True)
        (self._bank / "num_lines").write_text(str(lines))
        (self._bank / "label").write_text(label)
        self.replug()

    def replug(self) -> None:
        if self.name is None:
            (self._folder / "live").write_text("1")
            device = (self._folder / "dev_name").read_text().strip()
            self._appeared(Path("/sys/devices/platform") / device / (self._bank / "chip_name").read_text().strip())

    def unplug(self) -> None:
        """Also while its lines are requested."""
        if self.name is not None:
            self._gone()
            (self._folder / "live").write_text("0")

    def remove(self) -> None:
        self.unplug()
        self._bank.rmdir()
        self._folder.rmdir()


class HeaderChip(_Wires):
    """The chip of the Raspberry Pi's device tree."""

    def __init__(self) -> None:
        super().__init__()
        self._find()

    def _find(self) -> None:
        (lines,) = (
            found for found in Path("/sys/devices/platform").glob("*/gpiochip*") if (found / "of_node").exists()
        )
        self._device = lines.parent.name
        self._appeared(lines)

    def unplug(self) -> None:
        if self.name is not None:
            self._gone()
            (DRIVER / "unbind").write_text(self._device)

    def replug(self) -> None:
        if self.name is None:
            (DRIVER / "bind").write_text(self._device)
            self._find()
