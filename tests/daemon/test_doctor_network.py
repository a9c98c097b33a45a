"""`pitwatch doctor` at serial-to-TCP boxes that accept and then hang up, as one that serves another client does."""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.doctor import NETWORK_LISTEN
from pitwatch.devices.protocols import angel_eye
from pitwatch.hal.tcp_link import HUNG_UP_FIX

TABLE = """[table]
site = "toledo"
id = "BA-01"
game = "toledo-2020/mini-midi-baccarat"
options = {{ decks = 8 }}

[[device]]
id = "shoe"
type = "shoe"
protocol = "angel_eye"
link = "{}"
"""
Serve = Callable[[socket.socket], None]


@pytest.fixture
def box() -> Iterator[Callable[[Serve], int]]:
    """A TCP server that does what it is told with each client, in a thread of its own; its port."""
    listeners: list[socket.socket] = []

    def serve(listener: socket.socket, what: Serve) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(client, what), daemon=True).start()

    def one(client: socket.socket, what: Serve) -> None:
        with client:
            what(client)

    def start(what: Serve) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threading.Thread(target=serve, args=(listener, what), daemon=True).start()
        port: int = listener.getsockname()[1]
        return port

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def hangs_up(client: socket.socket) -> None: ...


def resets(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def says_so(client: socket.socket) -> None:
    client.sendall(b"port in use\r\n")


def hangs_up_later(client: socket.socket) -> None:
    time.sleep(1.5)


def stands(client: socket.socket) -> None:
    client.recv(1)


def speaks(client: socket.socket) -> None:
    client.sendall(angel_eye.frame("1", b"S"))
    client.recv(1)


def told(tmp_path, capsys, link, listen="0.3"):
    """What is said of the device, and how to fix it."""
    table = tmp_path / "table.toml"
    table.write_text(TABLE.format(link))
    cli.main(["doctor", str(table), "--listen", listen])
    lines = capsys.readouterr().out.splitlines()
    at = next(i for i, line in enumerate(lines) if "device shoe" in line)
    return lines[at], lines[at + 1] if at + 1 < len(lines) else ""


def heard(said):
    """(bytes, seconds)"""
    found = re.search(r"(\d+) bytes in ([\d.]+) s$", said)
    assert found is not None, said
    return int(found[1]), float(found[2])


@pytest.mark.parametrize("scheme", ["tcp", "rfc2217"])
@pytest.mark.parametrize("serve", [hangs_up, resets, says_so, hangs_up_later])
def test_a_box_that_accepts_and_hangs_up_is_named(box, tmp_path, capsys, scheme, serve):
    link = f"{scheme}:127.0.0.1:{box(serve)}"
    said, fix = told(tmp_path, capsys, link)
    assert said == f"BAD  device shoe: {link}: the box accepted the connection and hung up"
    assert fix.strip() == HUNG_UP_FIX


def test_a_box_whose_connection_stands_is_well_though_nothing_comes(box, tmp_path, capsys):
    said, _ = told(tmp_path, capsys, f"tcp:127.0.0.1:{box(stands)}")
    assert said.startswith("ok ")
    assert heard(said)[0] == 0


def test_a_box_that_speaks_does_not_have_to_be_waited_for(box, tmp_path, capsys):
    said, _ = told(tmp_path, capsys, f"tcp:127.0.0.1:{box(speaks)}")
    assert said.startswith("ok ")
    came, seconds = heard(said)
    assert came == 6
    assert seconds < NETWORK_LISTEN
