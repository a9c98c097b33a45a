"""`pitwatch bench --panel` in a process of its own, and a browser's part of the conversation with it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

PROGRAM = "import sys; from pitwatch.daemon.cli import main; sys.exit(main(['bench', *sys.argv[1:]]))"
WITHIN = 90.0
"""Seconds in which a busy machine does anything here."""
Line = dict[str, Any]


class Browser:
    """Watches the stream: `lines` so far, and `seen`, the tables as they are."""

    def __init__(self, address: str, token: str):
        self.client = httpx.Client(base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=WITHIN)
        self.lines: list[Line] = []
        self.seen: dict[str, Any] = {}
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        try:
            with self.client.stream("GET", "/api/stream") as answer:
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        portion = json.loads(line[6:])
                        with self._news:
                            self.lines += portion["lines"]
                            for table, seen in portion["tables"].items():
                                self._look(table, seen)
                            self._news.notify_all()
        except (httpx.HTTPError, RuntimeError):
            pass  # the bench has ended, or the test
        with self._news:
            self._news.notify_all()

    def _look(self, table: str, seen: Line) -> None:
        if seen["look"] > self.seen.get(table, {"look": 0})["look"]:
            self.seen[table] = seen

    def until(self, true: Callable[[], Any]) -> Any:
        """Wait until something of what was seen is true; returns it."""
        deadline = time.monotonic() + WITHIN
        with self._news:
            while not (found := true()):
                assert time.monotonic() < deadline, [line for line in self.lines if line["kind"] == "verdict"][-8:]
                assert self._thread.is_alive(), "the stream has ended"
                self._news.wait(1)
        return found

    def ended(self) -> bool:
        self._thread.join(WITHIN)
        return not self._thread.is_alive()

    def verdicts(self, kind: str) -> list[Line]:
        return [line["data"] for line in self.lines if line["kind"] == "verdict" and line["type"] == kind]

    def rules(self) -> list[str]:
        return [data["rule"].rpartition("/")[2] for data in self.verdicts("irregularity")]

    def post(self, path: str, **asked: Any) -> httpx.Response:
        answer = self.client.post(f"/api/{path}", json=asked)
        if answer.status_code == 200:
            with self._news:
                self._look(asked["table"], answer.json())
        return answer

    def close(self) -> None:
        self.client.close()


class PanelRun:
    """The bench with its panel; `table` is the one that is acted at. `folder`: for its temporary files."""

    def __init__(self, table: str, *arguments: str, folder: Path | None = None):
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-c", PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ if folder is None else {**os.environ, "TMPDIR": str(folder)},
        )
        self.table = table
        self.output: list[str] = []
        assert self.process.stdout is not None
        found = None
        while found is None:
            line = self.process.stdout.readline()
            assert line, self.output
            self.output.append(line)
            found = re.search(r"watch it: (http://127\.0\.0\.1:\d+)/#(\S+)", line)
        self.address, self.token = found.groups()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.browser = Browser(self.address, self.token)

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.output.extend(self.process.stdout)

    @property
    def seen(self) -> dict[str, Any]:
        return self.browser.seen[self.table]

    def do(self, device: str, act: str, seconds: float = 0.0, **given: Any) -> None:
        """A hand acts; then so much of the table's time passes, and no more, however busy the machine is."""
        answer = self.browser.post("act", table=self.table, device=device, act=act, given=given)
        assert answer.status_code == 200, answer.text
        self.passes(seconds)

    def play(self, **asked: Any) -> None:
        answer = self.browser.post("play", table=self.table, **asked)
        assert answer.status_code == 200, answer.text

    def passes(self, seconds: float) -> None:
        if not seconds:
            return
        until = self.seen["t"] + seconds
        self.play(step=seconds)
        self.browser.until(lambda: self.seen["paused"] and self.seen["t"] >= until - 0.001)

    def by_hand(self) -> None:
        """Let the dealer play a round, so that the table is watched from a clean boundary, then rest; and time stop."""
        self.browser.until(lambda: self.browser.verdicts("round") and "ready" in self.states())
        self.play(playing=False)
        self.rests()
        self.passes(8)

    def rests(self) -> None:
        """Wait until the dealer has played what was asked for; then time stops."""
        self.play(paused=False)
        self.browser.until(lambda: not (self.seen["dealing"] or self.seen["orders"] or self.seen["asked"]))
        self.play(paused=True)
        self.browser.until(lambda: self.seen["paused"])

    def states(self) -> list[str]:
        return [data["state"] for data in self.browser.verdicts("status")]

    def end(self) -> int:
        """Ctrl-C."""
        self.browser.close()
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(WITHIN)
        finally:
            self.process.kill()
            self._reader.join(WITHIN)
