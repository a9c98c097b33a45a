"""`pitwatch watch` as its user runs it: in a real terminal (tmux), as lines for a script, and where it cannot run."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.floor.watch.bench import playing
from tests.floor.watch.made import irregularity, observation, status

WATCH = [sys.executable, "-m", "pitwatch.daemon.cli", "watch"]


class Terminal:
    """80 by 24, in tmux on a server of its own. `keys` are tmux's names of keys."""

    def __init__(self, folder: Path, command: str):
        self._tmux = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self._run(
            "new-session", "-d", "-x", "80", "-y", "24", f"unset COLUMNS LINES; {command}; echo left with $?; sleep 60"
        )
        self._run("set-option", "-s", "escape-time", "0")

    def _run(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def keys(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    @property
    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def shows(self, told: str, seconds: float = 20) -> str:
        """The screen, once it has this text."""
        found: list[str] = []

        def there() -> bool:
            found[:] = [self.screen]
            return told in found[0]

        with contextlib.suppress(AssertionError):
            wait_for(there, seconds)
        assert told in found[0], f"{told!r} is not there:\n{found[0]}"
        return found[0]

    def close(self) -> None:
        self._run("kill-server")


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_in_a_terminal(broker: Mosquitto, tmp_path: Path) -> None:
    pytest.importorskip("textual", reason="the watch extra is not installed")
    terminal = Terminal(tmp_path, f"{sys.executable} -m pitwatch.daemon.cli watch --broker {broker.url}")
    try:
        terminal.shows("no table has spoken yet")
        with playing(broker.url, "--scenario", "demo", "--speed", "30"):
            screen = terminal.shows("> !!! CRITICAL")
            assert screen.splitlines()[2].startswith("> !!! CRITICAL")  # nobody has chosen: the worst is on top
            assert "bench/RL-01  Two reports of the winning number differ" in screen.splitlines()[2]
            terminal.keys("Enter")
            page = terminal.shows("Evidence, 3 records")
            assert "Establish the number on which the ball lies" in page
            assert "Section One, lines 72" in page
            terminal.keys("a")
            terminal.shows("Acknowledged by:")
            terminal.keys("Ann", "Enter")
            terminal.shows("Enter sends: acknowledged by Ann, no note.")
            terminal.keys("Enter")
            terminal.shows("by Ann at")
            terminal.shows("journalled by the table")
            terminal.keys("Escape")
            terminal.shows("1 acknowledged")
        terminal.shows("LOST")  # the bench was killed
        broker.stop()
        assert "STALE" in terminal.shows("NO BROKER since")
        terminal.keys("q")
        terminal.shows("left with 0")
    finally:
        terminal.close()


def lines_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines(keepends=True) if line.endswith("\n")]


def test_lines_for_a_script(broker: Mosquitto, tmp_path: Path) -> None:
    out = tmp_path / "lines"
    with out.open("wb") as file:
        process = subprocess.Popen([*WATCH, "--broker", broker.url, "--json"], stdout=file)
    try:
        wait_for(lambda: lines_of(out))

        def say(message: Any) -> None:
            topic = f"pitwatch/1/{message.table}/{message.subtopic}"
            publish = ["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", topic, "-m", message.payload.decode()]
            subprocess.run(publish, check=True)

        for each in (status("ready"), observation(1), irregularity(2), irregularity(2), observation(5), status("lost")):
            say(each)
        wait_for(lambda: lines_of(out)[-1]["kind"] == "lost")
        broker.stop()
        wait_for(lambda: lines_of(out)[-1]["kind"] == "broker_lost")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.wait()
    lines = lines_of(out)
    assert [line["kind"] for line in lines] == ["broker_back", "status", "irregularity", "gap", "lost", "broker_lost"]
    assert lines[2]["table"] == "toledo/RL-07"
    assert lines[2]["event"] == json.loads(irregularity(2).payload)
    assert (lines[3]["missing"], lines[3]["gaps"]) == (2, [[3, 4]])
    assert lines[0]["table"] is None
    assert lines[-1]["reason"]


def refused(*arguments: str) -> str:
    done = subprocess.run([*WATCH, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_lines_that_cannot_be_written_end_it_and_are_no_matter_of_the_broker_s(broker: Mosquitto) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*WATCH, "--broker", broker.url, "--json"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20
        )
    assert done.returncode == 2
    assert done.stderr == "standard output: cannot be used: No space left on device\n"


def test_without_a_terminal_it_says_so() -> None:
    assert "--json writes lines for a script" in refused()


def test_without_textual_it_says_what_to_install() -> None:
    master, slave = pty.openpty()
    program = (
        "import sys; sys.modules['textual'] = None; from pitwatch.daemon.cli import main; sys.exit(main(['watch']))"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=slave, stdout=slave, stderr=slave)
    assert process.wait(timeout=30) == 2
    said = os.read(master, 10_000).decode()
    os.close(slave)
    os.close(master)
    assert ".venv/bin/pip install -e '.[watch]'" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--broker", "http://x"], "--broker"),
        (["nowhere.toml"], "no such file"),
        (["--cert", "a.pem"], "--cert and --key belong together"),
        (["--by", "x" * 65], "64 characters at most"),
    ],
)
def test_unusable_arguments_are_one_line(arguments: list[str], says: str) -> None:
    assert says in refused(*arguments)
