"""The list of a package's parts, in CycloneDX. As a program, of what the locks hold. Usage: parts.py FOLDER"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from pitwatch.daemon.common.version import full_version  # noqa: E402

PACKAGES = {"board": "pitwatch", "floor": "pitwatch-floor"}
"""Lock to the package that it is for."""


def parts_list(package: str, version: str, requirements: Path) -> str:
    """Of what a file asks for by version and hash, for this version of a package. Raises CalledProcessError."""
    tool = Path(sys.executable).with_name("cyclonedx-py")
    command = [tool, "requirements", "--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--of", "JSON"]
    done = subprocess.run([*command, requirements], capture_output=True, text=True, check=True)
    parts = json.loads(done.stdout)
    parts["metadata"]["component"] |= {"name": package, "version": version}
    return json.dumps(parts, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for lock, package in PACKAGES.items():
        file = folder / f"{package}.cdx.json"
        file.write_text(parts_list(package, full_version(), ROOT / "locks" / f"{lock}.lock"))
        print(file)
