"""Newer versions on a board with a real systemd: a good one, and one that crashes and is rolled back by itself."""

from __future__ import annotations

import json

import pytest

from tests.systemd_boot.bench import ROULETTE, journal

UNPACK = r"""
cd /opt/pitwatch/package
build=.venv/lib/python3.11/site-packages/pitwatch/build.txt
for file in VERSION $build .venv/bin/pitwatch; do cp -p $file /tmp/new; mv /tmp/new $file; done  # as dpkg
sed -i 's/git[.][0-9]*/git.{number}/' VERSION $build
{more}
for file in VERSION $build .venv/bin/pitwatch; do
    sum=$(md5sum <$file | cut -d' ' -f1)
    sed -i "s,^[0-9a-f]*\\(  opt/pitwatch/package/$file\\)\$,$sum\\1," /var/lib/dpkg/info/pitwatch.md5sums
done
pitwatch upgrade stage
"""
CRASHES = "sed -i '2i import sys; \"run\" in sys.argv and sys.exit(3)' .venv/bin/pitwatch"


@pytest.fixture
def unpacked(bench):
    """Does what dpkg does with a package of that version; what `pitwatch upgrade status` says at the end."""

    def unpacked(number, more):
        bench.board.does(UNPACK.format(number=number, more=more), seconds=240)
        code, said = bench.board.tries("pitwatch upgrade status --wait --json", seconds=300)
        return code, json.loads(said)

    return unpacked


def test_a_newer_version_is_checked_and_stays_and_one_that_crashes_is_rolled_back_by_itself(bench, unpacked):
    board, before = bench.board, bench.pid()
    with bench.wheel_turns():
        code, said = unpacked(9001, "")
        assert (code, said["last"]["result"]) == (0, "good"), said
        assert ".9001." in said["runs"]
        assert bench.pid() != before
        bench.watch()
        code, said = unpacked(9002, CRASHES)
        assert (code, said["last"]["result"]) == (1, "rolled_back"), said
        assert "its process ended 3 times" in said["last"]["faults"][0]
        assert ".9001." in said["runs"]
        assert ".9002." in said["installed"]
        bench.running()
        bench.hears("RL-07/system .*upgrade_rolled_back.*critical")
    assert "complete and unaltered" in board.does(f"pitwatch journal verify {journal(ROULETTE)}")
