"""What a lock asks for on another machine: fetched as wheels, laid into a folder. Nothing is compiled or run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from installer import install
from installer.destinations import SchemeDictionaryDestination
from installer.sources import WheelFile
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename


class Target(NamedTuple):
    """A release of Debian on an architecture: its Python and the C library that its wheels may ask for."""

    debian: str
    python: str
    glibc: int
    """The N of glibc 2.N."""
    arch: str
    """As Debian calls it."""
    machine: str
    """As the kernel calls it."""

    def markers(self) -> dict[str, str]:
        """What the conditions of a lock are judged by: the target's, not those of the Python that runs this."""
        return {
            "python_version": self.python,
            "python_full_version": f"{self.python}.0",
            "platform_machine": self.machine,
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "os_name": "posix",
            "sys_platform": "linux",
            "platform_system": "Linux",
            "extra": "",
        }

    def pip_options(self) -> Iterator[str]:
        """Which wheels fit. pip expands none of the newer platforms to the older ones."""
        for minor in range(17, self.glibc + 1):
            yield f"--platform=manylinux_2_{minor}_{self.machine}"
        yield f"--platform=manylinux2014_{self.machine}"
        yield f"--platform=linux_{self.machine}"
        digits = self.python.replace(".", "")
        yield from (
            f"--python-version={digits}",
            "--implementation=cp",
            f"--abi=cp{digits}",
            "--abi=abi3",
            "--abi=none",
        )


def locked(lock: Path, target: Target) -> dict[str, list[str]]:
    """Package to its lines in the lock, without the condition, where that holds for the target."""
    found: dict[str, list[str]] = {}
    entries = lock.read_text().replace("\\\n", " ").splitlines()
    for entry in entries:
        if not entry.strip() or entry.lstrip().startswith("#"):
            continue
        asked, *hashes = entry.split(" --hash=")
        need = Requirement(asked.strip())
        if need.marker is None or need.marker.evaluate(target.markers()):
            found[canonicalize_name(need.name)] = [f"{need.name}{need.specifier}", *(each.strip() for each in hashes)]
    return found


def fetch(needs: dict[str, list[str]], target: Target, folder: Path) -> list[Path]:
    """The wheels of these packages, with a hash that the lock names. Raises subprocess.CalledProcessError."""
    folder.mkdir(parents=True)
    asked = folder / "asked.txt"
    lines = [" ".join([need, *(f"--hash={each}" for each in hashes)]) for need, *hashes in needs.values()]
    asked.write_text("\n".join(lines) + "\n")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    command += ["--only-binary=:all:", "--require-hashes", *target.pip_options(), f"--dest={folder}"]
    subprocess.run([*command, f"--requirement={asked}"], check=True)
    wheels = sorted(folder.glob("*.whl"))
    names = {parse_wheel_filename(wheel.name)[0] for wheel in wheels}
    if names != set(needs):
        raise SystemExit(f"debs: pip fetched {sorted(names)} where the lock asks for {sorted(needs)}")
    return wheels


def lay(wheel: Path, home: Path, target: Target) -> None:
    """The wheel's files in the virtual environment at `home`, with its programs in `bin`."""
    site = str(home / "lib" / f"python{target.python}" / "site-packages")
    scheme = {"purelib": site, "platlib": site, "scripts": str(home / "bin"), "data": str(home)}
    scheme["headers"] = str(home / "include")
    destination = SchemeDictionaryDestination(scheme, "/opt/pitwatch/.venv/bin/python", "posix")
    with WheelFile.open(wheel) as source:
        install(source, destination, {"INSTALLER": b"pitwatch-debs\n"})
