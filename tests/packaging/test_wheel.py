"""The wheel in a clean environment beside python-daemon, which has a `daemon` of its own, on each Python there is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pitwatch.daemon import __version__

PROJECT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def interpreter(version: str) -> str | None:
    """Where that Python is: on the path, or as pyenv lays it out. A shim of pyenv may be of one that is not."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    installed = sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python3")))
    found = [*installed[-1:], *filter(None, [shutil.which(f"python{version}")])]
    return next((each for each in found if not subprocess.run([each, "-c", ""], capture_output=True).returncode), None)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is left in the folder."""
    source = tmp_path_factory.mktemp("source") / "pitwatch"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True).stdout
    for name in filter(None, tracked.decode().split("\0")):
        if name.split("/")[0] in ("tests", "docs", "benchmarks"):
            continue
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (PROJECT / name).exists():
            shutil.copy2(PROJECT / name, source / name, follow_symlinks=False)
    (source / "pitwatch" / "build.txt").write_text("git.912.1a2b3c4\n")
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(source)]
    subprocess.run(command, check=True)
    return next(out.glob("pitwatch-*.whl"))


def test_all_of_it_is_one_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"pitwatch"}
    every = {str(path.relative_to(PROJECT)) for path in (PROJECT / "daemon").rglob("*.py")}
    assert {f"pitwatch/{name}" for name in every} <= set(names)
    assert "pitwatch/py.typed" in names
    assert wheel.name == f"pitwatch-{__version__}+git.912.1a2b3c4-py3-none-any.whl"
    assert "pitwatch/rules/books/toledo-2020/roulette.toml" in names
    assert "pitwatch/daemon/bench/panel/page/main.js" in names


@pytest.mark.parametrize("version", PYTHONS)
def test_it_runs_a_table_beside_python_daemon(wheel: Path, tmp_path: Path, version: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    subprocess.run([python, "-m", "venv", str(tmp_path / "venv")], check=True)
    there = str(tmp_path / "venv" / "bin" / "python")
    install = [
        there,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "python-daemon",
        f"{wheel}[bench]",
    ]
    subprocess.run(install, check=True)
    both = "import daemon, pitwatch.daemon; print(daemon.DaemonContext.__module__, pitwatch.daemon.__file__)"
    said = subprocess.run([there, "-c", both], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.startswith("daemon.daemon ")
    assert "site-packages" in said
    command = [str(tmp_path / "venv" / "bin" / "pitwatch"), "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"pitwatch {__version__}+git.912.1a2b3c4\n"
    bench = [str(tmp_path / "venv" / "bin" / "pitwatch"), "bench", "--rounds", "5", "--speed", "max", "--json"]
    done = subprocess.run(bench, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kinds = [json.loads(line).get("type") for line in done.stdout.splitlines()]
    assert kinds.count("pitwatch.round.v1") == 20  # four tables
