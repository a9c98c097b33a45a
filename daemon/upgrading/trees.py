"""Whole versions of the program beside each other, and which of them runs.

    package/        what dpkg unpacks, file by file; nothing runs from here
    versions/V/     a version: hard links to those files, made whole before it gets its name
    current         → versions/V, which runs. One rename changes it
    previous        → versions/V, the one before, which judges the newer one and is put back if that fails

dpkg puts a new file in place of an old one and never writes into one, so an older tree keeps its files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import sync_folder

FITTED = {
    "systemd/pitwatch@.service": "lib/systemd/system/pitwatch@.service",
    "systemd/60-pitwatch.rules": "lib/udev/rules.d/60-pitwatch.rules",
}
"""Files of a version that belong elsewhere in the system, and where."""
CHECKER = {"systemd/pitwatch-upgrade.service": "lib/systemd/system/pitwatch-upgrade.service"}
"""The same, of the version that judges."""

PYTHON, PROGRAM = ".venv/bin/python", ".venv/bin/pitwatch"
ALSO_RUN = ".venv"
"""Beside `current`: where services and people look for the program."""
UNFINISHED = ".unfinished"
COMPILE_SECONDS = 900


class Trees:
    """`home` is /opt/pitwatch, `root` the system's root, `sums` dpkg's lists of what the packages contain. Raises
    UsageError for a package that is not complete, OSError if the disk refuses."""

    def __init__(self, home: Path, root: Path = Path("/"), sums: Path = Path("/var/lib/dpkg/info")):
        self.home = home
        self._root = root
        self._sums = sums
        self.package = home / "package"
        self._versions = home / "versions"

    def version(self, tree: Path) -> str:
        """The version that the tree holds; "" if it holds none."""
        try:
            return (tree / "VERSION").read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return ""

    def tree(self, name: str) -> Path:
        return self._versions / name

    def named(self, link: str) -> Path | None:
        """The tree that `current` or `previous` names; None if there is none."""
        try:
            tree = self._versions / Path(os.readlink(self.home / link)).name
        except OSError:
            return None
        return tree if self.version(tree) else None

    def runs(self, tree: Path) -> bool:
        """Whether the version can run here: another release of Debian has another Python."""
        try:
            command = [str(tree / PYTHON), "-I", str(tree / PROGRAM), "--version"]
            return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
        except (OSError, subprocess.SubprocessError):
            return False

    def is_of_package(self, tree: Path) -> bool:
        """Whether the tree has the very files that dpkg has unpacked, and no others."""
        return dict(_files(tree)) == dict(_files(self.package))

    def lay(self) -> Path:
        """A tree of what dpkg has unpacked, whole and on the disk before it has its name."""
        self._compare_sums()
        version = self.version(self.package)
        if not version:
            raise UsageError(f"{self.package}: the package is not complete; install it again")
        self._versions.mkdir(exist_ok=True)
        for left in self._versions.glob(f"*{UNFINISHED}"):
            shutil.rmtree(left)
        names = [version, *(f"{version}.{number}" for number in range(2, 100))]
        tree = next(self._versions / name for name in names if not (self._versions / name).exists())
        part = tree.with_name(tree.name + UNFINISHED)
        shutil.copytree(
            self.package, part, symlinks=True, copy_function=os.link, ignore=shutil.ignore_patterns("__pycache__")
        )
        self._compile(part, tree)
        os.sync()
        os.rename(part, tree)
        sync_folder(self._versions)
        return tree

    def point(self, link: str, tree: Path) -> None:
        """Have `current` or `previous` name the tree, by one rename."""
        new = self.home / f"{link}.new"
        new.unlink(missing_ok=True)
        new.symlink_to(tree.relative_to(self.home))
        os.replace(new, self.home / link)
        sync_folder(self.home)

    def also_run(self) -> None:
        """Have the usual path lead to the current tree."""
        link = self.home / ALSO_RUN
        if not link.is_symlink():
            with contextlib.suppress(FileNotFoundError):  # what a package of another layout has left there
                shutil.rmtree(link)
            link.symlink_to(f"current/{ALSO_RUN}")

    def fit(self, tree: Path, files: dict[str, str]) -> None:
        """Put the tree's files where the system looks for them, each whole."""
        for name, place in files.items():
            source, target = tree / name, self._root / place
            if not source.exists() or (target.is_file() and target.read_bytes() == source.read_bytes()):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(f".{target.name}.new")
            part.unlink(missing_ok=True)
            with part.open("xb") as file:
                file.write(source.read_bytes())
                file.flush()
                os.fsync(file.fileno())
            part.chmod(0o644)
            os.replace(part, target)
            sync_folder(target.parent)

    def prune(self, keep: tuple[Path | None, ...]) -> None:
        """Remove other versions, unless a process still runs from one."""
        used = _mapped()
        for tree in sorted(self._versions.iterdir()):
            if tree not in keep and f"{tree}/" not in used:
                shutil.rmtree(tree)

    def _compile(self, part: Path, tree: Path) -> None:
        """So that no start has to do it; services cannot write there."""
        command = [str(part / PYTHON), "-I", "-m", "compileall", "-q", "-s", str(part), "-p", str(tree)]
        command.append(str(part / ".venv/lib"))
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(command, capture_output=True, timeout=COMPILE_SECONDS, check=False)

    def _compare_sums(self) -> None:
        """What dpkg unpacked with what the packages say; a bad card or a full disk shows here."""
        for name in ("pitwatch", "pitwatch-floor"):
            try:
                lines = (self._sums / f"{name}.md5sums").read_text().splitlines()
            except OSError:
                continue
            listed = [(self._root / path, sum_) for sum_, _, path in (line.partition("  ") for line in lines)]
            there = [(file, sum_) for file, sum_ in listed if file.is_relative_to(self.package)]
            if not any(file.exists() for file, _ in there):
                continue  # dpkg removes this package just now
            for file, expected in there:
                try:
                    found = hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()
                except OSError as error:
                    raise UsageError(f"{file}: {error.strerror}; install {name} again") from None
                if found != expected:
                    raise UsageError(f"{file}: differs from the package; install {name} again, and test the disk")


def _files(tree: Path) -> Iterator[tuple[str, int | str]]:
    """Each file by its path and its number on the disk, each link by where it leads; what was compiled left out."""
    for folder, folders, names in os.walk(tree):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for name in [*names, *(each for each in folders if os.path.islink(os.path.join(folder, each)))]:
            path = os.path.join(folder, name)
            mark = os.readlink(path) if os.path.islink(path) else os.lstat(path).st_ino
            yield os.path.relpath(path, tree), mark


def _mapped() -> str:
    """What running processes have mapped into their memory: compiled modules are."""
    found = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):
            found.append(maps.read_text(errors="replace"))
    return "".join(found)
