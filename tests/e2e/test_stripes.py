"""A payment card at a magnetic-stripe reader: no piece of it on the disk or with a subscriber, though the wires around
an irregularity are journalled and recorded."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from pitwatch.devices.protocols import magstripe
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import TABLE, TableProcess, spin
from tests.e2e.test_ports import Port

READER = """
[[device]]
id = "keys"
type = "key_reader"
link = "serial:{port}"
protocol = "magstripe"
"""
CARD = "4111111111111111"
SWIPES = magstripe.line(CARD, names=f"B{CARD}^DOE/JANE^2512"), magstripe.line(CARD, check=False), CARD[:9].encode()
STAFF = magstripe.line("0001234567")


@pytest.fixture
def reader():
    port = Port()
    yield port
    port.close()


def nothing_of_the_card(data: bytes) -> None:
    for at in range(len(CARD) - 8):
        assert CARD[at : at + 9].encode() not in data
    assert b"DOE/JANE" not in data


def test_a_payment_card_leaves_no_trace_at_a_table(tmp_path, broker, reader):
    table = TableProcess(tmp_path, broker.url)
    table.config.write_text(table.config.read_text() + READER.format(port=reader.path))
    subscriber = broker.subscribe()

    def records(kind):
        return [each for each in subscriber.records() if each["type"] == f"pitwatch.{kind}.v1"]

    def seen(event):
        return [each["data"]["data"] for each in records("observation") if each["data"]["event"] == event]

    try:
        table.start()
        wait_for(lambda: len(seen("device_online")) == 2)
        table.write(spin(7, 0))
        wait_for(lambda: seen("ball_settled"))
        for swipe in SWIPES[:2]:
            reader.say(swipe)
        wait_for(lambda: len([fault for fault in seen("device_fault") if fault["reason"] == "card_refused"]) == 2)
        reader.say(STAFF)
        wait_for(lambda: seen("credential_presented"))
        reader.say(SWIPES[2])  # torn: the end never comes
        table.write(spin(8, 1).replace(";0;150", ";2;150", 2))  # the ball runs with the rotor
        wait_for(lambda: records("irregularity"))
        wait_for(lambda: records("wire"))
        assert seen("credential_presented") == [{"credential": "0001234567", "bits": None}]
        nothing_of_the_card(json.dumps([message for _, message, _ in subscriber.messages]).encode())
        assert table.stop() == 0
    finally:
        table.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    out = tmp_path / "export.jsonl"
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "journal", "export", str(table.config), "--out", str(out)]
    subprocess.run(command, check=False, capture_output=True)
    exported = b"".join(path.read_bytes() for path in tmp_path.rglob("export*") if path.is_file())
    assert b";0001234567?" in kept + exported, "the wires were kept"
    nothing_of_the_card(kept + exported)


def test_a_payment_card_leaves_no_trace_in_a_recording(tmp_path, reader):
    config, out = tmp_path / "table.toml", tmp_path / "capture.jsonl"
    text = TABLE.format(url="mqtt://127.0.0.1:1", mqtt="", port="/dev/no-such-port") + READER.format(port=reader.path)
    config.write_text(text)
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "record", str(config), str(out)]
    recording = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ends = time.monotonic() + 60
        while not out.exists() or b";0001234567?" not in out.read_bytes():
            assert time.monotonic() < ends
            for swipe in (*SWIPES[:2], STAFF):
                reader.say(swipe)
            time.sleep(0.3)
    finally:
        recording.terminate()
        recording.wait(timeout=30)
    nothing_of_the_card(out.read_bytes())
    assert b";################?" in out.read_bytes()
