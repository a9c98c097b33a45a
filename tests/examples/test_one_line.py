"""docs/examples that print, each beside a real broker: one line a message, whatever a thief puts into it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.examples.script import EXAMPLES, Script

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

BASE = "pitwatch/1/toledo/RL-07"
FORGED = "pitwatch/1/toledo/BJ-01/irregularity/critical"
"""What a message of RL-07 would have a reader believe that another table said."""
EVENT = {
    "id": "toledo/RL-07/1",
    "source": "/toledo/RL-07",
    "type": "pitwatch.irregularity.v1",
    "sequence": 1,
    "data": {"rule": "a/b/c"},
}
BREAKS = ["\n", "\r\n", "\r", "\u2028", "\u0085", "\x1b[2K\x1b[1G", "\u009b2K", "\x0b", "\x00"]
HOSTILE = [f'{{"a":"{sign}{FORGED} {{}}{sign}"}}'.encode() for sign in BREAKS] + [b"\xff\xfe\n" + FORGED.encode()]


@pytest.fixture
def script(broker: Mosquitto, tmp_path: Path) -> Iterator[Callable[..., Script]]:
    running = []

    def start(name: str, *arguments: str) -> Script:
        running.append(Script(tmp_path / name, str(EXAMPLES / name), *arguments))
        return running[-1]

    yield start
    for each in running:
        each.stop()


def publish(broker: Mosquitto, topic: str, payload: bytes, *options: str) -> None:
    command = ["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", topic, "-s", *options]
    subprocess.run(command, input=payload, check=True, timeout=10)


def subscribed(broker: Mosquitto, out: Callable[[], object]) -> None:
    def heard() -> object:
        publish(broker, f"{BASE}/irregularity/notice", b'{"probe":1}')
        return out()

    wait_for(heard, 60)


def harmless(raw: bytes) -> bool:
    """Nothing in it but printing ASCII and line ends."""
    return all(byte == 10 or 32 <= byte < 127 for byte in raw)


def test_irregularities_sh(broker: Mosquitto, script: Callable[..., Script], tmp_path: Path) -> None:
    running = script("irregularities.sh", "-p", str(broker.port))
    subscribed(broker, lambda: running.out)
    for payload in HOSTILE:
        publish(broker, f"{BASE}/irregularity/notice", payload)
    clean = {"note": "Zürich 🂡", "deep": [1, {"x": "a b"}], "monotonicns": 9007199254740993123}
    publish(broker, f"{BASE}/irregularity/alert", json.dumps(clean, ensure_ascii=False).encode())
    wait_for(lambda: "/alert " in running.out[-1])
    lines = (tmp_path / "irregularities.sh" / "out").read_bytes()
    assert harmless(lines)
    hostile = [line for line in lines.decode().splitlines() if "probe" not in line]
    assert len(hostile) == len(HOSTILE) + 1
    assert all(line.startswith(f"{BASE}/irregularity/") for line in hostile)
    assert json.loads(hostile[-1].split(" ", 1)[1]) == clean


def test_now_sh(broker: Mosquitto) -> None:
    for number, payload in enumerate(HOSTILE):
        publish(broker, f"{BASE}/alert/a{number}", payload, "-r")
    command = [str(EXAMPLES / "now.sh"), "-p", str(broker.port)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert harmless(done.stdout)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(HOSTILE)
    assert all(line.startswith(f"{BASE}/alert/a") for line in lines)


def test_ask_sh(broker: Mosquitto, tmp_path: Path) -> None:
    """Who answers is a table, and it may be a stolen one."""
    ear = tmp_path / "ear"
    with ear.open("wb") as out:
        asking = ["mosquitto_sub", "-p", str(broker.port), "-t", f"{BASE}/request/#"]
        listener = subprocess.Popen(asking, stdout=out)

    def requests() -> int:
        return ear.read_bytes().count(b"\n")

    def heard() -> int:
        publish(broker, f"{BASE}/request/probe", b"{}")
        return requests()

    wait_for(heard)
    for payload in HOSTILE:
        asked = requests()
        command = [str(EXAMPLES / "ask.sh"), "toledo/RL-07", "snapshot", '{"id":"s1"}', "-p", str(broker.port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        wait_for(lambda asked=asked: requests() > asked)  # type: ignore[misc]
        publish(broker, f"{BASE}/response/snapshot", payload)
        answer, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        assert harmless(answer)
        assert answer.count(b"\n") == 1
    done = subprocess.run([*command, "-W", "1"], capture_output=True, timeout=30)
    listener.kill()
    listener.wait()
    assert (done.returncode != 0, done.stdout) == (True, b"")  # nobody answers


@pytest.mark.skipif(shutil.which("logger") is None, reason="logger is not installed")
def test_syslog_sh(broker: Mosquitto, script: Callable[..., Script]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as siem:
        siem.bind(("127.0.0.1", 0))
        siem.setblocking(False)
        came: list[bytes] = []

        def receive() -> list[bytes]:
            try:
                while True:
                    came.append(siem.recv(65_536))
            except BlockingIOError:
                return came

        script("syslog.sh", "127.0.0.1", str(siem.getsockname()[1]), "-p", str(broker.port))
        subscribed(broker, receive)
        long = [b'{"a":"' + b"x" * (size - 6) + b"<130>" + FORGED.encode() + b'"}' for size in range(7_900, 8_300, 20)]
        for payload in (*HOSTILE, b"\n<130>" + FORGED.encode(), *long):
            publish(broker, f"{BASE}/irregularity/notice", payload)
            receive()
        publish(broker, f"{BASE}/irregularity/critical", b'{"last":1}')
        wait_for(lambda: any(b'"last"' in message for message in receive()))
        told = [message for message in came if b'"probe"' not in message]
        assert len(told) == len(HOSTILE) + 1 + len(long) + 1
        assert {message[:5] for message in told[:-1]} == {b"<133>"}
        assert told[-1].startswith(b"<130>")
        assert all(harmless(message) for message in told)


def test_listen_py(broker: Mosquitto, tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "listen.py"), "127.0.0.1", "--port", str(broker.port)]
    running = Script(tmp_path / "s", *command)
    try:
        wait_for(lambda: "listening" in running.err, 60)
        for payload in HOSTILE:
            publish(broker, f"{BASE}/irregularity/notice", payload)
        for number, sign in enumerate(BREAKS):
            event: dict[str, Any] = EVENT | {"id": f"{number}", "data": {"rule": f"{sign}{FORGED}"}}
            publish(broker, f"{BASE}/irregularity/notice", json.dumps(event, ensure_ascii=False).encode())
            publish(broker, f"{BASE}/irregularity/notice", json.dumps(event | {"type": [f"{sign}"]}).encode())
        publish(broker, f"{BASE}/irregularity/notice", json.dumps(EVENT | {"id": "last"}).encode())
        wait_for(lambda: any('"last"' in line for line in running.out))
        assert len(running.out) == len(BREAKS) + 1
        assert harmless((tmp_path / "s" / "out").read_bytes())
        assert harmless((tmp_path / "s" / "err").read_bytes())
    finally:
        running.stop()
