"""`python -m tests.rooms`: for each package with rooms, how many imports lead from each room to each other one."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.rooms.counting import matrix, rooms

PROJECT = Path(__file__).parents[2]

if __name__ == "__main__":
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    tables = [
        "\n".join([package, *matrix(package, rooms(each["layers"]))])
        for each in contracts
        if each.get("exhaustive")
        for package in each["containers"]
    ]
    print("\n\n".join(tables))
