"""The locks fit pyproject.toml: whoever changes what is needed runs `make lock`."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[2]
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.M)
NEEDS = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
LOCKS = {"board": ("osdp",), "floor": ("osdp", "watch", "archive"), "dev": ("bench", "watch", "archive", "dev")}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_what_the_project_asks_for(name: str) -> None:
    """Each package in a version that fits; whatever else they need `pip check` finds missing below."""
    pins: dict[str, list[str]] = {}
    for package, version in PIN.findall((PROJECT / "locks" / f"{name}.lock").read_text()):
        pins.setdefault(canonicalize_name(package), []).append(version)
    wanted = [
        *NEEDS["dependencies"],
        *(each for extra in LOCKS[name] for each in NEEDS["optional-dependencies"][extra]),
    ]
    for each in map(Requirement, wanted):
        pinned = pins.get(canonicalize_name(each.name), [])
        assert any(each.specifier.contains(version) for version in pinned), f"{each}: {pinned}; run make lock"


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_has_its_hashes(name: str) -> None:
    text = (PROJECT / "locks" / f"{name}.lock").read_text()
    for entry in re.split(r"\n(?=[a-z])", text):
        assert not PIN.match(entry) or "--hash=sha256:" in entry, entry


def test_what_is_installed_is_whole() -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
