"""The benchmark program runs and prints figures as promised. What the figures say is no test's business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import GROUPS
from benchmarks.figure import Figure, median, percentile
from pitwatch.daemon.bench.broker import mosquitto
from tests.firmware.rig import needs_micropython

ROOT = Path(__file__).parents[2]


def quick(*groups):
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", *groups],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return [json.loads(line) for line in answer.stdout.splitlines()], answer.stderr


def well_formed(figures):
    names = [figure["name"] for figure in figures]
    assert len(set(names)) == len(names)
    for figure in figures:
        assert list(figure) == ["name", "value", "unit", "baseline", "baseline_value"]
        assert figure["value"] > 0
        assert figure["unit"] in ("ms", "us", "s", "MiB", "lines/s", "edges/s", "messages/s", "% of a core")
        assert figure["baseline"]
        if "mqtt_io" not in figure["name"]:
            assert figure["baseline_value"] > 0
    return {name: figure["value"] for name, figure in zip(names, figures, strict=True)}


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed")
def test_latency():
    figures, remarks = quick("latency")
    values = well_formed(figures)
    assert values["latency_observation_median"] <= values["latency_observation_p99"]
    assert values["latency_irregularity_median"] <= values["latency_irregularity_p99"]
    for figure in figures:
        if figure["baseline_value"] is None:
            assert "mqtt-io: no figures: " in remarks


def test_replay_running_fairness_and_games():
    values = well_formed(quick("replay", "running", "fairness", "games")[0])
    assert {"load_game_dearest_time", "load_game_dearest_memory"} <= set(values)
    assert {f"fairness_{what}_round{part}" for what in ("wheel", "dice", "shoe") for part in ("", "_delay")} <= set(
        values
    )
    assert {"replay_observations_roulette", "replay_wire_lines_roulette", "run_ready", "run_resident"} <= set(values)


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed")
def test_witness():
    figures, remarks = quick("witness")
    values = well_formed(figures)
    assert values["witness_latency_median"] <= values["witness_latency_p99"]
    assert "heads were cosigned meanwhile" in remarks


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed")
def test_monitors():
    values = well_formed(quick("monitors")[0])
    assert values["monitors_latency_median"] <= values["monitors_latency_p99"]
    assert values["monitors_resident"] > 10


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed")
def test_floor():
    figures, remarks = quick("floor")
    values = well_formed(figures)
    assert values["floor_4_mosquitto_10x_rate"] > values["floor_4_mosquitto_1x_rate"]
    assert "but the subscriber has" not in remarks


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed")
def test_watch():
    pytest.importorskip("textual", reason="the watch extra is not installed")
    figures, remarks = quick("watch")
    assert "watch_4_tables_pace_10_resident" in well_formed(figures)
    assert remarks.splitlines()[-1].startswith("4 tables at 10 times")


@needs_micropython
def test_node():
    values = well_formed(quick("node")[0])
    assert values["node_clock_error_median"] <= values["node_clock_error_p99"] <= values["node_clock_error_stated"]


def test_tree():
    names = set(well_formed(quick("tree")[0]))
    assert {"journal_record_1_at_once", "journal_record_200_at_once", "journal_upgrade_1000_records"} <= names


def test_a_figure_that_could_not_be_had_is_null():
    line = Figure("latency", 1.23456, "ms", "peer", None).line()
    assert json.loads(line) == {
        "name": "latency", "value": 1.235, "unit": "ms", "baseline": "peer", "baseline_value": None,
    }  # fmt: skip


def test_medians_and_percentiles():
    hundred = list(range(1, 101))
    assert percentile(hundred, 99) == 99
    assert percentile(hundred, 100) == 100
    assert percentile([7.0], 99) == 7.0
    assert median([3, 1, 2]) == 2


def test_an_unknown_group_is_told_in_one_line():
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks", "latencies"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert answer.stderr == f"latencies: no such group of figures; there are: {', '.join(GROUPS)}\n"
