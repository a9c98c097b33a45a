"""The current fails at each change of a file during an upgrade, a roll-back, or both: one whole version is current."""

from __future__ import annotations

import sys

import pytest

from tests.daemon.upgrading.boards import Board, QuickTrees

CHANGES = {"os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"}


class PowerCut(BaseException):
    """No handler of errors may live through it."""


class Current:
    """Fails before the change of that number below a folder, if one is set."""

    def __init__(self):
        self.below: str | None = None
        self.left = 0

    def __call__(self, event, arguments):
        if self.below is None:
            return
        writes = event == "open" and isinstance(arguments[1], str) and set("wxa+") & set(arguments[1])
        if (event in CHANGES or writes) and any(self.below in str(each) for each in arguments[:2]):
            if self.left == 0:
                self.below = None
                raise PowerCut
            self.left -= 1


CURRENT = Current()
sys.addaudithook(CURRENT)


def upgrade(board):
    change = board.change()
    if change.stage():
        change.go_on()


def give_back(board):
    board.change().give_back("because")


@pytest.mark.parametrize("act", [upgrade, give_back])
def test_at_each_step_one_whole_version_is_current(tmp_path, act, monkeypatch):
    monkeypatch.setattr("pitwatch.daemon.upgrading.trees._mapped", str)
    cuts = 0
    while True:
        board = Board(tmp_path / str(cuts), QuickTrees)
        board.unpack("1")
        board.change().stage()
        board.unpack("2")
        if act is give_back:
            upgrade(board)
        CURRENT.left, CURRENT.below = cuts, str(board.root)
        try:
            act(board)
        except PowerCut:
            pass
        else:
            break
        finally:
            CURRENT.below = None
        assert board.runs() in ("1", "2"), cuts
        board.change().go_on()  # at the next start of the board
        assert board.fitted() == {board.runs()}, cuts
        assert board.change().written.pending() is None
        if act is upgrade:
            upgrade(board)  # dpkg --configure, where the cut was before the end of postinst
            assert board.runs() == "2", cuts
            assert board.fitted() == {"2"}
            trees = board.trees()
            assert trees.version(trees.named("previous")) == "1", cuts
        cuts += 1
    assert cuts > {upgrade: 40, give_back: 15}[act]
