"""`pitwatch bench --fault`, `--list` and `--capture`, as their user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_bench import TABLES, bench


def verdicts(printed: str) -> list[dict[str, Any]]:
    """Rounds and irregularities without what counts records, which other records of the daemon stand between."""
    records = [line for line in map(json.loads, printed.splitlines()) if "data" in line]
    return [
        {"type": each["type"], **{k: v for k, v in each["data"].items() if k not in ("evidence", "t")}}
        for each in records
    ]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("roulette", ["same-direction-spin", "toledo-2020/roulette/result-mismatch"]),
        ("roulette-raw", []),
        ("baccarat", ["third-card-rule"]),
        ("blackjack-shoe", []),
    ],
)
def test_a_kept_capture_gets_the_same_verdicts(name: str, rules: list[str], tmp_path: Path) -> None:
    table, out = str(TABLES / f"{name}.toml"), tmp_path / "played.jsonl"
    faults = [word for rule in rules for word in ("--fault", rule)]
    done = bench(table, *faults, "--json", "--capture", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads(done.stdout.splitlines()[-1])
    if rules:
        assert {row["rule"] for row in summary["summary"]} == {rule.rpartition("/")[2] for rule in rules}
    live = verdicts(done.stdout)
    replayed = subprocess.run(
        [sys.executable, "-m", "pitwatch.daemon.cli", "replay", str(out), "--table", table],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert verdicts(replayed.stdout) == live
    assert any(each["type"] == "pitwatch.irregularity.v1" for each in live)
    assert any(each["type"] == "pitwatch.round.v1" for each in live)


def test_a_fault_without_a_table_is_played_where_it_can_be() -> None:
    done = bench("--fault", "die-off-table", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])["summary"]
    assert {row["rule"] for row in rows} == {"die-off-table"}
    assert {row["table"] for row in rows} >= {"CR-01"}


def test_the_list_has_what_can_be_played_with_the_sentence_of_each_rule() -> None:
    done = bench(str(TABLES / "roulette.toml"), "--list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    listed = {fault["rule"]: fault["says"] for fault in json.loads(line)["faults"]}
    assert listed["same-direction-spin"] == "The ball is spun in the direction of the wheel"
    played = bench(str(TABLES / "roulette.toml"), "--json")
    assert {row["rule"] for row in json.loads(played.stdout.splitlines()[-1])["summary"]} == set(listed)
    told = bench("--list").stdout
    assert "craps" in told
    assert "The ball is spun in the direction of the wheel" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["TABLE", "--fault", "same-diretion-spin"], "no such rule; did you mean 'same-direction-spin'?"),
        (["TABLE", "--fault", "chaos"], "--list shows the faults of this table"),
        (["--fault", "die-of-table"], "no simulated table can play it; did you mean 'die-off-table'?"),
        (["--fault", "die-off-table", "--fault", "third-card-rule"], "no simulated table can play all of them"),
        (["TABLE", "--fault", "result-mismatch", "--scenario", "clean"], "give one of them"),
        (["--capture", "OUT"], "a capture is of one table, and 4 are played"),
        (["TABLE", "--capture", "OUT", "--broker", "mqtt://127.0.0.1:1"], "broker 127.0.0.1:1: "),
    ],
)
def test_what_cannot_be_played_is_one_line_and_leaves_no_capture(
    arguments: list[str], says: str, tmp_path: Path
) -> None:
    real = {"TABLE": str(TABLES / "roulette.toml"), "OUT": str(tmp_path / "out.jsonl")}
    done = bench(*(real.get(word, word) for word in arguments))
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_a_rule_that_the_table_cannot_judge_is_refused_as_that() -> None:
    done = bench(str(TABLES / "roulette.toml"), "--fault", "under-minimum-revolutions")
    assert done.returncode == 2
    assert "this table cannot judge it; --list shows the faults that can be played" in done.stderr


def test_a_capture_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine\n")
    done = bench(str(TABLES / "roulette.toml"), "--rounds", "2", "--capture", str(out))
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert out.read_text() == "mine\n"
