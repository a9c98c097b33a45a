"""Reads TOML that somebody wrote. Knows no key of any file.

The library's reader has two other ways of giving up than its own error: tables or lists nested deeper than the
interpreter goes, and whole numbers of more digits than it reads. What it says of a key that stands twice is put in
plain words.
"""

from __future__ import annotations

import ast
import re
import tomllib
from typing import Any


def parse(text: str) -> dict[str, Any]:
    """The table in the text. Raises tomllib.TOMLDecodeError, whatever is wrong."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise tomllib.TOMLDecodeError(_plain(str(error))) from None
    except ValueError:
        raise tomllib.TOMLDecodeError("a whole number of too many digits") from None


def _plain(told: str) -> str:
    """What the library says of a key that stands twice, in words of somebody who has not read its source."""
    if told.startswith("Cannot overwrite a value"):
        return told.replace("Cannot overwrite a value", "a key is there twice, or a table as [NAME] and [[NAME]]", 1)
    if found := re.fullmatch(r"Cannot declare (\(.*\)) twice (\(at .*\))", told):
        name = _name(found[1])
        return f"[{name}] is there already; where several are meant, each is [[{name}]] {found[2]}"
    if found := re.fullmatch(r"Cannot mutate immutable namespace (\(.*\)) (\(at .*\))", told):
        return f"{_name(found[1])} is complete at its first place; nothing can be added to it {found[2]}"
    if found := re.fullmatch(r"Duplicate inline table key ['\"](.*)['\"] (\(at .*\))", told):
        return f"{found[1]} is there twice {found[2]}"
    return told


def _name(parts: str) -> str:
    return ".".join(repr(part)[1:-1] for part in ast.literal_eval(parts))
