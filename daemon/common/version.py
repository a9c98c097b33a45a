"""The version of the program with its build, such as `0.2.0+git.912.1a2b3c4`: the number of commits, the last commit.

An installed package has its build in `build.txt`, which setup.py writes. A checkout asks git; `.dirty` means that
tracked files differ from the commit, `.deb12` a package for Debian 12. Without both, the version stands alone.
"""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

from pitwatch.daemon import __version__

BUILD = re.compile(r"git\.\d+\.[0-9a-f]{7}(\.dirty)?(\.deb\d+)?")
BUILD_FILE = "build.txt"
GIT_SECONDS = 5.0
"""git is stopped after that: a version must not delay a start."""


@functools.cache
def full_version() -> str:
    """The version, then `+` and the build where it is known."""
    build = written_build(Path(__file__).parents[2]) or checkout_build(Path(__file__).resolve().parents[2])
    return f"{__version__}+{build}" if build else __version__


def written_build(package: Path) -> str:
    """The build that was written into the package's folder when it was made, else nothing."""
    try:
        text = (package / BUILD_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return text if BUILD.fullmatch(text) else ""


def checkout_build(root: Path) -> str:
    """The build of a checkout; nothing if `root` is not the top of one, or git is missing or lacks older commits."""
    if not (root / ".git").exists() or not (root / "pyproject.toml").exists():
        return ""
    # The user who asks need not own the files: the service's user asks about files of root.
    git = ["git", "-c", f"safe.directory={root}", "-C", str(root)]
    try:
        shallow, number, commit = (
            subprocess.run(
                [*git, *rest], capture_output=True, text=True, check=True, timeout=GIT_SECONDS
            ).stdout.strip()
            for rest in (
                ["rev-parse", "--is-shallow-repository"],
                ["rev-list", "--count", "HEAD"],
                ["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=.dirty"],
            )
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    build = f"git.{number}.{commit[:7]}{commit[40:]}"
    return build if shallow == "false" and BUILD.fullmatch(build) else ""
