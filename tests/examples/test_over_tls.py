"""The recipes with a certificate, before a broker as `pitwatch provision` sets it up."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
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
    asked = floor.listen("live/pit", "pitwatch/1/+/+/request/+")
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
        wait_for(lambda: f"{TABLE}/request/acknowledge" in asked.read_text(), what="the broker takes no question")
    finally:
        listen.stop()
        lines.stop()
