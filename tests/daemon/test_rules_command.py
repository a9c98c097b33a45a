"""`pitwatch rules`: pages for people, JSON for programs, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon import cli
from rules import book as books
from tests.roulette import roulette

TABLE = roulette("none")


def test_list_names_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "list", "--json"]) == 0
    listed = {entry["game"] for entry in json.loads(capsys.readouterr().out)}
    assert listed == {f"{folder.name}/{game}" for folder in books.books() for game in books.games(folder)}
    assert cli.main(["rules", "list"]) == 0
    page = capsys.readouterr().out
    for game in listed:
        assert f"\n  {game} " in page, "as `rules show` wants it"
    assert "\x1b" not in page, "no colours in a pipe"


EDITION = "submitted 2020-08-28, approved 2020-08-31"


@pytest.mark.parametrize("verb", [["list"], ["show", "toledo-2020/roulette"]])
def test_the_edition_of_a_book_is_told(verb: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", *verb]) == 0
    assert f"Appendix A, {EDITION}" in " ".join(capsys.readouterr().out.split())
    assert cli.main(["rules", *verb, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    games = {each["game"]: each for each in told} if verb == ["list"] else {"toledo-2020/roulette": told}
    assert games["toledo-2020/roulette"]["edition"] == EDITION
    if verb == ["list"]:
        assert games["toledo-2019/roulette"]["edition"].startswith("submitted 2019")
        assert games["california/casino-war"]["edition"] == ""


@pytest.mark.parametrize("game", ["roulette", "craps", "mini-midi-baccarat", "three-card-poker", "blackjack"])
def test_show_is_a_page_with_every_rule_its_remedy_and_its_lines(
    game: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # in a narrow terminal words are broken at their hyphens
    assert cli.main(["rules", "show", f"toledo-2020/{game}"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    for rule in books.load_game(f"toledo-2020/{game}").rules.values():
        assert rule.id in page
        assert " ".join(rule.instruction.split()) in page
        assert f"Section {rule.section}, lines {rule.lines}" in page


def test_show_of_a_game_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "show", "toledo-2020/roulete"]) == 2
    error = capsys.readouterr().err
    assert "did you mean 'roulette'?" in error
    assert error.count("\n") == 1


def test_coverage_sorts_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.toml"
    table.write_text(TABLE)
    assert cli.main(["rules", "coverage", str(table), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"rule": "result-mismatch", "by": ["wheel"]} in told["judged"]
    assert {"rule": "under-minimum-revolutions", "missing": ["wheel.ball_left_rim"]} in told["needs_more"]
    assert {"rule": "late-bet"} in told["person"]
    assert cli.main(["rules", "coverage", str(table)]) == 0
    assert "needs wheel.ball_left_rim" in capsys.readouterr().out


def test_rules_that_no_devices_would_judge_stand_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs, house, table = books.BOOKS / "toledo-2020", tmp_path / "house", tmp_path / "table.toml"
    house.mkdir()
    for name in ("book.toml", "general.toml", "roulette.toml"):
        (house / name).write_text((theirs / name).read_text().replace('"same-direction-spin"', '"same-direction"'))
    table.write_text(TABLE.replace("toledo-2020/roulette", f"{house}/roulette"))
    assert cli.main(["rules", "coverage", str(table), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["rule"] for each in told["nobody"]] == ["same-direction"]
    assert {"rule": "shuffle-count-failed", "because": "no cards"} in told["not_applicable"]
    apart = {each["rule"] for kind in ("nobody", "not_applicable") for each in told[kind]}
    assert not apart & {each["rule"] for kind in ("judged", "needs_more", "person") for each in told[kind]}
    assert cli.main(["rules", "coverage", str(table)]) == 0
    page = capsys.readouterr().out
    assert f"{len(told['judged'])} of 14 documented irregularities" in page, "16, but for two on cards"
    assert "1 nobody judges: see rules check" in " ".join(page.split())
    assert cli.main(["rules", "show", f"{house}/roulette"]) == 0
    shown = capsys.readouterr().out
    assert "Watched by devices (10)" in shown
    assert "Not applicable: no cards (2)" in shown
    assert "Judged by nobody, see rules check (1)" in shown


def test_check_answers_no_with_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "check", "toledo-2020"]) == 0
    capsys.readouterr()
    (tmp_path / "book.toml").write_text('id = "house"\ntitle = "House"\n')
    assert cli.main(["rules", "check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"{tmp_path}/book.toml:1: the file: `document` is missing\n"
