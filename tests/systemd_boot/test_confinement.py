"""What the unit keeps a table from, and what it must not: tried inside the unit, and beside it, where all is open."""

from __future__ import annotations

import json
import re
import runpy

import pytest

from tests.systemd_boot.bench import BACCARAT, GUEST, ROOT, ROULETTE, journal, unit

PROBE = """[Service]
ExecStart=
ExecStart=/opt/pitwatch/.venv/bin/python -I /etc/bench/probe.py /var/lib/pitwatch/PROBE/answers
Type=oneshot
Restart=no
WatchdogSec=0
"""
"""The unit as it is, but for what it runs."""
OTHER = """[Service]
ExecStart=
ExecStart=/usr/bin/sleep 600
Type=exec
Restart=no
WatchdogSec=0
"""
"""A table of the same board that runs meanwhile."""
NETWORK_DEVICES = (ROOT / "systemd" / "drop-ins" / "network-devices.conf").read_text()
SET_UP = """
mkdir -p /var/lib/pitwatch/OTHER /boot/grub /run/dbus /var/log/journal
cd /etc/pitwatch; mkdir -p OTHER PROBE books/house shared
for file in OTHER.toml OTHER/client.key PROBE/client.key old.key books/house/book.toml shared/ca.crt \\
    /var/lib/pitwatch/OTHER/pitwatch-OTHER.key
do echo told >$file; chmod 644 $file; done
systemctl start pitwatch@OTHER; systemctl show -p MainPID --value pitwatch@OTHER >PROBE/other
: >/run/dbus/system_bus_socket; : >/etc/pitwatch/PROBE.toml; chmod 666 /etc/pitwatch/PROBE.toml
chmod 666 /dev/ubda /dev/uinput /dev/kmsg /proc/sys/kernel/domainname
chmod 777 /dev /usr/lib /etc /opt/pitwatch /run /var/lib /home/dealer /etc/pitwatch/PROBE
chmod -R a+rX /etc/pitwatch /var/log/journal /var/lib/pitwatch/OTHER /run/dbus
"""
"""Whatever the file system's own modes would keep it from is opened, so that it is the unit that keeps it."""
SET_BACK = """
chmod 660 /dev/ubda; chmod 600 /dev/uinput /dev/kmsg; chmod 755 /dev /usr/lib /etc /opt/pitwatch /run /var/lib
systemctl stop pitwatch@OTHER; cd /etc/pitwatch; rm -r PROBE* OTHER* old.key books shared
chmod 750 /etc/pitwatch; chmod 600 /etc/pitwatch/*/*.key
"""


@pytest.fixture(scope="module")
def acts():
    listed = runpy.run_path(str(GUEST / "probe.py"), run_name="listed")
    return list(listed["FORBIDDEN"]), list(listed["NEEDED"])


@pytest.fixture(scope="module")
def answers(first_days):
    """Of the probe inside the unit, beside it, and inside the unit of a table whose devices are on the network."""
    bench, _ = first_days
    board = bench.board
    bench.drop_in("OTHER", OTHER)
    board.does(SET_UP)
    try:
        board.does(f"systemctl stop {unit(ROULETTE)} {unit(BACCARAT)}")  # they hold the ports
        inside = _inside(bench, "")
        of_the_network = _inside(bench, NETWORK_DEVICES)
        board.does(
            "sleep 60 >/dev/null 2>&1 & "
            "PROBE_PID=$! STATE_DIRECTORY=/var/lib/pitwatch/PROBE python3 /etc/bench/probe.py /run/answers"
        )
        beside = json.loads(board.does("cat /run/answers"))
    finally:
        board.does(SET_BACK)
        bench.undo_drop_ins()
        bench.start()
    return inside, beside, of_the_network


def _inside(bench, more):
    """What the probe answers as the unit with these settings besides its own."""
    bench.drop_in("PROBE", PROBE + more)
    bench.board.does("systemctl start pitwatch@PROBE")
    return json.loads(bench.board.does("cat /var/lib/pitwatch/PROBE/answers"))


def test_nothing_it_has_no_business_with_can_be_done(answers, acts):
    inside, _, _ = answers
    assert {act: inside[act] for act in acts[0] if inside[act] == "done"} == {}


def test_beside_the_unit_the_same_can_be_done(answers, acts):
    """So it is the unit that forbids it."""
    _, beside, _ = answers
    assert {act: beside[act] for act in acts[0] if beside[act] != "done"} == {}


def test_what_it_needs_can_be_done(answers, acts):
    inside, _, _ = answers
    assert {act: inside[act] for act in acts[1] if inside[act] != "done"} == {}


def test_a_table_of_devices_on_the_network_can_open_none_of_the_board(answers, acts):
    _, _, inside = answers
    refused = {act for act in acts[1] if inside[act] != "done"}
    assert refused == {"a serial port", "a GPIO chip", "a reader that types"}
    assert {act: inside[act] for act in acts[0] if inside[act] == "done"} == {}


def test_its_exposure_as_systemd_reckons_it(bench):
    assert _exposure(bench, ROULETTE) <= 1.0  # docs/access.md says what it consists of


def test_a_clock_that_timesyncd_has_set_counts_and_one_that_chrony_has_set_with_its_drop_in(bench):
    board = bench.board
    mark = "/run/systemd/timesync"
    board.does("python3 /etc/bench/time_source.py")
    assert not _synced(bench)
    board.does(f"mkdir {mark} && : >{mark}/synchronized")
    assert _synced(bench)
    board.does(f"rm -r {mark}")
    assert not _synced(bench)
    bench.drop_in("", (ROOT / "systemd" / "drop-ins" / "chrony.conf").read_text())
    try:
        board.does(f"systemctl restart {unit(ROULETTE)}")
        bench.start()
        assert _synced(bench)
    finally:
        bench.undo_drop_ins()
        board.does(f"systemctl restart {unit(ROULETTE)}")


def test_a_table_of_devices_on_the_network_can_do_without_those_of_the_board(bench):
    """The wheel behind a serial-to-TCP box; the other device is left out."""
    board = bench.board
    text = (board.shared / f"{ROULETTE}.toml").read_text()
    text = text.replace("serial:/dev/ttyS0", "tcp:10.9.0.2:4001").replace('id = "RL-07"', 'id = "NW-01"')
    (board.shared / "NW-01.toml").write_text(text.partition('[[device]]\nid = "box"')[0])
    bench.drop_in("NW-01", NETWORK_DEVICES)
    try:
        board.does(
            "cp /mnt/shared/NW-01.toml /etc/pitwatch;"
            "systemd-run --quiet --unit=box python3 /etc/bench/serial_box.py 10.9.0.2 4001"
        )
        board.does(f"systemctl start {unit('NW-01')}")
        board.until(f"pitwatch journal tail {journal('NW-01')} | grep 'observation/wheel .*wheel_state'", 20)
        assert _exposure(bench, "NW-01") <= 0.9
    finally:
        board.does(f"systemctl stop {unit('NW-01')} box; rm /etc/pitwatch/NW-01.toml")
        bench.undo_drop_ins()


def _exposure(bench, name):
    said = bench.board.does(f"systemd-analyze security --no-pager {unit(name)}")
    found = re.search(r"exposure level for \S+: ([0-9.]+)", said)
    assert found
    return float(found[1])


def _synced(bench):
    """Whether the next thing that happens is stamped as of a set clock."""
    before = bench.records()[-1]["seq"]
    bench.spin()
    bench.board.until(f"pitwatch journal tail {journal(ROULETTE)} -n 1 | grep -qv '^ *{before} '", 20)
    return bool(bench.records()[-1]["synced"])
