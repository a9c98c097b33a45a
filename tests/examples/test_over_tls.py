"""The recipes with a certificate, before a broker as `pitwatch provision` sets it up, also as the pages have them."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.e2e.test_access import Floor
from tests.examples.script import EXAMPLES, Script

pytest.importorskip("cryptography")
pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

TABLE = "toledo/RL-07"


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    floor = Floor(tmp_path)
    yield floor
    floor.close()


def test_surveillance_listens_and_asks(floor: Floor, tmp_path: Path) -> None:
    keys = floor.house / "surveillance" / "eye"
    listen = Script(
        tmp_path / "listen",
        *(sys.executable, str(EXAMPLES / "listen.py"), "127.0.0.1", "--port", str(floor.port)),
        *("--ca", str(keys / "ca.crt"), "--cert", str(keys / "client.crt"), "--key", str(keys / "client.key")),
        *("--acknowledge", "eye"),
    )
    lines = Script(tmp_path / "lines", str(EXAMPLES / "irregularities.sh"), *floor.client("surveillance/desk"))
    asked = floor.listen("live/pit", "pitwatch/1/+/+/request/+/+")
    try:

        def publish(sequence: int) -> None:
            event = {"id": f"RL-07/b/{sequence}", "type": "pitwatch.irregularity.v1", "sequence": sequence, "data": {}}
            table = ["mosquitto_pub", *floor.client(f"tables/{TABLE}"), "-t", f"pitwatch/1/{TABLE}/irregularity/alert"]
            subprocess.run([*table, "-m", json.dumps(event)], check=True, timeout=10)

        def both_heard() -> bool:
            publish(5)
            return bool(listen.out and lines.out)

        wait_for(both_heard, what=f"{listen.err} {lines.err}")
        publish(8)
        wait_for(lambda: len(listen.out) == 2)
        assert [json.loads(line)["sequence"] for line in listen.out] == [5, 8]
        assert f"{TABLE}: 6 to 7 are missing" in listen.err
        wait_for(lambda: f"{TABLE}/request/acknowledge/eye " in asked.read_text(), what="the broker takes no question")
    finally:
        listen.stop()
        lines.stop()


ROOT = EXAMPLES.parents[1]
FAULT = {
    **{"id": "BJ-01/b/5", "source": "/toledo/BJ-01", "type": "pitwatch.irregularity.v1", "sequence": 5},
    "data": {"rule": "a/b/probe"},
}


class Pages:
    """What README, install.md and subscribers.md give a reader: a table's file, and lines for surveillance to type."""

    def __init__(self, floor: Floor, folder: Path):
        self.eye = floor.house / "surveillance" / "eye"
        self.here = {"broker.example": "127.0.0.1", "8883": str(floor.port), ".venv/bin/python": sys.executable}
        board = folder / "board"
        shutil.copytree(floor.house / "tables" / TABLE, board / "RL-07")
        found = re.search(r"```toml\n(\[table\].*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        assert found
        provisioned = (board / "RL-07" / "mqtt.toml").read_text() + 'requests = ["acknowledge", "snapshot"]\n\n'
        self.config = board / "RL-07.toml"
        self.config.write_text(re.sub(r"\[mqtt\]\n.*?\n\n", provisioned, found[1], flags=re.DOTALL))
        self.state = folder / "state"
        self.state.mkdir()
        text = "".join((ROOT / "docs" / page).read_text() for page in ("install.md", "subscribers.md"))
        lines = [line.strip() for line in text.replace("\\\n", "").splitlines()]
        begins = re.compile(r"(\.venv/bin/python )?(docs/examples/\S+|mosquitto_sub) .*broker\.example")
        self.lines = [line for line in lines if begins.match(line)]

    def typed(self, part: str) -> list[str]:
        """The line that has this part, with this floor's broker and programs."""
        (line,) = [line for line in self.lines if part in line]
        return [self.here.get(word, word).replace("docs/examples", str(EXAMPLES)) for word in shlex.split(line)]

    def answer(self, part: str) -> str:
        done = subprocess.run(self.typed(part), cwd=self.eye, capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


def test_the_lines_of_the_pages_do_what_they_say(floor: Floor, tmp_path: Path) -> None:
    pages = Pages(floor, tmp_path)
    assert len(pages.lines) == 7, pages.lines
    daemon = Script(
        tmp_path / "daemon",
        *(sys.executable, "-m", "pitwatch.daemon.cli", "run", str(pages.config)),
        environment={"STATE_DIRECTORY": str(pages.state), "PYTHONPATH": str(ROOT)},
    )

    def running(name: str, part: str) -> Script:
        return Script(tmp_path / name, *pages.typed(part), cwd=pages.eye)

    def hears(script: Script, came: Callable[[], str]) -> None:
        """Another table has an irregularity, told until it came; then the certificate is free again."""

        def told() -> bool:
            topic = "pitwatch/1/toledo/BJ-01/irregularity/alert"
            table = ["mosquitto_pub", *floor.client("tables/toledo/BJ-01"), "-t", topic, "-m", json.dumps(FAULT)]
            subprocess.run(table, check=True, timeout=10)
            return "a/b/probe" in came()

        try:
            wait_for(told, what=f"{script.out} {script.err}")
        finally:
            script.stop()

    try:
        wait_for(lambda: f"pitwatch/1/{TABLE}/status" in pages.answer("now.sh"), what=str(daemon.err))
        shown = running("shown", "mosquitto_sub")
        wait_for(lambda: any(line.startswith(f"pitwatch/1/{TABLE}/status ") for line in shown.out), what=str(shown.err))
        shown.stop()
        assert json.loads(pages.answer(" snapshot "))["data"]["snapshot"]["status"]["game"] == "toledo-2020/roulette"
        assert json.loads(pages.answer(" acknowledge "))["data"]["request"] == "a1"
        lines = running("lines", "irregularities.sh")
        hears(lines, lambda: str(lines.out))
        listen = running("listen", "listen.py")
        hears(listen, lambda: str(listen.out))
        if shutil.which("logger") is None:
            return
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as siem:
            siem.bind(("127.0.0.1", 0))
            siem.settimeout(0.5)
            pages.here |= {"siem.example": "127.0.0.1", "514": str(siem.getsockname()[1])}
            syslog = running("syslog", "syslog.sh")

            def came() -> str:
                with contextlib.suppress(TimeoutError):
                    return siem.recv(65_536).decode()
                return ""

            hears(syslog, came)
    finally:
        daemon.stop()
