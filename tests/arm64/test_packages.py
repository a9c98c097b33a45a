"""The arm64 packages on an emulated Debian: every library is for that processor, a table runs, upgrade, way back."""

from __future__ import annotations

import os
import pty
import shutil
import struct
import subprocess
import sys
import threading
import tty
import zipfile
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from pitwatch.daemon import cli
from tests.debian import builds
from tests.e2e.mosquitto import Subscriber, wait_for
from tests.e2e.table_process import spin
from tests.roulette import roulette

AARCH64 = 183
"""EM_AARCH64 of elf.h."""
LIBRARIES = r"find /opt/pitwatch/.venv/lib/ -type f -regex '.*\.so\(\.[0-9.]+\)?'"
PYTHON = "/opt/pitwatch/.venv/bin/python -I"
STATE = "/var/lib/pitwatch/RL-07"
JOURNAL = f"{STATE}/pitwatch-RL-07.db"
USER = "setpriv --reuid=pitwatch --regid=pitwatch --clear-groups"
TABLES = builds.PROJECT / "sim_hw" / "tables"
LIMIT_S = 300.0
"""An emulated program is ten times as slow as a board's, and others may keep this machine busy."""


class Wheel:
    """On a pseudo terminal that an emulated table opens; it spins while `turns` is set."""

    def __init__(self):
        self._ends = pty.openpty()
        tty.setraw(self._ends[1])
        self.port = os.ttyname(self._ends[1])
        os.chmod(self.port, 0o666)
        self._done, self.turns = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._turn)
        self._thread.start()

    def _turn(self):
        number = 0
        while not self._done.wait(0.5):
            if self.turns.is_set():  # a terminal that nobody reads is full some time
                number = number % 256 + 1
                os.write(self._ends[0], spin(number, number % 2).encode())

    def close(self):
        self._done.set()
        self._thread.join()
        for end in self._ends:
            os.close(end)


class Table:
    """RL-07 in the Debian at a wheel here, and the Debian's mosquitto, which ends with it. `heard`: by a subscriber
    here."""

    def __init__(self, arm, folder):
        self.debian, self.port = arm.debian, free_port()
        self.wheel = Wheel()
        self.debian.does(f"mosquitto -d -p {self.port}")
        self.file = folder / "RL-07.toml"
        self.file.write_text(roulette(f"serial:{self.wheel.port}", f"mqtt://127.0.0.1:{self.port}"))
        shutil.copy(self.file, arm.tmp / "RL-07.toml")
        self.debian.does(
            f"cp /tmp/RL-07.toml /etc/pitwatch/; install -d -m 700 -o pitwatch -g pitwatch {STATE};"
            f"{USER} pitwatch check RL-07"
        )
        wait_for(self._accepts, LIMIT_S, "the Debian's mosquitto does not start")
        self.heard = Subscriber(self.port, folder / "heard")
        wait_for(lambda: self._accepts() and self.heard.messages, LIMIT_S, "the subscriber does not connect")

    def _accepts(self):
        hello = ["mosquitto_pub", "-p", str(self.port), "-t", "hello", "-m", '"hello"']
        return subprocess.run(hello, capture_output=True).returncode == 0

    def runs(self):
        """Until it has published three rounds; then it is told to stop, and must end well."""
        before = len(self.rounds())
        run = f"{USER} env STATE_DIRECTORY={STATE} pitwatch run /etc/pitwatch/RL-07.toml"
        pid = self.debian.does(f"{run} >/tmp/run.log 2>&1 & echo $!")

        def three():
            status, _ = self.debian.tries(f"kill -0 {pid}")
            assert status == 0, self.debian.does("cat /tmp/run.log")
            return len(self.rounds()) >= before + 3

        self.wheel.turns.set()
        try:
            wait_for(three, LIMIT_S, "no rounds arrive")
        finally:
            self.wheel.turns.clear()
            self.debian.tries(f"kill {pid}; while kill -0 {pid} 2>/dev/null; do sleep 0.1; done")
        assert "Traceback" not in self.debian.does("cat /tmp/run.log")

    def rounds(self):
        return [record for record in self.heard.records() if record["type"] == "pitwatch.round.v1"]

    def close(self):
        self.heard.close()
        self.wheel.close()


@pytest.fixture(scope="module")
def table(arm, tmp_path_factory):
    arm.debian.does(f"apt-get install -y {arm.old.board} 2>&1")
    table = Table(arm, tmp_path_factory.mktemp("table"))
    yield table
    table.close()


def machine(head):
    """For which processor a library is: e_machine of its header."""
    return struct.unpack_from("<H", head, 18)[0]


def test_both_packages_install_and_every_library_is_for_this_processor_and_loads(arm):
    said = arm.debian.does(f"apt-get install -y {arm.old.board} {arm.floor} 2>&1")
    assert "Setting up pitwatch " in said
    assert arm.debian.does("uname -m; pitwatch --version") == f"aarch64\npitwatch {arm.old.version}"
    libraries = arm.debian.does(LIBRARIES).split()
    assert len(libraries) > 50
    heads = arm.debian.does(
        f"{LIBRARIES} | {PYTHON} -c 'import sys; [print(p, open(p[:-1], \"rb\").read(20).hex()) for p in sys.stdin]'"
    )
    assert {machine(bytes.fromhex(head)) for head in heads.split()[1::2]} == {AARCH64}
    # Each of them, so that no library is found to need a newer processor or C library only on a floor.
    missing = arm.debian.does(f"{LIBRARIES} | xargs -n 50 ldd 2>&1 | grep -E 'not found' || true")
    assert missing == ""
    arm.debian.does(
        f"{PYTHON} -c 'import cryptography.x509, gpiod, msgspec, psycopg, pyarrow.parquet, textual, aiomqtt'"
    )
    chip = "import gpiod; print(gpiod.api_version, gpiod.is_gpiochip_device('/dev/null'))"
    assert arm.debian.does(f'{PYTHON} -c "{chip}"').endswith(" False")
    arm.debian.does("dpkg --purge pitwatch-floor")


def test_the_rpi_gpio_api_loads(arm, tmp_path):
    """By the wheels that the lock names, beside the package's own Python."""
    if "deb13" in arm.old.version:
        pytest.skip("the lock has no rpi-lgpio for Python 3.13")
    sys.path.insert(0, str(builds.PROJECT / "systemd" / "deb"))
    try:
        from wheels import Target, fetch, locked
    finally:
        sys.path.pop(0)
    target = Target("12", "3.11", 36, "arm64", "aarch64")
    asked = locked(builds.PROJECT / "locks" / "dev.lock", target)
    for wheel in fetch({name: asked[name] for name in ("lgpio", "rpi-lgpio")}, target, tmp_path / "wheels"):
        with zipfile.ZipFile(wheel) as files:
            files.extractall(arm.tmp / "rpi-gpio")
    try_it = "import lgpio, RPi.GPIO as g; print(lgpio.get_module_version(), g.RPI_INFO['TYPE'])"
    said = arm.debian.does(f'cd /tmp; RPI_LGPIO_REVISION=c03111 PYTHONPATH=/tmp/rpi-gpio python3 -c "{try_it}"')
    assert said.endswith("Pi 4 Model B")


@pytest.mark.parametrize("name", ["roulette", "craps", "baccarat", "blackjack", "pai-gow-tiles", "three-card-poker"])
def test_a_capture_gives_the_same_bytes_as_on_this_machine(arm, table, tmp_path, capfd, name):
    capture = arm.tmp / f"{name}.capture"
    if not capture.exists():
        assert cli.main(["bench", str(TABLES / f"{name}.toml"), "--rounds", "40", "--capture", str(capture)]) == 0
    shutil.copy(TABLES / f"{name}.toml", arm.tmp)
    capfd.readouterr()
    assert cli.main(["replay", str(capture), "--table", str(TABLES / f"{name}.toml"), "--all", "--json"]) == 0
    here = capfd.readouterr().out
    there = arm.debian.does(f"cd /tmp; pitwatch replay {capture.name} --table {name}.toml --all --json 2>/dev/null")
    assert here.count("\n") > 100
    assert there == here.strip()


def test_a_table_runs_is_upgraded_and_taken_back_and_its_journal_stays_one(arm, table, tmp_path):
    for build, option in ((None, ""), (arm.new, ""), (arm.old, "--allow-downgrades")):
        if build is not None:
            arm.debian.does(f"apt-get install -y {option} {build.board} 2>&1")
            assert arm.debian.does("pitwatch --version") == f"pitwatch {build.version}"
            state = "dpkg --verify pitwatch; dpkg-query -W -f '${Status}' pitwatch"
            assert arm.debian.does(state) == "install ok installed"
        table.runs()
        assert "complete and unaltered" in arm.debian.does(f"pitwatch journal verify {JOURNAL}")
    # A record that was not acknowledged at a stop comes twice, none is missing.
    sequences = list(dict.fromkeys(record["sequence"] for record in table.heard.records()))
    assert sequences == list(range(1, len(sequences) + 1))
    # A third party verifies it on another processor.
    arm.debian.does(f"mkdir -p /tmp/journal; cp {STATE}/* /tmp/journal/")
    verified = subprocess.run(
        [sys.executable, "-m", "pitwatch.daemon.cli", "journal", "verify", arm.tmp / "journal" / Path(JOURNAL).name],
        capture_output=True, text=True,
    )  # fmt: skip
    assert "complete and unaltered" in verified.stdout, verified.stdout + verified.stderr
