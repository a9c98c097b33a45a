"""A table's new file and folder take the place of the old ones whole; the old ones come back after a power cut at any
step."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pitwatch.daemon.config import installed
from pitwatch.daemon.upkeep import putting, swapping
from pitwatch.daemon.upkeep.bundle import MOST_BYTES, Bundle, encode, read
from pitwatch.daemon.upkeep.swapping import Kept
from pitwatch.daemon.upkeep.table import Table


class PowerCutError(Exception):
    pass


@pytest.fixture
def etc(tmp_path, monkeypatch):
    monkeypatch.setattr(installed, "FOLDER", tmp_path / "etc")
    monkeypatch.setattr(installed, "STATE", tmp_path / "state")
    (tmp_path / "state").mkdir()
    (tmp_path / "etc" / "RL-07" / "more").mkdir(parents=True)
    (tmp_path / "etc" / "RL-07.toml").write_text("old")
    (tmp_path / "etc" / "RL-07" / "client.key").write_text("old key")
    (tmp_path / "etc" / "RL-07" / "more" / "kept").write_text("as it was")
    return tmp_path / "etc"


def seen(etc: Path) -> dict[str, str]:
    return {
        str(path.relative_to(etc)): path.read_text()
        for path in sorted(etc.rglob("*"))
        if path.is_file() and ".fleet" not in path.parts
    }


def staged(etc: Path, bundle: Bundle) -> Kept:
    table = Table("RL-07")
    folder = putting.stage(table, bundle)
    kept = Kept(putting.fleet_folder() / "kept" / "RL-07", table)
    kept.folder.parent.mkdir(exist_ok=True)
    folder.rename(kept.folder)
    return kept


NEW = Bundle(table="toledo/RL-07", configuration=b"new", files={"client.key": b"new key", "ca.crt": b"new ca"})


def test_it_is_new_as_a_whole_and_old_as_a_whole_again(etc):
    old = seen(etc)
    kept = staged(etc, NEW)
    assert seen(etc) == old
    kept.swap()
    assert seen(etc) == {
        "RL-07.toml": "new", "RL-07/client.key": "new key", "RL-07/ca.crt": "new ca", "RL-07/more/kept": "as it was"
    }  # fmt: skip
    assert (etc / "RL-07" / "client.key").stat().st_mode & 0o777 == 0o600
    kept.restore()
    assert seen(etc) == old
    assert not kept.exists()


@pytest.mark.parametrize("new_table", [False, True])
def test_a_power_cut_at_any_step_leaves_whole_parts_and_a_way_back(etc, monkeypatch, new_table):
    if new_table:
        (etc / "RL-07.toml").unlink()
        (etc / "RL-07" / "more" / "kept").unlink()
        (etc / "RL-07" / "more").rmdir()
        (etc / "RL-07" / "client.key").unlink()
        (etc / "RL-07").rmdir()
    old = seen(etc)
    real, steps = os.fsync, 0
    for cut in range(1, 20):
        kept = staged(etc, NEW)
        steps = 0

        def fsync(descriptor: int, cut: int = cut) -> None:
            nonlocal steps
            steps += 1
            if steps == cut:
                raise PowerCutError
            real(descriptor)

        monkeypatch.setattr(swapping.os, "fsync", fsync)
        try:
            kept.swap()
        except PowerCutError:
            pass
        else:
            break
        finally:
            monkeypatch.setattr(swapping.os, "fsync", real)
        assert set(seen(etc).values()) <= {*old.values(), "new", "new key", "new ca", "as it was"}
        if kept.exists():
            kept.restore()
        assert seen(etc) == old
        kept.remove()
    assert cut >= 4  # the digests, their folder, and each part


def test_no_link_in_the_tables_own_folder_is_followed(etc, tmp_path):
    (tmp_path / "secret").write_text("of root")
    (etc / "RL-07" / "link").symlink_to(tmp_path / "secret")
    (etc / "RL-07" / "folder").symlink_to(tmp_path)
    os.mkfifo(etc / "RL-07" / "pipe")
    folder = putting.stage(Table("RL-07"), Bundle(table="toledo/RL-07", files={"link": b"mine"}))
    assert (folder / "RL-07" / "link").read_text() == "mine"
    assert not (folder / "RL-07" / "link").is_symlink()
    assert (folder / "RL-07" / "folder").is_symlink()
    assert not (folder / "RL-07" / "pipe").exists()
    assert (tmp_path / "secret").read_text() == "of root"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"../RL-08.toml": b""}, '"../RL-08.toml" is no name of a file'),
        ({"a/b": b""}, '"a/b" is no name of a file'),
        ({".hidden": b""}, '".hidden" is no name of a file'),
        ({"": b""}, '"" is no name of a file'),
        ({"a\n": b""}, "is no name of a file"),
        ({f"a{n}": b"" for n in range(33)}, "it has 33 files; 32 are allowed"),
        ({"a": b"x" * (MOST_BYTES + 1)}, "it has more than 1048576 bytes"),
        ({}, "it has no file"),
    ],
)
def test_a_bundle_that_no_floor_sends_is_refused(files, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        read(encode(Bundle(table="toledo/RL-07", files=files)))
