"""Fixtures: a real broker."""

from tests.e2e.conftest import broker

__all__ = ["broker"]
