"""`pitwatch bench`: simulated tables under the real daemon, as its user runs it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.bench import broker

TABLES = Path(__file__).parents[2] / "sim_hw" / "tables"


def bench(*arguments: str, prelude: str = "pass") -> subprocess.CompletedProcess[str]:
    program = f"import sys; {prelude}; from daemon.cli import main; sys.exit(main(['bench', *sys.argv[1:]]))"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


WITHOUT_MOSQUITTO = "import daemon.bench.broker as b; b.mosquitto = lambda: None"


@pytest.mark.parametrize("prelude", ["pass", WITHOUT_MOSQUITTO], ids=["mosquitto", "amqtt"])
def test_planned_faults_are_reported_and_nothing_else(prelude: str) -> None:
    if prelude == "pass" and broker.mosquitto() is None:
        pytest.skip("mosquitto is not installed")
    done = bench(str(TABLES / "craps.toml"), "--rounds", "60", "--speed", "max", "--json", prelude=prelude)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    summary = lines[-1]
    assert summary["ok"]
    assert summary["missing"] == 0
    assert len(summary["summary"]) >= 8
    assert sum(line.get("type") == "pitwatch.round.v1" for line in lines) == summary["rounds"] >= 60
    reported = [line["data"]["rule"] for line in lines if line.get("type") == "pitwatch.irregularity.v1"]
    assert len(reported) == sum(row["reported"] for row in summary["summary"])
    assert done.stderr == ""


def test_the_demo_shows_rounds_and_irregularities_to_a_person() -> None:
    done = bench("--scenario", "demo", "--speed", "300")
    assert done.returncode == 0, done.stderr
    for word in ("same-direction-spin", "die-off-table", "shuffler-fault-during-deal", "third-card-rule"):
        assert re.search(rf"{word}   seen: ", done.stdout), word
    assert "Section Eight, lines 1658" in done.stdout
    assert "Everything that was planned was reported, and nothing else." in done.stdout


def test_a_named_broker_is_used() -> None:
    if not shutil.which("mosquitto"):
        pytest.skip("mosquitto is not installed")
    from tests.e2e.mosquitto import free_port

    port = free_port()
    server = subprocess.Popen(["mosquitto", "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        done = bench(
            str(TABLES / "roulette.toml"), "--rounds", "8", "--speed", "max", "--broker", f"mqtt://127.0.0.1:{port}"
        )
    finally:
        server.terminate()
        server.wait()
    assert done.returncode == 0, done.stderr
    assert f"mqtt://127.0.0.1:{port}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--scenario", "chaos"], "no scenario 'chaos'"),
        (["--speed", "fast"], "'fast' is no speed"),
        (["--rounds", "0"], "1 or more is right"),
        (["--broker", "http://x"], "--broker"),
        (["no-such-table.toml"], "no such file"),
    ],
)
def test_unusable_arguments_are_one_line(arguments: list[str], says: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
