"""Tests below guest/ run on the kernel under test and nowhere else; those here start it and pass on what they say."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.kernel.uml import machine

collect_ignore = [] if machine.inside() else ["guest"]


@dataclass
class Ran:
    """What ran inside: the kernel, how many tests passed of each file, and why others were skipped."""

    kernel: str = ""
    passed: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


_RAN = pytest.StashKey[Ran]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_RAN] = Ran()


@pytest.fixture
def ran(request: pytest.FixtureRequest) -> Ran:
    return request.config.stash[_RAN]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    ran = config.stash[_RAN]
    if ran.passed:
        terminalreporter.section("on the kernel")
        for name, count in ran.passed.items():
            terminalreporter.write_line(f"{count:4} {name}")
        for reason in ran.skipped:
            terminalreporter.write_line(f"skip {reason}")
        terminalreporter.write_line(f"{sum(ran.passed.values())} tests ran on a real kernel: {ran.kernel}")
