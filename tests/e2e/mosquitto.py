"""A real mosquitto on a free loopback port, and mosquitto_sub as the subscriber. For tests only."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.ports import free_port


def wait_for(condition: Callable[[], Any], seconds: float = 10.0, what: str = "") -> Any:
    """The condition's value once it is true; fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, what or "waited in vain"
        time.sleep(0.01)


def reload(process: subprocess.Popen[bytes], log: Path) -> None:
    """Have a mosquitto that logs there read its lists again. Who connects after it has said so is held to them."""
    before = log.read_bytes().count(b"Reloading config")
    process.send_signal(signal.SIGHUP)
    wait_for(lambda: log.read_bytes().count(b"Reloading config") > before, what="mosquitto reads nothing again")


class Subscriber:
    """mosquitto_sub on everything. `messages` are (topic, payload as JSON or "", retained)."""

    def __init__(self, port: int, out: Path):
        self._out = out
        self._file = out.open("wb")
        self.process = subprocess.Popen(
            ["mosquitto_sub", "-p", str(port), "-t", "#", "-q", "1", "-F", "%r %t %p"], stdout=self._file
        )

    @property
    def messages(self) -> list[tuple[str, Any, bool]]:
        found = []
        for line in self._out.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                retained, topic, payload = line.rstrip("\n").split(" ", 2)
                found.append((topic, json.loads(payload) if payload else "", retained == "1"))
        return found

    def up_to(self, last: int) -> list[dict[str, Any]]:
        """The records, once that of sequence `last` has arrived; a subscriber lags behind its broker."""
        wait_for(lambda: any(record["sequence"] == last for record in self.records()), what=f"record {last} is missing")
        return [record for record in self.records() if record["sequence"] <= last]

    def records(self) -> list[dict[str, Any]]:
        """Live messages that carry a sequence, in order of arrival."""
        return [p for _, p, _ in self.messages if p and "sequence" in p]

    def close(self) -> None:
        self.process.kill()  # told to end, it may wait for itself for ever (2.0.11, if it is just writing)
        self.process.wait()
        self._file.close()


class Mosquitto:
    """`stop` and `start` as often as liked on the same port; nothing persists over a stop."""

    def __init__(self, folder: Path, options: str = "allow_anonymous true"):
        self.folder = folder
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\nmax_queued_messages 0\nuser root\n{options}\n")
        self._process: subprocess.Popen[bytes] | None = None
        self._subscribers: list[Subscriber] = []

    @staticmethod
    def installed() -> bool:
        return bool(shutil.which("mosquitto") and shutil.which("mosquitto_sub"))

    def start(self) -> None:
        with (self.folder / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen(["mosquitto", "-c", str(self._config)], stderr=log)
        wait_for(self._listens, what="mosquitto does not start")

    def reload(self) -> None:
        """Have it read its access list again."""
        assert self._process is not None
        reload(self._process, self.folder / "mosquitto.log")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def subscribe(self) -> Subscriber:
        """A subscriber that is connected."""
        subscriber = Subscriber(self.port, self.folder / f"subscriber-{len(self._subscribers)}.out")
        self._subscribers.append(subscriber)

        def there() -> bool:
            subprocess.run(["mosquitto_pub", "-p", str(self.port), "-t", "test/hello", "-m", '"hello"'], check=True)
            return any(topic == "test/hello" for topic, _, _ in subscriber.messages)

        wait_for(there, what="mosquitto_sub does not connect")
        return subscriber

    def close(self) -> None:
        for subscriber in self._subscribers:
            subscriber.close()
        self.stop()

    def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "mosquitto.log").read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
