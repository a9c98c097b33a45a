"""The Debian packages' parts that can be tried without building them; `make deb-test` installs them into a Debian."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.roulette import roulette

DEB = Path(__file__).parents[2] / "systemd" / "deb"

TABLE = roulette("serial:/dev/no-such-port", "mqtt://127.0.0.1:9")


SCRIPTS = ("postinst", "prerm", "postrm")


@pytest.mark.parametrize(
    "name", ["first-boot", "repo", *(f"{part}/{n}" for part in ("board", "floor") for n in SCRIPTS)]
)
def test_scripts_are_programs_that_a_shell_can_read(name):
    script = DEB / name
    assert os.access(script, os.X_OK)
    shell = script.read_text().splitlines()[0].removeprefix("#!")
    assert shell in ("/bin/sh", "/bin/bash")
    subprocess.run([shell, "-n", script], check=True)


def test_nobody_is_told_to_fetch_pitwatch_from_an_index_where_it_is_not():
    root = DEB.parents[1]
    told = re.compile(r"pip install (-\S+ )*['\"]?pitwatch")
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    code = [file for room in ("hal", "devices", "rules", "daemon", "floor") for file in (root / room).rglob("*.py")]
    assert [file for file in (*pages, *code) if told.search(file.read_text())] == []


def test_removal_leaves_the_evidence():
    for name in ("board/prerm", "board/postrm", "floor/prerm", "floor/postrm"):
        lines = [line for line in (DEB / name).read_text().splitlines() if not line.startswith("#")]
        assert not any("deluser" in line or "/var/lib/" in line or "/etc/" in line for line in lines)
        removed = [word for line in lines if "rm " in line for word in line.split() if word.startswith("/")]
        assert all(
            each.startswith(("/opt/pitwatch/", "/lib/systemd/system/pitwatch", "/lib/udev/")) for each in removed
        )


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize(
    "unit",
    [
        DEB / "pitwatch-first-boot.service",
        DEB.parent / "pitwatch-archive.service",
        DEB.parent / "pitwatch-notify.service",
        DEB.parent / "pitwatch-web.service",
    ],
)
def test_a_unit_has_nothing_that_systemd_does_not_know(unit):
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if unit.stem in line and "is not executable" not in line]
    assert said == []


class Board:
    def __init__(self, folder: Path):
        self.etc, self.state = folder / "etc", folder / "state"
        self.etc.mkdir()
        self.state.mkdir()
        self.program = folder / "pitwatch"
        root = DEB.parents[1]
        self.program.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m pitwatch.daemon.cli "$@"\n')
        self.program.chmod(0o755)

    def check(self) -> tuple[int, str]:
        environment = {**os.environ, "PITWATCH": str(self.program)}
        done = subprocess.run(
            [DEB / "first-boot", self.etc, self.state], env=environment, capture_output=True, text=True
        )
        assert done.stdout == (self.state / "first-boot.txt").read_text()
        return done.returncode, done.stdout


def test_the_first_check_says_what_a_board_lacks_until_it_lacks_nothing(tmp_path):
    board = Board(tmp_path)
    code, said = board.check()
    assert code == 1
    assert "BAD  no table is configured: put its file into" in said
    (board.etc / "RL-07.toml").write_text(TABLE.replace("wheel", "weel"))
    code, said = board.check()
    assert code == 1
    assert "RL-07.toml: device[0]" in said  # what `check` says
    (board.etc / "RL-07.toml").write_text(TABLE)
    (board.etc / "client.key").write_text("secret")
    (board.etc / "client.key").chmod(0o644)
    (board.state / "RL-07").mkdir()
    code, said = board.check()
    assert code == 1
    assert "BAD  device wheel: /dev/no-such-port: no such port" in said
    assert f"chmod 600 {board.etc}/client.key" in said
    assert "systemctl enable --now pitwatch@RL-07" in said
    assert "secret" not in said
    assert not (board.state / "first-boot-done").exists()
    board.program.write_text("#!/bin/sh\nexit 0\n")
    (board.etc / "client.key").chmod(0o600)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "systemctl").write_text("#!/bin/sh\nexit 0\n")
    (tools / "systemctl").chmod(0o755)
    os.environ["PATH"], before = f"{tools}:{os.environ['PATH']}", os.environ["PATH"]
    try:
        code, said = board.check()
    finally:
        os.environ["PATH"] = before
    assert (code, "all is well" in said, (board.state / "first-boot-done").exists()) == (0, True, True)
