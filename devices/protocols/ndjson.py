"""One JSON object a line: `{"event": "dice_settled", "data": {...}}`. MicroPython subset.

Must not know which events there are.
"""

import json

from pitwatch.devices.protocols.line_framer import fitting_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHAPE = {"ndjson": "fits"}


def report(line: bytes) -> "tuple[str, dict[str, Any]] | None":
    """(event, data) of a line, or None if it is no report that could be published."""
    try:
        found = json.loads(str(line, "utf-8"))
    except (ValueError, RuntimeError):  # RuntimeError: nested deeper than the interpreter goes
        return None
    if not isinstance(found, dict) or not isinstance(found.get("event"), str):
        return None
    data = found.get("data", {})
    return (found["event"], data) if isinstance(data, dict) and _publishable(found, 0) else None


def _publishable(value: object, depth: int) -> bool:
    """JSON readers let infinity, NaN, half characters and any depth through, which could not be published."""
    if depth > 8:
        return False
    if isinstance(value, dict):
        return all([_publishable(key, depth + 1) and _publishable(one, depth + 1) for key, one in value.items()])
    if isinstance(value, list):
        return all([_publishable(one, depth + 1) for one in value])
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, str):
        return not any(["\ud800" <= char <= "\udfff" for char in value])
    return True


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    return fitting_lines(data, _is_report)


def _is_report(text: str) -> bool:
    try:
        found = json.loads(text) if text[0] == "{" else None
    except (ValueError, RuntimeError):  # RuntimeError: nested deeper than the interpreter goes
        return False
    return isinstance(found, dict) and isinstance(found.get("event"), str)
