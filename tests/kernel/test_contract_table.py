"""The table of docs/hardware.md says of each back end and clause of the lines contract what the tests show."""

from __future__ import annotations

from pathlib import Path

from tests.hal.contract_lines import LinesContract
from tests.kernel.guest.test_gpiod_lines import TestGpiodLines as ByGpiod
from tests.kernel.guest.test_rpi_gpio_itself import TestRpiGpioItself as ByRpiGpio
from tests.kernel.guest.test_rpigpio_lines import TestRpiGpioLines as ByLgpio

PAGE = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")
CLAUSES = [name for name in vars(LinesContract) if name.startswith("test_")]


def test_the_table_lists_every_clause_and_what_each_back_end_does_with_it() -> None:
    _, _, rest = PAGE.partition("| clause | `sim:` | `gpio:` | rpi-lgpio | RPi.GPIO |\n")
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in rest.partition("\n\n")[0].splitlines()[1:]]
    assert [row[0] for row in rows] == [name[5:].replace("_", " ") for name in CLAUSES]
    for name, (_, *cells) in zip(CLAUSES, rows, strict=True):
        kept = [
            True,
            *(getattr(suite, name) is getattr(LinesContract, name) for suite in (ByGpiod, ByLgpio, ByRpiGpio)),
        ]
        assert [cell.startswith("yes") for cell in cells] == kept, name
