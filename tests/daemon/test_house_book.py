"""A house's own book in a folder of its own: one game, two changed figures, one new wording; no code is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pitwatch.daemon import cli
from pitwatch.rules.book import BOOKS
from pitwatch.sim_hw import write_capture
from tests.sim_hw.tablerun import BenchTable

BOOK = """id = "house"
title = "Rules of this house"
document = "house-rules.txt"
"""

CHANGES = (
    ('[figures.dealer-stands]\nvalue = 17', '[figures.dealer-stands]\nvalue = 18'),
    ('[figures.split-hands]\nvalue = 4', '[figures.split-hands]\nvalue = 3'),
)  # fmt: skip

WORDING = "Call the floor and wait."


def _reworded(game: str) -> str:
    head, rule, rest = game.partition('id = "dealer-stood-against-rule"')
    before, key, after = rest.partition("instruction = ")
    return head + rule + before + key + f'"{WORDING}"' + after[after.index("\n") :]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The house's book."""
    game = (BOOKS / "toledo-2020" / "blackjack.toml").read_text()
    for old, new in CHANGES:
        assert game.count(old) == 1
        game = game.replace(old, new)
    house = tmp_path / "house"
    house.mkdir()
    (house / "book.toml").write_text(BOOK)
    (house / "blackjack.toml").write_text(_reworded(game))
    (house / "general.toml").write_text((BOOKS / "toledo-2020" / "general.toml").read_text())
    return house


def _table(tmp_path: Path, game: str) -> Path:
    bench = BenchTable("blackjack").path.read_text()
    path = tmp_path / "table.toml"
    path.write_text(bench.replace('game = "toledo-2020/blackjack"', f'game = "{game}"'))
    return path


def _capture(path: Path, table: BenchTable, rounds: int, plan: Any = ()) -> Path:
    with path.open("wb") as file:
        write_capture(
            file, table.events(rounds, 3, plan), {each.id: each.lines for each in table.devices if each.lines}
        )
    return path


def _replay(capture: Path, table: Path, capfd: pytest.CaptureFixture[str]) -> tuple[list[Any], list[Any]]:
    """Rounds and irregularities that the command prints."""
    assert cli.main(["replay", str(capture), "--table", str(table)]) == 0
    said = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    kinds = ("pitwatch.round.v1", "pitwatch.irregularity.v1")
    rounds, irregularities = ([each["data"] for each in said if each["type"] == kind] for kind in kinds)
    return rounds, irregularities


def test_it_is_free_of_mistakes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "check", str(folder)]) == 0
    assert cli.main(["rules", "show", f"{folder}/blackjack"]) == 0
    assert WORDING in capsys.readouterr().out


@pytest.mark.parametrize("named", ["as a path", "beside the table's file"])
def test_a_table_plays_by_it(folder: Path, tmp_path: Path, named: str, capfd: pytest.CaptureFixture[str]) -> None:
    table = _table(tmp_path, f"{folder}/blackjack" if named == "as a path" else "house/blackjack")
    capture = _capture(tmp_path / "clean.jsonl", BenchTable("blackjack", f"{folder}/blackjack"), 40)
    rounds, irregularities = _replay(capture, table, capfd)
    assert irregularities == []
    assert [each["game"] for each in rounds] == ["house/blackjack"] * 40
    totals = [each["result"]["dealer"]["total"] for each in rounds if len(each["cards"]["dealer"]) > 2]
    assert min(totals) >= 18


def test_by_the_other_book_the_same_play_is_irregular(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    capture = _capture(tmp_path / "clean.jsonl", BenchTable("blackjack", f"{folder}/blackjack"), 40)
    _, irregularities = _replay(capture, _table(tmp_path, "toledo-2020/blackjack"), capfd)
    assert {each["rule"] for each in irregularities} == {"toledo-2020/blackjack/dealer-drew-against-rule"}


def test_its_own_words_and_document_go_with_a_verdict(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table = BenchTable("blackjack", f"{folder}/blackjack")
    plan = table.plan(4, 1, ["dealer-stood-against-rule"])
    capture = _capture(tmp_path / "fault.jsonl", table, 4, plan)
    _, (found,) = _replay(capture, _table(tmp_path, f"{folder}/blackjack"), capfd)
    assert found["rule"] == "house/blackjack/dealer-stood-against-rule"
    assert found["instruction"] == WORDING
    assert found["citation"]["document"] == "house-rules.txt"
    assert found["citation"]["title"] == "Rules of this house"


MISTAKES = {
    "a missing citation": ('id = "dealer-stood-against-rule"', 'lines = "', '# "', "no citation"),
    "an unknown option": ("[options.resplit-aces]", "resplit-aces]", "resplit-ace]", "did you mean 'resplit-aces'?"),
    "an impossible count": ("[figures.split-hands]", "value = 3", "value = -3", "-3 cannot be"),
    "a phase that no device can start": ("[[phase]]", 'starts = ["', 'starts = ["shoe.card_sung", "', "no device can"),
}
"""In which table of the file, what is written there, what instead, and what is told."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_it_is_told_with_file_and_line(
    folder: Path, mistake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, right, wrong, says = MISTAKES[mistake]
    path = folder / "blackjack.toml"
    text = path.read_text()
    start = text.index(table)
    path.write_text(text[:start] + text[start:].replace(right, wrong, 1))
    assert cli.main(["rules", "check", str(folder)]) == 1
    (told,) = capsys.readouterr().out.splitlines()
    assert says in told
    file, number, _ = told.split(":", 2)
    assert file == str(path)
    first = text.count("\n", 0, start)  # the header may stand on the line before
    assert first <= int(number) <= first + text[start:].split("\n\n")[0].count("\n") + 1
