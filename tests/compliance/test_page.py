"""The compliance page is what its table says, and every command and test that it names is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from tests.compliance.page import READ, page, sources

ROOT = Path(__file__).parents[2]
ROWS = [(source["name"], each) for source in sources() for each in source["clause"]]
ASKED_FOR = ("3772-11-39", "3772-19-09", "112-106-6", "25 CFR 542", "RTS 17A", "Cyber Resilience Act", "303 645")


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z][a-z -]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def exists(command: str) -> bool:
    """Whether the program, or the Makefile, knows these words."""
    program, *words = command.split()
    if program == "make":
        return any(words == [name] for target in targets() for name in target.split())
    assert program == "pitwatch", command
    with pytest.raises(SystemExit) as ended:
        cli.main([*words, "--help"])
    return ended.value.code == 0


def test_the_page_is_what_the_table_says() -> None:
    assert (ROOT / "docs" / "compliance.md").read_text(encoding="utf-8") == page(), "run: make compliance"


@pytest.mark.parametrize("command", sorted({command for _, row in ROWS for command in row["run"]}))
def test_a_command_is_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exists(command)
    if command.startswith("pitwatch"):
        usage = capsys.readouterr().out.partition("\n\n")[0]  # its own, not that of a command above it
        assert re.search(rf"^(usage:)? *{command}\b", usage, re.M)


def test_a_command_that_is_not_there_is_found() -> None:
    assert not exists("pitwatch archive nothing")
    assert not exists("make nothing")


@pytest.mark.parametrize("test", sorted({test for _, row in ROWS for test in row["tests"]}))
def test_a_test_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert name in named_in(path)


@pytest.mark.parametrize(("source", "row"), ROWS, ids=[f"{name[:12]} {row['clause']}" for name, row in ROWS])
def test_a_row_says_how_much_was_read_what_is_tried_and_what_is_not_done(source: str, row: dict[str, object]) -> None:
    assert set(row) == {"clause", "read", "requires", "proves", "run", "tests", "not"}
    assert row["read"] in READ
    assert row["tests"]
    assert row["not"]
    assert (row["read"] == "unread") == str(row["requires"]).startswith("Not read"), "what was not read says nothing"
    assert not any("|" in str(value) for value in row.values())


@pytest.mark.parametrize("name", ASKED_FOR)
def test_a_source_is_on_the_page(name: str) -> None:
    assert any(name in source["name"] for source in sources())


def test_the_security_policy_says_what_it_must() -> None:
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    (address,) = re.findall(
        r"^Maintainer: .*<(.+)>$", (ROOT / "systemd/deb/board/control").read_text(encoding="utf-8"), re.M
    )
    assert address in policy
    for heading in ("## Report a vulnerability", "## Times", "## Support period"):
        assert heading in policy
    assert re.search(r"first answer\b.*\b\d+ (working )?days", policy)
    assert re.search(r"further news\b.*\b\d+ days", policy)
    assert re.search(r"\b\d+ months", policy)
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    release = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("**A release.**")[2]
    assert "make sbom" in release
    assert "SBOM" in release
