"""What the log of `pitwatch run` says of the play: ready, and each irregularity, without a card of the open round."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
import time

from pitwatch.daemon import cli
from tests.e2e.table_process import TableProcess, spin
from tests.e2e.test_bench import TABLES

CARD = re.compile(r"\b(?:[2-9TJQKA]|10)[CDHS]\b")


def test_the_log_says_ready_and_each_irregularity(broker, tmp_path):
    table = TableProcess(tmp_path, broker.url)
    log = tmp_path / "log"
    with log.open("wb") as file:
        table.process = subprocess.Popen(
            [sys.executable, "-m", "pitwatch.daemon.cli", "run", str(table.config)], stderr=file
        )
    try:
        ends, number = time.monotonic() + 60, 0
        while "irregularity:" not in log.read_text():
            assert time.monotonic() < ends, log.read_text()
            number += 1
            table.write(spin(number, number % 2).replace("\r\n17\r\n", "\r\n18\r\n"))
            time.sleep(0.2)
        assert table.stop() == 0
    finally:
        table.close()
    lines = log.read_text().splitlines()
    address = broker.url.partition("://")[2]
    assert f"ready: table toledo/RL-07, game toledo-2020/roulette, broker {address}" in lines
    told = [line for line in lines if line.startswith("irregularity:")]
    shown = subprocess.run(
        [sys.executable, "-m", "pitwatch.daemon.cli", "journal", "export", str(tmp_path / "journal.db")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    records = [record for record in map(json.loads, shown.stdout.splitlines()) if record.get("kind") == "irregularity"]
    assert len(told) == len(records) > 0
    for line, record in zip(told, records, strict=True):
        data = json.loads(record["body"])
        assert line.startswith(f"irregularity: {data['severity']}, {data['rule']} (")
        place = "no round" if data["round"] is None else f"round {data['round']}"
        assert line.endswith(f", {place}, record {record['seq']}")


def test_the_log_has_no_card_of_an_open_round(caplog, capsys):
    """The irregularities of this table show cards while the round is open; the log names rule and record alone."""
    with caplog.at_level(logging.INFO, "pitwatch"):
        assert cli.main(["bench", str(TABLES / "baccarat.toml"), "--json"]) == 0
    told = [line for line in caplog.messages if line.startswith("irregularity:")]
    records = [record for record in map(json.loads, capsys.readouterr().out.splitlines()) if "data" in record]
    found = [json.dumps(each["data"]) for each in records if each["type"] == "pitwatch.irregularity.v1"]
    assert len(told) == len(found) > 0
    assert any(CARD.search(each) for each in found)
    assert not [line for line in caplog.messages if CARD.search(line)]
