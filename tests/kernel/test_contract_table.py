"""The table of docs/hardware.md says of each back end and clause of the lines contract what the tests show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware.test_node_bank import TestNodeBank as ByNode
from tests.hal.contract_lines import LinesContract
from tests.hal.test_sim_lines import TestSimLines as Simulated
from tests.kernel.guest.test_gpiod_lines import TestGpiodLines as ByGpiod
from tests.kernel.guest.test_rpi_gpio_itself import TestRpiGpioItself as ByRpiGpio
from tests.kernel.guest.test_rpigpio_lines import TestRpiGpioLines as ByLgpio

PAGE = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")
CLAUSES = [name for name in vars(LinesContract) if name.startswith("test_")]
SUITES = {"`sim:`": Simulated, "`gpio:`": ByGpiod, "rpi-lgpio": ByLgpio, "RPi.GPIO": ByRpiGpio, "`node:`": ByNode}


def table() -> list[list[str]]:
    _, begins, rest = PAGE.partition("| clause |")
    text = (begins + rest).partition("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines()]


def test_the_table_lists_every_back_end_and_every_clause() -> None:
    heads, _, *rows = table()
    assert heads == ["clause", *SUITES]
    assert [row[0] for row in rows] == [name[5:].replace("_", " ") for name in CLAUSES]


@pytest.mark.parametrize("back_end", SUITES)
def test_a_clause_is_said_to_be_kept_where_its_test_is_the_contract_s_own(back_end: str) -> None:
    heads, _, *rows = table()
    said = {clause: row[heads.index(back_end)].startswith("yes") for clause, row in zip(CLAUSES, rows, strict=True)}
    shown = {clause: getattr(SUITES[back_end], clause) is getattr(LinesContract, clause) for clause in CLAUSES}
    assert said == shown
