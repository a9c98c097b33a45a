"""Gives the package its version with the build, and the file of it that `pitwatch --version` reads when installed.

The build of a checkout comes from git. A copy without git may have it in pitwatch/build.txt; else there is none.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from pitwatch.daemon.common.version import BUILD_FILE, full_version  # noqa: E402


class WithBuild(build_py):
    """Copies the package and writes its build beside it. An editable install asks git each time instead."""

    def run(self) -> None:
        super().run()
        _, _, build = full_version().partition("+")
        if build and not self.editable_mode:
            (Path(self.build_lib) / "pitwatch" / BUILD_FILE).write_text(build + "\n", encoding="ascii")


setup(version=full_version(), cmdclass={"build_py": WithBuild})
