"""What a strict CloudEvents reader accepts: the Python SDK, and the types of spec 1.0, which the SDK does not check."""

from __future__ import annotations

import re
from typing import Any

from cloudevents.core.formats.json import JSONFormat

NAME = re.compile(r"[a-z0-9]{1,20}")
"""Spec 1.0, Attribute Naming Convention."""
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Spec 1.0, Type System, String."""


def read(payload: bytes) -> dict[str, Any]:
    """The attributes of an event. Raises ValueError for what a strict reader refuses."""
    event = JSONFormat().read(None, payload)
    attributes = event.get_attributes()
    for name, value in attributes.items():
        if not NAME.fullmatch(name):
            raise ValueError(f"{name} is no name of an attribute")
        if isinstance(value, str) and FORBIDDEN.search(value):
            raise ValueError(f"{name} is no String: {value!r}")
        if type(value) is int and not -(2**31) <= value < 2**31:
            raise ValueError(f"{name} is no Integer: {value}")
        if name != "time" and not isinstance(value, str | int):  # a truth value is an int here
            raise ValueError(f"{name} is of no type of CloudEvents: {value!r}")
    return dict(attributes)
