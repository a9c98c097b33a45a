"""Packages built from copies of the work tree, each a commit of its own that the project's history knows nothing of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
LOOSE = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
COMMITTED = {"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, **COMMITTED}
    command = ["git", *LOOSE, "-C", str(folder), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def copy(folder: Path) -> Path:
    """The work tree as it is, all of it committed."""
    git(PROJECT, "clone", "--quiet", "--no-checkout", str(PROJECT), str(folder))
    git(folder, "reset", "--quiet")
    for name in git(PROJECT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (os.path.lexists(PROJECT / name)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, folder / name, follow_symlinks=False)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=as it is")
    return folder


def build(source: Path, out: Path, *options: str, **environment: str) -> list[Path]:
    """The packages that `make debs` builds there with these options."""
    command = [sys.executable, source / "systemd" / "deb" / "build.py", "--out", out, *options]
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"} | environment
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.split()]
