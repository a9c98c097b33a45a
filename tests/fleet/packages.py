"""Real Debian packages of the program for boards that are folders, and a repository of them. For tests only."""

from __future__ import annotations

import compileall
import hashlib
import shutil
import subprocess
from pathlib import Path
from py_compile import PycInvalidationMode

from tests.copied_tree import copy_of

PREFIX = "0.2.0+git."
OLD, GOOD, LATE, DEAD = (
    f"{PREFIX}{number}.{digit * 7}" for number, digit in ((900, "a"), (901, "b"), (902, "c"), (903, "d"))
)
"""The version before; a good one; one whose tables raise an alert once they have run for a while; one that does not
run."""

LATE_FAULT = """
_start = Daemon.start


async def _worse_later(self: Daemon) -> None:
    await _start(self)
    asyncio.get_running_loop().call_later(6, self._alert, "wheel-jam", "jam", "of this version")


Daemon.start = _worse_later
"""
DEAD_FAULT = '\nraise SystemExit("this version does not run")\n'
POSTINST = "#!/bin/sh\nsystemctl try-restart 'pitwatch@*.service'\n"


def repository(folder: Path, versions: tuple[str, ...] = (OLD, GOOD, LATE, DEAD)) -> Path:
    """A folder with a package of each version and their index."""
    folder.mkdir()
    tree = _tree(folder / "tree")
    entries = []
    for version in versions:
        deb = _package(folder, tree, version)
        control = subprocess.run(["dpkg-deb", "-f", deb], check=True, capture_output=True, text=True).stdout
        content = deb.read_bytes()
        sums = f"Filename: ./{deb.name}\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"
        entries.append(f"{control.strip()}\n{sums}")
    shutil.rmtree(tree)
    (folder / "Packages").write_text("\n".join(entries))
    return folder


def _tree(tree: Path) -> Path:
    """The program with one rule book, compiled: a board would take seconds for it."""
    program = copy_of(tree / "opt" / "pitwatch", "daemon", "devices", "hal", "rules") / "pitwatch"
    for book in (program / "rules" / "books").iterdir():
        if book.name not in ("toledo-2020", "__init__.py"):
            shutil.rmtree(book)
    compileall.compile_dir(program, quiet=2, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN" / "postinst").write_text(POSTINST)
    (tree / "DEBIAN" / "postinst").chmod(0o755)
    return tree


def _package(folder: Path, tree: Path, version: str) -> Path:
    program = tree / "opt" / "pitwatch" / "pitwatch"
    (program / "build.txt").write_text(version.partition("+")[2] + "\n")
    app = program / "daemon" / "service" / "app.py"
    whole = app.read_text()
    app.write_text(whole + {LATE: LATE_FAULT, DEAD: DEAD_FAULT}.get(version, ""))
    compileall.compile_file(app, quiet=2, force=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    (tree / "DEBIAN" / "control").write_text(
        f"Package: pitwatch\nVersion: {version}\nArchitecture: all\nMaintainer: tests <tests@pitwatch.example>\n"
        "Description: watches a casino table\n"
    )
    deb = folder / f"pitwatch_{version}_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, deb], check=True, capture_output=True)
    app.write_text(whole)
    return deb
