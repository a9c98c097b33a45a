"""The version and its build: of a checkout by git, of an installed package by what was written into it, else none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from pitwatch.daemon import __version__, cli
from pitwatch.daemon.common.version import checkout_build, full_version, written_build

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def git(folder, *arguments):
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder, text):
    (folder / "pyproject.toml").write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", text)
    return git(folder, "rev-parse", "HEAD")[:7]


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, "one")
    return folder


def test_a_checkout_counts_its_commits_and_names_the_last(checkout):
    for number, text in ((2, "two"), (3, "three")):
        last = commit(checkout, text)
        assert checkout_build(checkout) == f"git.{number}.{last}"


def test_a_changed_file_makes_another_build_and_a_new_one_does_not(checkout):
    build = checkout_build(checkout)
    (checkout / "notes").touch()
    assert checkout_build(checkout) == build
    (checkout / "pyproject.toml").write_text("changed")
    assert checkout_build(checkout) == f"{build}.dirty"


def test_a_clone_without_its_history_has_no_number(checkout, tmp_path):
    commit(checkout, "two")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{checkout}", "clone")
    assert checkout_build(tmp_path / "clone") == ""


def test_the_build_of_another_project_around_it_is_not_taken(checkout):
    inner = checkout / "site-packages"
    inner.mkdir()
    (inner / "pyproject.toml").touch()
    assert checkout_build(inner) == ""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_checkout_of_another_user_answers_too(checkout):
    build = checkout_build(checkout)
    for path in [checkout, *checkout.rglob("*")]:
        os.chown(path, 65534, 65534)
    assert checkout_build(checkout) == build


def test_without_git_there_is_no_build(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert checkout_build(checkout) == ""


@pytest.mark.parametrize(
    ("text", "build"),
    [
        ("git.912.1a2b3c4\n", "git.912.1a2b3c4"),
        ("git.912.1a2b3c4.dirty", "git.912.1a2b3c4.dirty"),
        ("git.912.1a2b3c4.deb12", "git.912.1a2b3c4.deb12"),
        ("git.912.1a2b3c4; and more", ""),
        ("\N{SNOWMAN}", ""),
        ("", ""),
    ],
)
def test_a_package_has_the_build_that_was_written_into_it(tmp_path, text, build):
    (tmp_path / "build.txt").write_text(text)
    assert written_build(tmp_path) == build
    assert written_build(tmp_path / "elsewhere") == ""


def test_the_command_line_prints_it(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"pitwatch {full_version()}\n"
    assert re.fullmatch(re.escape(__version__) + r"(\+git\.\d+\.[0-9a-f]{7}(\.dirty)?(\.deb\d+)?)?", full_version())
