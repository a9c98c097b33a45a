"""Packages of the npm registry for tests that run them: installed once into the cache, then kept. For tests only."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def missing() -> str | None:
    """Which program is not there; None if Node.js and npm are."""
    return next((f"{name} is not installed" for name in ("node", "npm") if shutil.which(name) is None), None)


def installed(*packages: str) -> Path:
    """The folder whose `node_modules` has the packages, each NAME@VERSION. Fails if the registry does not answer."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pitwatch"
    folder = cache / f"npm-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:12]}"
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="npm-") as making:
        made = Path(making) / "made"
        made.mkdir()
        (made / "package.json").write_text("{}")
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", *packages],
            cwd=made,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"npm cannot install {' '.join(packages)}: {done.stderr[-500:]}"
        if not folder.exists():  # another test run may have been quicker
            made.rename(folder)
    return folder
