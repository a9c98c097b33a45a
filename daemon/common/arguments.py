"""Numbers on the command line, limited to sensible ranges. Independent of commands."""

from __future__ import annotations

from argparse import ArgumentTypeError

MOST = 31_536_000
"""Seconds of a year."""


def seconds(text: str) -> float:
    """Seconds up to a year. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= MOST:
        raise ArgumentTypeError(f"'{text}' is no time; 0 to {MOST} seconds are right")
    return value


def count(text: str) -> int:
    """How many, also none. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"'{text}' is no count; 0 or more is right")
    return int(text)
