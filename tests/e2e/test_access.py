"""Nobody is let in: a real mosquitto as `pitwatch provision` sets it up, three tables, surveillance and an intruder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.ports import free_port
from pitwatch.daemon import cli
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.e2e.table_process import TableProcess, spin

pytest.importorskip("cryptography")
pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

TABLES = ("toledo/RL-07", "toledo/BJ-01", "columbus/RL-07")


class Floor:
    """A provisioned broker that runs. `client` are the arguments a mosquitto client connects with."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.house = folder / "house"
        self.provision(*TABLES)
        config = (self.house / "broker" / "pitwatch.conf").read_text()
        config = config.replace(f"listener {self.port}", f"user root\nlistener {self.port} 127.0.0.1")
        config = config.replace("persistence true", "persistence false")
        (folder / "mosquitto.conf").write_text(config)
        self._log = (folder / "mosquitto.log").open("wb")
        self.process = subprocess.Popen(["mosquitto", "-v", "-c", str(folder / "mosquitto.conf")], stderr=self._log)
        wait_for(lambda: b"running" in (folder / "mosquitto.log").read_bytes(), 30, "mosquitto does not start")
        self.subscribers: list[subprocess.Popen[bytes]] = []

    def provision(self, *tables: str, unnamed: bool = False) -> None:
        named = [word for table in tables for word in ("--table", table)]
        arguments = ["provision", str(self.house), *named, "--broker", "127.0.0.1", "--port", str(self.port)]
        assert (
            cli.main(
                [
                    *arguments,
                    "--surveillance",
                    "eye",
                    "--surveillance",
                    "desk",
                    "--reader",
                    "wall",
                    "--live",
                    "pit",
                    "--broker-folder",
                    str(self.house / "broker"),
                    *(["--unnamed-requests"] if unnamed else []),
                ]
            )
            == 0
        )

    def client(self, who: str) -> list[str]:
        folder = self.house / who
        files = ["--cafile", folder / "ca.crt", "--cert", folder / "client.crt", "--key", folder / "client.key"]
        return ["-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-V", "5", *map(str, files)]

    def listen(self, who: str, topic: str = "#") -> Path:
        """Subscribe; what is heard goes into the file."""
        out = self.folder / f"heard-{len(self.subscribers)}"
        with out.open("wb") as file:
            self.subscribers.append(
                subprocess.Popen(
                    ["mosquitto_sub", *self.client(who), "-t", topic, "-F", "%t %p"], stdout=file, stderr=file
                )
            )
        return out

    def publish(self, who: str, topic: str, text: str) -> None:
        subprocess.run(
            ["mosquitto_pub", *self.client(who), "-t", topic, "-m", text, "-r"], capture_output=True, timeout=10
        )

    def close(self) -> None:
        for subscriber in self.subscribers:
            subscriber.kill()
            subscriber.wait()
        self.process.kill()
        self.process.wait()
        self._log.close()


@pytest.fixture
def floor(tmp_path):
    floor = Floor(tmp_path)
    yield floor
    floor.close()


def test_no_table_can_publish_or_read_as_another_and_an_intruder_can_nothing(floor):
    eye = floor.listen("surveillance/eye")
    ears = {table: floor.listen(f"tables/{table}") for table in TABLES}

    def everybody_is_there() -> bool:
        floor.publish("surveillance/desk", "pitwatch/1/toledo/RL-07/request/snapshot/desk", "hello")
        return b"request" in eye.read_bytes() and b"request" in ears["toledo/RL-07"].read_bytes()

    wait_for(everybody_is_there)
    for table in TABLES:
        for other in TABLES:
            for topic in (
                "status",
                "round",
                "irregularity/alert",
                "device/wheel",
                "request/replay/desk",
                "response/replay",
            ):
                floor.publish(f"tables/{table}", f"pitwatch/1/{other}/{topic}", f"by {table}")
    floor.publish("surveillance/desk", "pitwatch/1/toledo/BJ-01/request/snapshot/desk", "for BJ-01")
    floor.publish("surveillance/desk", "pitwatch/1/toledo/BJ-01/round", "forged by surveillance")
    floor.publish("surveillance/desk", "pitwatch/1/columbus/RL-07/request/snapshot/desk", "last")
    allowed = {
        f"pitwatch/1/{table}/{topic} by {table}"
        for table in TABLES
        for topic in ("status", "round", "irregularity/alert", "device/wheel", "response/replay")
    }

    def heard() -> set[str]:
        return {line for line in eye.read_text().splitlines() if " by " in line}

    wait_for(
        lambda: (
            b" last" in eye.read_bytes()
            and allowed <= heard()  # each of them comes over a connection of its own, in any order
            and b" last" in ears["columbus/RL-07"].read_bytes()
            and b" for BJ-01" in ears["toledo/BJ-01"].read_bytes()
        ),
        30,
    )
    assert heard() == allowed
    assert "forged" not in eye.read_text()
    for table, ear in ears.items():
        assert {line.split()[0] for line in ear.read_text().splitlines()} == {
            f"pitwatch/1/{table}/request/snapshot/desk"
        }


@pytest.mark.parametrize("how", ["no certificate", "made by himself", "of another house", "no encryption"])
def test_an_intruder_is_not_connected(floor, tmp_path, how):
    own = floor.house / "tables" / TABLES[0]
    base = ["-h", "127.0.0.1", "-p", str(floor.port), "--cafile", str(own / "ca.crt")]
    if how == "made by himself":
        made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        files = ["-keyout", str(tmp_path / "i.key"), "-out", str(tmp_path / "i.crt")]
        subprocess.run(
            ["openssl", *made, "-subj", "/CN=" + TABLES[0].replace("/", "\\/"), *files], check=True, capture_output=True
        )
        base += ["--cert", str(tmp_path / "i.crt"), "--key", str(tmp_path / "i.key")]
    elif how == "of another house":
        other = tmp_path / "other"
        assert cli.main(["provision", str(other), "--table", TABLES[0], "--broker", "127.0.0.1"]) == 0
        stolen = other / "tables" / TABLES[0]
        base += ["--cert", str(stolen / "client.crt"), "--key", str(stolen / "client.key")]
    elif how == "no encryption":
        base = [*base[:4], "-u", TABLES[0], "-P", "guess"]
    done = subprocess.run(
        ["mosquitto_pub", *base, "-q", "1", "-t", f"pitwatch/1/{TABLES[0]}/status", "-m", "forged", "-r"],
        capture_output=True,
        timeout=20,
    )
    assert done.returncode != 0, done
    floor.publish(f"tables/{TABLES[0]}", f"pitwatch/1/{TABLES[0]}/round", "true")
    eye = floor.listen("surveillance/eye")
    wait_for(lambda: b" true" in eye.read_bytes())
    floor.publish(f"tables/{TABLES[0]}", f"pitwatch/1/{TABLES[0]}/round", "last")
    wait_for(lambda: b" last" in eye.read_bytes())  # after whatever was retained
    assert b"forged" not in eye.read_bytes()


@pytest.mark.parametrize(("version", "taken"), [("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)])
def test_nothing_older_than_tls_1_2_is_spoken(floor, version, taken):
    own = floor.house / "tables" / TABLES[0]
    files = ["-CAfile", own / "ca.crt", "-cert", own / "client.crt", "-key", own / "client.key"]
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{floor.port}", version, *files, "-cipher", "ALL:@SECLEVEL=0"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ("Verify return code: 0 (ok)" in done.stdout and "Cipher is (NONE)" not in done.stdout) is taken


def test_a_table_cannot_put_another_out_by_taking_his_client_id(floor):
    victim = floor.listen("tables/toledo/BJ-01")
    log = floor.folder / "mosquitto.log"
    wait_for(lambda: b"Sending SUBACK to toledo/BJ-01" in log.read_bytes())
    for identifier in ("toledo/BJ-01", "pitwatch-toledo-BJ-01"):
        subprocess.run(
            ["mosquitto_pub", *floor.client("tables/toledo/RL-07"), "-i", identifier, "-t", "x", "-m", "y"], timeout=10
        )
    floor.publish("surveillance/desk", "pitwatch/1/toledo/BJ-01/request/snapshot/desk", "still there?")
    wait_for(lambda: b"still there?" in victim.read_bytes())
    assert b"already connected" not in log.read_bytes()


def test_cards_of_an_open_round_are_for_those_who_may_see_them(floor):
    eye, wall, pit = (floor.listen(who) for who in ("surveillance/eye", "reader/wall", "live/pit"))
    wait_for(
        lambda: (
            floor.publish("tables/toledo/BJ-01", "pitwatch/1/toledo/BJ-01/live/shoe", "8S")
            or (b"8S" in pit.read_bytes())
        )
    )
    floor.publish("tables/toledo/RL-07", "pitwatch/1/toledo/BJ-01/live/shoe", "forged")
    floor.publish("tables/toledo/BJ-01", "pitwatch/1/toledo/BJ-01/round", "over")
    wait_for(lambda: all(b"over" in ear.read_bytes() for ear in (eye, wall, pit)))
    assert b"8S" not in wall.read_bytes()
    assert b"8S" not in eye.read_bytes()
    assert b"forged" not in pit.read_bytes()


def test_a_table_hears_its_own_echo_and_surveillance_does_not(floor):
    own, eye = floor.listen("tables/toledo/RL-07", "pitwatch/1/toledo/RL-07/echo"), floor.listen("surveillance/eye")
    wait_for(
        lambda: (
            floor.publish("tables/toledo/RL-07", "pitwatch/1/toledo/RL-07/echo", "hears itself")
            or (b"hears itself" in own.read_bytes())
        )
    )
    floor.publish("tables/toledo/BJ-01", "pitwatch/1/toledo/RL-07/echo", "forged")
    wait_for(
        lambda: (
            floor.publish("tables/toledo/RL-07", "pitwatch/1/toledo/RL-07/round", "over")
            or (b"over" in eye.read_bytes())
        )
    )
    assert b"hears itself" not in eye.read_bytes()
    assert b"forged" not in own.read_bytes()


def test_a_reader_reads_what_surveillance_reads_and_writes_nothing(floor):
    ears = [floor.listen("surveillance/eye"), floor.listen("live/pit"), floor.listen("tables/toledo/RL-07")]
    base = "pitwatch/1/toledo/RL-07"
    for topic in ("request/snapshot", "request/snapshot/wall", "request/snapshot/eye", "round", "live/shoe", "x"):
        floor.publish("reader/wall", f"{base}/{topic}", "forged")
    wall = floor.listen("reader/wall")
    for topic in ("round", "status", "irregularity/alert", "device/wheel"):
        floor.publish("tables/toledo/RL-07", f"{base}/{topic}", "own")
    floor.publish("surveillance/desk", f"{base}/request/snapshot/desk", "last")
    wait_for(lambda: all(b" last" in ear.read_bytes() for ear in (*ears, wall)))
    heard = sorted(set(wall.read_text().splitlines()))
    assert heard == sorted(set(ears[0].read_text().splitlines()))
    assert len(heard) == 5
    assert not any(b"forged" in ear.read_bytes() for ear in ears)


def test_nobody_asks_without_his_name_unless_the_lists_grant_it(floor):
    """For the version in which old clients still do."""
    base = "pitwatch/1/toledo/RL-07/request"
    ear = floor.listen("tables/toledo/RL-07", f"{base}/#")

    def all_try(text: str) -> None:
        for who in ("surveillance/desk", "live/pit", "reader/wall", "tables/toledo/BJ-01"):
            floor.publish(who, f"{base}/snapshot", f"{text} by {who}")
        floor.publish("surveillance/desk", f"{base}/snapshot/desk", f"{text} is over")
        wait_for(lambda: f"{text} is over".encode() in ear.read_bytes())

    all_try("first")
    assert b" by " not in ear.read_bytes()
    floor.provision(*TABLES, unnamed=True)
    floor.process.send_signal(signal.SIGHUP)
    wait_for(
        lambda: floor.publish("live/pit", f"{base}/snapshot", "granted") or b"/snapshot granted" in ear.read_bytes()
    )
    all_try("second")
    heard = [line.split(" ", 1)[1] for line in ear.read_text().splitlines() if " by " in line]
    assert heard == ["second by surveillance/desk", "second by live/pit"]


@pytest.fixture
def table(floor, tmp_path):
    folder = tmp_path / "etc"
    shutil.copytree(floor.house / "tables" / "toledo" / "RL-07", folder / "RL-07")
    beside = "\n".join(
        line
        for line in (folder / "RL-07" / "mqtt.toml").read_text().splitlines()
        if line.startswith(("ca", "cert", "key"))
    )
    table = TableProcess(folder, f"mqtts://127.0.0.1:{floor.port}", beside)
    yield table
    table.close()


def test_a_provisioned_table_reports_and_opens_no_port(floor, table):
    eye = floor.listen("surveillance/eye")
    assert cli.main(["check", str(table.config)]) == 0
    table.start()
    wait_for(lambda: b"/device/wheel" in eye.read_bytes(), 15)
    for number in (1, 2):
        table.write(spin(number, number % 2))
    wait_for(lambda: b"/toledo/RL-07/round " in eye.read_bytes())
    assert table.process
    assert listening_sockets(table.process.pid) == []
    assert table.stop() == 0


def listening_sockets(pid: int) -> list[str]:
    """Addresses on which a process accepts connections or datagrams."""
    inodes = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(fd)
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for kind, states in (("tcp", {"0A"}), ("tcp6", {"0A"}), ("udp", {"07"}), ("udp6", {"07"})):
        for line in Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes and fields[3] in states:
                found.append(f"{kind} {fields[1]}")
    return found


def test_listening_sockets_are_seen_where_there_are_some(floor):
    assert listening_sockets(floor.process.pid) == [f"tcp 0100007F:{floor.port:04X}"]


def test_no_secret_is_ever_said(floor, table, tmp_path):
    """A wrong key, a key with a pass phrase, a password file: the log names files, never what is in them."""
    key = table.config.parent / "RL-07" / "client.key"
    secret = key.read_text().splitlines()[1]
    (table.config.parent / "password").write_text("s3cret-of-the-house")
    text = table.config.read_text().replace("[mqtt]", '[mqtt]\nusername = "someone"\npassword_file = "password"')
    table.config.write_text(text)
    said = b""
    eye = floor.listen("surveillance/eye")
    for content, far_enough in (
        (key.read_text(), lambda: b"/device/wheel" in eye.read_bytes()),
        (
            "-----BEGIN PRIVATE KEY-----\n" + secret + "\nrubbish\n-----END PRIVATE KEY-----\n",
            lambda: b"client.key cannot be used" in (tmp_path / "said").read_bytes(),
        ),
    ):
        key.write_text(content)
        with (tmp_path / "said").open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "pitwatch.daemon.cli", "run", str(table.config)], stdout=out, stderr=out
            )
            wait_for(far_enough, 20)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=15)
        said += (tmp_path / "said").read_bytes()
        said += subprocess.run(
            [sys.executable, "-m", "pitwatch.daemon.cli", "doctor", "--listen", "0", str(table.config)],
            capture_output=True,
        ).stdout
    assert b"client.key cannot be used" in said
    assert b"s3cret" not in said
    assert secret.encode() not in said
    journalled = b"".join(
        path.read_bytes() for path in table.config.parent.glob("journal.db*") if path.suffix != ".key"
    )
    assert b"s3cret" not in journalled
    assert secret.encode() not in journalled


def test_surveillance_asks_a_table_and_nobody_else_can(floor, table):
    table.config.write_text(
        table.config.read_text().replace("[mqtt]", '[mqtt]\nrequests = ["replay", "acknowledge", "snapshot"]')
    )
    eye = floor.listen("surveillance/eye")
    base = "pitwatch/1/toledo/RL-07"

    def said(topic: str) -> list[dict[str, Any]]:
        lines = [line.split(" ", 1) for line in eye.read_text().splitlines()]
        return [json.loads(text) for at, text in lines if at == f"{base}/{topic}"]

    def ask(who: str, verb: str, text: str, *more: str) -> None:
        command = ["mosquitto_pub", *floor.client(who), "-t", f"{base}/request/{verb}", "-m", text, *more]
        subprocess.run(command, capture_output=True, timeout=10)

    ask("surveillance/desk", "snapshot/desk", '{"id":"retained junk"}', "-r")
    table.start()
    wait_for(lambda: said("device/wheel"), 15)
    ask("tables/toledo/BJ-01", "snapshot/desk", '{"id":"of another table"}')
    ask("surveillance/desk", "snapshot/desk", '{"id":"s1","by":"eye"}')
    wait_for(lambda: said("response/snapshot"))
    ask("surveillance/desk", "replay/desk", '{"id":"r1","first":1,"last":3}')
    wait_for(lambda: len(said("response/replay")) == 4)
    ask("surveillance/desk", "acknowledge/desk", '{"id":"a1","by":"eye","sequence":2}')
    wait_for(lambda: said("response/acknowledge"))
    ask("surveillance/desk", "replay/desk", "x" * 5_000)
    wait_for(lambda: len(said("response/replay")) == 5)
    (snapshot,) = said("response/snapshot")
    assert snapshot["data"]["request"] == "s1"
    assert snapshot["data"]["snapshot"]["devices"][0]["device"] == "wheel"
    again = said("response/replay")
    assert [message.get("sequence") for message in again] == [1, 2, 3, None, None]
    first = {message["id"]: message for topic in ("system", "device/wheel", "integrity") for message in said(topic)}
    assert all(message == first[message["id"]] for message in again[:3] if message["id"] in first)
    assert again[4]["data"]["reason"].startswith("too long")
    wait_for(lambda: len(said("requested")) == 5)
    junk, *asked = said("requested")
    assert junk["data"]["reason"].startswith("1 retained at the broker")
    assert [m["data"]["request"] for m in asked] == ["s1", "r1", "a1", None]
    ask("live/pit", "acknowledge/pit", '{"id":"a2","by":"Shift Manager Bob","sequence":2}')
    wait_for(lambda: len(said("requested")) == 6)
    told = said("requested")[-1]["data"]
    assert (told["client"], told["by"], told["accepted"]) == ("pit", "Shift Manager Bob", True)
    for forged in ("acknowledge", "acknowledge/eye", "xacknowledge", "acknowledge/pit/more"):
        ask("live/pit", forged, '{"id":"forged","by":"eye","sequence":2}')
    flood = "".join(json.dumps({"id": f"flood {n}"}) + "\n" for n in range(40))  # over one connection, and so at once
    command = ["mosquitto_pub", *floor.client("surveillance/desk"), "-t", f"{base}/request/snapshot/desk", "-l"]
    subprocess.run(command, input=flood, text=True, capture_output=True, timeout=10, check=True)
    wait_for(lambda: any("more than may be asked" in m["data"]["reason"] for m in said("requested")))
    assert len(said("response/snapshot")) <= 12
    ask("live/pit", "snapshot/pit", '{"id":"of another client"}')  # which the flood does not silence
    wait_for(lambda: said("response/snapshot")[-1]["data"].get("client") == "pit")
    assert "forged" not in eye.read_text()
    assert table.stop() == 0


@pytest.mark.parametrize(("size", "taken"), [(100_000, True), (900_000, False)])
def test_no_message_is_kept_that_is_larger_than_any_record(floor, size, taken):
    topic = "pitwatch/1/toledo/RL-07/request/snapshot/pit"
    command = ["mosquitto_pub", *floor.client("live/pit"), "-V", "311", "-t", topic, "-r", "-s"]
    try:
        subprocess.run(command, input=b"x" * size, capture_output=True, timeout=5)
    except subprocess.TimeoutExpired:  # it tries again and again
        assert not taken
    floor.publish("live/pit", "pitwatch/1/toledo/RL-07/request/replay/pit", "last")
    eye = floor.listen("surveillance/eye")
    wait_for(lambda: b" last" in eye.read_bytes())
    time.sleep(0.3)
    assert (b"x" * 1_000 in eye.read_bytes()) is taken


def test_a_table_answers_nothing_unless_it_is_told_to(floor, table):
    eye = floor.listen("surveillance/eye")
    table.start()
    wait_for(lambda: b"/device/wheel" in eye.read_bytes(), 15)
    floor.publish("surveillance/desk", "pitwatch/1/toledo/RL-07/request/snapshot/desk", '{"id":"s1"}')
    wait_for(lambda: b"/request/snapshot" in eye.read_bytes())
    time.sleep(0.3)
    assert b"/response/" not in eye.read_bytes()
    assert b"/requested" not in eye.read_bytes()
