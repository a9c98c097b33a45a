"""Neighbouring versions read each other's files: the newer one those that are kept of the older, by its own daemon; the
older one, run as it was where the project's history is here, those that the newer has just written.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from pitwatch.daemon.config import config
from pitwatch.daemon.journal.verifying import verify
from pitwatch.floor.config import load as load_floor
from tests.e2e.mosquitto import wait_for
from tests.neighbours.writing import FILES, Running, spun

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
KEPT = sorted(folder.name for folder in HERE.iterdir() if (folder / "RL-07.toml").exists())
COMMITS = {"0.1.0": "91c87eec99828988a2d9b057bdad25a32c9c1ca2"}
"""The last commit of a version."""


@pytest.fixture
def kept(tmp_path):
    """A copy of the files that are kept of a version."""

    def kept(version):
        folder = tmp_path / version
        folder.mkdir()
        for file in FILES:
            (folder / file).write_bytes(gzip.decompress((HERE / version / f"{file}.gz").read_bytes()))
        (folder / "journal.key").chmod(0o600)
        for file in ("RL-07.toml", "FLOOR.toml"):
            shutil.copy(HERE / version / file, folder)
        return folder

    return kept


def code(version, folder):
    """The program of that version."""
    made = subprocess.run(["git", "-C", ROOT, "archive", COMMITS[version]], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"the last commit of {version} is not in this clone")
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as tar:
        tar.extractall(folder, filter="fully_trusted")
    return folder


@pytest.mark.parametrize("version", KEPT)
def test_this_version_goes_on_with_what_an_earlier_one_has_written(version, kept, broker):
    folder = kept(version)
    table = config.load(folder / "RL-07.toml")
    assert (table.table.id, table.keep_days, table.video.camera) == ("RL-07", 30, "cam-7")
    assert load_floor(folder / "FLOOR.toml").archive.database.endswith("floor.db")
    before = verify(folder / "journal.db")
    assert before.fault is None
    assert before.signed > 0
    subscriber = broker.subscribe()
    running = Running(ROOT, folder, broker.url)
    try:
        spun(running)
        assert running.stop() == 0
    finally:
        running.close()
    after = verify(folder / "journal.db", before.key)
    assert (after.fault, after.first) == (None, before.first)
    assert after.last > before.last + 3
    wait_for(lambda: any(each["sequence"] == after.last for each in subscriber.records()), 60)
    rounds = [each["data"]["round"] for each in subscriber.records() if each["type"] == "pitwatch.round.v1"]
    assert min(rounds) > 3  # the numbers go on
    assert not list(folder.glob("*.damaged*"))


@pytest.mark.parametrize("version", COMMITS)
def test_an_earlier_version_goes_on_with_what_this_one_has_written(version, kept, broker, tmp_path):
    program = code(version, tmp_path / "program")
    folder = kept(version)
    running = Running(ROOT, folder, broker.url)
    try:
        spun(running)
        assert running.stop() == 0
    finally:
        running.close()
    written = verify(folder / "journal.db")
    assert (written.fault, bool(written.notes)) == (None, True)
    earlier = Running(program, folder, broker.url)
    try:
        spun(earlier)
        assert json.loads(earlier.says("journal", "verify", str(earlier.journal), "--json").stdout)["ok"]
        assert earlier.stop() == 0
        assert earlier.says("check", str(folder / "RL-07.toml")).returncode == 0
    finally:
        earlier.close()
    after = verify(folder / "journal.db", written.key)
    assert (after.fault, after.last > written.last + 3) == (None, True)
    assert not list(folder.glob("*.damaged*"))
