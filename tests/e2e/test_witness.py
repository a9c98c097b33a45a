"""A table and an archive that witnesses it, as processes, at a broker as `pitwatch provision` sets it up."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

from pitwatch.daemon.tlog.note import Key
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import spin
from tests.e2e.test_access import Floor, floor, pytestmark, table
from tests.floor.witness.independent import cosigned_at

__all__ = ["floor", "pytestmark", "table"]
PITWATCH = [sys.executable, "-m", "pitwatch.daemon.cli"]
NAME = "house.example/archive"


def test_a_provisioned_archive_cosigns_what_a_provisioned_table_signs(floor: Floor, table: Any, tmp_path: Path) -> None:
    desk = floor.house / "surveillance" / "desk"
    config = tmp_path / "floor.toml"
    config.write_text(
        f'[mqtt]\nurl = "mqtts://127.0.0.1:{floor.port}"\nca = "{desk}/ca.crt"\ncert = "{desk}/client.crt"\n'
        f'key = "{desk}/client.key"\n[archive]\ndatabase = "sqlite:{tmp_path}/floor.db"\n'
        f'[witness]\nname = "{NAME}"\n'
    )
    printed = subprocess.run([*PITWATCH, "witness", "key", str(config)], capture_output=True, text=True, check=True)
    key = Key.parse(printed.stdout.strip())
    assert stat.S_IMODE((tmp_path / "witness.key").stat().st_mode) == 0o600
    table.config.write_text(table.config.read_text() + f'\n[witness]\nkeys = ["{key.format()}"]\n')
    eye = floor.listen("surveillance/eye")

    def said(topic: str) -> list[dict[str, Any]]:
        lines = [line.split(" ", 1) for line in eye.read_text().splitlines()]
        return [json.loads(text)["data"] for at, text in lines if at == f"pitwatch/1/toledo/RL-07/{topic}"]

    with (tmp_path / "archive.log").open("wb") as log:
        archive = subprocess.Popen([*PITWATCH, "archive", "run", str(config)], stderr=log)
    try:
        wait_for(lambda: b"archiving as" in (tmp_path / "archive.log").read_bytes(), 30)
        table.start()
        wait_for(lambda: said("cosignature"), 120, "nothing is cosigned")
        table.write(spin(1, 1))
        assert table.stop() == 0  # and signs
        table.start()
        wait_for(lambda: len(said("cosignature")) > 1, 120, "the next head is not cosigned")
    finally:
        archive.send_signal(signal.SIGTERM)
        archive.wait(20)
    for each in said("cosignature"):
        assert cosigned_at(each["note"], NAME, key.public) is not None
    clients = {each["client"] for each in said("requested") if each["verb"] in ("consistency", "cosign")}
    assert clients == {"desk"}
    stolen = said("cosignature")[0]["note"]
    count = len(said("requested"))
    for who, name in (("reader/wall", "wall"), ("tables/toledo/BJ-01", "desk"), ("surveillance/eye", "desk")):
        request = json.dumps({"id": "x", "note": stolen})
        topic = f"pitwatch/1/toledo/RL-07/request/cosign/{name}"
        subprocess.run(
            ["mosquitto_pub", *floor.client(who), "-t", topic, "-m", request], capture_output=True, timeout=10
        )
    table.write(spin(2, 0))
    wait_for(lambda: said("round"), 60)
    assert len(said("requested")) == count
