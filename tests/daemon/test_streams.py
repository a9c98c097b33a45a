"""Standard streams that are closed, full or of a terminal that lacks letters: an exit code and a line, no trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[[device]]
id = "wheel"
type = "wheel"
link = "none"
protocol = "slingshot2"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "räte").mkdir()
    (tmp_path / "räte" / "table.toml").write_text(TABLE)
    return tmp_path


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`pitwatch` in a shell's command line."""
    pitwatch = f"{sys.executable} -m pitwatch.daemon.cli"
    return subprocess.run(
        ["sh", "-c", command.replace("pitwatch", pitwatch)],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
    )


@pytest.mark.parametrize("command", ["rules list", "check räte/table.toml"])
def test_output_that_is_closed_is_no_fault(command, folder):
    done = shell(f"pitwatch {command} >&-", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_error_goes_nowhere_else_if_errors_are_closed(folder):
    done = shell("pitwatch check nothing.toml 2>&-", folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    assert shell("pitwatch rules show nothing 2>/dev/full", folder).returncode == 2
    assert shell("pitwatch check nothing.toml <&- >&- 2>&-", folder).returncode == 2


@pytest.mark.parametrize("command", ["rules show toledo-2020/roulette", "check räte/table.toml --json"])
def test_output_that_cannot_be_written_is_unusable_and_not_a_no(command, folder):
    done = shell(f"pitwatch {command} >/dev/full", folder)
    assert done.returncode == 2
    assert done.stderr == "standard output: cannot be used: No space left on device\n"


@pytest.mark.parametrize(
    "command", ["replay - --table räte/table.toml <&-", "replay /dev/null --table räte/table.toml"]
)
def test_an_empty_capture_is_one_line_and_no_verdict(command, folder):
    done = shell(f"pitwatch {command}", folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert shell(f"pitwatch {command} >&-", folder).returncode == 2


def test_a_terminal_without_the_letters_has_them_escaped_and_json_is_utf_8(folder):
    done = shell("pitwatch check räte/table.toml", folder, PYTHONIOENCODING="ascii")
    assert done.stdout.startswith("r\\xe4te/table.toml: good\n")
    assert (done.returncode, done.stderr) == (0, "")
    done = shell("cd räte; pitwatch bench ü.toml --json; pitwatch check table.toml --json", folder, LC_ALL="C")
    assert json.loads(done.stdout)["ok"]
    assert done.stderr.count("\n") == 1


def test_who_reads_no_further_is_told_nothing_whichever_command_it_was(folder):
    line = '{"t": %d, "device": "wheel", "event": "rotor", "data": {"rpm": 15, "direction": "cw"}}\n'
    (folder / "long.jsonl").write_text("".join(line % t for t in range(20_000)))
    done = shell("pitwatch replay long.jsonl --all --table räte/table.toml | head -n 1", folder)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
