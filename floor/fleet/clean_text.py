"""A board's own words, for people."""

from __future__ import annotations

from pitwatch.rules.text.one_line import one_line

MOST_SHOWN = 300
"""Characters."""


def clean(text: str) -> str:
    """One line, not long, and without anything that moves a cursor or colours a screen."""
    return one_line(" ".join(text[: 10 * MOST_SHOWN].split()), MOST_SHOWN)
