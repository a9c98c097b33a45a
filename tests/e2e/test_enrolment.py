"""A board enrols by a one-time code, over a real connection: what it gets, and what an attacker does not get."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from pitwatch.daemon.enrolment.asking import Asking, RefusedError
from pitwatch.daemon.enrolment.code import keys, new_code
from pitwatch.daemon.enrolment.exchange import Channel, ExchangeError
from pitwatch.daemon.enrolment.storing import Storing
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.e2e.table_process import TABLE, TableProcess, spin

pytest.importorskip("cryptography")
CLI = [sys.executable, "-m", "pitwatch.daemon.cli"]
LIMIT_S = 60


class Serving:
    """`pitwatch provision --enrol` as a process; `codes` by table."""

    def __init__(self, house: Path, *tables: str, options: tuple[str, ...] = (), broker: str = "127.0.0.1"):
        named = [word for table in tables for word in ("--enrol", table)]
        command = [*CLI, "provision", str(house), "--broker", broker, "--json", *named, *options]
        self.house, self.log = house, house.with_name(house.name + ".log")
        self._out = house.with_name(house.name + ".out")
        with self.log.open("ab") as log, self._out.open("wb") as out:
            self.process = subprocess.Popen([*command, "--enrol-on", "127.0.0.1:0"], stdout=out, stderr=log)
        answer = json.loads(wait_for(self._second_line, LIMIT_S))
        self.codes, self.port = answer["codes"], answer["port"]

    def _second_line(self):
        assert self.process.poll() in (None, 1), self.said()
        lines = self._out.read_bytes().splitlines(keepends=True)
        return len(lines) > 1 and lines[1].endswith(b"\n") and lines[1]

    def ends(self):
        """Its exit code, once it ends by itself."""
        return self.process.wait(LIMIT_S)

    def said(self):
        return self.log.read_text()

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def serve(tmp_path):
    started = []

    def serve(*tables, options=(), house=tmp_path / "house"):
        started.append(Serving(house, *tables, options=options))
        return started[-1]

    yield serve
    for each in started:
        each.close()


class Board:
    """`folder` is its /etc/pitwatch, `state` its /var/lib/pitwatch."""

    def __init__(self, home: Path):
        self.folder, self.state = home / "etc", home / "state"
        self.folder.mkdir(parents=True)

    def enrols(self, port, code, *options):
        command = [*CLI, "enrol", f"127.0.0.1:{port}", "--folder", self.folder, "--state", self.state, *options]
        return subprocess.run(command, input=code + "\n", capture_output=True, text=True, timeout=LIMIT_S, check=False)

    def files(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}


@pytest.fixture
def board(tmp_path):
    return Board(tmp_path / "board")


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def test_a_board_gets_its_certificate_and_its_key_stays_on_it(serve, board):
    serving = serve("toledo/RL-07")
    done = board.enrols(serving.port, serving.codes["toledo/RL-07"].lower().replace("-", " "))
    assert done.returncode == 0, done.stderr
    assert serving.ends() == 0
    own, at_house = board.folder / "RL-07", serving.house / "tables" / "toledo" / "RL-07"
    assert board.files() == {f"RL-07/{name}" for name in ("ca.crt", "client.crt", "client.key", "mqtt.toml")}
    assert {path.name for path in at_house.iterdir()} == {"ca.crt", "client.crt", "mqtt.toml"}
    for name in ("ca.crt", "client.crt", "mqtt.toml"):
        assert (own / name).read_bytes() == (at_house / name).read_bytes()
    openssl("verify", "-purpose", "sslclient", "-CAfile", own / "ca.crt", own / "client.crt")
    public = openssl("x509", "-noout", "-pubkey", "-in", own / "client.crt")
    assert public == openssl("pkey", "-pubout", "-in", own / "client.key")
    assert "toledo/RL-07" in openssl("x509", "-noout", "-subject", "-in", own / "client.crt")
    secrets = [*board.folder.rglob("*.key"), *board.state.rglob("*.key")]
    assert len(secrets) == 2
    assert {os.stat(path).st_mode & 0o777 for path in secrets} == {0o600}
    for secret in secrets:
        assert all(secret.read_bytes().strip() not in data for data in content(serving.house).values())
    journal = openssl("pkey", "-pubin", "-in", board.state / "RL-07" / "pitwatch-RL-07.pub").splitlines()[1]
    assert f"toledo/RL-07 {journal} " in (serving.house / "boards.txt").read_text()
    assert serving.codes["toledo/RL-07"] not in str(content(serving.house)) + serving.said() + done.stdout + done.stderr


def test_the_lists_have_a_table_before_its_board_comes_and_after(serve, board):
    serving = serve("toledo/RL-07", "toledo/BJ-01")
    access = serving.house / "broker" / "pitwatch.acl"
    before = access.read_text()
    assert "user toledo/RL-07" in before
    assert "user toledo/BJ-01" in before
    assert board.enrols(serving.port, serving.codes["toledo/RL-07"]).returncode == 0
    assert access.read_text() == before
    assert not (serving.house / "tables" / "toledo" / "BJ-01").exists()
    assert board.enrols(serving.port, serving.codes["toledo/BJ-01"]).returncode == 0  # a board may have two tables
    assert serving.ends() == 0
    again = [*CLI, "provision", serving.house, "--broker", "127.0.0.1"]
    subprocess.run(again, check=True, capture_output=True)
    assert access.read_text() == before


def test_a_code_is_for_one_board_and_another_is_refused_and_reported(serve, board, tmp_path):
    serving = serve("toledo/RL-07", "toledo/BJ-01")
    code = serving.codes["toledo/RL-07"]
    assert board.enrols(serving.port, code).returncode == 0
    kept = content(serving.house)
    second = Board(tmp_path / "second")
    done = second.enrols(serving.port, code)
    assert done.returncode == 1
    assert "this code was used by another board" in done.stderr
    assert not (second.folder / "RL-07").exists()
    assert content(serving.house) == kept
    wait_for(lambda: "another board shows the code of toledo/RL-07" in serving.said(), LIMIT_S)
    assert serving.process.poll() is None  # the other table's board may still come


def test_an_answer_that_was_lost_is_given_again_to_the_same_board_only(serve, board):
    """The current fails after the house has signed, and before the board has written."""
    serving = serve("toledo/RL-07")
    code = serving.codes["toledo/RL-07"]
    body = Storing(board.folder, board.state).request()
    lost = Asking("127.0.0.1", serving.port)
    granted = lost.ask(keys(code), body)
    lost.close()
    assert serving.process.poll() is None
    done = board.enrols(serving.port, code)
    assert done.returncode == 0, done.stderr
    assert (board.folder / "RL-07" / "client.crt").read_text() == granted.certificate
    assert serving.ends() == 0


def test_a_board_interrupted_while_it_wrote_finishes_at_the_next_try(serve, board, monkeypatch):
    serving = serve("toledo/RL-07")
    code = serving.codes["toledo/RL-07"]
    storing = Storing(board.folder, board.state)
    asking = Asking("127.0.0.1", serving.port)
    grant = asking.ask(keys(code), storing.request())
    asking.close()
    with monkeypatch.context() as cut:
        cut.setattr("pitwatch.daemon.enrolment.storing._give", lambda path: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            storing.store(grant)
    done = board.enrols(serving.port, code)
    assert done.returncode == 0, done.stderr
    assert not list(board.folder.glob(".enrol*"))


def test_wrong_codes_are_refused_slowly_and_not_logged_without_end(serve, board):
    serving = serve("toledo/RL-07")
    began = time.monotonic()
    body = Storing(board.folder, board.state).request()
    for _ in range(3):
        asking = Asking("127.0.0.1", serving.port)
        with pytest.raises(RefusedError, match="no such code is open"):
            asking.ask(keys(new_code()), body)
        asking.close()
    assert time.monotonic() - began >= 3
    assert not (serving.house / "tables").exists()
    typed = board.enrols(serving.port, serving.codes["toledo/RL-07"][:-1] + "!")
    assert (typed.returncode, typed.stdout) == (1, "")
    assert "this is no code" in typed.stderr
    assert board.enrols(serving.port, serving.codes["toledo/RL-07"]).returncode == 0
    assert "refused: no such code is open" in serving.said()


def connected(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), LIMIT_S))


def test_noise_is_refused_and_ends_nothing(serve, board):
    serving = serve("toledo/RL-07")
    with socket.create_connection(("127.0.0.1", serving.port), LIMIT_S) as plain:
        plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b"HTTP" not in plain.recv(100)
    with connected(serving.port) as long, contextlib.suppress(ConnectionError, ssl.SSLError):
        long.sendall(b"x" * 500_000)
        assert long.recv(10) == b""
    for noise in (b"{}\n", b"\xff\xfe\n", b'{"v":9}\n', b'{"code":{}}\n', b'{"code":"","body":"!"}\n'):
        with connected(serving.port) as one:
            one.sendall(noise)
            assert b'"refused":' in one.recv(1000)
    assert board.enrols(serving.port, serving.codes["toledo/RL-07"]).returncode == 0


def test_one_address_has_four_connections_and_no_more(serve, board):
    serving = serve("toledo/RL-07")
    held = [connected(serving.port) for _ in range(4)]
    with connected(serving.port) as fifth:
        assert fifth.recv(10) == b""
    for each in held:
        each.close()
    done = board.enrols(serving.port, serving.codes["toledo/RL-07"], "--wait", "30")
    assert done.returncode == 0, done.stderr


def test_codes_expire(serve, board):
    serving = serve("toledo/RL-07", options=("--enrol-hours", "0.0003"))
    assert serving.ends() == 1
    assert "the code of toledo/RL-07 has expired unused" in serving.said()
    done = board.enrols(serving.port, serving.codes["toledo/RL-07"])
    assert done.returncode == 1
    assert "does not answer" in done.stderr


class Between:
    """Stands between with a certificate of its own, and passes every line on, changed by `change(line, to_house)`."""

    def __init__(self, folder: Path, port: int, change=lambda line, to_house: line):
        files = folder / "between.crt", folder / "between.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 1,
                "-subj", "/CN=pitwatch-enrolment", "-out", files[0], "-keyout", files[1])  # fmt: skip
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*files)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port, self._house, self._change = self._server.getsockname()[1], port, change
        self.seen = []
        threading.Thread(target=self._stand, daemon=True).start()

    def _stand(self):
        while True:
            try:
                board = self._context.wrap_socket(self._server.accept()[0], server_side=True)
            except OSError:
                return
            with board, connected(self._house) as house:
                for source, target, to_house in ((board, house, True), (house, board, False)):
                    line = source.makefile("rb").readline()
                    self.seen.append(line)
                    target.sendall(self._change(line, to_house))

    def close(self):
        self._server.close()


@pytest.fixture
def between(tmp_path):
    made = []

    def stand(port, **options):
        made.append(Between(tmp_path, port, **options))
        return made[-1]

    yield stand
    for each in made:
        each.close()


def test_who_stands_between_can_pass_nothing_on(serve, board, between, tmp_path):
    serving = serve("toledo/RL-07")
    code = serving.codes["toledo/RL-07"]
    thief = between(serving.port)
    done = board.enrols(thief.port, code)
    assert done.returncode == 1
    assert "not genuine" in done.stderr
    assert board.files() == {
        ".enrolment/request",
        ".enrolment/client.key",
        ".enrolment/journal.key",
        ".enrolment/journal.pub",
    }
    assert not (serving.house / "tables").exists()
    # What he saw opens nothing on a connection of his own either.
    with connected(serving.port) as own:
        own.sendall(thief.seen[0])
        assert b"not genuine" in own.makefile("rb").readline()
    # The board itself has lost nothing by it.
    assert board.enrols(serving.port, code).returncode == 0
    assert serving.ends() == 0


def test_a_false_house_is_not_believed(serve, board, between, tmp_path):
    """One that knows another code, and one that answers with what it made itself."""
    serving = serve("toledo/RL-07", house=tmp_path / "false")
    code, true_code = serving.codes["toledo/RL-07"], new_code()

    def as_if(line, to_house):
        if not to_house:
            return line
        channel = Channel(ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", serving.port))))
        return channel.request(keys(code), Storing(tmp_path / "thief", tmp_path / "thief").request())

    (tmp_path / "thief").mkdir()
    thief = between(serving.port, change=as_if)
    asking = Asking("127.0.0.1", thief.port)
    with pytest.raises(ExchangeError, match="the answer is not the house's"):
        asking.ask(keys(true_code), Storing(board.folder, board.state).request())
    asking.close()
    assert not (board.folder / "RL-07").exists()


def test_a_table_that_has_a_certificate_is_not_enrolled_over_it(serve, board, tmp_path):
    house = tmp_path / "house"
    provision = [*CLI, "provision", house, "--broker", "127.0.0.1"]
    subprocess.run([*provision, "--table", "toledo/RL-07"], check=True, capture_output=True)
    refused = subprocess.run([*provision, "--enrol", "toledo/RL-07"], capture_output=True, text=True, timeout=LIMIT_S)
    assert refused.returncode == 2
    assert "has a certificate already" in refused.stderr
    subprocess.run([*provision, "--revoke", "toledo/RL-07"], check=True, capture_output=True)
    serving = serve("toledo/RL-07")
    assert board.enrols(serving.port, serving.codes["toledo/RL-07"]).returncode == 0


def test_a_board_that_has_the_table_says_so_and_overwrites_nothing(serve, board):
    serving = serve("toledo/RL-07")
    (board.folder / "RL-07").mkdir()
    (board.folder / "RL-07" / "client.key").write_text("of another house")
    kept = content(board.folder / "RL-07")
    done = board.enrols(serving.port, serving.codes["toledo/RL-07"])
    assert done.returncode == 2
    assert re.search(r"RL-07: exists; .* Move the folder away", done.stderr)
    assert content(board.folder / "RL-07") == kept
    shutil.move(board.folder / "RL-07", board.folder / "old")
    (board.state / "RL-07").mkdir(parents=True)
    (board.state / "RL-07" / "pitwatch-RL-07.db").write_text("evidence")
    done = board.enrols(serving.port, serving.codes["toledo/RL-07"])
    assert done.returncode == 2
    assert "has a journal of RL-07, signed by another key" in done.stderr
    assert not (board.folder / "RL-07").exists()
    shutil.move(board.state / "RL-07", board.state / "old")
    assert board.enrols(serving.port, serving.codes["toledo/RL-07"]).returncode == 0
    assert serving.ends() == 0


def test_a_code_in_a_file_is_used_and_removed(serve, board, tmp_path):
    serving = serve("toledo/RL-07")
    file = tmp_path / "enrol.toml"
    file.write_text(f'# from the house\nhouse = "127.0.0.1:{serving.port}"\ncode = "{serving.codes["toledo/RL-07"]}"\n')
    command = [*CLI, "enrol", "--from", file, "--folder", board.folder, "--state", board.state]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert file.read_text() == f'# from the house\nhouse = "127.0.0.1:{serving.port}"\n'


@pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
def test_from_the_code_to_rounds_at_surveillance(serve, board, tmp_path):
    """With the table's file from the house, and a broker that was set up before the board came."""
    house, port = tmp_path / "house", free_port()
    options = ("--port", str(port), "--surveillance", "eye", "--broker-folder", str(house / "broker"))
    process = TableProcess(tmp_path, "mqtt://127.0.0.1:9")
    file = TABLE.format(url="", port=process.port, mqtt="").replace('[mqtt]\nurl = ""\n\n', "")
    (house / "enrol" / "toledo").mkdir(parents=True)
    (house / "enrol" / "toledo" / "RL-07.toml").write_text(file.replace('path = "journal.db"', ""))
    serving = serve("toledo/RL-07", options=options)
    settings = (house / "broker" / "pitwatch.conf").read_text().replace("persistence true", "persistence false")
    (tmp_path / "mosquitto.conf").write_text(
        settings.replace(f"listener {port}", f"user root\nlistener {port} 127.0.0.1")
    )
    heard, log = tmp_path / "heard", tmp_path / "mosquitto.log"
    with log.open("wb") as out, heard.open("wb") as ear:
        broker = subprocess.Popen(["mosquitto", "-v", "-c", tmp_path / "mosquitto.conf"], stderr=out)
        wait_for(lambda: b"running" in log.read_bytes(), LIMIT_S)
        eye = house / "surveillance" / "eye"
        files = ["--cafile", eye / "ca.crt", "--cert", eye / "client.crt", "--key", eye / "client.key"]
        watching = ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", *files, "-t", "#", "-F", "%t %p"]
        subscriber = subprocess.Popen(watching, stdout=ear)
        assert board.enrols(serving.port, serving.codes["toledo/RL-07"]).returncode == 0
        assert serving.ends() == 0
        environment = {**os.environ, "STATE_DIRECTORY": str(board.state / "RL-07")}
        table = subprocess.Popen([*CLI, "run", str(board.folder / "RL-07.toml")], env=environment)
        numbers = iter(range(1, 200))

        def rounds():
            number = next(numbers)
            process.write(spin(number, number % 2))
            time.sleep(0.3)
            return b"RL-07/round " in heard.read_bytes()

        try:
            wait_for(rounds, LIMIT_S, "no round arrives")
        finally:
            table.send_signal(signal.SIGTERM)
            assert table.wait(LIMIT_S) == 0
            for each in (subscriber, broker):
                each.kill()
                each.wait()
            process.close()
    journal = board.state / "RL-07" / "pitwatch-RL-07.db"
    verified = subprocess.run([*CLI, "journal", "verify", str(journal)], capture_output=True, text=True)
    assert "complete and unaltered" in verified.stdout, verified.stdout + verified.stderr
    key = (board.state / "RL-07" / "pitwatch-RL-07.pub").read_text().splitlines()[1]
    assert key in (house / "boards.txt").read_text()
    assert key in verified.stdout
