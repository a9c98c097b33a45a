"""Suggests the nearest known name for an unknown one. Knows no names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(wrong: str, known: Iterable[str], otherwise: str) -> str:
    """The nearest of the known names as a question; what to say `otherwise`, if none is near."""
    near = difflib.get_close_matches(wrong, list(known), 1)
    return f"did you mean {near[0]!r}?" if near else otherwise
