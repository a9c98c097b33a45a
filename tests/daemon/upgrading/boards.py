"""A board in a folder: dpkg unpacks packages of a few files there, and nothing runs. For tests only."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pitwatch.daemon.upgrading.changing_over import ChangeOver
from pitwatch.daemon.upgrading.trees import Trees
from pitwatch.daemon.upgrading.units import Unit

PROGRAM = "import sys\nprint('pitwatch {version}')\nsys.exit({status})\n"


class NoUnits:
    """A board on which no table runs."""

    def __init__(self) -> None:
        self.restarted = 0

    def all(self) -> dict[str, Unit]:
        return {}

    def restart(self, tables=()) -> None:
        self.restarted += 1


class QuickTrees(Trees):
    """Starts no process."""

    def runs(self, tree: Path) -> bool:
        return True

    def _compile(self, part: Path, tree: Path) -> None:
        return


class Board:
    """`folder` is its root."""

    def __init__(self, folder: Path, trees: type[Trees] = Trees):
        self._trees = trees
        self.root = folder
        self.home = folder / "opt" / "pitwatch"
        self.said: list[str] = []
        self.units = NoUnits()

    def unpack(self, version: str, **files: str) -> None:
        """As dpkg does: each file beside the old one, then in its place. `files`: more of them, by name."""
        package = self.home / "package"
        contents = {
            "VERSION": f"{version}\n",
            ".venv/bin/pitwatch": PROGRAM.format(version=version, status=0),
            ".venv/lib/part.py": f"VERSION = {version!r}\n",
            "systemd/pitwatch@.service": f"# unit of {version}\n",
            "systemd/60-pitwatch.rules": f"# rules of {version}\n",
            "systemd/pitwatch-upgrade.service": f"# checker of {version}\n",
            **files,
        }
        for name, text in contents.items():
            path = package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".dpkg-new")
            part.write_text(text)
            os.replace(part, path)
        python = package / ".venv/bin/python"
        python.unlink(missing_ok=True)
        python.symlink_to(sys.executable)

    def trees(self) -> Trees:
        return self._trees(self.home, self.root, self.root / "sums")

    def change(self, steady: float = 0.0) -> ChangeOver:
        return ChangeOver(self.trees(), self.units, self.said.append, steady=steady)

    def runs(self) -> str:
        """The version of each file that the usual paths lead to; they must be of one version."""
        program = (self.home / ".venv/bin/pitwatch").read_text()
        part = (self.home / ".venv/lib/part.py").read_text()
        (version,) = {program.split("'")[1].split()[1], part.split("'")[1]}
        return version

    def fitted(self) -> set[str]:
        """The versions of the files in the rest of the system."""
        places = ("lib/systemd/system/pitwatch@.service", "lib/udev/rules.d/60-pitwatch.rules")
        return {(self.root / place).read_text().split()[-1] for place in places}
