"""A record in one line of words: values by name, a round's result. Pure; independent of screens and topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNITS = ("_s", "_ms", "_ns")
"""How the name of a time ends."""

DEEPEST = 4
"""Levels of one value that are shown; a record from outside may have any number."""


def fields(values: Mapping[str, Any], depth: int = 0) -> str:
    """`ball cw, rotor cw`."""
    return ", ".join(_field(name, value, depth) for name, value in values.items()) or "-"


def named(rule: str, says: str) -> str:
    """A rule for people: its sentence first, the last part of its id after it; the id alone in records of earlier
    versions, which have no sentence."""
    slug = rule.rpartition("/")[2]
    return f"{says.rstrip('.')} ({slug})" if says else slug


def _field(name: str, value: Any, depth: int) -> str:
    """`ball cw`, `spread 864 ms`, and `seat-3` alone, which says itself that it is a seat."""
    said = word(value, depth)
    if name in ("seat", "seats") and said.startswith("seat-"):
        return said
    if name.endswith(UNITS) and type(value) in (int, float):
        name, _, unit = name.rpartition("_")
        said = f"{said} {unit}"
    return f"{name.replace('_', ' ')} {said}"


def word(value: Any, depth: int = 0) -> str:
    """One value of a record; null is what was not seen."""
    if value is None:
        return "not seen"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if depth > DEEPEST:
        return "..."
    if isinstance(value, list):
        return " ".join(word(each, depth + 1) for each in value) or "none"
    if isinstance(value, dict):
        return f"({fields(value, depth + 1)})" if value else "none"
    return str(value)


def result(values: Mapping[str, Any]) -> str:
    """A round's result: what was seen of it."""
    shown = []
    for name, value in values.items():
        if isinstance(value, dict):
            inner = " ".join(_named(key, each) for key, each in value.items() if type(each) in (str, int))
            shown.append(f"{name}: {inner or 'not seen'}")
        elif value is not None:
            shown.append(_field(name, value, 0))
    return ", ".join(shown) or "nothing seen"


def _named(name: str, value: str | int) -> str:
    """A hand speaks for itself; a number does not."""
    return value if isinstance(value, str) else f"{name.replace('_', ' ')} {value}"
