"""Faults between daemon and broker, and of the daemon's process. Each gives the row of one fault. For tests only."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import paho.mqtt.client as client

from tests.e2e.mosquitto import wait_for
from tests.faults.ear import TOPIC, Ear
from tests.faults.row import Row
from tests.faults.run import QUICK, Run

WITHIN = 5.0
"""Seconds in which retained states are right after any restart."""

SHORT = QUICK + "shorten('pitwatch.daemon.publishing.session', STALLED_AFTER=1.0)\n"


def cut(folder: Path, times: int) -> Row:
    """The connection is reset in mid-stream, again and again; it is sought again sooner than usual."""
    with Run(
        folder, more="shorten('pitwatch.daemon.publishing.publisher', BACKOFF_FIRST=0.1, BACKOFF_MOST=0.2)"
    ) as run:
        run.start()
        for _ in range(times):
            before = run.proxy.connections
            run.play(4, 0.005)
            run.proxy.cut()
            run.play(1, 0.002)
            wait_for(lambda before=before: run.proxy.connections > before, what="no connection is made again")
        run.settle(60)
        run.stop()
        wait_for(lambda: len(run.ear.heard) and run.ear.states("status")[-1]["state"] == "stopping")
        run.settle()
        assert run.proxy.connections > times
        return run.compare("connection reset in mid-stream", times)


def connack(folder: Path, times: int) -> Row:
    """The connection is reset while it is being made."""
    quick = (
        "shorten('pitwatch.daemon.publishing.publisher', BACKOFF_FIRST=0.01, BACKOFF_MOST=0.02)\n"
        "shorten('pitwatch.daemon.publishing.broker_client', ANSWERED_WITHIN=0.05)\n"
    )
    with Run(folder, more=quick) as run:
        run.start()
        before = run.proxy.connections
        run.proxy.down = 0  # the broker's answer stays in the proxy
        run.proxy.cut()
        deadline = time.monotonic() + 30 + times
        while run.proxy.connections < before + times:
            assert time.monotonic() < deadline, f"{run.proxy.connections - before} connections instead of {times}"
            if not run.chance.randrange(10):
                run.play(1, 0.001)
            time.sleep(0.03 * run.chance.random())
            run.proxy.cut()
        made = run.proxy.connections - before
        run.proxy.heal()
        run.proxy.cut()
        run.settle(30)
        run.stop()
        run.settle()
        return run.compare("connection reset before the broker has answered", made)


def stalled(folder: Path, times: int) -> Row:
    """The network passes nothing on and closes nothing."""
    with Run(folder, more=SHORT) as run:
        run.start()
        for _ in range(times):
            run.proxy.up = run.proxy.down = 0
            run.play(20, 0.02)
            time.sleep(2.0)
            run.proxy.heal()
            run.play(5)
        run.settle(30)
        run.stop()
        run.settle()
        return run.compare("network that stalls", times)


def unacknowledged(folder: Path, times: int) -> Row:
    """The broker takes everything and answers nothing, so that all of it comes twice."""
    with Run(folder, more=SHORT) as run:
        run.start()
        for _ in range(times):
            run.proxy.down = 0
            run.play(15, 0.02)
            time.sleep(1.0)
            run.proxy.heal()
            run.play(5)
        run.settle(30)
        run.stop()
        run.settle()
        row = run.compare("broker that does not acknowledge", times)
        assert row.duplicates > 0  # the fault was really there
        return row


def throttled(folder: Path, times: int) -> Row:
    """A network of 20 kB/s, less than play needs."""
    with Run(folder) as run:
        run.start()
        for _ in range(times):
            run.proxy.up = 20_000
            run.play(20, 0.02)
            run.proxy.heal()
            run.settle(60)
        run.stop()
        run.settle()
        return run.compare("network of 20 kB/s", times)


def half_closed(folder: Path, times: int) -> Row:
    """The other side says that it will send no more."""
    with Run(folder) as run:
        run.start()
        for _ in range(times):
            run.play(5)
            run.proxy.half_close()
            run.play(5)
            run.settle()
        run.stop()
        run.settle()
        return run.compare("connection closed in one direction", times)


def deaf(folder: Path, times: int) -> Row:
    """An address where connecting is taken and nobody ever answers, then the broker is back."""
    with Run(folder, more=SHORT) as run, socket.create_server(("127.0.0.1", 0)) as nobody:
        run.start()
        there = run.proxy._broker
        for _ in range(times):
            run.proxy._broker = nobody.getsockname()[:2]
            run.proxy.cut()
            run.play(20, 0.03)
            run.proxy._broker = there
            run.proxy.cut()
            run.play(5)
            run.settle(30)
        run.stop()
        run.settle()
        return run.compare("broker's address answered by nobody", times)


def restarts(folder: Path, times: int) -> Row:
    """Broker and daemon are ended and started in every order; whoever asks five seconds later is told right."""
    with Run(folder) as run:
        run.start()
        orders = ("B", "D", "K", "BD", "BK", "DB")
        for n in range(times):
            order = orders[n % len(orders)]
            run.play(3)
            run.settle()
            if "B" in order:
                _end_broker(run)
            if "D" in order:
                run.stop()
            elif "K" in order:
                run.kill()
            run.play(2)  # nobody may be listening
            if order[0] == "B":
                run.broker.start()
            if "D" in order or "K" in order:
                run.start(ready=False)
            if order[0] != "B" and "B" in order:
                time.sleep(0.3)
                run.broker.start()
            _right_within(run, n)
        run.settle(30)
        run.stop()
        run.settle()
        return run.compare("broker and daemon restarted in every order", times, whole=False)


def _end_broker(run: Run) -> None:
    """As systemd ends it; what it has acknowledged is on its disk then."""
    process = run.broker._process
    assert process is not None
    process.terminate()
    process.wait()


def _right_within(run: Run, n: int) -> None:
    """A newcomer finds the table ready or aligning and both devices on line, from the run that goes on now."""
    deadline = time.monotonic() + WITHIN
    while True:
        newcomer = Ear(run.broker.port, f"newcomer-{n}-{time.monotonic_ns()}", lasting=False)
        time.sleep(0.1)
        kept = {e.topic: e.event for e in newcomer.heard if e.retained and e.event}
        newcomer.close()
        state = kept.get(f"{TOPIC}/status", {}).get("data", {}).get("state")
        devices = [kept.get(f"{TOPIC}/device/{d}", {}).get("data", {}).get("state") for d in ("wheel", "keys")]
        alerts = [topic for topic in kept if "/alert/" in topic]
        if state in ("ready", "aligning") and devices == ["online", "online"] and not alerts:
            return
        assert time.monotonic() < deadline, f"retained after {WITHIN:.0f} s: {state}, {devices}, {alerts}"


def late_will(folder: Path, times: int) -> Row:
    """The board loses its power and is back before the broker has noticed; the will fires late."""
    with Run(folder) as run:
        run.start()
        for _ in range(times):
            run.play(3)
            run.settle()
            run.proxy.abandon()
            run.kill()
            run.start()
            run.play(2)
            wait_for(lambda: run.ear.states("status")[-1]["state"] in ("ready", "aligning"), WITHIN)
            time.sleep(0.2)
            assert run.ear.states("status")[-1]["state"] in ("ready", "aligning")
        run.settle()
        run.stop()
        run.settle()
        return run.compare("power cut that the broker has not noticed yet", times, whole=False)


def told_to_stop(folder: Path, times: int) -> Row:
    """SIGTERM in the middle of a burst, also under a network that stalls: a clean end within systemd's 15 s."""
    with Run(folder, more=SHORT) as run:
        for n in range(times):
            run.start()
            if n % 3 == 2:
                run.proxy.up = run.proxy.down = 0
            burst = threading.Thread(target=run.play, args=(30, 0.001))
            burst.start()
            time.sleep(0.02 * run.chance.random())
            began = time.monotonic()
            run.stop()
            assert time.monotonic() - began < 10
            burst.join()
            run.proxy.heal()
        run.start()
        causes = [each["cause"] for each in run.ear.systems("started")]
        assert causes[1:] == ["stopped"] * times, causes
        run.settle(30)
        run.stop()
        run.settle()
        return run.compare("told to stop in the middle of a burst", times, whole=False)


JUNK = (b"", b"{", b"\xff\xfe\x00", b"[" * 4_000, b'{"id": 1}', b'{"id": "a", "first": 5, "last": 1}', b"x" * 100_000)


def hostile(folder: Path, times: int) -> Row:
    """Somebody floods the requests with junk, retained and not, and with replays: play loses nothing, and who asks
    rightly afterwards is answered. What was left retained asks for nothing after a restart."""
    more = "shorten('pitwatch.daemon.requests.allowances', REFILL=5_000_000)"  # so that most is read, not just counted
    options = 'username = "someone"\nrequests = ["replay", "acknowledge", "snapshot"]'
    with Run(folder, more=more, mqtt=options) as run:
        somebody = client.Client(client.CallbackAPIVersion.VERSION2, client_id="somebody")
        somebody.max_queued_messages_set(0)
        somebody.connect("127.0.0.1", run.broker.port)
        somebody.loop_start()
        run.start()
        for n in range(times):
            for _ in range(10):
                verb = run.chance.choice(("replay", "acknowledge", "snapshot", "open-the-door", "x" * 200))
                junk = run.chance.choice(JUNK)
                somebody.publish(f"{TOPIC}/request/{verb}", junk, qos=run.chance.randrange(2), retain=n % 5 == 0)
            _ask(somebody, "replay", {"id": f"r{n}", "first": 1, "last": min(500, 10 + n)})
            _ask(somebody, "snapshot", {"id": f"s{n}"})
            run.play(1, 0.02)
        deadline = time.monotonic() + 30
        while True not in _answers(run, "replay", "rightly"):  # what comes in a flood is dropped, who asks too
            assert time.monotonic() < deadline, "who asks rightly is not answered"
            _ask(somebody, "replay", {"id": "rightly", "first": 1, "last": 10})
            time.sleep(0.5)
        run.settle()
        run.stop()
        answers = len([e for e in run.ear.heard if "/response/" in e.topic])
        run.start()
        run.play(5)
        run.settle()
        assert len([e for e in run.ear.heard if "/response/" in e.topic]) == answers, "what was retained is answered"
        run.stop()
        run.settle()
        somebody.disconnect()
        somebody.loop_stop()
        return run.compare("requests that are junk, too long, retained, too many", times * 12)


def _ask(somebody: client.Client, verb: str, request: dict[str, Any]) -> None:
    somebody.publish(f"{TOPIC}/request/{verb}", json.dumps(request), qos=1)


def _answers(run: Run, verb: str, request: str) -> list[bool]:
    return [data["ok"] for data in run.ear.states(f"response/{verb}") if data and data.get("request") == request]


FAULTS = {
    cut: (2, 200),
    connack: (5, 300),
    stalled: (0, 5),
    unacknowledged: (0, 10),
    throttled: (0, 5),
    half_closed: (0, 20),
    deaf: (0, 5),
    restarts: (1, 18),
    late_will: (0, 10),
    told_to_stop: (1, 20),
    hostile: (10, 500),
}
"""Fault to how often it is done in `make test` (0: it takes too long) and in `make faults`."""
