"""A copy of the program to which a test adds modules, as a programmer would. For tests only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def copy_of(folder: Path, *packages: str) -> Path:
    """A folder for the path, with `pitwatch` and these packages of it."""
    (folder / "pitwatch").mkdir(parents=True)
    shutil.copy(ROOT / "pitwatch" / "__init__.py", folder / "pitwatch")
    for package in packages:
        shutil.copytree(ROOT / package, folder / "pitwatch" / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def python(tree: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Python with the copy's packages instead of the program's own."""
    env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, timeout=120)
