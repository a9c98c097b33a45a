"""Surveillance holds records at a table behind a provisioned broker, and the archive lists the hold."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import spin
from tests.e2e.test_access import Floor, floor, pytestmark, table

__all__ = ["floor", "pytestmark", "table"]
PITWATCH = [sys.executable, "-m", "pitwatch.daemon.cli"]
BASE = "pitwatch/1/toledo/RL-07"


def test_a_client_with_the_right_holds_and_releases_over_a_restart_and_nobody_else(
    floor: Floor, table: Any, tmp_path: Path
) -> None:
    pit = floor.house / "live" / "pit"  # whose name nobody else uses here: the broker puts out the older of two
    config = tmp_path / "floor.toml"
    config.write_text(
        f'[mqtt]\nurl = "mqtts://127.0.0.1:{floor.port}"\nca = "{pit}/ca.crt"\ncert = "{pit}/client.crt"\n'
        f'key = "{pit}/client.key"\n[archive]\ndatabase = "sqlite:{tmp_path}/floor.db"\n'
    )
    table.config.write_text(table.config.read_text().replace("[mqtt]", '[mqtt]\nrequests = ["hold", "release"]'))
    eye = floor.listen("surveillance/eye")

    def said(topic: str) -> list[dict[str, Any]]:
        lines = [line.split(" ", 1) for line in eye.read_text().splitlines()]
        return [json.loads(text)["data"] for at, text in lines if at == f"{BASE}/{topic}"]

    def ask(who: str, topic: str, **fields: Any) -> None:
        command = ["mosquitto_pub", *floor.client(who), "-t", f"{BASE}/request/{topic}", "-m", json.dumps(fields)]
        subprocess.run(command, capture_output=True, timeout=20)

    def listed() -> list[dict[str, Any]]:
        out = subprocess.run([*PITWATCH, "archive", "holds", "--json", str(config)], capture_output=True, text=True)
        return [json.loads(line) for line in out.stdout.splitlines()]

    with (tmp_path / "archive.log").open("wb") as log:
        archive = subprocess.Popen([*PITWATCH, "archive", "run", str(config)], stderr=log)
    try:
        wait_for(lambda: b"archiving as" in (tmp_path / "archive.log").read_bytes(), 60)
        table.start()
        wait_for(lambda: said("device/wheel"), 60)
        hold = {"first": 1, "last": 2, "by": "Ann", "reason": "dispute 7"}
        for who, topic in (
            ("reader/wall", "hold/wall"),
            ("reader/wall", "hold/desk"),
            ("tables/toledo/BJ-01", "hold/desk"),
            ("surveillance/desk", "hold/eye"),
            ("surveillance/desk", "hold"),
        ):
            ask(who, topic, id="stolen", **hold)
        ask("surveillance/desk", "hold/desk", id="h1", **hold)
        wait_for(lambda: said("response/hold"), 60)
        (answer,) = said("response/hold")
        assert (answer["ok"], answer["client"], answer["first"]) == (True, "desk", 1)
        wait_for(lambda: said("hold"), 60)  # after the request's own record
        assert [each["request"] for each in said("requested") if each["verb"] == "hold"] == ["h1"]
        assert table.stop() == 0
        table.start()
        wait_for(lambda: any(each["holds"] == 1 and each["held_from"] == 1 for each in said("health")), 60)
        table.write(spin(1, 1))
        wait_for(lambda: said("round"), 60)
        shown = subprocess.run(
            [*PITWATCH, "journal", "holds", "--json", str(table.config)], capture_output=True, text=True, check=True
        )
        (held,) = [json.loads(line) for line in shown.stdout.splitlines()]
        assert (held["hold"], held["client"], held["by"], held["reason"]) == (
            answer["hold"], "desk", "Ann", "dispute 7",
        )  # fmt: skip
        wait_for(lambda: len(listed()) == 1, 60)
        assert listed()[0]["ended"] is None
        ask("surveillance/desk", "release/desk", id="e1", hold=answer["hold"], by="Bob", reason="settled")
        wait_for(lambda: said("response/release"), 60)
        assert said("response/release")[0]["ok"]
        wait_for(lambda: any(each["ended"] for each in listed()), 60)
    finally:
        archive.send_signal(signal.SIGTERM)
        archive.wait(30)
    (row,) = listed()
    assert (row["client"], row["by"], row["reason"]) == ("desk", "Ann", "dispute 7")
    assert (row["how"], row["ended_client"], row["ended_by"], row["ended_reason"]) == (
        "released", "desk", "Bob", "settled",
    )  # fmt: skip
