"""What the modules of a package declare, read from their source, so that none is imported before it is needed.
MicroPython subset. Must not know what is declared.

A declaration is one line of a module, above its first class or function: a name, " = " and a value in JSON's notation.
"""

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def declared(package: "ModuleType", name: str) -> "dict[str, Any]":
    """What each module of a package and of its folders declares under a name: {module: value}, in the order of their
    paths. Raises ValueError, with the file, for what is not in JSON's notation; OSError."""
    found: dict[str, Any] = {}
    path: Any = package.__path__  # MicroPython's is text
    _look(path if isinstance(path, str) else path[0], package.__name__, name + " = ", found)
    return found


def _look(folder: str, module: str, mark: str, found: "dict[str, Any]") -> None:
    for entry in sorted(os.listdir(folder)):
        path = folder + "/" + entry
        if entry.endswith(".py"):
            line = _line(path, mark)
            if line:
                try:
                    value = json.loads(line[len(mark) :])
                except ValueError:
                    raise ValueError("%s: %sis not one line in JSON's notation" % (path, mark[:-2])) from None
                found[module if entry == "__init__.py" else module + "." + entry[:-3]] = value
        elif "." not in entry and entry != "__pycache__":
            _look(path, module + "." + entry, mark, found)


def _line(path: str, mark: str) -> str:
    """The line of a source that begins with `mark`; "" if none does above the first class or function."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(mark):
                return line
            if line.startswith(("class ", "def ", "@")):
                break
    return ""
