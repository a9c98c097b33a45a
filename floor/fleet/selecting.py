"""Which boards and tables a command means. Opens nothing."""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.fleet.config import Board, Fleet
from pitwatch.rules.text.did_you_mean import did_you_mean


def boards(fleet: Fleet, wanted: Sequence[str], without: Sequence[str]) -> list[Board]:
    """In the order of FLOOR.toml; all of them if none is named. Raises UsageError."""
    known = [board.name for board in fleet.boards]
    for name in (*wanted, *without):
        if name not in known:
            raise UsageError(f'"{name}" is no board of FLOOR.toml; {did_you_mean(name, known, _some(known))}')
    return [board for board in fleet.boards if (not wanted or board.name in wanted) and board.name not in without]


def board_of(fleet: Fleet, table: str) -> Board:
    """The board that has a table. Raises UsageError."""
    for board in fleet.boards:
        if table in board.tables:
            return board
    known = [each for board in fleet.boards for each in board.tables]
    raise UsageError(f'"{table}" is on no board of FLOOR.toml; {did_you_mean(table, known, _some(known))}')


def _some(known: Sequence[str]) -> str:
    return f"there are {', '.join(known[:12])}{' …' if len(known) > 12 else ''}"
