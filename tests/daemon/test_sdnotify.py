"""What systemd is told, heard on a real datagram socket; the watchdog lives by the event loop."""

from __future__ import annotations

import asyncio
import os
import socket
import time

import pytest

from pitwatch.daemon.service.sdnotify import Notifier


@pytest.fixture
def systemd(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        yield listening


def heard(listening):
    said = []
    while True:
        try:
            said += listening.recv(4096).decode().split("\n")
        except BlockingIOError:
            return said


async def test_ready_watchdog_stopping(systemd):
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "90000"})
    began = time.monotonic()
    notifier.ready("aligning")
    said = heard(systemd)
    async with asyncio.timeout(20):
        while len(said) < 8:
            await asyncio.sleep(0.001)
            said += heard(systemd)
    assert said == ["READY=1", "STATUS=aligning", *["WATCHDOG=1"] * 6]
    assert time.monotonic() - began > 0.14  # five times a third of what is allowed: one may be late
    assert notifier._timer.when() - asyncio.get_running_loop().time() <= 0.03
    notifier.stopping()
    assert heard(systemd) == ["STOPPING=1", "STATUS=stopping"]
    await asyncio.sleep(0.1)
    assert heard(systemd) == []  # no feeding after the last word
    notifier.close()


async def test_a_loop_that_hangs_does_not_feed_the_watchdog(systemd):
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "30000"})
    notifier.ready("ready")
    await asyncio.sleep(0.05)
    heard(systemd)
    time.sleep(0.2)  # noqa: ASYNC251  that is the point
    assert heard(systemd) == []
    notifier.stopping()
    notifier.close()


async def test_a_watchdog_meant_for_another_process_is_not_fed(systemd):
    environment = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "30000", "WATCHDOG_PID": "1"}
    notifier = Notifier(environment)
    notifier.ready("ready")
    await asyncio.sleep(0.05)
    assert heard(systemd) == ["READY=1", "STATUS=ready"]
    notifier.close()


def test_the_abstract_socket_too():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        name = f"pitwatch-test-{os.getpid()}"
        listening.bind("\0" + name)
        notifier = Notifier({"NOTIFY_SOCKET": "@" + name})
        notifier.say("STATUS=x")
        assert listening.recv(100) == b"STATUS=x"
        notifier.close()


def test_without_systemd_and_with_a_deaf_one_nothing_happens(tmp_path):
    Notifier({}).say("READY=1")
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).say("READY=1")
