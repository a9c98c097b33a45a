"""Fingerprints of what the program runs on: Python, and the packages that a table needs at run time."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import platform
from pathlib import Path

PACKAGES = {"aiomqtt": "aiomqtt", "paho-mqtt": "paho", "msgspec": "msgspec", "pyserial": "serial", "gpiod": "gpiod"}
"""Distribution to the package that it installs."""

CODE = (".py", ".so", ".abi3.so")


@functools.cache
def dependencies() -> dict[str, dict[str, str]]:
    """Version of Python, and version and SHA-256 of the code of each package that is installed, by its distribution's
    name. An unknown version is left out."""
    found = {"python": {"version": platform.python_version(), "implementation": platform.python_implementation()}}
    for name, package in PACKAGES.items():
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            folder = Path(spec.origin).parent
            version = _version(folder.parent, name)
            found[name] = ({"version": version} if version else {}) | {"sha256": _digest(folder)}
    return found


def _digest(folder: Path) -> str:
    """Over the files of code by name and content. Files that cannot be read count by their name alone."""
    digest = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.name.endswith(CODE)):
        try:
            content = file.read_bytes()
        except OSError:
            content = b""
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def _version(site: Path, name: str) -> str:
    """As the installer wrote it beside the package; empty if it did not."""
    for form in (name, name.replace("-", "_")):
        for each in sorted(site.glob(f"{form}-*.*-info")):
            return each.name.removeprefix(f"{form}-").rpartition(".")[0]
    return ""
