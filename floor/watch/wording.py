"""Events in words and signs for a terminal line. Pure; independent of the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwatch.daemon.contract import wording

SEVERITIES = ("notice", "warning", "alert", "critical")
"""From the least to the worst."""

SIGNS = {"critical": "!!!", "alert": "!! ", "warning": "!  ", "notice": ".  "}

LONGEST = 2_000
"""Characters of one text that are shown."""


def rank(severity: str) -> int:
    """The higher the worse; a severity unknown here ranks with the worst: it has to be looked at."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES) - 1


def clean(text: str) -> str:
    """One line without anything that could steer a terminal."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else " " if each.isspace() else "\ufffd" for each in text)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def age(seconds: float) -> str:
    """As short as it can be said: `12s`, `4m`, `3h`, `2d`."""
    seconds = max(seconds, 0.0)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds)}s"


def fields(values: Mapping[str, Any]) -> str:
    """What a record says, fit for a terminal."""
    return clean(wording.fields(values))


def result(values: Mapping[str, Any]) -> str:
    """A round's result, fit for a terminal."""
    return clean(wording.result(values))
