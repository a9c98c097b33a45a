"""Which line of a TOML file a key stands on, so that a mistake in a book can be shown where it is.

Knows TOML only as rule books write it: tables, arrays of tables, `key = value`. Values may run over lines.
"""

from __future__ import annotations

import re

HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.\"'-]+)\s*\]\]?")
KEY = re.compile(r"^\s*([A-Za-z0-9_\"'-]+(?:\.[A-Za-z0-9_\"'-]+)*)\s*=")
INDEX = re.compile(r"\[(\d+)\]")


def line_of(text: str, path: str) -> int:
    """The line (from 1) of a key path such as `irregularity[3].lines` or `options.wheel.values`.

    A key that is missing is shown at the table it is missing from; an unknown path at line 1.
    """
    lines = _lines(text)
    while path:
        if path in lines:
            return lines[path]
        head, dot, _ = path.rpartition(".")
        path = head if dot else (INDEX.sub("", path) if INDEX.search(path) else "")
    return 1


def _lines(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = HEADER.match(line)
        if header:
            name = header[2].replace('"', "").replace("'", "")
            if header[1] == "[[":
                index = counts.get(name, 0)
                counts[name] = index + 1
                table = f"{name}[{index}]"
            else:
                table = name
            found.setdefault(table, number)
            continue
        key = KEY.match(line)
        if key:
            name = key[1].replace('"', "").replace("'", "")
            found.setdefault(f"{table}.{name}" if table else name, number)
    return found
