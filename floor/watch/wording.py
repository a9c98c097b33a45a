"""What happened, in words and signs for a terminal line. Pure; knows no screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    """`ball cw, rotor cw`."""
    return clean(", ".join(f"{name.replace('_', ' ')} {word(value)}" for name, value in values.items())) or "-"


def word(value: Any, depth: int = 0) -> str:
    """One value of a record; null is what was not seen."""
    if value is None:
        return "not seen"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if depth > 4:
        return "..."
    if isinstance(value, list):
        return " ".join(word(each, depth + 1) for each in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {word(each, depth + 1)}" for name, each in value.items()) or "none"
    return str(value)


def result(values: Mapping[str, Any]) -> str:
    """A round's result: what was seen of it."""
    shown = []
    for name, value in values.items():
        if isinstance(value, dict):
            inner = " ".join(str(each) for each in value.values() if type(each) in (str, int))
            shown.append(f"{name}: {inner or 'not seen'}")
        elif value is not None:
            shown.append(f"{name.replace('_', ' ')} {word(value)}")
    return clean(", ".join(shown)) or "nothing seen"
