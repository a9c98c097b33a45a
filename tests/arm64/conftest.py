"""The packages for a board's processor, arm64, an older and a newer build; and Debians to use them in, emulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.debian import builds
from tests.debian.system import Debian

RELEASES = {"12": "bookworm", "13": "trixie"}


class Build(NamedTuple):
    """The package for boards of one commit, by its path in the Debian."""

    version: str
    board: str


class Arm(NamedTuple):
    """An emulated Debian, its /tmp, and what it may be given."""

    debian: Debian
    tmp: Path
    floor: str
    old: Build
    new: Build


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The work tree as it is, in two commits."""
    source = builds.copy(tmp_path_factory.mktemp("source") / "pitwatch")
    builds.git(source, "commit", "--quiet", "--allow-empty", "--message=newer")
    return source


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every Debian has as its /tmp."""
    folder = tmp_path_factory.mktemp("shared")
    folder.chmod(0o1777)
    return folder


@pytest.fixture(scope="session", params=RELEASES)
def arm(request: pytest.FixtureRequest, source: Path, shared: Path) -> Iterator[Arm]:
    """One release after the other; the tests of a release share it, in the order in which they stand."""

    def build(commit: str, folder: str, *packages: str) -> list[str]:
        builds.git(source, "checkout", "--quiet", commit)
        asked = ("--arch", "arm64", "--debian", request.param, "--package", *packages)
        return [f"/tmp/{folder}/{file.name}" for file in builds.build(source, shared / folder, *asked)]

    newest = builds.git(source, "rev-parse", "HEAD").strip()
    board, floor = build(f"{newest}~1", "old", "pitwatch", "pitwatch-floor")
    (newer,) = build(newest, "new", "pitwatch")
    debian = Debian(f"{RELEASES[request.param]}/arm64", shared)
    try:
        yield Arm(debian, shared, floor, Build(board.split("_")[1], board), Build(newer.split("_")[1], newer))
    finally:
        debian.close()
