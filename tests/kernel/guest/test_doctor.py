"""`pitwatch doctor` on a Raspberry Pi 4 that is wired or set up wrongly: one sentence and the fix for each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import gpiod
import pytest

from tests.kernel.guest.sim_chip import HeaderChip

LABEL = "pinctrl-bcm2711"

TABLE = """
[table]
site = "toledo"
id = "CR-01"
game = "toledo-2020/craps"
[mqtt]
url = "mqtt://127.0.0.1:1"
[journal]
path = "journal.db"
"""

LID = """
[[device]]
id = "{id}"
type = "enclosure"
protocol = "lines"
link = "{link}"
lines = {{ lid = {{ chip = "{chip}", line = {line}, active_low = true, bias = "pull-up" }} }}
"""


def doctor(
    folder: Path, *devices: dict[str, object], before: tuple[str, ...] = (), more: str = ""
) -> dict[str, dict[str, object]]:
    """What doctor finds, by device; `more` is further text of the configuration."""
    table = folder / "table.toml"
    parts = [LID.format(**{"link": "gpio:", "chip": LABEL, **device}) for device in devices]
    table.write_text(TABLE + "".join(parts) + more)
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from pitwatch.daemon.cli import main; sys.exit(main())"
    done = subprocess.run(
        [*before, sys.executable, "-c", program, os.getcwd(), "doctor", "--listen", "0.5", "--json", table],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr  # there is no broker
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    return {each["what"].removeprefix("device "): each for each in findings if each["what"].startswith("device ")}


@pytest.mark.parametrize("link", ["gpio:", "gpio:RPi.GPIO"])
def test_a_line_that_is_right_is_held_and_read(tmp_path, link):
    chip = HeaderChip()
    chip.wire(17, 0)
    found = doctor(tmp_path, {"id": "lid", "line": 17, "link": link})
    assert found["lid"]["well"]
    assert str(found["lid"]["seen"]).startswith("1 lines held, active: ")


def test_each_mistake_has_its_sentence_and_its_mend(tmp_path):
    with gpiod.request_lines("/dev/gpiochip0", consumer="onewire@0", config={4: gpiod.LineSettings()}):
        found = doctor(
            tmp_path,
            {"id": "pin", "line": 58},
            {"id": "busy", "line": 4},
            {"id": "overlay", "chip": "mcp23017", "line": 0},
            {"id": "board", "chip": "pinctrl-rp1", "line": 17},
            {"id": "header", "chip": "mcp23017", "line": 3, "link": "gpio:RPi.GPIO"},
        )
    said = {name: (each["well"], each["seen"], each["mend"]) for name, each in found.items()}
    overlay = "correct `chip`, or switch on the overlay that brings the chip (dtoverlay= in config.txt)"
    free = "free it, or wire the device to another line"
    assert said == {
        "pin": (False, f"{LABEL} line 58 (lid): no such line", "the chip has lines 0 to 57"),
        "busy": (False, f"{LABEL} line 4 (lid): held by 'onewire@0'", free),
        "overlay": (False, f"mcp23017: no such GPIO chip among {LABEL}", overlay),
        "board": (False, f"pinctrl-rp1: no such GPIO chip among {LABEL}", overlay),
        "header": (
            False,
            "mcp23017 line 3 (lid): RPi.GPIO reaches the header's lines only, "
            "the chip pinctrl-bcm2835 or pinctrl-bcm2711 or pinctrl-rp1",
            'wire the device to the header, or write link = "gpio:"',
        ),
    }


KEYS = """
[[device]]
id = "keys"
type = "key_reader"
link = "wiegand:"
[device.lines]
d0 = {{ chip = "{chip}", line = 14, active_low = true }}
d1 = {{ chip = "{chip}", line = 15, active_low = true }}
"""


@pytest.mark.parametrize("powered", [True, False])
def test_a_key_reader_without_power(tmp_path, powered):
    """One with power holds both lines high, one without pulls them down. No bias: the simulated chip's would win."""
    chip = HeaderChip()
    for line in (14, 15):
        chip.wire(line, int(powered))
    found = doctor(tmp_path, more=KEYS.format(chip=LABEL))
    if powered:
        assert found["keys"]["well"]
        return
    assert not found["keys"]["well"]
    assert found["keys"]["seen"] == "d0 and d1 active at rest, as at a reader without power"
    assert found["keys"]["mend"] == "switch the reader on, check D0, D1 and ground, and write active_low = true"


@pytest.mark.parametrize("link", ["gpio:", "gpio:RPi.GPIO"])
def test_no_permission(tmp_path, link):
    """Not the device's owner and without root's power to pass by that."""
    os.chown("/dev/gpiochip0", 12345, 12345)
    try:
        found = doctor(
            tmp_path,
            {"id": "lid", "line": 17, "link": link},
            before=("setpriv", "--bounding-set", "-dac_override,-dac_read_search"),
        )
    finally:
        os.chown("/dev/gpiochip0", 0, 0)
    assert not found["lid"]["well"]
    assert "no permission to " in str(found["lid"]["seen"])
    assert found["lid"]["mend"] == "add the daemon's user to the group gpio"


def test_no_chip_at_all(tmp_path):
    chip = HeaderChip()
    chip.unplug()
    try:
        found = doctor(tmp_path, {"id": "lid", "line": 17}, {"id": "door", "line": 18, "link": "gpio:RPi.GPIO"})
    finally:
        chip.replug()
    assert found["lid"]["seen"] == f"{LABEL}: no such GPIO chip, nor any other"
    assert str(found["door"]["seen"]).startswith(f"{LABEL} line 18 (lid): the header's chip cannot be reached")
