"""Brokers to measure and to kill, on loopback: one mosquitto, or a cluster of NATS or RabbitMQ with a node an address.

Each is its distribution's program as it is, every file of it in a folder of the caller's. Knows nothing of tables.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.ports import free_port

UP_WITHIN = 60.0
"""Seconds for a broker to answer an MQTT client."""

CONNECT = bytes.fromhex("101100044d51545404020005000570726f6265")  # MQTT 3.1.1, clean session, keep-alive 5 s, "probe"
CONNACK = bytes.fromhex("20020000")
DISCONNECT = b"\xe0\x00"

SBIN = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
RABBIT = "/usr/lib/rabbitmq/bin/rabbitmq-server"
"""The program itself: what is in PATH changes to another user first."""

PROCESS_CLOCK = 2
"""What Linux calls the processor time of a whole process in the number of its clock, see clock_getcpuclockid(3)."""


def program(name: str) -> str | None:
    """Where a program is, also among those for administrators."""
    return shutil.which(name, path=SBIN)


class Node:
    """One process of a broker. `address` is where it speaks MQTT."""

    def __init__(self, address: tuple[str, int], command: Sequence[str], folder: Path, env: Mapping[str, str]):
        self.address = address
        self.url = f"mqtt://{address[0]}:{address[1]}"
        self.folder = folder
        self._command = command
        self._env = {**os.environ, **env}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin; `answers` tells when it is there."""
        with (self.folder / "out").open("ab") as out:
            self._process = subprocess.Popen(self._command, env=self._env, cwd=self.folder, stdout=out, stderr=out)

    def kill(self) -> None:
        """As a power cut does it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def answers(self) -> bool:
        """Whether an MQTT client is let in."""
        with contextlib.suppress(OSError), socket.create_connection(self.address, 2) as probe:
            probe.sendall(CONNECT)
            if probe.recv(4) == CONNACK:
                probe.sendall(DISCONNECT)
                return True
        return False

    def wait(self) -> None:
        """Return when it answers. Raises RuntimeError if it does not."""
        deadline = time.monotonic() + UP_WITHIN
        while not self.answers():
            if self._process is None or self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.url}: does not answer: {self.said()}")
            time.sleep(0.1)

    def said(self) -> str:
        """The last lines of what it printed."""
        return "\n".join((self.folder / "out").read_text(errors="replace").splitlines()[-5:])

    def cpu(self) -> float:
        """Seconds of processor time, of all its threads, since it started."""
        assert self._process is not None
        return time.clock_gettime(~self._process.pid << 3 | PROCESS_CLOCK)

    def resident(self) -> float:
        """MiB of memory."""
        assert self._process is not None
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


class Brokers:
    """A broker of one node or several; runs for the length of a `with` block. `aside`: processes that the nodes need;
    `in_turn`: a node is started when the one before it answers. Raises RuntimeError if it does not come up."""

    def __init__(self, name: str, nodes: Sequence[Node], aside: Sequence[Node] = (), in_turn: bool = False):
        self.name = name
        self.nodes = nodes
        self._aside = aside
        self._in_turn = in_turn

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    def __enter__(self) -> Brokers:
        try:
            for node in (*self._aside, *self.nodes):
                node.start()
                if self._in_turn and node in self.nodes:
                    node.wait()
            for node in self.nodes:
                node.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for node in (*self.nodes, *self._aside):
            node.kill()

    def cpu(self) -> float:
        """Seconds of processor time of all nodes."""
        return sum(node.cpu() for node in self.nodes)

    def resident(self) -> float:
        """MiB of memory of all nodes."""
        return sum(node.resident() for node in self.nodes)

    def stored(self) -> float:
        """MiB that all nodes have on disk."""
        files = (path for node in self.nodes for path in node.folder.rglob("*"))
        return sum(path.lstat().st_blocks * 512 for path in files if path.is_file()) / 2**20


def mosquitto(folder: Path) -> Brokers:
    """One mosquitto, as `pitwatch provision` sets it up but for access. Raises FileNotFoundError if there is none."""
    port = free_port()
    path = _needed("mosquitto")
    where = _folder(folder, "mosquitto")
    (where / "conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 100000\n"
        f"persistence true\npersistence_location {where}/\nuser root\n"
    )
    return Brokers("mosquitto", [Node(("127.0.0.1", port), [path, "-c", str(where / "conf")], where, {})])


NATS = """\
server_name: {name}
listen: "{host}:{client}"
jetstream {{ store_dir: "{folder}" }}
mqtt {{ listen: "{host}:{mqtt}", ack_wait: "10s", max_ack_pending: 10000 }}
cluster {{ name: pitwatch, listen: "{host}:{route}", routes: [{routes}] }}
"""
"""What a floor's three nodes need but for TLS and users: docs/scale.md."""


def nats(folder: Path, size: int = 3) -> Brokers:
    """A NATS cluster with JetStream. Raises FileNotFoundError if there is none."""
    path = _needed("nats-server")
    hosts = [f"127.0.0.{number + 1}" for number in range(size)]
    client, mqtt, route = (free_port(hosts) for _ in range(3))
    nodes = []
    for number, host in enumerate(hosts):
        name = f"nats-{number + 1}"
        where = _folder(folder, name)
        routes = ", ".join(f'"nats-route://{other}:{route}"' for other in hosts)
        (where / "conf").write_text(
            NATS.format(name=name, host=host, client=client, mqtt=mqtt, route=route, routes=routes, folder=where)
        )
        nodes.append(Node((host, mqtt), [path, "-c", str(where / "conf")], where, {}))
    return Brokers("NATS", nodes)


RABBITMQ = """\
listeners.tcp.1 = {host}:{amqp}
mqtt.listeners.tcp.1 = {host}:{mqtt}
mqtt.allow_anonymous = true
mqtt.prefetch = 1000
mqtt.durable_queue_type = quorum
mqtt.tcp_listen_options.nodelay = true
cluster_formation.peer_discovery_backend = classic_config
log.console = true
log.console.level = warning
"""


def rabbitmq(folder: Path, size: int = 3, settings: str = RABBITMQ) -> Brokers:
    """A RabbitMQ cluster with its MQTT plug-in, durable sessions in quorum queues. `settings` of each node, in which
    {host}, {amqp} and {mqtt} are filled in. Raises FileNotFoundError if there is none."""
    _needed(RABBIT)
    hosts = [f"127.0.0.{number + 1}" for number in range(size)]
    mqtt, amqp, names = (free_port(hosts) for _ in range(3))
    cookie = folder / ".erlang.cookie"
    cookie.write_text("pitwatch-loopback")
    cookie.chmod(0o400)
    env = {
        "HOME": str(folder), "ERL_EPMD_PORT": str(names), "ERL_EPMD_ADDRESS": "127.0.0.1", "RUNNING_UNDER_SYSTEMD": "1",
    }  # fmt: skip
    (folder / "plugins").write_text("[rabbitmq_mqtt].")
    nodes = []
    for number, host in enumerate(hosts):
        name = f"rabbit-{number + 1}"
        where = _folder(folder, name)
        members = "".join(
            f"cluster_formation.classic_config.nodes.{other + 1} = rabbit-{other + 1}@localhost\n"
            for other in range(size)
        )
        (where / "rabbitmq.conf").write_text(settings.format(host=host, mqtt=mqtt, amqp=amqp) + members)
        own = {
            "RABBITMQ_NODENAME": f"{name}@localhost",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONFIG_FILE": str(where / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(where),
            "RABBITMQ_LOG_BASE": str(where),
            "RABBITMQ_PID_FILE": str(where / "pid"),
        }
        nodes.append(Node((host, mqtt), [RABBIT], where, {**env, **own}))
    register = Node(("127.0.0.1", names), [_needed("epmd"), "-port", str(names)], _folder(folder, "epmd"), env)
    # Up to 3.12, nodes that found a cluster at the same time may each begin a register of MQTT clients, and then let
    # none in. From 3.13 on there is no such register, and the first node waits minutes for the others.
    return Brokers("RabbitMQ", nodes, [register], in_turn=rabbitmq_release() < (3, 13))


def rabbitmq_release() -> tuple[int, int]:
    """Of the RabbitMQ that is installed, such as (3, 10)."""
    (folder,) = Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*")
    major, minor, _ = folder.name.partition("-")[2].split(".", 2)
    return int(major), int(minor)


KINDS: dict[str, Callable[[Path], Brokers]] = {"mosquitto": mosquitto, "nats": nats, "rabbitmq": rabbitmq}


def kinds() -> Iterator[str]:
    """Those of `KINDS` that are installed."""
    for name, path in (("mosquitto", "mosquitto"), ("nats", "nats-server"), ("rabbitmq", RABBIT)):
        if program(path):
            yield name


def _needed(name: str) -> str:
    path = program(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed")
    return path


def _folder(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name
