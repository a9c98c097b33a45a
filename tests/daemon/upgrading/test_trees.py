"""Whole versions beside each other: what dpkg unpacks never changes what runs."""

from __future__ import annotations

import hashlib
import shutil

import msgspec
import pytest

from pitwatch.daemon.common.errors import UsageError
from tests.daemon.upgrading.boards import PROGRAM, Board


@pytest.fixture
def board(tmp_path):
    board = Board(tmp_path)
    board.unpack("1")
    assert board.change().stage() is False  # the first one needs no check
    return board


def test_the_first_version_runs_at_once_and_its_files_are_fitted(board):
    assert board.runs() == "1"
    assert board.fitted() == {"1"}
    assert (board.root / "lib/systemd/system/pitwatch-upgrade.service").read_text() == "# checker of 1\n"


def test_what_dpkg_unpacks_changes_nothing_that_runs(board):
    board.unpack("2")
    assert board.runs() == "1"
    shutil.rmtree(board.home / "package")
    assert board.runs() == "1"


def test_the_version_before_is_kept_and_judges(board):
    board.unpack("2")
    assert board.change().stage() is True
    assert board.runs() == "1"
    assert (board.root / "lib/systemd/system/pitwatch-upgrade.service").read_text() == "# checker of 1\n"
    outcome = board.change().go_on()
    assert outcome is not None
    assert (outcome.before, outcome.after, outcome.result) == ("1", "2", "unchecked")  # no table was watched
    assert board.runs() == "2"
    assert board.fitted() == {"2"}
    trees = board.trees()
    assert trees.version(trees.named("previous")) == "1"
    assert board.change().go_on() is None


def test_only_two_versions_are_kept(board):
    for version in ("2", "3", "4"):
        board.unpack(version)
        board.change().stage()
        board.change().go_on()
    assert sorted(path.name for path in (board.home / "versions").iterdir()) == ["3", "4"]


def test_the_same_version_installed_again_mends_its_tree(board):
    part = board.home / "current/.venv/lib/part.py"
    part.unlink()  # a bad card
    board.unpack("1")
    board.change().stage()
    assert board.runs() == "1"
    assert board.trees().named("previous") is None


def test_the_floors_part_comes_into_the_same_version(board):
    board.unpack("1", **{".venv/lib/floor.py": ""})
    board.change().stage()
    assert (board.home / "current/.venv/lib/floor.py").exists()
    restarted = board.units.restarted
    board.change().stage()  # and is not laid again
    assert board.units.restarted == restarted


def test_a_package_that_is_not_as_it_says_is_refused(board):
    board.unpack("2")
    sums = board.root / "sums"
    sums.mkdir()
    lines = [
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(board.root)}\n"
        for path in (board.home / "package").rglob("*")
        if path.is_file() and not path.is_symlink()
    ]
    (sums / "pitwatch.md5sums").write_text("".join(lines))
    part = board.home / "package/.venv/lib/part.py"
    part.write_text("VERSION = '3'\n")
    with pytest.raises(UsageError, match=r"part\.py: differs from the package"):
        board.change().stage()
    part.unlink()
    with pytest.raises(UsageError, match=r"part\.py: No such file"):
        board.change().stage()
    part.write_text("VERSION = '2'\n")
    (sums / "pitwatch-floor.md5sums").write_text("00  opt/pitwatch/package/.venv/lib/floor.py\n")  # just being removed
    assert board.change().stage() is True


def test_a_version_that_cannot_run_here_any_more_judges_nothing(board):
    """Such as after an upgrade of Debian, with another Python."""
    (board.home / "current/.venv/bin/python").unlink()
    board.unpack("2")
    assert board.change().stage() is False
    assert board.runs() == "2"
    assert "does not run on this system, so 2 takes over without a check" in board.said[-1]
    with pytest.raises(UsageError, match="no version before"):
        board.change().give_back("because")


def test_a_person_puts_the_version_before_back_and_it_stays(board):
    board.unpack("2")
    board.change().stage()
    board.change().go_on()
    outcome = board.change().give_back("because")
    assert (outcome.result, outcome.faults) == ("rolled_back", ("because",))
    assert board.runs() == "1"
    assert board.change().stage() is False  # as dpkg --configure asks
    assert board.runs() == "1"
    assert "is not tried again by itself: because." in board.said[-1]
    assert board.change().stage(again=True) is True
    board.change().go_on()
    assert board.runs() == "2"


def test_a_later_version_is_tried_after_one_that_was_rolled_back(board):
    board.unpack("2")
    board.change().stage()
    board.change().go_on()
    board.change().give_back("because")
    board.unpack("3")
    assert board.change().stage() is True
    board.change().go_on()
    assert board.runs() == "3"


def test_a_version_whose_check_was_interrupted_is_never_the_one_before(board):
    board.unpack("2")
    board.change().stage()
    written = board.change().written
    pending = written.pending()
    board.trees().point("current", board.trees().tree("2"))
    written.go_on(msgspec.structs.replace(pending, step="checking", interrupted=3))
    board.unpack("3")
    assert board.change().stage() is True
    assert written.outcome().result == "rolled_back"
    assert (written.pending().before, written.pending().after) == ("1", "3")
    board.change().go_on()
    assert board.runs() == "3"
    assert board.trees().version(board.trees().named("previous")) == "1"


def test_a_link_of_an_older_layout_gives_way(tmp_path):
    board = Board(tmp_path)
    (board.home / ".venv/lib").mkdir(parents=True)
    (board.home / ".venv/lib/left.pyc").write_text("")
    board.unpack("1")
    board.change().stage()
    assert board.runs() == "1"


def test_a_program_that_does_not_start_is_not_what_runs(board):
    board.unpack("2", **{".venv/bin/pitwatch": PROGRAM.format(version="2", status=1)})
    board.change().stage()
    trees = board.trees()
    assert not trees.runs(trees.tree("2"))
    assert trees.runs(trees.tree("1"))
