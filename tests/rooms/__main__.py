"""`python -m tests.rooms`: how many imports lead from each room of the daemon to each other one."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.rooms.counting import matrix, rooms

PROJECT = Path(__file__).parents[2]
PACKAGE = "pitwatch.daemon"

if __name__ == "__main__":
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [each["layers"] for each in contracts if each.get("containers") == [PACKAGE]]
    print("\n".join(matrix(PACKAGE, rooms(layers))))
