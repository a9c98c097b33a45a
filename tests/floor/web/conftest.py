"""The web server needs the extra `web`."""

from pathlib import Path

import pytest

from tests.floor.conftest import broker
from tests.floor.web.house import House

__all__ = ["broker"]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)
