"""Nobody is let in: a real RabbitMQ as `pitwatch provision` sets it up, two tables, surveillance and a stranger."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.brokers import Node, kinds, rabbitmq, rabbitmq_release
from pitwatch.daemon import cli
from tests.e2e.mosquitto import wait_for

pytest.importorskip("cryptography")
pytestmark = pytest.mark.skipif("rabbitmq" not in kinds(), reason="rabbitmq-server is not installed")

RL, BJ = "toledo/RL-07", "toledo/BJ-01"


class House:
    """A provisioned node that runs, and those who try."""

    def __init__(self, folder: Path, node: Node):
        self.folder, self.node = folder, node

    def command(self, program: str, who: str, name: str) -> list[str]:
        host, port = self.node.address
        shown = ["--cafile", "ca.crt", "--cert", "client.crt", "--key", "client.key"]
        files = [word if word.startswith("--") else str(self.folder / who / word) for word in shown]
        return [program, "-h", host, "-p", str(port), "-q", "1", "-V", "311", *(["-i", name] if name else []), *files]

    def publish(self, who: str, topic: str, text: str) -> None:
        command = self.command("mosquitto_pub", who, "")
        subprocess.run([*command, "-t", topic, "-m", text], capture_output=True, timeout=10, check=False)

    def listen(self, who: str, topic: str, name: str) -> tuple[subprocess.Popen[bytes], Path]:
        out = self.folder / f"heard-{re.sub('[^A-Za-z]', '-', who + topic + name)}"
        with out.open("wb") as file:
            command = [*self.command("mosquitto_sub", who, name), "-t", topic, "-F", "%t %p"]
            return subprocess.Popen(command, stdout=file, stderr=file), out


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    here = ["--broker", "127.0.0.1", "--port", "8883", "--broker-folder", str(folder / "broker")]
    tables = ["--table", RL, "--table", BJ]
    watchers = ["--surveillance", "eye", "--reader", "wall", "--live", "pit"]
    assert cli.main(["provision", str(folder), *here, *tables, *watchers]) == 0
    written = (
        folder / "broker" / ("rabbitmq-3.13.conf" if rabbitmq_release() >= (3, 13) else "rabbitmq.conf")
    ).read_text()
    settings = written.replace("listeners.ssl.1 = 8883", "listeners.ssl.1 = {host}:{mqtt}")
    assert settings != written
    with_state = tmp_path_factory.mktemp("node")
    cluster = rabbitmq(with_state, 1, settings + "log.console = true\n")
    try:
        for node in (*cluster._aside, *cluster.nodes):
            node.start()
        running = House(folder, cluster.nodes[0])
        wait_for(lambda: let_in(running), 60, "RabbitMQ does not let anybody in")
        yield running
    finally:
        cluster.__exit__()


def let_in(house: House) -> bool:
    command = house.command("mosquitto_pub", f"tables/{RL}", "pitwatch-toledo-RL-07")
    command += ["-t", f"pitwatch/1/{RL}/round"]
    return subprocess.run([*command, "-n"], capture_output=True, timeout=10, check=False).returncode == 0


def until_heard(publish: Callable[[], None], out: Path) -> None:
    def heard() -> bool:
        publish()
        return b"own" in out.read_bytes()

    wait_for(heard, 30, f"{out.name}: nothing")


def test_no_table_can_publish_or_read_as_another(house: House) -> None:
    eye, heard = house.listen("surveillance/eye", "pitwatch/1/+/+/round", "eye")
    pit, all_heard = house.listen("live/pit", "pitwatch/1/#", "pit")
    table, requests = house.listen(f"tables/{RL}", f"pitwatch/1/{RL}/request/#", "pitwatch-toledo-RL-07")
    try:
        until_heard(lambda: house.publish(f"tables/{RL}", f"pitwatch/1/{RL}/round", "own"), heard)
        until_heard(lambda: house.publish(f"tables/{RL}", f"pitwatch/1/{RL}/live/shoe", "own"), all_heard)
        until_heard(lambda: house.publish("surveillance/eye", f"pitwatch/1/{RL}/request/replay/eye", "own"), requests)
        for topic in ("round", "status", "irregularity/alert", "request/replay/eye", "response/replay", "live/shoe"):
            house.publish(f"tables/{BJ}", f"pitwatch/1/{RL}/{topic}", "forged")
        house.publish("surveillance/eye", f"pitwatch/1/{RL}/round", "forged")
        for asker in ("", "/pit", "/eye/more"):  # without a name, in another's, and more than a name
            house.publish("surveillance/eye", f"pitwatch/1/{RL}/request/replay{asker}", "forged")
        house.publish(f"tables/{RL}", f"pitwatch/1/{RL}/round", "last")
        wait_for(lambda: b"last" in heard.read_bytes() and b"last" in all_heard.read_bytes(), 10)
        for ear in (heard, all_heard, requests):
            assert b"forged" not in ear.read_bytes()
    finally:
        for listener in (eye, pit, table):
            listener.kill()
            listener.wait()


@pytest.mark.parametrize(
    ("who", "topic", "name", "allowed"),
    [
        (f"tables/{BJ}", f"pitwatch/1/{BJ}/request/#", "pitwatch-toledo-BJ-01", True),
        ("live/pit", "pitwatch/1/+/+/live/+", "pit", True),
        (f"tables/{BJ}", f"pitwatch/1/{RL}/#", "pitwatch-toledo-BJ-01", False),
        (f"tables/{BJ}", "#", "pitwatch-toledo-BJ-01", False),
        (f"tables/{BJ}", f"pitwatch/1/{BJ}/request/#", "pitwatch-toledo-RL-07", False),  # the other's queue
        ("surveillance/eye", "pitwatch/1/+/+/live/+", "ear", False),
        ("surveillance/eye", "pitwatch/1/#", "ear", False),
        ("surveillance/eye", "pitwatch/1/+/+/+/+", "ear", False),
        ("surveillance/eye", "#", "ear", False),
        ("reader/wall", "pitwatch/1/+/+/live/+", "wall", False),
        ("reader/wall", "pitwatch/1/#", "wall", False),
        ("live/pit", "pitwatch/1/+/+/live/+", "pit.archive", True),
        ("live/pit", "pitwatch/1/+/+/live/+", "", True),
        ("live/pit", "pitwatch/1/+/+/live/+", "ear", False),  # where anybody may read
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_not_heard(house: House, who: str, topic: str, name: str, allowed: bool) -> None:
    listener, heard = house.listen(who, topic, name)
    try:
        for _ in range(150 if allowed else 5):  # who may hear is given the time to come
            house.publish(f"tables/{RL}", f"pitwatch/1/{RL}/live/shoe", "secret")
            house.publish("surveillance/eye", f"pitwatch/1/{RL}/request/replay/eye", "secret")
            house.publish("surveillance/eye", f"pitwatch/1/{BJ}/request/replay/eye", "secret")
            if b"secret" in heard.read_bytes():
                break
        assert (b"secret" in heard.read_bytes()) == allowed
    finally:
        listener.kill()
        listener.wait()


def test_without_a_certificate_nobody_is_there(house: House) -> None:
    host, port = house.node.address
    command = ["mosquitto_pub", "-h", host, "-p", str(port), "--cafile", str(house.folder / "ca" / "ca.crt")]
    tried = subprocess.run([*command, "-t", "pitwatch/1/x", "-m", "x"], capture_output=True, timeout=20, check=False)
    assert tried.returncode != 0


def test_a_reader_reads_what_surveillance_reads_and_writes_nothing(house: House) -> None:
    wall, seen = house.listen("reader/wall", "pitwatch/1/+/+/round", "wall")
    table, requests = house.listen(f"tables/{RL}", f"pitwatch/1/{RL}/request/#", "pitwatch-toledo-RL-07")
    try:
        until_heard(lambda: house.publish(f"tables/{RL}", f"pitwatch/1/{RL}/round", "own"), seen)
        for topic in ("round", "request/replay", "request/replay/wall", "request/replay/eye"):
            house.publish("reader/wall", f"pitwatch/1/{RL}/{topic}", "forged")
        until_heard(lambda: house.publish("surveillance/eye", f"pitwatch/1/{RL}/request/replay/eye", "own"), requests)
        house.publish(f"tables/{RL}", f"pitwatch/1/{RL}/round", "last")
        wait_for(lambda: b"last" in seen.read_bytes(), 30)
        assert b"forged" not in seen.read_bytes() + requests.read_bytes()
    finally:
        for listener in (wall, table):
            listener.kill()
            listener.wait()


@pytest.mark.parametrize(
    ("name", "owner", "topic"),
    [
        ("pit", "live/pit", f"pitwatch/1/{RL}/live/shoe"),
        ("pit.archive", "live/pit", f"pitwatch/1/{RL}/live/shoe"),
        ("pitwatch-toledo-BJ-01", f"tables/{BJ}", f"pitwatch/1/{BJ}/request/replay/eye"),
        ("eye", "surveillance/eye", f"pitwatch/1/{RL}/round"),
    ],
)
def test_nobody_else_takes_up_what_waits_for_a_client(house: House, name: str, owner: str, topic: str) -> None:
    def listen(who: str) -> tuple[subprocess.Popen[bytes], Path]:
        out = house.folder / f"waiting-{re.sub('[^A-Za-z]', '-', name + who)}"
        with out.open("wb") as file:
            command = [*house.command("mosquitto_sub", who, name), "-c", "-t", topic, "-F", "%p"]
            return subprocess.Popen(command, stdout=file, stderr=file), out

    def publish(text: str) -> None:
        house.publish("surveillance/eye" if "/request/" in topic else f"tables/{RL}", topic, text)

    own, heard = listen(owner)
    try:
        until_heard(lambda: publish("own"), heard)
        own.kill()
        own.wait()
        publish("waits")
        for thief in ("reader/wall", "surveillance/eye"):
            if thief != owner:
                stranger, stolen = listen(thief)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    stranger.wait(3)
                stranger.kill()
                stranger.wait()
                assert b"waits" not in stolen.read_bytes()
        own, heard = listen(owner)
        wait_for(lambda: b"waits" in heard.read_bytes(), 30)
    finally:
        own.kill()
        own.wait()
