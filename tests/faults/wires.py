"""Faults of the devices and their wires, and a loop that hangs. Each gives the row of one fault. For tests only."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

from tests.e2e.mosquitto import wait_for
from tests.faults.row import Row
from tests.faults.run import Run, swipe

WITHIN = 1.0
"""Seconds in which a fault of a device is told."""

WATCHDOG = 0.8
"""Seconds within which the watchdog is to be fed."""

STATUS_LINE = b"*X;2;007; 9;0;150;1\r\n"


def flooded(folder: Path, times: int) -> Row:
    """The wheel's port brings 10,000 lines a second for two seconds; the key reader beside it goes on."""
    with Run(folder) as run:
        run.start()
        for n in range(times):
            began = time.time()
            flood = threading.Thread(target=_flood, args=(run, 2.0))
            flood.start()
            for _ in range(20):
                number = len(run.swipes) + 1
                run.swipes.append(f"1:{number}")
                run.keys.send_all(swipe(number))
                time.sleep(0.1)
            flood.join()
            wait_for(lambda n=n: _states(run, "wheel", "flood") == n + 1, 3, "the flood is not told")
            wait_for(lambda: run.ear.states("device/wheel")[-1]["state"] == "online", 5, "the flood's end is not told")
            run.settle()
            told = _told_after(run, began, "flood")
            assert told < WITHIN, f"the flood is told after {told:.2f} s"
            assert _slowest_swipe(run) < 0.5, f"a swipe took {_slowest_swipe(run):.2f} s"
        run.play(5)  # and it is heard again
        run.settle()
        run.stop()
        run.settle()
        return run.compare("device that sends 10,000 lines a second", times)


def _flood(run: Run, seconds: float) -> None:
    began, sent = time.monotonic(), 0
    while (gone := time.monotonic() - began) < seconds:
        due = int(gone * 10_000) - sent
        run.wheel.send(STATUS_LINE * due)
        sent += due
        time.sleep(0.002)


def _states(run: Run, device: str, reason: str) -> int:
    """How often the device was told to be in this trouble."""
    return sum(data != "" and data["reason"] == reason for data in run.ear.states(f"device/{device}"))


def _told_after(run: Run, began: float, reason: str) -> float:
    return next(
        e.at for e in run.ear.heard
        if e.at >= began and "/device/" in e.topic and e.event and (e.event["data"]["reason"] or "").find(reason) >= 0
    ) - began  # fmt: skip


def _slowest_swipe(run: Run) -> float:
    """Longest way of a swipe from its stamp to the subscriber, in seconds. One clock stamps both."""
    offset = time.time() - time.monotonic()
    ways = [
        e.at - offset - int(e.event["monotonic"]) / 1e9
        for e in run.ear.records()
        if e.topic.endswith("/observation/keys") and e.event["data"]["event"] == "credential_presented"
    ]
    return max(ways, default=0.0)


def noise(folder: Path, times: int) -> Row:
    """Noise on the wheel's wire in quick bursts between the spins: every spin is heard, the noise is counted."""
    with Run(folder) as run:
        run.start()
        sent = 0
        for _ in range(times):
            run.play(1, 0.02)
            junk = bytes(byte | 0x80 for byte in run.chance.randbytes(run.chance.randrange(1, 100))) + b"\r\n"
            run.wheel.send_all(junk)
            sent += len(junk) - 2
        run.play(1)
        wait_for(lambda: _discarded(run) >= 0.9 * sent, 10, f"of {sent} bytes of noise not nearly all are counted")
        run.settle()
        run.stop()
        run.settle()
        assert _discarded(run) <= sent, (sent, _discarded(run))
        return run.compare("noise on a serial wire", times)


def _discarded(run: Run) -> int:
    """Bytes that were told as discarded."""
    return sum(
        int(e["data"]["data"]["count"])
        for e in {e.event["id"]: e.event for e in run.ear.records()}.values()
        if e["type"] == "pitwatch.observation.v1" and e["data"]["event"] == "bytes_discarded"
    )


def unplugged(folder: Path, times: int) -> Row:
    """The wheel's adapter is pulled in mid-line and put back under load; the key reader beside it loses nothing."""
    with Run(folder) as run:
        run.start()
        for n in range(times):
            run.play(2, 0.02)
            run.settle()  # what is in the kernel's buffer when a cord is pulled is gone, and nobody's fault
            run.wheel.send(b"*X;3;00")
            began = time.time()
            run.wheel.unplug()
            for _ in range(10):
                number = len(run.swipes) + 1
                run.swipes.append(f"1:{number}")
                run.keys.send_all(swipe(number))
                time.sleep(0.02)
            wait_for(lambda n=n: _states(run, "wheel", f"{run.wheel.path}: unplugged (hung up); plug it in again") > 0)
            assert _told_after(run, began, "unplugged") < WITHIN
            run.wheel.plug()
            wait_for(lambda: run.ear.states("device/wheel")[-1]["state"] == "online", 35, "it is not opened again")
        run.play(2)
        run.settle()
        run.stop()
        run.settle()
        row = run.compare("serial adapter pulled and put back", times)
        assert _open_files(run) == -1
        return row


def _open_files(run: Run) -> int:
    assert run.process is not None
    try:
        return len(os.listdir(f"/proc/{run.process.pid}/fd"))
    except FileNotFoundError:
        return -1


HANGING = """\
import asyncio, time
from pitwatch.daemon.service import app
class Hanging(app.Daemon):
    async def start(self):
        await super().start()
        asyncio.get_running_loop().call_later(0.3, hang)
def hang():
    time.sleep(3600)
import os
if os.environ.get("FAULTS_HANG"):
    app.Daemon = Hanging
"""


def hung(folder: Path, times: int) -> Row:
    """The loop hangs. The watchdog, here played by the harness as systemd plays it, starts the daemon again, which
    tells that and where it hung."""
    with Run(folder, more=HANGING) as run, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(folder / "notify"))
        notify.settimeout(WATCHDOG)
        systemd = {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": str(int(WATCHDOG * 1e6))}
        for n in range(times):
            run.start(environment={**systemd, "FAULTS_HANG": "1"})
            _until_silent(notify)
            assert run.process is not None
            run.process.send_signal(signal.SIGABRT)
            assert run.process.wait(5) == -signal.SIGABRT
            run.start(environment=systemd)
            run.play(3)
            run.settle()
            started = run.ear.systems("started")[-1]
            assert started["cause"] == "watchdog", started
            assert "hang" in started["fault"], started
            run.stop()
            run.settle()
            causes = [each["cause"] for each in run.ear.systems("started")]
            assert causes == ["first" if n == 0 else "stopped", "watchdog"] or len(causes) > 2
        return run.compare("loop that hangs, ended by the watchdog", times)


def _until_silent(notify: socket.socket) -> None:
    """Until the watchdog was not fed for its time. Raises AssertionError if it is fed on and on."""
    deadline = time.monotonic() + 10
    try:
        while time.monotonic() < deadline:
            notify.recv(4096)
    except TimeoutError:
        return
    raise AssertionError("a loop that hangs feeds the watchdog")


FAULTS = {
    flooded: (1, 10),
    noise: (5, 1000),
    unplugged: (0, 15),
    hung: (1, 10),
}
"""Fault to how often it is done in `make test` (0: it takes too long) and in `make faults`."""
