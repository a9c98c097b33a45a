"""Started, ready, hung, crashed, stopped and without current, under a real systemd."""

from __future__ import annotations

import re
import time

import pytest

from tests.systemd_boot.bench import BACCARAT, ROULETTE, journal, unit


def test_systemd_counts_it_as_started_when_it_says_ready(bench):
    assert bench.show("Type") == "notify"
    assert bench.show("StatusText") in ("aligning", "ready")
    assert bench.show("WatchdogUSec") == "20s"


def test_what_never_says_ready_does_not_count_as_started(bench):
    bench.drop_in("PROBE", "[Service]\nExecStart=\nExecStart=/usr/bin/sleep 60\nTimeoutStartSec=2\nRestart=no\n")
    try:
        assert bench.board.tries(f"systemctl start {unit('PROBE')}")[0] != 0
        assert bench.show("Result", "PROBE") == "timeout"
    finally:
        bench.undo_drop_ins()
        bench.board.does(f"systemctl reset-failed {unit('PROBE')}")


def test_what_its_devices_show_reaches_surveillance(bench):
    """By a serial port, a GPIO line, a reader that types, a name server and an encrypted broker."""
    bench.watch()
    for _ in range(3):
        bench.spin()
    bench.board.does("echo pull-up >/sys/bus/platform/devices/gpio-sim.0/gpiochip0/sim_gpio4/pull; echo TD >/run/scan")
    bench.hears("alert/box-open .*raised.:true")
    bench.board.does("echo pull-down >/sys/bus/platform/devices/gpio-sim.0/gpiochip0/sim_gpio4/pull")
    for sign in ("MB-01/observation/shoe .*card_drawn", "RL-07/observation/box .*closed", "RL-07/round "):
        bench.hears(sign)
    events = [payload["data"]["event"] for topic, payload in bench.heard() if topic == "observation/box"]
    assert events == ["opened", "closed"]
    shoe = [payload["data"] for topic, payload in bench.heard(BACCARAT) if topic == "observation/shoe"]
    assert [each["event"] for each in shoe] == ["card_drawn"]


def test_told_to_stop_it_delivers_what_it_has_and_ends_in_time(bench):
    bench.watch()
    for _ in range(5):
        bench.spin()
    began = time.monotonic()
    bench.board.does(f"systemctl stop {unit(ROULETTE)}")
    assert time.monotonic() - began < 15
    assert (bench.show("Result"), bench.show("ExecMainStatus")) == ("success", "0")
    last = bench.records()[-1]["seq"]
    bench.hears(f'"sequence":{last},')
    assert [payload["data"]["state"] for topic, payload in bench.heard() if topic == "status"][-1] == "stopping"
    bench.board.does(f"systemctl start {unit(ROULETTE)}")
    assert bench.starts()[-1]["cause"] == "stopped"


def test_told_to_stop_without_a_broker_it_ends_in_time_too(bench):
    bench.board.does("kill -STOP $(pidof mosquitto)")
    try:
        bench.spin()
        began = time.monotonic()
        bench.board.does(f"systemctl stop {unit(ROULETTE)}")
        assert time.monotonic() - began < 15
        assert bench.show("Result") == "success"
    finally:
        bench.board.does("kill -CONT $(pidof mosquitto)")
    bench.board.does(f"systemctl start {unit(ROULETTE)}")
    assert bench.starts()[-1]["cause"] == "stopped"


HANGING = """[Service]
ExecStart=
ExecStart=/opt/pitwatch/.venv/bin/python -I /etc/bench/hanging.py run /etc/pitwatch/%i.toml
"""


@pytest.fixture(scope="module")
def hanging(first_days):
    """The roulette table's loop is made to hang; when (Unix seconds), and which process it was."""
    bench, _ = first_days
    bench.start()
    bench.drop_in(ROULETTE, HANGING)
    bench.board.does(f"systemctl restart {unit(ROULETTE)}")
    yield float(bench.board.does(": >/var/lib/pitwatch/RL-07/hang; date +%s.%N")), bench.pid()
    bench.undo_drop_ins()
    bench.board.does(f"systemctl restart {unit(ROULETTE)}")


IMPATIENT = "[Service]\nRestartSec=50ms\n"
GIVES_UP = "[Unit]\nStartLimitIntervalSec=60\n"
"""As if the unit did not say that it never gives up; five starts are systemd's limit."""


@pytest.fixture
def broken(first_days, hanging):
    """The baccarat table's file is unusable, and it is started again without delay; meanwhile the other table hangs."""
    bench, _ = first_days
    file = "/etc/pitwatch/MB-01.toml"
    bench.board.does(f"cp -p {file} /run/good.toml; echo nonsense >>{file}")
    bench.drop_in(BACCARAT, IMPATIENT)
    yield bench
    name = unit(BACCARAT)
    bench.board.does(
        f"rm -r /etc/systemd/system/{name}.d; systemctl daemon-reload; cp -p /run/good.toml {file};"
        f"systemctl reset-failed {name}; systemctl start {name}"
    )


def test_it_is_started_again_for_ever_and_runs_when_the_cause_is_gone(broken):
    bench = broken
    bench.board.does(f"kill -KILL {bench.pid(BACCARAT)}")
    bench.board.until(f"test $(systemctl show -p NRestarts --value {unit(BACCARAT)}) -ge 8", 60)
    assert "/etc/pitwatch/MB-01.toml" in bench.board.does(f"journalctl -u {unit(BACCARAT)} -b -n 20 --no-pager")
    bench.board.does("cp -p /run/good.toml /etc/pitwatch/MB-01.toml")
    bench.running(BACCARAT)
    assert bench.starts(BACCARAT)[-1]["cause"] == "killed"


def test_with_systemd_s_own_limit_it_would_have_been_given_up(broken):
    bench = broken
    bench.drop_in(BACCARAT, GIVES_UP + IMPATIENT)
    bench.board.does(f"systemctl --no-block restart {unit(BACCARAT)}")
    bench.board.until(f"systemctl is-failed {unit(BACCARAT)}", 60)
    assert int(bench.show("NRestarts", BACCARAT)) <= 5
    bench.board.does("cp -p /run/good.toml /etc/pitwatch/MB-01.toml")
    time.sleep(2)
    assert bench.board.tries(f"systemctl is-active {unit(BACCARAT)}")[0] != 0


def test_a_daemon_that_hangs_is_ended_within_the_watchdog_s_time_started_again_and_tells_it(first_days, hanging):
    bench, _ = first_days
    began, pid = hanging
    bench.board.until(f"! kill -0 {pid}", 40)
    bench.board.until(f"test $(systemctl show -p NRestarts --value {unit(ROULETTE)}) -ge 1", 20)
    bench.running()
    said = bench.board.does(f"journalctl -u {unit(ROULETTE)} -b --no-pager -o short-unix")
    told = re.search(r"^([0-9.]+) .*Watchdog timeout \(limit 20s\)!$", said, re.MULTILINE)
    assert told
    assert 12 < float(told[1]) - began < 21  # it was fed every 6.7 s
    assert "Failed with result 'watchdog'" in said
    started = bench.starts()[-1]
    assert started["cause"] == "watchdog"
    assert re.fullmatch(r"Aborted in hang, hanging\.py line \d+", started["fault"])


def test_what_does_not_hang_is_left_alone(first_days, hanging):
    bench, _ = first_days
    assert "Watchdog" not in bench.board.does(f"journalctl -u {unit(BACCARAT)} --no-pager")
    assert "watchdog" not in {each["cause"] for each in bench.starts(BACCARAT)}


def test_after_the_current_failed_it_says_so_and_has_lost_nothing_it_had_delivered(bench):
    bench.watch()
    for _ in range(5):
        bench.spin()
    bench.board.until("test $(grep -c 'RL-07/round ' /run/heard) -ge 5", 20)
    heard = {payload["id"] for _, payload in bench.heard() if "sequence" in payload}  # TABLE/BOOT/SEQUENCE
    assert len(heard) > 20, heard
    bench.board.cut()
    bench.board.on()
    bench.running()
    assert bench.starts()[-1]["cause"] == "power"
    assert heard <= {f"{ROULETTE}/{each['boot']}/{each['seq']}" for each in bench.records()}
    assert "complete and unaltered" in bench.board.does(f"pitwatch journal verify {journal(ROULETTE)}")


def test_a_gpio_chip_pulled_and_put_back_is_listened_to_again(bench):
    """Under another number: the unit allows the kind, not the node."""
    live = "/sys/kernel/config/gpio-sim/bench/live"
    bench.watch()
    bench.board.does(f"echo 0 >{live}")
    bench.hears("RL-07/device/box .*offline")
    bench.board.does(f"echo 1 >{live}")
    bench.board.until("grep RL-07/device/box /run/heard | tail -n 1 | grep -q online", 40)


def test_after_an_orderly_shutdown_it_says_that_it_was_stopped(bench):
    bench.board.off()
    bench.board.on()
    bench.running()
    assert bench.starts()[-1]["cause"] == "stopped"


def test_a_newer_package_leaves_the_tables_running_and_none_leaves_the_evidence(bench):
    board, before = bench.board, bench.pid()
    board.does("dpkg -i /mnt/shared/pitwatch.deb", seconds=240)
    board.until(f"test $(systemctl show -p MainPID --value {unit(ROULETTE)}) != {before}", 60)
    bench.running()
    assert bench.starts()[-1]["cause"] == "stopped"
    try:
        said = board.does("dpkg --purge pitwatch 2>&1", seconds=120)
        assert "not empty" not in said.replace("/etc/pitwatch", "")
        assert board.tries("ls -d /opt/pitwatch*")[0] != 0
        assert board.does("systemctl list-units --state=running --plain --no-legend 'pitwatch*'") == ""
        board.does(f"test -s {journal(ROULETTE)} -a -s /etc/pitwatch/RL-07.toml -a -s /etc/pitwatch/RL-07/client.key")
    finally:
        board.does("dpkg -i /mnt/shared/pitwatch.deb", seconds=240)
