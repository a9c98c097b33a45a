"""What a killed process leaves behind, and what the next start makes of it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from pitwatch.daemon.common import board
from pitwatch.daemon.common.board import board_boot
from pitwatch.daemon.service.last_words import LastRun, LastWords, cause_of_start

PROGRAM = """\
import os, signal, sys
from pathlib import Path
from pitwatch.daemon.service.last_words import LastWords
LastWords(Path(sys.argv[1])).listen()
def hang():
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
hang()
"""


TAKEN_BY_ANOTHER_THREAD = """\
import os, signal, sys, threading, time
from pathlib import Path
from pitwatch.daemon.service.last_words import LastWords
LastWords(Path(sys.argv[1])).listen()
def work():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGABRT])
    while sys._current_frames()[threading.main_thread().ident].f_code.co_name != "hang":
        time.sleep(0.01)
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
    time.sleep(60)
def hang():
    time.sleep(60)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGABRT])
threading.Thread(target=work, daemon=True).start()
hang()
"""


def end_by(path, name, program=PROGRAM):
    done = subprocess.run([sys.executable, "-c", program, str(path), name], check=False)
    assert done.returncode == -getattr(signal, name)


def test_the_watchdog_s_signal_tells_where_the_loop_hung(tmp_path):
    end_by(tmp_path / "words", "SIGABRT")
    fatal = LastWords(tmp_path / "words").take()
    assert fatal.startswith("Aborted in hang, ")
    assert cause_of_start(LastRun(False, board_boot()), board_boot(), fatal) == "watchdog"


def test_the_loop_is_what_hung_whichever_thread_takes_the_signal(tmp_path):
    end_by(tmp_path / "words", "SIGABRT", TAKEN_BY_ANOTHER_THREAD)
    assert LastWords(tmp_path / "words").take().startswith("Aborted in hang, ")


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
        (LastRun(False, "1-2"), "12", "killed"),  # the kernel's way to write it, and systemd's
        (LastRun(False, "1-2"), "13", "power"),
    ],
)
def test_the_cause_of_a_start(last, board, cause):
    assert cause_of_start(last, board, "") == cause


def test_the_unit_tells_which_start_of_the_board_this_is_where_the_kernel_may_not(tmp_path, monkeypatch):
    monkeypatch.setattr(board, "BOOT_ID", tmp_path / "hidden")
    assert board_boot() == ""
    monkeypatch.setenv("BOARD_BOOT", "33f7fc50")
    assert board_boot() == "33f7fc50"
    (tmp_path / "hidden").write_text("5-1\n")
    assert board_boot() == "5-1"
