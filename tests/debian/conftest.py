"""Two builds of the packages, an older and a newer one, and a Debian 13 to use them in. Wants root and a mirror."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.debian import builds
from tests.debian.system import Debian

HERE = ("--debian", "13", "--arch", "amd64")


class Packages(NamedTuple):
    """Of one build, for Debian 13 on this machine."""

    version: str
    board: Path
    floor: Path


class Shop(NamedTuple):
    """`source` is the copy of the work tree that both were built from; `folder` is the Debian's /tmp."""

    folder: Path
    source: Path
    old: Packages
    new: Packages


def packages(source: Path, out: Path) -> Packages:
    board, floor = builds.build(source, out, *HERE)
    return Packages(board.name.split("_")[1], board, floor)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder = tmp_path_factory.mktemp("shared")
    folder.chmod(0o1777)
    source = builds.copy(tmp_path_factory.mktemp("source") / "pitwatch")
    old = packages(source, folder / "old")
    builds.git(source, "commit", "--quiet", "--allow-empty", "--message=newer")
    return Shop(folder, source, old, packages(source, folder / "new"))


@pytest.fixture
def debian(shop: Shop) -> Iterator[Debian]:
    debian = Debian("trixie", shop.folder)
    yield debian
    debian.close()
