"""Numbers beside the data of a CloudEvent. CloudEvents 1.0 gives its Integer 32 bits; a larger number is a string."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

MOST_INTEGER = 2**31 - 1
"""The largest Integer of CloudEvents 1.0 (spec, Type System)."""

DIGITS = r"^(0|-?[1-9][0-9]{0,19})\Z"
"""A number as a string. Twenty digits are more than 64 bits need."""

Digits = Annotated[str, msgspec.Meta(pattern=DIGITS, max_length=21)]


def as_attribute(number: int) -> int | str:
    """A number as an attribute: a decimal string above `MOST_INTEGER`."""
    return number if number <= MOST_INTEGER else str(number)


def canonical(value: Any) -> Any:
    """An attribute that may be a number in either form as that number, so that two can be compared; else as it is."""
    if not isinstance(value, str) or len(value) > 21 or not value.removeprefix("-").isdecimal():
        return value
    number = int(value)
    return number if str(number) == value else value
