"""Fixtures: both kinds of database, and an authority that stamps."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import broker
from tests.floor.archive.conftest import database, postgres, store
from tests.floor.evidence.authority import Authority

__all__ = ["authority", "broker", "database", "postgres", "store"]


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    made = Authority(tmp_path / "authority")
    yield made
    made.close()
