"""The packages, built here and used in a Debian 13: same bytes from each build, what is in them, upgrade, removal."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys

import pytest

from tests.debian import builds
from tests.roulette import roulette

BOARD, FLOOR = "/tmp/{}/" + "pitwatch_{}_amd64.deb", "/tmp/{}/" + "pitwatch-floor_{}_amd64.deb"
TABLE = roulette("serial:/dev/no-such-port", "mqtt://127.0.0.1:9")


@pytest.fixture
def install(shop, debian):
    """Puts the old or the new packages in by apt."""

    def install(which):
        version = getattr(shop, which).version
        return debian.does(f"apt-get install -y {BOARD.format(which, version)} {FLOOR.format(which, version)} 2>&1")

    return install


def hashes(files):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_the_same_commit_gives_the_same_bytes(shop, tmp_path):
    """For each release and architecture, in another folder, at another time, by a user of other habits."""
    first, second = tmp_path / "a" / "pitwatch", tmp_path / "a longer name" / "pitwatch"
    for clone in (first, second):
        builds.git(tmp_path, "clone", "--quiet", str(shop.source), str(clone))
        builds.git(clone, "checkout", "--quiet", "HEAD~1")
    board = ("--package", "pitwatch")
    one = hashes(builds.build(first, tmp_path / "one", *board))
    assert {re.sub(r"git[^_]*?(?=\.deb)", "", name) for name in one} == {
        f"pitwatch_0.2.0+.deb{debian}_{arch}.deb" for debian in (12, 13) for arch in ("amd64", "arm64")
    }
    habits = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "COLUMNS": "40", "PYTHONHASHSEED": "7"}
    assert hashes(builds.build(second, tmp_path / "two", *board, **habits)) == one
    one |= hashes([shop.old.floor])  # of the same commit, from a third folder
    again = builds.build(second, tmp_path / "two", "--package", "pitwatch-floor", "--debian", "13", "--arch", "amd64")
    assert hashes(again).items() <= one.items()


def test_no_package_is_built_of_a_build_that_is_unknown(shop, tmp_path):
    builds.git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{shop.source}", str(tmp_path / "shallow"))
    command = [sys.executable, tmp_path / "shallow" / "systemd" / "deb" / "build.py", "--out", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("debs: the build is unknown; build from a full clone")


def test_a_32_bit_board_is_refused_with_the_reason(shop):
    command = [sys.executable, shop.source / "systemd" / "deb" / "build.py", "--arch", "armhf"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.match("debs: there is no package for armhf: .* has no wheel for 32-bit ARM. Install", done.stderr)


def test_what_is_in_them_is_what_they_say(shop, debian, install):
    install("new")
    assert debian.does("pitwatch --version") == f"pitwatch {shop.new.version}"
    assert debian.does("dpkg-query -W -f '${Version}' pitwatch") == shop.new.version
    assert debian.does("dpkg --verify pitwatch pitwatch-floor") == ""
    for package, parts in (("pitwatch", {"msgspec", "gpiod"}), ("pitwatch-floor", {"pyarrow", "textual", "psycopg"})):
        sbom = json.loads(debian.does(f"cat /usr/share/doc/{package}/pitwatch.cdx.json"))
        about = sbom["metadata"]["component"]
        assert (about["name"], about["version"]) == (package, shop.new.version)
        named = {part["name"]: part["version"] for part in sbom["components"]}
        assert parts <= set(named)
        for name, version in named.items():
            seen = f"import importlib.metadata as m; print(m.version({name!r}))"
            assert debian.does(f'/opt/pitwatch/.venv/bin/python -Ic "{seen}"') == version
    assert "pitwatch provision" in debian.does("zcat /usr/share/man/man1/pitwatch.1.gz").replace("\\", "")
    complete = "source /usr/share/bash-completion/completions/pitwatch; COMP_WORDS=(pitwatch jour); COMP_CWORD=1"
    assert debian.does(f"{complete}; _shtab_pitwatch pitwatch jour pitwatch; echo ${{COMPREPLY[@]}}") == "journal"
    assert debian.does("find /opt/pitwatch/.venv/ -name cli.cpython-313.pyc | grep -c daemon") == "1"


def test_a_board_says_what_it_lacks_runs_and_signs(debian, install, shop):
    install("new")
    assert debian.does("stat -c '%a %U %G' /etc/pitwatch") == "750 root pitwatch"
    assert "BAD  no table is configured" in debian.refuses("/opt/pitwatch/first-boot")
    (shop.folder / "RL-07.toml").write_text(TABLE)
    debian.does("cp /tmp/RL-07.toml /etc/pitwatch/ && pitwatch check /etc/pitwatch/RL-07.toml")
    assert re.search("^BAD  device wheel", debian.refuses("/opt/pitwatch/first-boot"), re.MULTILINE)
    state = "/var/lib/pitwatch/RL-07"
    debian.does(f"install -d -o pitwatch -g pitwatch {state}")
    user = "setpriv --reuid=pitwatch --regid=pitwatch --clear-groups"
    run = f"{user} env STATE_DIRECTORY={state} pitwatch run /etc/pitwatch/RL-07.toml"
    signed = f"pitwatch journal verify {state}/pitwatch-RL-07.db"
    until = f"for n in $(seq 600); do {signed} 2>&1 | grep -q 'signed up to' && break; sleep 0.2; done"
    debian.does(f"{run} & {until}; kill $!; wait $!")
    assert "signed up to" in debian.does(signed)
    assert debian.does(f"stat -c '%a %U' {state}/pitwatch-RL-07.key") == "600 pitwatch"


def test_a_newer_package_is_an_upgrade_that_keeps_what_the_house_wrote(shop, debian, install):
    install("old")
    assert debian.does("pitwatch --version") == f"pitwatch {shop.old.version}"
    debian.does("echo '# ours' >>/etc/pitwatch-floor/FLOOR.toml; echo '# table' >/etc/pitwatch/RL-07.toml")
    said = install("new")
    assert f"Unpacking pitwatch ({shop.new.version}) over ({shop.old.version})" in said
    assert "is already the newest version" not in said
    assert debian.does("pitwatch --version") == f"pitwatch {shop.new.version}"
    assert (
        debian.does("tail -n 1 /etc/pitwatch-floor/FLOOR.toml /etc/pitwatch/RL-07.toml | grep '#'") == "# ours\n# table"
    )
    assert debian.does("dpkg --audit") == ""


def test_removal_leaves_configuration_and_evidence_and_nothing_of_the_program(debian, install):
    install("new")
    debian.does("touch /etc/pitwatch/RL-07.toml /var/lib/pitwatch/evidence /var/lib/pitwatch-floor/floor.db")
    part = "test -e /opt/pitwatch/.venv/lib/python3.13/site-packages/textual"
    debian.does(part)
    debian.does("dpkg --purge pitwatch-floor")
    debian.refuses(part)
    debian.does("pitwatch --version && dpkg --purge pitwatch")
    debian.does(
        "test -e /etc/pitwatch/RL-07.toml -a -e /var/lib/pitwatch/evidence -a -e /var/lib/pitwatch-floor/floor.db"
    )
    assert debian.does("find /opt /usr/bin/pitwatch /lib/systemd/system/pitwatch* 2>/dev/null; true") == ""


def test_the_floors_service_stores_and_answers(debian, install):
    """As its unit starts it, against a broker of the Debian's own."""
    install("new")
    unit = debian.does("cat /lib/systemd/system/pitwatch-archive.service")
    command = re.search("^ExecStart=(.*)", unit, re.MULTILINE)[1]
    assert debian.does("stat -c '%a %U %G' /etc/pitwatch-floor /var/lib/pitwatch-floor") == (
        "750 root pitwatch-floor\n750 pitwatch-floor pitwatch-floor"
    )
    user = "cd /var/lib/pitwatch-floor; setpriv --reuid=pitwatch-floor --regid=pitwatch-floor --clear-groups"
    debian.does(
        f"mosquitto -d -p 1883; {user} {command} >/tmp/archive.log 2>&1 &"
        "for n in $(seq 600); do test -e /var/lib/pitwatch-floor/floor.db && break; sleep 0.2; done"
    )
    answer = f"{user} pitwatch archive rounds /etc/pitwatch-floor/FLOOR.toml --json"
    debian.does(f"for n in $(seq 100); do ({answer}) && break; sleep 0.2; done")
    table = f"{user} pitwatch archive export /var/lib/pitwatch-floor/all.parquet /etc/pitwatch-floor/FLOOR.toml"
    debian.does(f"{table}; test -s /var/lib/pitwatch-floor/all.parquet")
