"""One run of the fault harness: a real daemon process under a table of two serial devices, a real mosquitto behind a
proxy, a subscriber; ended by comparing what the devices did, what the journal holds and what the subscriber got.
For tests only."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import signal
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import Store, StoreError
from tests.e2e.mosquitto import Mosquitto
from tests.e2e.table_process import spin
from tests.faults.ear import Ear
from tests.faults.inside import longest
from tests.faults.proxy import Proxy
from tests.faults.row import Row

TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
{mqtt}
[journal]
path = "{journal}"
[[device]]
id = "wheel"
type = "wheel"
link = "serial:{wheel}"
protocol = "slingshot2"
[[device]]
id = "keys"
type = "key_reader"
link = "serial:{keys}"
protocol = "ndjson"
"""

BROKER = """\
allow_anonymous true
persistence true
autosave_interval 0
persistence_location {folder}/
set_tcp_nodelay true"""

PROGRAM = """\
import sys
from tests.faults.inside import measure, shorten
shorten("pitwatch.daemon.service.app", EVERY=500_000_000)
shorten("pitwatch.daemon.journal.writing", MARK_AFTER=0.4)
{more}
measure(sys.argv[2])
from pitwatch.daemon.cli import main
sys.exit(main(["run", sys.argv[1]]))
"""
"""`pitwatch run`, but telling its health twice a second, so that the longest loop lag is known, and writing the
delivery mark five times as often, so that the harness has less to wait for."""

QUICK = """\
shorten("pitwatch.daemon.journal.journal", RELEASE_AFTER=0.5)
shorten("pitwatch.daemon.journal.writing", RETRY_AFTER=0.1, MARK_AFTER=0.2, LEAST_FREE=0)
"""
"""The same minutes in seconds, where only waiting is shortened."""


class Port:
    """A serial device: a pseudo terminal that can be unplugged, its name staying the same."""

    def __init__(self, path: Path):
        self.path = path
        self.plug()

    def plug(self) -> None:
        self._device, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._device, False)
        beside = self.path.with_suffix(".new")
        beside.symlink_to(os.ttyname(self._slave))
        beside.replace(self.path)

    def unplug(self) -> None:
        self.path.unlink(missing_ok=True)
        os.close(self._device)
        os.close(self._slave)

    def waiting(self) -> int:
        """Bytes that nobody has read yet."""
        return int.from_bytes(fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)), sys.byteorder)

    def send(self, data: bytes) -> int:
        """Send without waiting for anybody; returns how much was taken."""
        try:
            return os.write(self._device, data)
        except BlockingIOError:
            return 0

    def send_all(self, data: bytes) -> None:
        while data:
            sent = self.send(data)
            data = data[sent:]
            if not sent:
                time.sleep(0.001)


class Run:
    """`folder` is the run's own; the journal may lie elsewhere. Use as a context manager."""

    def __init__(self, folder: Path, journal: Path | None = None, more: str = "", seed: int = 1, mqtt: str = ""):
        self.folder = folder
        self.journal = journal or folder / "journal.db"
        self.chance = random.Random(seed)
        self.environment: dict[str, str] = {}
        self.more = more
        self.broker = Mosquitto(folder, BROKER.format(folder=folder))
        self.broker.start()
        self.proxy = Proxy(self.broker.port)
        self.ear = Ear(self.broker.port)
        self.wheel = Port(folder / "wheel")
        self.keys = Port(folder / "keys")
        self.config = folder / "table.toml"
        self.config.write_text(
            TABLE.format(
                port=self.proxy.port, mqtt=mqtt, journal=self.journal, wheel=self.wheel.path, keys=self.keys.path
            )
        )
        self.spins: list[str] = []
        self.swipes: list[str] = []
        self.process: subprocess.Popen[bytes] | None = None
        self._played: list[tuple[float, float]] = []
        self._lag = 0.0

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
        self.ear.close()
        self.proxy.close()
        self.broker.close()
        for port in (self.wheel, self.keys):
            port.unplug()

    # -- the daemon

    def start(self, ready: bool = True, environment: Mapping[str, str] = {}) -> None:
        before = len(self.ear.heard)
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(more=self.more), str(self.config), str(self.folder / "work")],
            cwd=Path(__file__).parents[2],
            stderr=(self.folder / "log").open("ab"),
            env={**os.environ, **environment},
        )
        if ready:
            deadline = time.monotonic() + 15
            while not self._up(before):
                dead = self.process.poll()
                assert dead is None, f"the daemon ended with {dead} before it was up: {self.log()[-2000:]}"
                assert time.monotonic() < deadline, f"the daemon does not come up: {self.log()[-2000:]}"
                time.sleep(0.01)

    def _up(self, before: int) -> bool:
        new = self.ear.heard[before:]
        boots = [e.event["bootid"] for e in new if e.topic.endswith("/status") and e.event]
        online = {
            e.topic.rpartition("/")[2]
            for e in new
            if boots and "/device/" in e.topic and e.event.get("bootid") == boots[-1]
            and e.event["data"]["state"] == "online"
        }  # fmt: skip
        return online >= {"wheel", "keys"}

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self, within: float = 15.0) -> None:
        """SIGTERM, and a clean end within systemd's time."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(within) == 0, self.log()[-2000:]

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    # -- the table

    def play(self, spins: int, pause: float = 0.01, during: Callable[[int], None] = lambda n: None) -> None:
        """Play so many spins, a card swiped before each; `during(n)` is called before the n-th."""
        began = time.time()
        for n in range(spins):
            during(n)
            number = len(self.spins) + 1
            pocket = self.chance.randrange(37)
            self.swipes.append(f"1:{number}")
            self.spins.append(str(pocket))
            self.keys.send_all(swipe(number))
            self.wheel.send_all(spin((number - 1) % 256 + 1, number % 2, pocket).encode())
            time.sleep(pause)
        self._played.append((began, time.time()))

    # -- the three truths

    def records(self) -> list[Record]:
        store = Store(self.journal, read_only=True)
        try:
            fault = store.fault()
            assert fault is None, fault
            return store.read(0, 10_000_000)
        finally:
            store.close()

    def delivered(self) -> tuple[int, int]:
        """(delivered, last) by the journal; (-1, 0) while there is none."""
        try:
            store = Store(self.journal, read_only=True)
        except StoreError:
            return -1, 0
        try:
            return store.delivered, store.last
        finally:
            store.close()

    def settle(self, seconds: float = 30.0) -> None:
        """Wait until the devices' last doings have come all the way to the subscriber, and the journal knows it."""
        deadline = time.monotonic() + seconds
        calm = 0
        while calm < 3:
            heard = {e.event["sequence"] for e in self.ear.records()}
            delivered, last = self.delivered()
            through = delivered == last and last in heard and not self._unread()
            calm = calm + 1 if through else 0
            assert time.monotonic() < deadline, (
                f"delivered {delivered} of {last}, heard {max(heard, default=0)}\n{self.log()[-1500:]}"
            )
            time.sleep(0.05)

    def _unread(self) -> bool:
        """Whether a daemon that runs has not read yet what the devices sent."""
        running = self.process is not None and self.process.poll() is None
        return running and any(port.waiting() for port in (self.wheel, self.keys))

    def heard(self, what: str) -> list[Any]:
        """Pockets of the rounds, or credentials, in order of their first arrival at the subscriber."""
        return _of({e.event["id"]: e.event for e in self.ear.records()}.values(), what)

    def compare(self, fault: str, times: int, whole: bool = True, earlier: int = 0) -> Row:
        """The row of the table. `whole`: everything the devices did must be there; else (the daemon was down in
        between) nothing may be there that they did not do. `earlier`: records that lie in journals set aside."""
        records = self.records()
        events = [
            {"type": f"pitwatch.{r.kind}.v1", "data": json.loads(r.body)}
            for r in records
            if r.kind in ("round", "observation")
        ]
        received = self.ear.records()
        assert not self.ear.altered, f"came again and was not the same: {self.ear.altered[:5]}"
        ids = {e.event["id"] for e in received}
        expected = {f"RL-07/{r.boot}/{r.seq}" for r in records}
        lost = len(expected - ids)
        sequences = {e.event["sequence"] for e in received}
        assert sequences == set(range(1, max(sequences) + 1)), "the subscriber sees a gap"
        if not earlier:
            assert ids <= expected, f"published but not in the journal: {sorted(ids - expected)[:5]}"
            assert [r.seq for r in records] == list(range(1, len(records) + 1))
        first = list({e.event["id"]: e.event["sequence"] for e in received}.values())
        assert first == sorted(first), "the subscriber got records out of order"
        for name, done, kept in (
            ("rounds", self.spins, _of(events, "rounds")),
            ("swipes", self.swipes, _of(events, "swipes")),
        ):
            told = self.heard(name)
            if whole:
                missing = len(done) - len(told)
                assert told == done, f"{name}: {missing} missing; first difference {_differ(told, done)}"
            else:
                assert _within(told, done), f"{name}: the subscriber was told of what never happened"
            if not earlier:
                assert told == kept, f"{name}: journal and subscriber differ"
        return Row(
            fault=fault,
            times=times,
            expected=max(len(expected), len(ids)),
            lost=lost,
            duplicates=len(received) - len(ids),
            silence=self.silence(),
            work=longest(self.folder / "work") / 1e6,
            lag=self.lag(),
        )

    def silence(self) -> float:
        """Longest time, in seconds, that the subscriber heard nothing while play went on."""
        arrivals = [e.at for e in self.ear.heard]
        longest = 0.0
        for began, ended in self._played:
            after = next((at for at in arrivals if at >= ended), ended)
            during = [began, *(at for at in arrivals if began <= at <= ended), after]
            longest = max(longest, *(b - a for a, b in pairwise(during)))
        return longest

    def lag(self) -> float:
        """Longest lateness of the daemon's loop, in milliseconds, by its own health."""
        return max((h["loop_lag_ms"] for h in self.ear.states("health") if h), default=0.0)


def swipe(number: int) -> bytes:
    return b'{"event":"credential_presented","data":{"credential":"1:%d"}}\n' % number


def _of(events: Any, what: str) -> list[Any]:
    if what == "rounds":
        return [
            e["data"]["result"]["pocket"]
            for e in events
            if e["type"] == "pitwatch.round.v1" and (e["data"]["result"] or {}).get("pocket") is not None
        ]
    return [
        e["data"]["data"]["credential"]
        for e in events
        if e["type"] == "pitwatch.observation.v1" and e["data"]["event"] == "credential_presented"
    ]


def _within(part: list[Any], whole: list[Any]) -> bool:
    rest = iter(whole)
    return all(each in rest for each in part)


def _differ(told: list[Any], done: list[Any]) -> tuple[int, list[Any], list[Any]]:
    for n, (a, b) in enumerate(zip(told, done, strict=False)):
        if a != b:
            return n, told[n : n + 3], done[n : n + 3]
    n = min(len(told), len(done))
    return n, told[n : n + 3], done[n : n + 3]
