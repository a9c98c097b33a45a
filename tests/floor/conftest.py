"""A mosquitto for each test, as the end-to-end tests have it."""

from tests.e2e.conftest import broker

__all__ = ["broker"]
