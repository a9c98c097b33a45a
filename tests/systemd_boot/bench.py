"""The board with Pitwatch on it: two tables on its wires, a broker as `pitwatch provision` sets it up, surveillance."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

from pitwatch.daemon import cli
from tests.e2e.table_process import spin
from tests.systemd_boot.board import Board

GUEST = Path(__file__).parent / "guest"
ROOT = Path(__file__).parents[2]
ROULETTE, BACCARAT = "RL-07", "MB-01"
SPIN_S = 0.5

TABLES = {
    ROULETTE: """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
{mqtt}
[[device]]
id = "wheel"
type = "wheel"
protocol = "slingshot2"
link = "serial:/dev/ttyS0"
[[device]]
id = "box"
type = "enclosure"
link = "gpio:"
lines = {{ lid = {{ chip = "pinctrl-bcm2711", line = 4 }} }}
""",
    BACCARAT: """
[table]
site = "toledo"
id = "MB-01"
game = "toledo-2020/mini-midi-baccarat"
{mqtt}
[[device]]
id = "shoe"
type = "shoe"
protocol = "card_lines"
link = "hid:/dev/input/event0"
""",
}


class Bench:
    """`board` is on and every table runs, unless a test leaves it otherwise."""

    def __init__(self, board: Board, package: Path) -> None:
        self.board = board
        shutil.copy(package, board.shared / "pitwatch.deb")
        shutil.copytree(GUEST, board.shared / "guest")
        self._turning: threading.Event | None = None
        self._spins = 0

    def install(self) -> str:
        """Onto the running board; what dpkg said."""
        said = self.board.does("dpkg -i /mnt/shared/pitwatch.deb", seconds=240)
        self.board.does(
            "mkdir /etc/bench /home/dealer; cp /mnt/shared/guest/* /etc/bench/;"
            "cp /etc/bench/bench-wires.service /etc/systemd/system/; systemctl --quiet enable bench-wires.service"
        )
        return said

    def provision(self) -> None:
        """Certificates, the broker and the tables, as docs/access.md and docs/install.md tell it."""
        house = self.board.shared / "house"
        tables = [word for name in TABLES for word in ("--table", f"toledo/{name}")]
        assert cli.main(["provision", str(house), "--broker", "broker.floor", *tables, "--surveillance", "eye"]) == 0
        for name, text in TABLES.items():
            mqtt = (house / "tables" / "toledo" / name / "mqtt.toml").read_text()
            (self.board.shared / f"{name}.toml").write_text(text.format(mqtt=mqtt))
        self.board.does(
            "cd /mnt/shared/house; cp -r broker /etc/mosquitto/pitwatch; chown -R mosquitto: /etc/mosquitto/pitwatch;"
            "mv /etc/mosquitto/pitwatch/pitwatch.conf /etc/mosquitto/conf.d/; cp -r surveillance/eye /etc/bench/eye;"
            "cp -r tables/toledo/* /mnt/shared/*.toml /etc/pitwatch; chown -R pitwatch: /etc/pitwatch/*"
        )

    def enable(self) -> None:
        self.board.does("systemctl --quiet enable " + " ".join(unit(name) for name in TABLES))

    def start(self) -> None:
        """All tables, until the wheel is listened to; a table that runs goes on."""
        self.board.does("systemctl start " + " ".join(unit(name) for name in TABLES))
        self.board.until(f"journalctl _PID={self.pid()} -b | grep -q 'device wheel: online'", 20)

    def running(self, name: str = ROULETTE, seconds: float = 60) -> None:
        """Wait until systemd has the table's READY."""
        self.board.until(f"systemctl is-active {unit(name)}", seconds)

    def watch(self) -> None:
        """Surveillance listens from now until the board goes off."""
        eye = "/etc/bench/eye/"
        self.board.tries("systemctl stop eye")
        self.board.does(
            "rm -f /run/heard; systemd-run --quiet --collect --unit=eye --property=KillSignal=SIGKILL "
            "--property=StandardOutput=file:/run/heard "
            f"mosquitto_sub -h broker.floor -p 8883 -V 5 -q 1 --cafile {eye}ca.crt --cert {eye}client.crt "
            f"--key {eye}client.key -t '#' -F '%t %p'"
        )
        self.hears("RL-07/status")

    def hears(self, pattern: str) -> None:
        """Wait until surveillance has got what the pattern of grep -E says."""
        self.board.until(f"grep -qE '{pattern}' /run/heard", 20)

    def heard(self, name: str = ROULETTE) -> list[tuple[str, dict[str, Any]]]:
        """(topic below the table's, payload) of what surveillance got so far."""
        found = []
        for line in self.board.does("cat /run/heard").splitlines(keepends=True):
            topic, _, payload = line.partition(" ")
            if line.endswith("\n") and payload.strip() and f"/{name}/" in topic:
                found.append((topic.partition(f"/{name}/")[2], json.loads(payload)))
        return found

    def records(self, name: str = ROULETTE) -> list[dict[str, Any]]:
        """The last records of the table's journal, each with its `seq`, `boot`, `kind` and `data`."""
        said = self.board.does(f"pitwatch journal tail --json -n 500 {journal(name)}")
        return [{**each, "data": json.loads(each["body"])} for each in map(json.loads, said.splitlines())]

    def starts(self, name: str = ROULETTE) -> list[dict[str, Any]]:
        """The details of the table's `started` records, in order, up to that of the process that runs."""
        since = int(self.board.does(f'date +%s -d "$(systemctl show -p ExecMainStartTimestamp --value {unit(name)})"'))
        deadline = time.monotonic() + 20
        while True:
            found = [e for e in self.records(name) if e["kind"] == "system" and e["data"]["event"] == "started"]
            if found and found[-1]["wall_ns"] >= since * 1_000_000_000:
                return [each["data"]["detail"] for each in found]
            assert time.monotonic() < deadline, f"{name} has not written that it was started"
            time.sleep(0.2)

    def drop_in(self, instance: str, text: str) -> None:
        """Have the unit of the table or, for "", of all tables, changed by so much until `undo_drop_ins`."""
        folder = f"/etc/systemd/system/pitwatch@{instance}.service.d"
        (self.board.shared / "drop-in").write_text(text)
        self.board.does(f"mkdir -p {folder}; cp /mnt/shared/drop-in {folder}/test.conf; systemctl daemon-reload")

    def undo_drop_ins(self) -> None:
        self.board.does("rm -rf /etc/systemd/system/pitwatch@*.service.d; systemctl daemon-reload")

    def pid(self, name: str = ROULETTE) -> int:
        return int(self.board.does(f"systemctl show -p MainPID --value {unit(name)}"))

    def show(self, what: str, name: str = ROULETTE) -> str:
        return self.board.does(f"systemctl show -p {what} --value {unit(name)}").strip()

    def spin(self) -> None:
        """One good spin at the roulette table."""
        self._spins += 1
        self.board.wire(spin(self._spins, self._spins % 2).encode())

    @contextlib.contextmanager
    def wheel_turns(self):
        """The wheel repeats its state meanwhile, as wheels do."""
        done = threading.Event()

        def turn() -> None:
            while not done.wait(SPIN_S):
                self.board.wire(b"*X;2;256;17;0;150;1\r\n")

        thread = threading.Thread(target=turn)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def unit(name: str) -> str:
    return f"pitwatch@{name}.service"


def journal(name: str) -> str:
    return f"/var/lib/pitwatch/{name}/pitwatch-{name}.db"
