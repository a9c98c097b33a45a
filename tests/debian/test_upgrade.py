"""Upgrades of the package by a real dpkg: the version before is kept and put back; a half-unpacked one never runs.

No systemd runs here, so no table is checked: tests/e2e/test_upgrade.py has real daemons, tests/systemd_boot a board.
"""

from __future__ import annotations

import json

import pytest

PACKAGE = "/tmp/{}/pitwatch_{}_amd64.deb"


@pytest.fixture
def versions(shop):
    return shop.old.version, shop.new.version


@pytest.fixture
def upgraded(shop, debian):
    """The old package, and then the new one unpacked over it, but not configured."""
    debian.does(f"apt-get install -y {PACKAGE.format('old', shop.old.version)} 2>&1")
    debian.does(f"dpkg --unpack {PACKAGE.format('new', shop.new.version)} 2>&1")
    return debian


def status(debian):
    return json.loads(debian.tries("pitwatch upgrade status --json")[1])


def test_what_is_unpacked_does_not_run_until_it_is_whole(upgraded, versions):
    """The power may fail anywhere in dpkg's work."""
    old, new = versions
    assert upgraded.does("pitwatch --version") == f"pitwatch {old}"
    part = "/opt/pitwatch/package/.venv/lib/python3.13/site-packages/pitwatch/daemon/cli.py"
    upgraded.does(f"mv {part} /tmp/part; : >{part}")
    assert "differs from the package; install pitwatch again" in upgraded.refuses("dpkg --configure -a 2>&1")
    assert upgraded.does("pitwatch --version") == f"pitwatch {old}"
    upgraded.does(f"mv /tmp/part {part}; dpkg --configure -a 2>&1")
    assert upgraded.does("pitwatch --version") == f"pitwatch {new}"
    assert upgraded.does("dpkg --audit; dpkg --verify pitwatch") == ""


def test_the_version_before_is_put_back_and_the_other_is_not_tried_again_by_itself(upgraded, versions):
    old, new = versions
    upgraded.does("dpkg --configure -a 2>&1")
    assert (status(upgraded)["runs"], status(upgraded)["before"]) == (new, old)
    upgraded.does("mkdir -p /etc/pitwatch; echo '# house' >/etc/pitwatch/RL-07.toml; pitwatch upgrade rollback")
    assert upgraded.does("pitwatch --version") == f"pitwatch {old}"
    code, said = upgraded.tries("pitwatch upgrade status")
    assert code == 1
    assert "dpkg takes the installed version for the one that runs" in said
    assert status(upgraded)["installed"] == new == upgraded.does("dpkg-query -W -f '${Version}' pitwatch")
    again = upgraded.does("dpkg-reconfigure pitwatch 2>&1")
    assert "was rolled back" in again
    assert "is not tried again by itself" in again
    assert upgraded.does("pitwatch --version") == f"pitwatch {old}"
    upgraded.does("pitwatch upgrade retry")
    assert upgraded.does("pitwatch --version") == f"pitwatch {new}"
    assert upgraded.does("cat /etc/pitwatch/RL-07.toml") == "# house"


def test_a_new_program_that_does_not_start_cannot_prevent_that(upgraded, versions):
    """The version before does the work: of the new one nothing but its files is needed."""
    old, new = versions
    upgraded.does("dpkg --configure -a 2>&1; echo 'syntax error' >/tmp/broken")
    upgraded.does("cp --remove-destination /tmp/broken /opt/pitwatch/current/.venv/bin/pitwatch")
    upgraded.refuses("pitwatch --version")
    previous = "/opt/pitwatch/previous/.venv/bin"
    upgraded.does(f"{previous}/python -I {previous}/pitwatch upgrade rollback")
    assert upgraded.does("pitwatch --version") == f"pitwatch {old}"
    assert status(upgraded)["last"]["to"] == new
