"""A witness over HTTP against a log and a verifier that were written from the specification alone."""

from __future__ import annotations

import asyncio
import base64
import http.client
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pitwatch.daemon.tlog.note import Key
from pitwatch.floor.archive.store import Store
from pitwatch.floor.witness.cosigner import Cosigner
from pitwatch.floor.witness.cosigning import Cosigning
from pitwatch.floor.witness.heads import Heads
from pitwatch.floor.witness.protocol import MOST_BYTES
from pitwatch.floor.witness.server import Server
from pitwatch.floor.witness.service import Service
from tests.floor.witness.independent import Log, b64, cosigned_at

ORIGIN = "house.example/pitwatch/toledo/RL-07"
NAME = "regulator.example/w1"
CLIENTS = ThreadPoolExecutor(20)
"""Not asyncio's own: clients that wait would take the threads that answer them."""


def post(port: int, body: bytes, path: str = "/add-checkpoint") -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", path, body)
        answer = connection.getresponse()
        return answer.status, answer.headers.get_content_type(), answer.read()
    finally:
        connection.close()


class Running:
    """A witness on a free port."""

    def __init__(self, store: Store, folder: Path, *keys: str):
        self.cosigner = Cosigner(NAME, folder / "witness.key")
        self.public = self.cosigner.prepare().public
        self.heads = Heads(store)
        service = Service(Cosigning(self.heads, self.cosigner), {ORIGIN: [Key.parse(key) for key in keys]})
        self.server = Server(service, "127.0.0.1", 0)
        self.port = 0

    async def post(self, body: bytes, path: str = "/add-checkpoint") -> tuple[int, str, bytes]:
        return await asyncio.get_running_loop().run_in_executor(CLIENTS, post, self.port, body, path)

    async def status(self, body: bytes) -> int:
        return (await self.post(body))[0]


@pytest.fixture
def log() -> Log:
    return Log(ORIGIN)


@pytest.fixture
async def witness(store: Store, tmp_path: Path, log: Log) -> AsyncIterator[Running]:
    running = Running(store, tmp_path, log.vkey)
    running.port = running.server.start()
    yield running
    await running.server.stop()


async def test_a_log_that_grows_is_cosigned_each_time(witness: Running, log: Log) -> None:
    size = 0
    for count in (1, 1, 5, 8, 1, 300, 0):
        log.grow(count)
        before = time.time()
        status, kind, body = await witness.post(log.request(size))
        assert (status, kind) == (200, "text/plain")
        at = cosigned_at(log.note() + body.decode(), NAME, witness.public)
        assert at is not None
        assert int(before) <= at <= time.time()
        size = len(log.leaves)


async def test_every_other_answer_of_the_specification(witness: Running, log: Log) -> None:
    log.grow(20)
    assert await witness.status(log.request(0, 10)) == 200
    stranger, thief = Log("house.example/other").grow(11), Log(ORIGIN, seed=9)
    thief.leaves = log.leaves
    assert await witness.status(stranger.request(0)) == 404
    assert await witness.status(thief.request(10)) == 403
    assert await witness.status(log.request(10).replace(b"old 10", b"old 99")) == 400
    for old in (0, 5, 11):
        assert await witness.post(log.request(old)) == (409, "text/x.tlog.size", b"10\n")
    other = Log(ORIGIN).grow(10, "another past")
    assert await witness.post(other.request(10)) == (409, "text/x.tlog.size", b"10\n")
    other.grow(5)
    assert await witness.status(other.request(10)) == 422
    assert await witness.status(log.request(10, 15)) == 200
    wrong = log.request(15)
    first = wrong.split(b"\n")[1]
    changed = b64(bytes(32)).encode()
    assert await witness.status(wrong.replace(first, changed)) == 422
    assert await witness.status(wrong.replace(first + b"\n", b"")) == 422
    assert await witness.status(wrong.replace(first, first + b"\n" + changed)) == 422
    assert await witness.status(wrong) == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 0\n",
        b"old 00\n\n",
        b"old +1\n\n",
        b"old 1\nnot base64\n\n",
        b"old 9223372036854775808\n\n",
        b"old 0\n\nno note at all\n",
        b"\xff\xfe",
        b"old 0\n" + 64 * (base64.b64encode(bytes(32)) + b"\n") + b"\n" + Log(ORIGIN).grow(1).note().encode(),
    ],
)
async def test_what_is_no_request_is_refused(witness: Running, body: bytes) -> None:
    assert await witness.status(body) == 400


async def test_too_much_and_elsewhere(witness: Running, log: Log) -> None:
    assert (await witness.post(b"x" * (MOST_BYTES + 1)))[0] == 413
    assert (await witness.post(log.grow(1).request(0), "/other"))[0] == 404


async def test_foreign_signatures_below_a_note_are_ignored(witness: Running, log: Log) -> None:
    line = f"— {ORIGIN} {b64(b'none' + bytes(64))}\n— other.example/x {b64(b'none' + bytes(100))}\n"
    assert await witness.status(log.grow(3).request(0) + line.encode()) == 200


async def test_one_of_many_at_once_wins(witness: Running, log: Log) -> None:
    """Two branches at once, many times each: one of them is the log from then on."""
    log.grow(8)
    assert await witness.status(log.request(0)) == 200
    other = Log(ORIGIN)
    other.leaves = list(log.leaves)
    log.grow(3)
    other.grow(3, "another past")
    bodies = [log.request(8), other.request(8)] * 10
    answers = await asyncio.gather(*map(witness.status, bodies))
    assert 200 in answers
    assert {answer for each, answer in enumerate(answers) if answer != 200} <= {409}
    assert len({each % 2 for each, answer in enumerate(answers) if answer == 200}) == 1


async def test_a_new_key_of_a_log_begins_anew(store: Store, tmp_path: Path, log: Log) -> None:
    """A replaced board: its key was configured, the newest last."""
    new = Log(ORIGIN, seed=2).grow(4, "new board")
    running = Running(store, tmp_path, log.vkey, new.vkey)
    running.port = running.server.start()
    try:
        assert await running.status(log.grow(30).request(0)) == 200
        assert await running.status(new.request(0)) == 200
        assert await running.status(new.request(0).replace(b"old 0", b"old 30")) == 400
        assert await running.status(log.grow(1).request(30)) == 200
    finally:
        await running.server.stop()


async def test_both_heads_of_a_split_view_are_kept(witness: Running, store: Store, log: Log) -> None:
    assert await witness.status(log.grow(7).request(0)) == 200
    other = Log(ORIGIN).grow(7, "another past")
    assert await witness.status(other.request(7)) == 409
    (kept,) = await store.ask("SELECT note, verdict FROM tree_heads")
    assert kept == {"note": other.note(), "verdict": "contradicts"}
    (known,) = await store.ask("SELECT note FROM witness_heads")
    assert known["note"] == log.note()


def test_the_command_remembers_across_a_kill(tmp_path: Path, log: Log) -> None:
    """Killed at once after each answer: what it answered is on disk."""
    config = tmp_path / "witness.toml"
    config.write_text(
        f'[witness]\nname = "{NAME}"\nlisten = "127.0.0.1:0"\ndatabase = "sqlite:{tmp_path / "w.db"}"\n'
        f'[logs."{ORIGIN}"]\nkey = "{log.vkey}"\n'
    )
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "witness"]
    printed = subprocess.run([*command, "key", str(config)], capture_output=True, text=True, check=True)
    key = Key.parse(printed.stdout.strip())
    assert stat.S_IMODE((tmp_path / "witness.key").stat().st_mode) == 0o600
    size = 0
    for count in (3, 4):
        process = subprocess.Popen([*command, "run", str(config)], stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert key.format() in line
            log.grow(count)
            status, _, body = post(int(line.rpartition(":")[2]), log.request(size))
            os.kill(process.pid, signal.SIGKILL)
        finally:
            process.kill()
            process.wait()
        assert status == 200
        assert cosigned_at(log.note() + body.decode(), NAME, key.public) is not None
        size = len(log.leaves)
