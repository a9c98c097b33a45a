"""A real daemon finds its journal forged by somebody who lacks the key: nothing of it is published or signed."""

from __future__ import annotations

import json
import shutil

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.statements import is_genuine
from pitwatch.daemon.journal.store import Store
from tests.daemon.test_open_end import forged
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import TableProcess, spin

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


@pytest.fixture
def table(tmp_path, broker):
    table = TableProcess(tmp_path, broker.url)
    yield table
    table.close()


def told(subscriber, event):
    return [
        e["data"]["detail"]
        for e in subscriber.records()
        if e["type"] == "pitwatch.system.v1" and e["data"]["event"] == event
    ]


def checkpoints(subscriber):
    return [e for e in subscriber.records() if e["type"] == "pitwatch.checkpoint.v1"]


def test_a_forged_night_is_set_aside_told_and_not_published(table, broker, capsys):
    subscriber = broker.subscribe()
    table.start()
    wait_for(lambda: checkpoints(subscriber), 30)
    for n in range(1, 6):
        table.write(spin(n, n % 2))
    wait_for(lambda: sum(e["type"] == "pitwatch.round.v1" for e in subscriber.records()) >= 4, 30)
    assert table.stop() == 0
    early = checkpoints(subscriber)[0]
    forged(table.journal, early["sequence"], 5_655, delivered=early["sequence"] + 100)
    assert cli.main(["journal", "verify", str(table.journal)]) == 1
    said = capsys.readouterr().out
    assert f"record {early['data']['sequence'] + 1} to {early['sequence'] + 5_655}: so many are unsigned" in said
    seen = len(subscriber.records())
    table.start()
    (aside,) = wait_for(lambda: told(subscriber, "journal_set_aside"), 60)
    assert "are unsigned" in aside["reason"]
    assert aside["lost"] == 5_555
    wait_for(lambda: len(checkpoints(subscriber)) > 2, 60)
    wait_for(lambda: any(e["type"] == "pitwatch.retention.v1" for e in subscriber.records()), 60)
    assert table.stop() == 0
    assert not [
        e for e in subscriber.records()[seen:] if e["bootid"].startswith("forged") and "observation" in e["type"]
    ]
    numbers = [e["sequence"] for e in subscriber.records()[seen:]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    store = Store(table.journal.with_name(aside["file"]), read_only=True)
    hashes = {hash_.hex() for _, hash_ in store.records(early["sequence"])}
    store.close()
    for message in checkpoints(subscriber)[-2:]:
        data = CheckpointData(**message["data"])
        assert is_genuine(data)
        assert data.hash not in hashes
    capsys.readouterr()
    assert cli.main(["journal", "verify", str(table.journal), "--json"]) == 0, capsys.readouterr().out
    assert json.loads(capsys.readouterr().out)["ok"]
