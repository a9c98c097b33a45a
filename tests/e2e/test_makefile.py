"""What `make` installs on a board, and that `make bench` prints figures only: with a Python that does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PYTHON = """#!/bin/sh
mkdir -p .venv/bin
printf '#!/bin/sh\\necho "$@" >>pip\\n' >.venv/bin/pip
printf '#!/bin/sh\\necho "{}"\\n' >.venv/bin/python
chmod +x .venv/bin/pip .venv/bin/python
"""


@pytest.fixture
def make(tmp_path):
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "locks").mkdir()
    for name in ("board", "dev"):
        (tmp_path / "locks" / f"{name}.lock").touch()

    def make(*arguments: str) -> str:
        command = ["make", "--no-print-directory", "-f", str(ROOT / "Makefile"), "PYTHON=./python", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    return make


def test_a_board_gets_nothing_of_development(make, tmp_path):
    make("board")
    locked, itself = (tmp_path / "pip").read_text().splitlines()
    assert locked.endswith("--require-hashes --requirement locks/board.lock")
    assert itself.endswith("--no-deps --editable .")
    (tmp_path / "pip").unlink()
    make("board")
    assert not (tmp_path / "pip").exists()  # it is there


def test_a_32_bit_system_is_refused_with_the_reason_before_anything_is_installed(make, tmp_path):
    narrow = "import sys; sys.maxsize = 2**31 - 1; exec(sys.argv[2])"
    (tmp_path / "python").write_text(f"#!/bin/sh\nexec {sys.executable} -c '{narrow}' \"$@\"\n")
    for target in ("board", "install"):
        with pytest.raises(subprocess.CalledProcessError) as refused:
            make(target)
        assert refused.value.stderr.startswith(
            "this system is 32-bit (armhf?): Pitwatch needs a 64-bit one, for msgspec"
        )
        assert not (tmp_path / ".venv").exists()


def test_bench_prints_its_figures_and_no_more(make):
    make("install")
    assert make("bench") == "{}\n"
