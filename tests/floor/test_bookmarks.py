"""Bookmarks against a real HTTP receiver that fails, stalls and refuses, and programs that hang: each arrives once, and
nobody waits for it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.ports import free_port
from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor import config
from pitwatch.floor.bookmarks import Bookmarks, Pace
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message, read_message
from pitwatch.floor.video.bookmark import FIELDS, bookmark, in_json, in_url
from pitwatch.floor.video.config import FloorVideo, read_headers
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.examples.bench_table import bench_table, until

FAST = Pace(attempt_s=0.4, first_s=0.02, most_s=0.1, tries=3, waiting=5)
TEMPLATE = '{"name": "$severity: $rule", "from": $begin_ms, "for": $duration_ms, "round": $round, "text": "$text"}'


def message(sequence: int = 7, kind: str = "irregularity", table: str = "toledo/RL-07", **fields: Any) -> Message:
    record = {
        "rule": "toledo-2020/roulette/same-direction-spin",
        "category": "no-spin",
        "severity": "alert",
        "round": 12,
        "disposition": "no-spin",
        "instruction": 'Announce "No Spin".',
        "citation": {"document": "000.txt", "section": "Eight", "lines": "1658", "title": "…"},
    }
    event = {
        "id": f"{table.split('/')[1]}/boot/{sequence}",
        "source": f"/{table}",
        "type": f"pitwatch.{kind}.v1",
        "bootid": "boot",
        "sequence": sequence,
        "time": "2026-11-28T04:00:05.250000Z",
        "clocksynced": True,
        "camera": "cam 17",
        "preroll": 20,
        "data": record | fields.pop("data", {}),
    } | fields
    return read_message("pitwatch/1", f"pitwatch/1/{table}/{kind}", json.dumps(event).encode(), False)


class Receiver:
    """A video system. `answers`: what it does with the first requests, one after another (a status, or "stall", "cut",
    "dribble"); all after them are 204. `got`: path, headers, body of each."""

    def __init__(self, *answers: int | str) -> None:
        self.answers = list(answers)
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.end = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, dict(self.headers), body))
                answer = receiver.answers.pop(0) if receiver.answers else 204
                if answer == "stall":
                    receiver.end.wait(20)
                elif answer == "dribble":
                    self.wfile.write(b"HTTP/1.1 ")
                    while not receiver.end.wait(0.05):
                        self.wfile.write(b" ")
                elif answer != "cut":
                    self.send_response(int(answer))
                    if answer == 302:
                        self.send_header("Location", f"{receiver.url}/elsewhere")
                    self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # the bookmark's side hung up, as it should

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self.end.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(body) for _, _, body in self.got]


@pytest.fixture
def receiving() -> Iterator[Callable[..., Receiver]]:
    open_ones: list[Receiver] = []

    def start(*answers: int | str) -> Receiver:
        open_ones.append(Receiver(*answers))
        return open_ones[-1]

    yield start
    for receiver in open_ones:
        receiver.close()


@pytest.fixture
def started() -> Iterator[Callable[..., Bookmarks]]:
    running: list[Bookmarks] = []

    def start(video: FloorVideo, pace: Pace = FAST) -> Bookmarks:
        running.append(Bookmarks(video, pace))
        running[-1].start()
        return running[-1]

    yield start
    for bookmarks in running:
        bookmarks.stop(0)


def test_a_bookmark_says_which_camera_and_which_seconds(
    receiving: Callable[..., Receiver], started: Callable[..., Bookmarks]
) -> None:
    receiver = receiving()
    bookmarks = started(FloorVideo(url=f"{receiver.url}/api/bookmarks"))
    assert bookmarks.send(message())
    wait_for(lambda: bookmarks.sent == 1)
    [(path, headers, body)] = receiver.got
    assert path == "/api/bookmarks"
    assert headers["Content-Type"] == "application/json"
    told = json.loads(body)
    assert (
        told
        | {
            "id": "RL-07/boot/7",
            "site": "toledo",
            "table": "RL-07",
            "camera": "cam 17",
            "at": "2026-11-28T04:00:05.250Z",
            "begin": "2026-11-28T03:59:45.250Z",
            "end": "2026-11-28T04:00:15.250Z",
            "begin_ms": 1795838385250,
            "duration_ms": 30_000,
            "clock_synced": True,
            "round": 12,
            "citation": "000.txt Eight 1658",
            "text": 'RL-07 alert: same-direction-spin. Announce "No Spin".',
        }
        == told
    )
    assert told["end_ms"] - told["begin_ms"] == told["duration_ms"]
    assert time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(told["at_ms"] // 1000)) == told["at"][:19]


def test_the_line_for_people_begins_with_the_rules_sentence() -> None:
    made = bookmark(message(data={"says": "The ball is spun in the direction of the wheel."}), {}, 30, 10)
    assert made.says == "The ball is spun in the direction of the wheel."
    assert made.text == (
        'RL-07 alert: The ball is spun in the direction of the wheel (same-direction-spin). Announce "No Spin".'
    )


def test_once_for_each_irregularity_and_for_nothing_else(
    receiving: Callable[..., Receiver], started: Callable[..., Bookmarks]
) -> None:
    receiver = receiving()
    bookmarks = started(FloorVideo(url=receiver.url))
    sent = [bookmarks.send(message(sequence)) for sequence in (1, 2, 1, 2)]
    sent += [bookmarks.send(message(3, kind=kind)) for kind in ("round", "observation", "status")]
    sent += [bookmarks.send(message(1, table="perrysburg/RL-07")), bookmarks.send(message(1, table="perrysburg/RL-07"))]
    sent += [bookmarks.send(Message("toledo/RL-07", "alert/x", None, False))]
    assert sent == [True, True, False, False, False, False, False, True, False, False]
    wait_for(lambda: bookmarks.sent == 3)
    bookmarks.stop()
    assert [(told["site"], told["id"]) for told in receiver.bodies] == [
        ("toledo", "RL-07/boot/1"),
        ("toledo", "RL-07/boot/2"),
        ("perrysburg", "RL-07/boot/1"),
    ]


def test_template_address_and_headers(
    receiving: Callable[..., Receiver], started: Callable[..., Bookmarks], tmp_path: Path
) -> None:
    receiver = receiving()
    secret = tmp_path / "vms.headers"
    secret.write_text("Authorization: Bearer one\nX-House:  toledo \n")
    secret.chmod(0o600)
    video = FloorVideo(
        url=receiver.url + "/devices/$camera/bookmarks?at=$at_ms&why=$rule",
        template=TEMPLATE,
        headers_file=str(secret),
    )
    bookmarks = started(video)
    assert bookmarks.send(message(1, data={"round": None}, camera="hall/17?&"))
    wait_for(lambda: bookmarks.sent == 1)
    secret.write_text("Authorization: Bearer two\n")
    assert bookmarks.send(message(2))
    wait_for(lambda: bookmarks.sent == 2)
    assert receiver.got[0][0].startswith(
        "/devices/hall%2F17%3F%26/bookmarks?at=1795838405250&why=toledo-2020%2Froulette"
    )
    assert [headers["Authorization"] for _, headers, _ in receiver.got] == ["Bearer one", "Bearer two"]
    assert receiver.got[0][1]["X-House"] == "toledo"
    assert receiver.bodies[0] == {
        "name": "alert: toledo-2020/roulette/same-direction-spin",
        "from": 1795838385250,
        "for": 30_000,
        "round": None,
        "text": 'RL-07 alert: same-direction-spin. Announce "No Spin".',
    }


@pytest.mark.parametrize("trouble", [503, 429, 401, "stall", "cut", "dribble"])
def test_a_receiver_in_trouble_gets_it_later(
    trouble: int | str,
    receiving: Callable[..., Receiver],
    started: Callable[..., Bookmarks],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "pitwatch.video")
    receiver = receiving(*[trouble] * 4)  # more than FAST.tries: it is not the bookmark's fault
    pace = FAST._replace(attempt_s=0.15)
    bookmarks = started(FloorVideo(url=receiver.url), pace)
    assert bookmarks.send(message(1))
    assert bookmarks.send(message(2))
    assert len(receiver.got) < 5, "the caller waited"
    wait_for(lambda: bookmarks.sent == 2)
    assert [told["id"] for told in receiver.bodies] == ["RL-07/boot/1"] * 5 + ["RL-07/boot/2"]
    assert (bookmarks.failed, bookmarks.trouble) == (0, None)
    wait_for(lambda: len(caplog.records) == 2)
    assert caplog.messages[0].startswith(f"bookmarks wait: 127.0.0.1:{receiver.server.server_port}: ")
    assert caplog.messages[1].startswith("bookmarks are taken again")


@pytest.mark.parametrize("status", [500, 400, 404, 302])
def test_what_is_refused_is_given_up_and_the_next_goes_on(
    status: int, receiving: Callable[..., Receiver], started: Callable[..., Bookmarks], caplog: pytest.LogCaptureFixture
) -> None:
    receiver = receiving(*[status] * 3)
    bookmarks = started(FloorVideo(url=receiver.url))
    bookmarks.send(message(1))
    bookmarks.send(message(2))
    wait_for(lambda: bookmarks.sent == 1)
    assert [told["id"] for told in receiver.bodies] == ["RL-07/boot/1"] * 3 + ["RL-07/boot/2"]
    wait_for(lambda: bookmarks.failed == 1)
    assert [path for path, _, _ in receiver.got] == ["/"] * 4, "a redirection was followed"
    assert caplog.messages == [
        "no bookmark of RL-07/boot/1 at camera 'cam 17', 2026-11-28T04:00:05.250Z: "
        f"127.0.0.1:{receiver.server.server_port}: answers {status}"
    ]
    assert (bookmarks.send(message(2)), bookmarks.send(message(1))) == (False, True), "a failed one may be asked again"
    wait_for(lambda: bookmarks.sent == 2)


def test_a_500_that_passes_costs_nothing(receiving: Callable[..., Receiver], started: Callable[..., Bookmarks]) -> None:
    receiver = receiving(500, 500)
    bookmarks = started(FloorVideo(url=receiver.url))
    bookmarks.send(message(1))
    wait_for(lambda: bookmarks.sent == 1)
    assert (bookmarks.failed, len(receiver.got)) == (0, 3)


def test_while_nobody_listens_the_newest_are_kept(
    receiving: Callable[..., Receiver], started: Callable[..., Bookmarks], caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    bookmarks = started(FloorVideo(url=f"http://127.0.0.1:{port}"))
    assert bookmarks.send(message(1))
    wait_for(lambda: bookmarks.trouble)
    for sequence in range(2, 21):
        assert bookmarks.send(message(sequence))
    assert bookmarks.dropped == 14
    assert not bookmarks.send(message(20))
    assert caplog.messages == [f"bookmarks wait: 127.0.0.1:{port}: Connection refused; trying again"]
    began = time.monotonic()
    bookmarks.stop(20)
    assert time.monotonic() - began < 15, "waited for a receiver in trouble"
    assert caplog.messages[-1] == "6 bookmarks were not sent"
    assert bookmarks.sent == 0


def test_stop_sends_what_can_be_sent(receiving: Callable[..., Receiver], started: Callable[..., Bookmarks]) -> None:
    receiver = receiving()
    bookmarks = started(FloorVideo(url=receiver.url))
    for sequence in range(5):
        bookmarks.send(message(sequence))
    bookmarks.stop()
    assert len(receiver.got) == bookmarks.sent == 5


def test_nothing_is_configured() -> None:
    bookmarks = Bookmarks(FloorVideo())
    bookmarks.start()
    assert not bookmarks.send(message())
    bookmarks.stop()


def test_without_a_camera_none_is_named(
    receiving: Callable[..., Receiver], started: Callable[..., Bookmarks], caplog: pytest.LogCaptureFixture
) -> None:
    receiver = receiving()
    bookmarks = started(FloorVideo(url=receiver.url + "/$camera", cameras={"toledo/RL-08": "cam-8"}, postroll_s=5))
    assert not bookmarks.send(message(1, camera=""))
    assert not bookmarks.send(message(2, camera=""))
    assert bookmarks.send(message(1, table="toledo/RL-08", camera=""))
    wait_for(lambda: bookmarks.sent == 1)
    assert receiver.got[0][0] == "/cam-8"
    assert receiver.bodies[0]["duration_ms"] == 25_000
    assert caplog.messages == ["toledo/RL-07: no camera is known, so no bookmarks; name one in [video.cameras]"]


@pytest.mark.parametrize("told", ["", "yesterday", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_a_time_that_is_none(told: str, caplog: pytest.LogCaptureFixture) -> None:
    bookmarks = Bookmarks(FloorVideo(url="http://127.0.0.1:9"))
    assert not bookmarks.send(message(time=told))
    assert len(caplog.messages) == 1
    assert "no bookmark of RL-07/boot/7" in caplog.messages[0]


PROGRAM = """\
#!{python}
import json, os, sys
with open(os.path.join(os.path.dirname(__file__), "out"), "a") as out:
    print(json.dumps({{"argv": sys.argv[1:], "stdin": json.load(sys.stdin)}}), file=out)
"""


def program(folder: Path, text: str = PROGRAM) -> str:
    path = folder / "bookmark.py"
    path.write_text(text.format(python=sys.executable))
    path.chmod(0o755)
    return str(path)


def test_a_program_has_it_in_arguments_and_on_standard_input(started: Callable[..., Bookmarks], tmp_path: Path) -> None:
    command = [program(tmp_path), "--camera=$camera", "$at", "$$5 $severity"]
    bookmarks = started(FloorVideo(command=command), FAST._replace(attempt_s=10))
    hostile = "$(touch pwned); `id` 'a' \"b\" \\ \n\0 | & ü"
    assert bookmarks.send(message(1, camera=hostile))
    wait_for(lambda: bookmarks.sent == 1)
    told = json.loads((tmp_path / "out").read_text())
    cleaned = hostile.replace("\n", " ").replace("\0", " ")
    assert told["argv"] == [f"--camera={cleaned}", "2026-11-28T04:00:05.250Z", "$5 alert"]
    assert (told["stdin"]["camera"], told["stdin"]["id"]) == (cleaned, "RL-07/boot/1")
    assert not list(tmp_path.glob("**/pwned"))


def test_a_camera_cannot_become_an_option(
    started: Callable[..., Bookmarks], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bookmarks = started(FloorVideo(command=[program(tmp_path), "$camera"]), FAST._replace(attempt_s=10))
    bookmarks.send(message(1, camera="--delete-all"))
    bookmarks.send(message(2, camera="cam-17"))
    wait_for(lambda: bookmarks.sent == 1)
    assert bookmarks.failed == 1
    assert "takes for an option" in caplog.messages[0]
    assert json.loads((tmp_path / "out").read_text())["argv"] == ["cam-17"]


def test_a_program_that_fails_is_quoted(
    started: Callable[..., Bookmarks], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bookmarks = started(
        FloorVideo(command=[program(tmp_path, "#!/bin/sh\necho one >&2; echo no such camera >&2; exit 4\n")])
    )
    bookmarks.send(message(1))
    wait_for(lambda: bookmarks.failed == 1)
    assert caplog.messages[0].endswith("bookmark.py: exit 4: no such camera")


def test_a_program_that_hangs_is_ended_with_its_children(
    started: Callable[..., Bookmarks], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hanging = program(tmp_path, f"#!/bin/sh\nsleep 7531 &\necho $! >> {tmp_path}/children\nsleep 7531\n")
    bookmarks = started(FloorVideo(command=[hanging]))
    bookmarks.send(message(1))
    assert bookmarks.failed == 0, "the caller waited"
    wait_for(lambda: bookmarks.failed == 1)
    assert caplog.messages[0].endswith("bookmark.py: not done in 0.4 s")
    children = [int(line) for line in (tmp_path / "children").read_text().split()]
    assert len(children) == FAST.tries
    wait_for(lambda: not any(map(_alive, children)), what="a child is left")


def test_stop_ends_a_program_that_hangs(started: Callable[..., Bookmarks], tmp_path: Path) -> None:
    hanging = program(tmp_path, f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 7531\n")
    bookmarks = started(FloorVideo(command=[hanging]), FAST._replace(attempt_s=60))
    bookmarks.send(message(1))
    pid = int(wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
    began = time.monotonic()
    bookmarks.stop(0.1)
    assert time.monotonic() - began < 30
    wait_for(lambda: not _alive(pid))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_https_only_with_a_certificate_that_ca_signed(
    started: Callable[..., Bookmarks], receiving: Callable[..., Receiver], tmp_path: Path
) -> None:
    import ssl

    for name in ("right", "wrong"):
        subprocess.run(
            f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost "
            f"-addext subjectAltName=DNS:localhost -keyout {name}.key -out {name}.crt".split(),
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
    receiver = receiving()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "right.crt", tmp_path / "right.key")
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    url = f"https://localhost:{receiver.server.server_port}/"
    refused = started(FloorVideo(url=url, ca=str(tmp_path / "wrong.crt")))
    refused.send(message(1))
    wait_for(lambda: refused.trouble)
    assert refused.trouble is not None
    assert "certificate not trusted" in refused.trouble
    refused.stop()
    assert receiver.got == []
    trusted = started(FloorVideo(url=url, ca=str(tmp_path / "right.crt")), FAST._replace(attempt_s=5))
    trusted.send(message(1))
    wait_for(lambda: trusted.sent == 1)


def test_a_secret_is_in_no_line(
    started: Callable[..., Bookmarks], receiving: Callable[..., Receiver], tmp_path: Path, caplog: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = tmp_path / "vms.headers"
    secret.write_text("Authorization: Bearer s3cr3t\n")
    secret.chmod(0o600)
    receiver = receiving("cut", 401)
    bookmarks = started(FloorVideo(url=receiver.url, headers_file=str(secret)))
    bookmarks.send(message(1))
    wait_for(lambda: bookmarks.sent == 1)
    secret.chmod(0o644)
    bookmarks.send(message(2))
    wait_for(lambda: bookmarks.trouble)
    secret.write_text("Authorization Bearer s3cr3t\n")
    secret.chmod(0o600)
    wait_for(lambda: "no header" in (bookmarks.trouble or ""))
    assert "s3cr3t" not in caplog.text + str(bookmarks.trouble)
    assert len(receiver.got) == 3


@given(
    st.dictionaries(st.sampled_from(["rule", "severity", "instruction"]), st.text(max_size=40)), st.text(max_size=20)
)
def test_whatever_comes_the_template_stays_json_and_the_address_an_address(data: dict[str, str], camera: str) -> None:
    made = bookmark(message(data=data, camera=camera), {}, 30, 10)
    values = {name: getattr(made, name) for name in made.__struct_fields__}
    told = json.loads(in_json(TEMPLATE, values))
    assert told["name"] == f"{made.severity}: {made.rule}"
    assert told.keys() == {"name", "from", "for", "round", "text"}
    path = in_url("/devices/$camera/bookmarks", values)
    assert path.count("/") == 3
    assert all("!" <= each <= "~" and each not in "?#" for each in path)


def test_what_a_table_says_is_cut_to_size() -> None:
    made = bookmark(message(preroll=10**9, postroll=-5, data={"instruction": "x" * 5000}), {}, 30, 10)
    assert (made.preroll_s, made.postroll_s, len(made.instruction)) == (3600, 0, 1000)


def floor_file(folder: Path, video: str) -> Path:
    path = folder / "floor.toml"
    path.write_text('[mqtt]\nurl = "mqtt://127.0.0.1"\n' + video)
    return path


def test_a_floor_s_file(tmp_path: Path) -> None:
    program(tmp_path)
    (tmp_path / "h").touch(0o600)
    posted = config.load(
        floor_file(
            tmp_path,
            f'[video]\nurl = "http://vms.example/$camera"\ntemplate = \'{TEMPLATE}\'\nheaders_file = "h"\n'
            'preroll_s = 60\n[video.cameras]\n"toledo/RL-07" = "cam-17"\n',
        )
    ).video
    assert (posted.preroll_s, posted.postroll_s, posted.cameras) == (60, 10, {"toledo/RL-07": "cam-17"})
    assert (posted.headers_file, posted.names_camera) == (str(tmp_path / "h"), True)
    run = config.load(floor_file(tmp_path, '[video]\ncommand = ["./bookmark.py", "$id"]\n')).video
    assert run.command == [str(tmp_path / "bookmark.py"), "$id"]
    assert not run.names_camera
    assert config.load(floor_file(tmp_path, '[video]\ncommand = ["true"]\n')).video.command == ["/usr/bin/true"]
    assert not config.load(floor_file(tmp_path, "")).video.wanted


@pytest.mark.parametrize(
    ("video", "told"),
    [
        ("", "video: needs command"),
        ('url = "http://a"\ncommand = ["true"]', "video.url: cannot be beside command"),
        ('url = "http://a"\npreroll_s = -1', "video.preroll_s: -1 is not from 0 to 3600 seconds"),
        ('url = "ftp://a"', 'video.url: "ftp://a" is no address'),
        ('url = "http://$camera/"', "video.url: has a field in its host"),
        ('url = "http://me:pw@a/"', "video.url: has a user or password; give an Authorization line"),
        ('url = "http://a:x/"', "video.url: "),
        ('url = "http://a/ b"', "video.url: "),
        ('url = "http://a/$kamera"', 'video.url: $kamera is no field of a bookmark; did you mean "camera"?'),
        ('url = "http://a/$"', 'video.url: "http://a/$": a $ begins a field\'s name; $$ is a dollar sign'),
        ('url = "http://a"\ntemplate = \'{"a": $camera}\'', "video.template: is not JSON; text stands in quotes"),
        ('url = "http://a"\ntemplate = \'{"a": $begin}\'', "video.template: is not JSON"),
        ("url = \"http://a\"\ntemplate = '{'", "video.template: is not JSON"),
        ('url = "http://a"\nheaders_file = "none"', "none: cannot be read: No such file"),
        ('url = "http://a"\nheaders_file = "loose"', "loose: others may read it; chmod 600 it"),
        ('url = "http://a"\nheaders_file = "bad"', "bad: line 2 is no header; Name: value is right"),
        ('url = "http://a"\nheaders_file = "ours"', "ours: line 1: Content-Length follows from url and content"),
        ('url = "http://a"\nca = "bad"', "video.ca: is for https"),
        ('url = "https://a"\nca = "none"', "none: no such file"),
        (f'url = "https://a"\nca = "{"é" * 300}"', "é: no such file"),
        ('url = "http://a"\n[video.cameras]\n"RL-07" = "c"', 'video.cameras: "RL-07" is no table; SITE/TABLE is right'),
        ('url = "http://a"\n[video.cameras]\n"a/RL-07" = ""', "video.cameras.a/RL-07: is empty"),
        ('command = ["no-such-program-here"]', 'video.command[0]: "no-such-program-here": no such program'),
        ('command = ["./bad"]', 'video.command[0]: "./bad": no such program that may be run'),
        ('command = ["$camera"]', "video.command[0]: is the program and has no fields"),
        ('command = ["true", "$nope"]', "video.command[1]: $nope is no field"),
        ('command = ["true"]\ntemplate = "{}"', "video.template: is for url"),
        ('command = "true"', "video.command: "),
        ('url = "http://a"\nretries = 3', "video.retries: unknown key"),
    ],
)
def test_mistakes_are_told_by_key(video: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "loose").touch(0o644)
    for name, text in (("bad", "A: s3cr3t\ns3cr3t\n"), ("ours", "Content-Length: 3\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    with pytest.raises(ConfigError) as refused:
        config.load(floor_file(tmp_path, f"[video]\n{video}\n"))
    assert told in str(refused.value)
    assert str(refused.value).count("\n") == 0
    assert "s3cr3t" not in str(refused.value)
    assert "pw@" not in str(refused.value)


def test_headers(tmp_path: Path) -> None:
    path = tmp_path / "headers"
    path.write_text("authorization: Basic YTpi\n\nX-Key:a  b\t\ncontent-type: application/x+json\n")
    path.chmod(0o600)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert read_headers(path) == {
        "Authorization": "Basic YTpi",
        "X-Key": "a  b",
        "Content-Type": "application/x+json",
    }


@pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
async def test_each_planned_irregularity_of_a_table_is_bookmarked_once(
    receiving: Callable[..., Receiver], started: Callable[..., Bookmarks], tmp_path: Path
) -> None:
    receiver = receiving(503, 500)
    bookmarks = started(FloorVideo(url=receiver.url + "/$camera"), Pace(first_s=0.02))
    broker = Mosquitto(tmp_path)
    broker.start()
    feed = Feed([parse_broker_url(broker.url)], MqttSection(url=broker.url), "pitwatch/1", bookmarks.send)
    listening = asyncio.create_task(feed.run())
    try:
        await until(lambda: feed.trouble is None, "the feed does not connect")
        async with bench_table(broker.url, tmp_path, camera="cam 1") as table:
            await table.play()
            await until(lambda: bookmarks.sent == table.planned.total(), f"{bookmarks.sent} of {table.planned}")
    finally:
        listening.cancel()
        broker.close()
    taken = receiver.got[2:]  # the first two were answered 503 and 500
    assert Counter(json.loads(body)["rule"].rpartition("/")[2] for _, _, body in taken) == table.planned
    assert {path for path, _, _ in taken} == {"/cam%201"}


def test_the_files_of_the_page_are_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "video.md").read_text(encoding="utf-8")
    posted, run, *_ = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "vms.headers").touch(0o600)
    (tmp_path / "vms-ca.pem").touch()
    path = tmp_path / "floor.toml"
    path.write_text(posted)
    assert config.load(path).video.cameras == {"toledo/RL-07": "cam-17"}
    path.write_text(run.replace("/usr/local/bin/bookmark", program(tmp_path)))
    assert config.load(path).video.command[1:] == ["--camera=$camera", "$begin", "$end"]
    table = page.partition("## The fields")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z_]+)`", table)) == set(FIELDS)
