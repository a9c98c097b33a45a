"""Every game against its document, by cases that somebody wrote who had read the document and not the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.case_file import Case, read
from tests.audit.judge import differences

CASES = Path(__file__).with_name("cases")
FILES = sorted(CASES.glob("*/*.yaml"))


def _marked(case: Case) -> object:
    marks = [pytest.mark.xfail(reason=case.disputed, strict=True)] if case.disputed else []
    return pytest.param(case, id=f"{case.game}: {case.name}", marks=marks)


@pytest.mark.parametrize("case", [_marked(case) for path in FILES for case in read(path)])
def test_the_verdict_is_the_document_s(case: Case, tmp_path: Path) -> None:
    assert differences(case, tmp_path) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_game_is_tried_from_every_side(path: Path) -> None:
    """At least three faults, two remedies that were carried out, five plays that are unusual and legal."""
    kinds = [case.kind for case in read(path)]
    assert kinds.count("fault") >= 3
    assert kinds.count("remedy") >= 2
    assert kinds.count("legal") >= 5
