"""Fixtures for tests that need a real broker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.mosquitto import Mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A mosquitto of the test's own on a loopback port; skipped with its reason if none is installed."""
    if not Mosquitto.installed():
        pytest.skip("mosquitto is not installed")
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.close()
