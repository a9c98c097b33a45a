"""One board for all of this folder. Where it cannot be had, everything here is skipped, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.uml import machine
from tests.systemd_boot.bench import Bench
from tests.systemd_boot.board import Board, NoBoardError

DIST = Path(__file__).parents[2] / "dist"


@pytest.fixture(scope="session")
def first_days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, dict[str, str]]]:
    """The bench, and what was said on its way from a bare board to running tables."""
    packages = sorted(DIST.glob("pitwatch_*.deb12_amd64.deb"), key=lambda each: each.stat().st_mtime)
    if not packages:
        pytest.skip("no package is built: make systemd-test builds it")
    try:
        board = Board(tmp_path_factory.mktemp("board"))
    except (machine.NoKernelError, NoBoardError) as lacking:
        pytest.skip(str(lacking))
    bench = Bench(board, packages[-1])
    report = "cat /var/lib/pitwatch/first-boot.txt; systemctl show -p Result --value pitwatch-first-boot"
    said = {}
    try:
        board.on()
        said["installed"] = bench.install()
        board.off()
        board.on()
        board.until("systemctl is-system-running | grep -E 'running|degraded'", 60)
        said["bare"] = board.does(report)
        bench.provision()
        bench.enable()
        board.off()
        with bench.wheel_turns():
            board.on()
            bench.running()
            board.until("systemctl is-system-running | grep -E 'running|degraded'", 60)
        said["complete"] = board.does(report)
        yield bench, said
    finally:
        board.close()


@pytest.fixture
def bench(first_days: tuple[Bench, dict[str, str]]) -> Bench:
    """Its tables run."""
    bench, _ = first_days
    bench.start()
    return bench
