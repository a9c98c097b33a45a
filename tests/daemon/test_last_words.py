"""What a killed process leaves behind, and what the next start makes of it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from daemon.last_words import LastRun, LastWords, board_boot, cause_of_start

PROGRAM = """\
import os, signal, sys
from pathlib import Path
from daemon.last_words import LastWords
LastWords(Path(sys.argv[1])).listen()
def hang():
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
hang()
"""


def end_by(path, name):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path), name], check=False)
    assert done.returncode == -getattr(signal, name)


def test_the_watchdog_s_signal_tells_where_the_loop_hung(tmp_path):
    end_by(tmp_path / "words", "SIGABRT")
    fatal = LastWords(tmp_path / "words").take()
    assert fatal.startswith("Aborted in hang, ")
    assert cause_of_start(LastRun(False, board_boot()), board_boot(), fatal) == "watchdog"


def test_a_crash_is_told_as_one(tmp_path):
    end_by(tmp_path / "words", "SIGSEGV")
    fatal = LastWords(tmp_path / "words").take()
    assert fatal.startswith("Segmentation fault in hang")
    assert cause_of_start(LastRun(False, "x"), "x", fatal) == "crashed"


def test_a_process_that_was_simply_killed_says_nothing(tmp_path):
    end_by(tmp_path / "words", "SIGKILL")
    assert LastWords(tmp_path / "words").take() == ""
    assert LastWords(tmp_path / "never").take() == ""


@pytest.mark.parametrize(
    ("last", "board", "cause"),
    [
        (None, "x", "first"),
        (LastRun(True, "x"), "x", "stopped"),
        (LastRun(True, "y"), "x", "stopped"),  # told to stop as the board was shut down
        (LastRun(False, "x"), "x", "killed"),
        (LastRun(False, "y"), "x", "power"),
        (LastRun(False, ""), "x", "killed"),
    ],
)
def test_the_cause_of_a_start(last, board, cause):
    assert cause_of_start(last, board, "") == cause
