"""`pitwatch bench`: simulated tables under the real daemon, as its user runs it."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pitwatch.daemon.bench import broker
from pitwatch.daemon.bench.view import LiveView

TABLES = Path(__file__).parents[2] / "sim_hw" / "tables"


def bench(*arguments: str, prelude: str = "pass") -> subprocess.CompletedProcess[str]:
    program = f"import sys; {prelude}; from pitwatch.daemon.cli import main; sys.exit(main(['bench', *sys.argv[1:]]))"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


WITHOUT_MOSQUITTO = "import pitwatch.daemon.bench.broker as b; b.mosquitto = lambda: None"


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
    done = bench("--scenario", "demo", "--show", "--speed", "300")
    assert done.returncode == 0, done.stderr
    for word in ("same-direction-spin", "die-off-table", "shuffler-fault-during-deal", "third-card-rule"):
        assert re.search(rf" \({word}\)   seen: ", done.stdout), word
    assert "Section Eight, lines 1658" in done.stdout
    assert "Everything that was planned was reported, and nothing else." in " ".join(done.stdout.split())


def test_a_named_broker_is_used() -> None:
    if not shutil.which("mosquitto"):
        pytest.skip("mosquitto is not installed")
    from benchmarks.ports import free_port

    port = free_port()
    server = subprocess.Popen(["mosquitto", "-p", str(port)], stderr=subprocess.DEVNULL)
    url = f"mqtt://127.0.0.1:{port}"
    try:
        for rounds in (12, 2):  # the second finds there what the first has left
            done = bench(str(TABLES / "roulette.toml"), "--rounds", str(rounds), "--broker", url)
            assert done.returncode == 0, done.stdout + done.stderr
            assert ", 0 of them twice, 0 missing." in " ".join(done.stdout.split())
            assert url in done.stdout
    finally:
        server.terminate()
        server.wait()


def test_a_broker_that_goes_ends_it_in_one_line() -> None:
    """It had played on, and waited for a minute, to end with a traceback."""
    if not shutil.which("mosquitto"):
        pytest.skip("mosquitto is not installed")
    from benchmarks.ports import free_port

    port = free_port()
    server = subprocess.Popen(["mosquitto", "-p", str(port)], stderr=subprocess.DEVNULL)
    program = "import sys; from pitwatch.daemon.cli import main; sys.exit(main(['bench', *sys.argv[1:]]))"
    url = f"mqtt://127.0.0.1:{port}"
    arguments = [str(TABLES / "roulette.toml"), "--speed", "60", "--rounds", "100", "--broker", url]
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        while "status ready" not in (line := process.stdout.readline()):
            assert line
        server.kill()
        _, complaints = process.communicate(timeout=20)
    finally:
        server.kill()
        server.wait()
        process.kill()
        process.wait()
    assert process.returncode == 2
    assert "Traceback" not in complaints
    assert complaints.splitlines()[-1].startswith(f"broker 127.0.0.1:{port}: the broker closed the connection")


BLIND = """
[table]
site = "bench"
id = "CR-09"
game = "toledo-2020/craps"
[[device]]
id = "dice"
type = "dice"
link = "sim:"
protocol = "lines"
lines = { rail-left = { chip = "c", line = 1 } }
"""


def test_a_table_whose_devices_show_no_round_is_no_trial(tmp_path: Path) -> None:
    path = tmp_path / "blind.toml"
    path.write_text(BLIND)
    done = bench(str(path), "--rounds", "3")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "No round was seen at CR-09" in said
    assert "Everything that was planned" not in said


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_it_early_ends_its_broker_too(told: signal.Signals) -> None:
    """As a test with a time limit does, or closing the terminal."""
    if broker.mosquitto() is None:
        pytest.skip("mosquitto is not installed")
    program = "import sys; from pitwatch.daemon.cli import main; sys.exit(main(['bench', *sys.argv[1:]]))"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "--scenario", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(told, signal.SIG_DFL),  # whoever started the tests may have it ignored
    )
    assert process.stdout is not None
    port = int(re.findall(r"127\.0\.0\.1:(\d+)", process.stdout.readline())[0])
    process.send_signal(told)
    _, complaints = process.communicate(timeout=20)
    assert (process.returncode, complaints) == (143, "")
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def test_the_view_reads_as_a_person_does(capsys: pytest.CaptureFixture[str]) -> None:
    view = LiveView(colour=False)
    for _ in range(3):
        view.show("BA-01", "status", {"t": 1.0, "state": "ready"})
    view.show("BA-01", "irregularity", {
        "t": 2.0, "rule": "b/g/third-card-rule", "says": "A third card is wrong",
        "severity": "notice", "instruction": "Tell.", "notify": [],
        "citation": {"section": "One", "lines": "7"}, "required": {"hands": {"seat-1": None}},
        "observed": {"two card points": {"player": 9, "banker": 3}},
    })  # fmt: skip
    result = {"winner": "banker", "points": {"player": 3, "banker": 7}, "dealer": {"hand": "pair"}}
    view.show("BA-01", "round", {"t": 59.96, "round": 4, "void": None, "partial": False, "result": result})
    view.show("BA-01", "status", {"t": 0.0, "state": "lost"})
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0].startswith("Each table has its own clock: minutes and seconds since its board started.")
    assert printed.count("TABLE  ITS CLOCK") == 1
    assert lines[3] == "BA-01  00:01.0  status ready"
    assert lines[-1] == "BA-01  --:--.-  status lost"  # a last will knows no time
    assert "round 4    winner banker, points: player 3 banker 7, dealer: pair" in printed
    assert printed.count("status ready") == 1
    assert "NOTICE  A third card is wrong (third-card-rule)   seen: " in printed
    assert "BA-01  01:00.0  round 4" in printed
    assert "seen: two card points (player 9, banker 3); required: hands (seat-1 not seen)" in printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--scenario", "chaos"], "no scenario 'chaos'"),
        (["--speed", "fast"], "'fast' is no speed"),
        (["--rounds", "0"], "1 or more is right"),
        (["--broker", "http://x"], "--broker"),
        (["--broker", "mqtt://127.0.0.1:1", "--scenario", "demo"], "broker 127.0.0.1:1: "),
        (["no-such-table.toml"], "no such file"),
    ],
)
def test_unusable_arguments_are_one_line(arguments: list[str], says: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
