"""The wires' side of the lines contract on the kernel: see tests/hal/contract_lines."""

from __future__ import annotations

import time

from pitwatch.hal.factory import Factory
from pitwatch.hal.gpiod_lines import BUFFER_EDGES
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.rpigpio_held import MOST_WAITING
from tests.hal.contract_lines import Watcher
from tests.hal.rigs import RealTime
from tests.kernel.guest.sim_chip import HeaderChip, SimChip

LABEL = "pinctrl-bcm2711"


class KernelRig(RealTime):
    """Banks on a chip of gpio-sim."""

    LINK = ""

    def __init__(self, chip: SimChip | HeaderChip) -> None:
        super().__init__()
        self.chip = chip
        self.banks: list[LineBank] = []
        self._lines: dict[str, int] = {}

    def bank(self, specs: list[LineSpec]) -> LineBank:
        bank = Factory(self.clock).lines(self.LINK, specs, "test")
        self.banks.append(bank)
        self._lines.update({spec.name: spec.line for spec in specs})
        return bank

    async def watch(self, *specs: LineSpec) -> Watcher:
        """Of a bank that is on line."""
        watcher = Watcher(self.bank(list(specs))).start()
        await self.until(lambda: watcher.online, 2)
        return watcher

    def wire(self, name: str, raw: int) -> None:
        self.chip.wire(self._lines[name], raw)

    def unplug(self) -> None:
        self.chip.unplug()

    def replug(self) -> None:
        self.chip.replug()

    def close_banks(self) -> None:
        for bank in self.banks:
            bank.stop()

    def close(self) -> None:
        self.close_banks()


class GpiodRig(KernelRig):
    LINK = "gpio:"

    def __init__(self) -> None:
        super().__init__(SimChip(LABEL))

    def overflow(self, name: str, edges: int) -> None:
        """The loop does not run meanwhile, so the kernel's buffer fills."""
        for i in range(BUFFER_EDGES + edges):
            self.wire(name, (i + 1) % 2)

    def close(self) -> None:
        super().close()
        self.chip.remove()


class RpiGpioRig(KernelRig):
    LINK = "gpio:RPi.GPIO"
    late_ns = 50_000_000
    """Calls are stamped in the library's thread, which lags behind the kernel."""

    def __init__(self) -> None:
        super().__init__(HeaderChip())
        for line in range(28):
            self.chip.wire(line, 0)

    def overflow(self, name: str, edges: int) -> None:
        """The loop does not run meanwhile, so the queue before it fills; the library keeps up, or more is lost."""
        for i in range(MOST_WAITING + edges):
            self.wire(name, (i + 1) % 2)
            if i % 8 == 7:
                time.sleep(0.002)
        time.sleep(0.05)

    def close(self) -> None:
        super().close()
        self.chip.replug()
