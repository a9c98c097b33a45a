"""`pitwatch new` at a board whose plugs are pseudo-terminals: what it finds, asks, writes, and never does."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwatch.daemon.config import config
from pitwatch.devices.protocols import angel_eye
from tests.e2e.table_process import spin
from tests.e2e.test_ports import Port
from tests.e2e.typed_at import Typed

WHEEL, SHOE, SILENT = "usb-FTDI_FT232R_USB_UART_W1-if00-port0", "usb-Acme_Shoe_S1-if00", "usb-Acme_Quiet_Q1-if00"
NEW = [sys.executable, "-m", "pitwatch.daemon.cli", "new"]


class Board:
    """A /dev of its own whose serial plugs speak, ten times a second, until `close`."""

    def __init__(self, folder: Path):
        self.dev = folder / "dev"
        self.ports: dict[str, Port] = {}
        self._over = threading.Event()
        self._talker = threading.Thread(target=self._talk)
        (self.dev / "serial/by-id").mkdir(parents=True)

    def plug(self, name: str) -> None:
        self.ports[name] = Port()
        (self.dev / "serial/by-id" / name).symlink_to(self.ports[name].path)

    def start(self) -> None:
        self._talker.start()

    def _talk(self) -> None:
        number = 0
        while not self._over.wait(0.1):
            number += 1
            if WHEEL in self.ports:
                self.ports[WHEEL].say(spin(number, number % 2).encode())
            if SHOE in self.ports:
                self.ports[SHOE].say(angel_eye.frame("123456789"[number % 9], angel_eye.card_data(0, 0, "8S")))

    def written_to(self, name: str) -> bytes:
        """What anybody has sent to the device at a plug."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.ports[name].master, 4096)
        return b""

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "BOARD_DEVICES": str(self.dev), "TERM": "dumb", "COLUMNS": "200"}

    def close(self) -> None:
        self._over.set()
        if self._talker.is_alive():
            self._talker.join()
        for port in self.ports.values():
            port.close()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    made = Board(tmp_path)
    yield made
    made.close()


def answered(board: Board, out: Path, answers: str, *more: str) -> subprocess.CompletedProcess[str]:
    file = out.parent / "answers.toml"
    file.write_text(answers)
    return subprocess.run(
        [*NEW, str(out), "--answers", str(file), "--listen", "0.5", *more],
        env=board.env, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip


ANSWERS = """
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
rounds_an_hour = 38
[options]
wheel = "single-zero"
"""


def test_a_person_makes_a_table_with_the_wheel_that_speaks(tmp_path: Path, board: Board) -> None:
    for name in (WHEEL, SILENT):
        board.plug(name)
    board.start()
    out = tmp_path / "RL-07.toml"
    typed = Typed([*NEW, str(out), "--listen", "0.5"], board.env)
    try:
        typed.answer("Site", "a casino")
        typed.expect("without blanks")
        typed.answer("Site", "toledo")
        typed.answer("Name of the table [RL-07]")
        typed.answer("Game, as BOOK/GAME", "rulett")
        typed.expect("no game is called 'rulett'")
        typed.answer("Game, as BOOK/GAME", "roulette 2020")
        typed.answer("Which game", "1")
        typed.answer("Change one", "wheel = triple")
        typed.answer("Change one", "wheel = single-zero")
        typed.answer("Change one")
        typed.answer("Broker", "mqtt://127.0.0.1:9")
        typed.answer("Rounds an hour", "38")
        between = typed.answer("Take it [yes]")
        assert "FTDI FT232R USB UART W1: slingshot2 speaks there at 9600 baud" in between
        assert "nothing is sent" in between
        assert "wheel by slingshot2: adds 4 rules: equipment-malfunction, same-direction-spin, " in between
        typed.answer("Its name [wheel]", "rotor")
        typed.answer("Which", "1")  # the silent plug: nothing
        assert "Devices that would add rules: panel 2, enclosure 1" in typed.answer(f"Write {out} [yes]")
        assert not out.exists()
        typed.expect(f"pitwatch check {out}")
        typed.expect(": good")
        typed.expect("device rotor: ")
        assert typed.end() == 1  # no broker there
    finally:
        typed.close()
    table = config.load(out)
    assert [(each.id, each.type, each.protocol) for each in table.devices] == [("rotor", "wheel", "slingshot2")]
    assert table.devices[0].link == f"serial:/dev/serial/by-id/{WHEEL}?baud=9600"
    assert table.table.options == {"wheel": "single-zero"}
    assert (table.table.site, table.table.id, table.statistics.rounds_an_hour) == ("toledo", "RL-07", 38)
    text = out.read_text()
    assert "# FTDI FT232R USB UART W1, recognised by what it sends." in text
    assert board.written_to(WHEEL) == board.written_to(SILENT) == b""


@pytest.mark.parametrize("at", ["Site", "Game, as BOOK/GAME", "Take it [yes]"])
def test_ctrl_c_leaves_no_file(tmp_path: Path, board: Board, at: str) -> None:
    board.plug(WHEEL)
    board.start()
    out = tmp_path / "RL-07.toml"
    typed = Typed([*NEW, str(out), "--listen", "0.5"], board.env)
    answers = {
        "Site": "toledo", "Name of the table": "", "Game, as BOOK/GAME": "toledo-2020/roulette", "Change one": "",
        "Broker": "none", "Rounds an hour": "", "Take it [yes]": "",
    }  # fmt: skip
    try:
        for question, answer in answers.items():
            if question == at:
                typed.expect(question)
                break
            typed.answer(question, answer)
        typed.interrupt()
        assert typed.end() == 130
        assert "nothing was written" in typed.said
    finally:
        typed.close()
    assert not list(tmp_path.glob("RL-07*"))


def test_nothing_is_sent_to_a_port_unless_the_person_is_certain(tmp_path: Path, board: Board) -> None:
    board.plug(SILENT)
    board.start()
    out = tmp_path / "RL-07.toml"
    typed = Typed([*NEW, str(out), "--listen", "0.2"], board.env)
    try:
        for question, answer in (
            ("Site", "toledo"), ("Name of the table", ""), ("Game, as BOOK/GAME", "toledo-2020/roulette"),
            ("Change one", ""), ("Broker", "none"), ("Rounds an hour", ""),
        ):  # fmt: skip
            typed.answer(question, answer)
        choices = typed.expect("Which")
        number = next(line.split()[0] for line in choices.splitlines() if "key_reader by osdp" in line)
        typed.expect(": ")
        typed.type(f"{number}\n")
        typed.answer("Is it certain that Acme Quiet Q1 leads to a card reader alone? [no]")
        typed.expect("nothing is sent")
        typed.expect(f"Write {out}")
        assert board.written_to(SILENT) == b""
        typed.type("no\n")
        assert typed.end() == 2
        assert "nothing was written" in typed.said
    finally:
        typed.close()
    assert not out.exists()


def test_answers_of_a_file_take_what_speaks_and_what_they_write_out(tmp_path: Path, board: Board) -> None:
    for name in (WHEEL, SHOE):
        board.plug(name)
    board.start()
    out = tmp_path / "RL-07.toml"
    panel = """
[[device]]
id = "panel"
type = "panel"
link = "gpio:"
lines = { no-more-bets = { chip = "pinctrl-bcm2711", line = 17, active_low = true, bias = "pull-up" } }
"""
    done = answered(board, out, 'broker = "none"' + ANSWERS + panel, "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert told[0]["devices"] == ["panel", "wheel"], done.stderr
    assert told[0]["rules"] == {"judged": 5, "of": 14}
    assert told[1]["ok"] is True
    assert {each["what"] for each in told[2:]} >= {"device panel", "device wheel"}
    assert done.returncode == 1  # no chip and no broker here
    (wheel,) = (each for each in config.load(out).devices if each.id == "wheel")
    assert wheel.link == f"serial:/dev/serial/by-id/{WHEEL}?baud=9600"
    assert "a shoe" not in out.read_text(), "the game has no cards"
    assert board.written_to(WHEEL) == board.written_to(SHOE) == b""


def test_a_port_that_a_device_of_the_answers_has_is_not_taken_again(tmp_path: Path, board: Board) -> None:
    board.plug(WHEEL)
    board.start()
    out = tmp_path / "RL-07.toml"
    given = f"""
[[device]]
id = "mine"
type = "wheel"
protocol = "slingshot2"
link = "serial:/dev/serial/by-id/{WHEEL}?baud=9600"
"""
    answered(board, out, 'broker = "none"' + ANSWERS + given)
    assert [each.id for each in config.load(out).devices] == ["mine"]
    done = answered(board, tmp_path / "none.toml", 'broker = "none"\nfound = false' + ANSWERS)
    assert "0 devices 0 of" in done.stdout
    assert config.load(tmp_path / "none.toml").devices == ()
