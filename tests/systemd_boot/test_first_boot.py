"""A package put into a bare Debian, and the first boots after it."""

from __future__ import annotations

from tests.systemd_boot.bench import ROULETTE


def test_the_package_installs_on_a_running_board_and_checks_it_at_the_next_boot(first_days):
    _, said = first_days
    assert "Setting up pitwatch" in said["installed"]
    assert "BAD  no table is configured" in said["bare"]
    assert said["bare"].endswith("exit-code\n")


def test_the_check_is_on_the_console_for_whoever_stands_before_the_board(first_days):
    bench, _ = first_days
    console = bench.board.said()
    assert "BAD  no table is configured: put its file into /etc/pitwatch" in console
    assert console.index("BAD  no table is configured") < console.index("all is well")


def test_a_complete_board_is_told_to_be_well_although_its_tables_run(first_days):
    bench, said = first_days
    assert "BAD" not in said["complete"]
    assert said["complete"].endswith("all is well\nsuccess\n")
    assert bench.show("ActiveState", ROULETTE) == "active"


def test_files_are_for_whom_they_concern(first_days):
    bench, _ = first_days

    def modes(*paths):
        return bench.board.does("stat -c '%a %U:%G' " + " ".join(paths)).split("\n")[:-1]

    state = "/var/lib/pitwatch"
    assert modes("/etc/pitwatch", state, f"{state}/RL-07", f"{state}/MB-01") == [
        "750 root:pitwatch",
        "755 root:root",
        "700 pitwatch:pitwatch",
        "700 pitwatch:pitwatch",
    ]
    bench.board.until(f"test -s {state}/RL-07/pitwatch-RL-07.key", 90)
    assert set(modes(f"{state}/RL-07/*")) == {"600 pitwatch:pitwatch"}
    assert modes("/etc/pitwatch/RL-07/client.key") == ["600 pitwatch:pitwatch"]
    assert modes("/dev/ttyS0", "/dev/gpiochip0", "/dev/input/event0") == [
        "660 root:pitwatch",
        "660 root:pitwatch",
        "640 root:pitwatch",
    ]
