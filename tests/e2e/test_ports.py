"""Ports as they are after cleaning: two plugs swapped, a wrong speed, no power. What the daemon says, and doctor."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import random
import subprocess
import sys
import threading
import tty

import pytest

from benchmarks.ports import free_port
from pitwatch.devices.protocols import angel_eye
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import TABLE, TableProcess, spin

SHOE = """
[[device]]
id = "shoe"
type = "shoe"
link = "serial:{port}"
protocol = "angel_eye"
"""


class Port:
    """One end of a pseudo-terminal, where a device may say something."""

    def __init__(self):
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)

    def say(self, data):
        with contextlib.suppress(BlockingIOError):
            os.write(self.master, data)

    def close(self):
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture
def ports():
    ports = [Port(), Port()]
    yield ports
    for port in ports:
        port.close()


def cards(first):
    """Four frames of a shoe."""
    return b"".join(
        angel_eye.frame("123456789"[(first + i) % 9], angel_eye.card_data(i % 2, i % 3, "8S")) for i in range(4)
    )


def test_two_plugs_swapped_and_put_right(tmp_path, broker, ports):
    table = TableProcess(tmp_path, broker.url, port=ports[0].path)
    table.config.write_text(table.config.read_text() + SHOE.format(port=ports[1].path))
    subscriber = broker.subscribe()

    def state(device):
        topic = f"pitwatch/1/toledo/RL-07/device/{device}"
        told = [p["data"] for t, p, _ in subscriber.messages if t == topic and p]
        return (told[-1]["state"], told[-1]["reason"]) if told else None

    try:
        table.start()
        wait_for(lambda: state("wheel") == state("shoe") == ("online", None))
        ports[1].say(spin(1, 1).encode())
        ports[0].say(cards(0))
        swapped = ("fault", "wrong_device_on_port")
        wait_for(lambda: state("wheel") == state("shoe") == swapped)
        faults = {
            p["data"]["device"]: p["data"]["data"]
            for p in subscriber.records()
            if p["type"] == "pitwatch.observation.v1" and p["data"]["event"] == "device_fault"
        }
        assert faults["wheel"]["looks_like"] == "angel_eye"
        assert faults["shoe"]["looks_like"] == "slingshot2"
        ports[0].say(spin(1, 1).encode())
        ports[1].say(cards(4))
        wait_for(lambda: state("wheel") == state("shoe") == ("online", None))
        ports[0].say(spin(2, 0).encode())
        wait_for(
            lambda: any(p["type"] == "pitwatch.round.v1" and not p["data"]["partial"] for p in subscriber.records())
        )
        assert not [p for p in subscriber.records() if p["type"] == "pitwatch.irregularity.v1"]
    finally:
        table.close()


def doctor(tmp_path, config, *speaking, seconds=1.6):
    """What doctor finds of each device, while `speaking` (port, a function of the number) talk ten times a second."""
    path = tmp_path / "table.toml"
    path.write_text(config)
    over = threading.Event()

    def talk():
        number = 0
        while not over.wait(0.1):
            for port, say in speaking:
                port.say(say(number))
            number += 1

    talker = threading.Thread(target=talk)
    talker.start()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pitwatch.daemon.cli", "doctor", "--listen", str(seconds), "--json", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        over.set()
        talker.join()
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        each["what"].removeprefix("device "): (each["well"], each["seen"], each["mend"])
        for each in findings
        if each["what"].startswith("device ")
    }


def config(*ports):
    table = TABLE.format(url=f"mqtt://127.0.0.1:{free_port()}", mqtt="", port=ports[0].path)
    return table + SHOE.format(port=ports[1].path)


def status(number):
    return f"*X;2;{number % 256 + 1:03d};17;0;150;1\r\n".encode()


def test_doctor_names_the_plugs_to_exchange(tmp_path, ports):
    found = doctor(tmp_path, config(*ports), (ports[0], cards), (ports[1], status))
    assert found == {
        "wheel": (
            False,
            "what speaks there is angel_eye, not slingshot2",
            'exchange the links (or plugs) of "wheel" and "shoe"',
        ),
        "shoe": (
            False,
            "what speaks there is slingshot2, not angel_eye",
            'exchange the links (or plugs) of "shoe" and "wheel"',
        ),
    }


def test_doctor_names_the_other_wheel_of_the_same_maker(tmp_path, ports):
    line = b"*X;7;004;17;0;180;0\r\n"  # a state that only a Mercury 360 has
    well, seen, mend = doctor(tmp_path, config(*ports), (ports[0], lambda number: line), (ports[1], cards))["wheel"]
    assert not well
    assert seen == "what speaks there is mercury360, not slingshot2"
    assert mend == "connect the device that speaks slingshot2, or correct `link`"


def test_doctor_on_ports_as_they_should_be(tmp_path, ports):
    found = doctor(tmp_path, config(*ports), (ports[0], status), (ports[1], cards))
    assert found["wheel"][0]
    assert found["shoe"][0]


def test_doctor_on_a_silent_wheel_and_a_silent_shoe(tmp_path, ports):
    found = doctor(tmp_path, config(*ports))
    well, seen, fix = found["wheel"]
    assert not well
    assert seen.endswith("open, but silent for 1.6 s, though a wheel by slingshot2 repeats itself")
    assert fix == "switch it on; its TX goes to the adapter's RX, and ground to ground"
    well, seen, fix = found["shoe"]
    assert well, "a shoe is silent until a card is drawn"
    assert fix == "one without power is as silent: let it read something while this listens (--listen 20)"


def test_doctor_on_a_wrong_speed(tmp_path, ports):
    chance = random.Random(4)
    found = doctor(tmp_path, config(*ports), (ports[0], lambda number: chance.randbytes(12)), (ports[1], cards))
    well, seen, fix = found["wheel"]
    assert not well
    assert seen.startswith("garbage: ")
    assert "no message of slingshot2 among them" in seen
    assert fix.startswith("set baud, parity, bits and stop as the device has them")
    assert found["shoe"][0]


def test_doctor_on_a_key_reader_without_power_and_on_a_box_that_is_not_there(tmp_path, ports):
    text = TABLE.format(url=f"mqtt://127.0.0.1:{free_port()}", mqtt="", port="/dev/no-such-port")
    text += f"""
[[device]]
id = "keys"
type = "key_reader"
protocol = "osdp"
link = "osdp:serial:{ports[0].path}?address=4"
[[device]]
id = "box"
type = "shoe"
protocol = "angel_eye"
link = "rfc2217:127.0.0.1:{free_port()}"
[[device]]
id = "scanner"
type = "shoe"
protocol = "card_lines"
link = "hid:/dev/input/by-id/none"
"""
    found = doctor(tmp_path, text)
    assert found["keys"] == (
        False,
        f"{ports[0].path}: no answer at address 4",
        "see that the reader has power, that A and B are not exchanged, and that its speed and address are right",
    )
    assert found["box"][1].endswith("connection refused")
    assert found["scanner"] == (
        False,
        "/dev/input/by-id/none: no such reader",
        "plug it in, or correct `link`; readers are in /dev/input/by-id",
    )


def test_doctor_beside_a_running_daemon_leaves_it_the_ports_and_asks_it(tmp_path):
    """Its own attempt would find each port in use, or take bytes away from the daemon."""
    table = TableProcess(tmp_path, f"mqtt://127.0.0.1:{free_port()}")
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "doctor", "--listen", "0.2", "--json", str(table.config)]

    def told():
        done = subprocess.run(command, capture_output=True, text=True)
        return {each["what"]: each for each in map(json.loads, done.stdout.splitlines())}["device wheel"]

    try:
        table.start()
        table.write(spin(1, 0))
        wait_for(lambda: told()["seen"] == "online, says the running daemon", 20)
        assert told()["well"]
        table.close()
        wait_for(lambda: "says the running daemon" not in told()["seen"], 10)
    finally:
        if table.process is not None and table.process.poll() is None:
            table.kill()
