"""A disk that is full or read-only as doctor or the daemon begins, on real ones."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config import config
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock, SimFactory
from tests.faults.disk import may_mount

pytestmark = pytest.mark.skipif(not may_mount(), reason="a disk of its own may not be mounted here")

TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[journal]
path = "{disk}/j.db"
"""


@pytest.fixture
def disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk):
    with contextlib.suppress(OSError), (disk / "everything").open("wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()


def said(tmp_path, disk, capsys):
    table = tmp_path / "table.toml"
    table.write_text(TABLE.format(disk=disk))
    assert cli.main(["doctor", str(table), "--listen", "0"]) == 1
    return capsys.readouterr().out


def test_a_disk_that_is_full_is_told_and_how_to_mend_it(tmp_path, disk, capsys):
    assert "a sync takes" in said(tmp_path, disk, capsys)
    fill(disk)
    told = said(tmp_path, disk, capsys)
    assert f"BAD  journal {disk}/j.db: nothing can be written: No space left on device\n     make room" in told
    assert "broker: no [mqtt]" in told  # and goes on


def test_a_disk_that_became_read_only_is_no_matter_of_whose_the_folder_is(tmp_path, disk, capsys):
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    told = said(tmp_path, disk, capsys)
    assert f"BAD  journal {disk}/j.db: the disk of {disk} is read-only\n     see the kernel's log" in told
    assert "chown" not in told


async def test_a_daemon_that_begins_on_a_full_disk_says_so_for_as_long_as_it_is(tmp_path, disk, capsys):
    (tmp_path / "run.toml").write_text(TABLE.format(disk=disk) + '[mqtt]\nurl = "mqtt://127.0.0.1:1"\n')
    fill(disk)
    clock = SimClock()
    daemon = Daemon(config.load(tmp_path / "run.toml"), clock, SimFactory(clock))
    await daemon.start()
    try:
        alert = json.loads(daemon.journal.retained["alert/journal"].body)
        assert alert["raised"]
        assert "cannot be written: database or disk is full" in alert["detail"]["reason"]
        told = await asyncio.to_thread(said, tmp_path, disk, capsys)
        assert "devices: what the running daemon says of them cannot be read" in told
    finally:
        (disk / "everything").unlink()
        await daemon.stop()
