"""Starts the kernel under test once for each file of guest/ and fails with what failed inside.

`make kernel-test` builds the kernel first; where there is none, this is skipped.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.kernel.conftest import Ran
from tests.kernel.uml import machine

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted(path.stem for path in (HERE / "guest").glob("test_*.py"))
WITHOUT_A_PI = ("test_gpiod_lines",)
"""Files that bring chips of their own and no Raspberry Pi's."""


@pytest.fixture(scope="session", autouse=True)
def _kernel() -> None:
    try:
        machine.kernel()
    except machine.NoKernelError as lacking:
        pytest.skip(str(lacking))


@pytest.mark.parametrize("name", FILES)
def test_on_a_real_kernel(name: str, tmp_path: Path, ran: Ran, capfd: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", f"--junitxml={report}", "-rs"]
    status = machine.run(
        [*command, HERE / "guest" / f"{name}.py"], seconds=400, write=[tmp_path], pi4=name not in WITHOUT_A_PI
    )
    said = capfd.readouterr()
    assert report.exists(), f"exit status {status}\n{said.out}\n{said.err}"
    cases = ElementTree.parse(report).getroot().findall(".//testcase")
    skipped = [case.find("skipped") for case in cases if case.find("skipped") is not None]
    assert status == 0, said.out + said.err
    assert len(cases) > len(skipped), said.out
    ran.kernel = _release()
    ran.passed[name] = len(cases) - len(skipped)
    ran.skipped += sorted({f"{name}: {reason.get('message')}" for reason in skipped if reason is not None})


def _release() -> str:
    text = (machine.kernel() / "linux").read_bytes()
    begin = text.index(b"Linux version ") + len(b"Linux version ")
    return "Linux " + text[begin : text.index(b" ", begin)].decode()
