"""Reads TOML that somebody wrote. Knows no key of any file.

The library's reader has two other ways of giving up than its own error: tables or lists nested deeper than the
interpreter goes, and whole numbers of more digits than it reads. What it says is put in plain words, with the line that
is wrong.
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
        raise tomllib.TOMLDecodeError(_plain(str(error)) + _line(text, str(error))) from None
    except ValueError:
        raise tomllib.TOMLDecodeError("a whole number of too many digits") from None


MEANT = {
    "Invalid value": "no value; text stands in quotes, a number or true or false without, and a list ends with ]",
    "Expected '=' after a key in a key/value pair": "a key without a value; KEY = VALUE is right",
    "Expected newline or end of document after a statement": "something follows what is complete; one KEY = VALUE "
    "stands on a line, text in quotes, a comment after #",
    "Illegal character '\\n'": "text that does not end; a quote is missing",
    "Unterminated string": "text that does not end; a quote is missing",
    "Expected '\"'": "text that does not end; a quote is missing",
    'Expected "\'"': "text that does not end; a quote is missing",
    "Unclosed array": "a list that goes on here; a comma or ] is missing",
    "Unclosed inline table": "a table { … } that goes on here; a comma or } is missing",
    "Expected ']' at the end of a table declaration": "a section that does not end; [NAME] is right",
    "Expected ']]' at the end of an array declaration": "a section that does not end; [[NAME]] is right",
    "Invalid statement": "no section, no key and no comment; [NAME], KEY = VALUE or # is right",
    "Invalid initial character for a key part": "no name of a key or section; letters, digits, - and _ are right, "
    "other names in quotes",
    "Unescaped '\\' in a string": "a \\ that stands for nothing; write \\\\, or the text in '…'",
    "Invalid date or datetime": "no date or time that exists; text stands in quotes",
}
"""What the library says, without the place, and what it means."""

MOST_SHOWN = 60
"""Characters of the line."""

CREDENTIALS = re.compile(r"//[^\s\"']*@")


def _line(text: str, told: str) -> str:
    """The line that the library names, or the last one, as it stands in the text; credentials in addresses hidden."""
    lines = text.rstrip().split("\n")
    if found := re.search(r"\(at line (\d+), column \d+\)\Z", told):
        number, place = int(found[1]), ""
    elif told.endswith("(at end of document)"):
        number, place = len(lines), f", line {len(lines)}"
    else:
        return ""
    line = CREDENTIALS.sub("//…@", lines[number - 1].strip()) if number <= len(lines) else ""
    return place + (f": {line if len(line) <= MOST_SHOWN else line[:MOST_SHOWN] + '…'}" if line else "")


def _plain(told: str) -> str:
    """What the library says, in words of somebody who has not read its source."""
    what, at, place = told.rpartition(" (at ")
    if what in MEANT:
        return MEANT[what] + at + place
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
