"""`pitwatch rules`: pages for people, JSON for programs, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.rules.book import book as books
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
    assert "1 nothing judges: see rules check" in " ".join(page.split())
    assert cli.main(["rules", "show", f"{house}/roulette"]) == 0
    shown = capsys.readouterr().out
    assert "Watched by devices (10)" in shown
    assert "Not applicable: no cards (2)" in shown
    assert "Judged by nothing, see rules check (1)" in shown


def test_check_answers_no_with_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "check", "toledo-2020"]) == 0
    capsys.readouterr()
    (tmp_path / "book.toml").write_text('id = "house"\ntitle = "House"\n')
    assert cli.main(["rules", "check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"{tmp_path}/book.toml:1: the file: `document` is missing\n"


# -- changes


def copied(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name
    shutil.copytree(books.BOOKS / "toledo-2020", folder)
    return folder


def altered(folder: Path, file: str, old: str, new: str) -> Path:
    text = (folder / file).read_text()
    assert text.count(old) >= 1
    (folder / file).write_text(text.replace(old, new, 1))
    return folder


def changes(old: Path, new: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, list[str]]:
    code = cli.main(["rules", "changes", str(old), str(new), *more])
    return code, capsys.readouterr().out.splitlines()


def test_a_book_is_no_other_than_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = changes(copied(tmp_path, "a"), copied(tmp_path, "b"), capsys)
    assert code == 0
    assert lines == [f"{tmp_path}/a, {tmp_path}/b: no difference"]


def test_a_figure_that_is_another_changes_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = altered(copied(tmp_path, "new"), "roulette.toml", "value = 4", "value = 3")
    code, lines = changes(copied(tmp_path, "old"), new, capsys)
    assert code == 1
    assert lines == ["roulette: figure minimum-revolutions: value 4 -> 3"]


def test_other_words_change_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = altered(copied(tmp_path, "new"), "roulette.toml", "Announce No Spin", "Say No Spin")
    old = copied(tmp_path, "old")
    assert changes(old, new, capsys) == (0, ["1 differences in words and citations alone; --words shows them"])
    code, (line,) = changes(old, new, capsys, "--words")
    assert code == 0
    assert line.startswith("roulette: rule ")
    assert line.endswith("(words only)")


def test_a_rule_of_a_class_shows_at_every_game_it_reaches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = copied(tmp_path, "old"), copied(tmp_path, "new")
    general = (new / "general.toml").read_text()
    severity = next(line for line in general.splitlines() if line.startswith("severity ="))
    altered(
        new, "general.toml", severity, 'severity = "critical"' if "critical" not in severity else 'severity = "alert"'
    )
    code, lines = changes(old, new, capsys)
    assert code == 1
    assert len(lines) > 1
    assert all(": severity " in line for line in lines)


def test_a_game_that_went_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = copied(tmp_path, "old"), copied(tmp_path, "new")
    (new / "war.toml").unlink(missing_ok=True)
    gone = next(path for path in sorted(new.glob("*.toml")) if path.stem not in ("book", "general", "roulette"))
    gone.unlink(missing_ok=True)
    code, lines = changes(old, new, capsys)
    assert (code, lines) == (1, [f"{gone.stem}: game {gone.stem}: gone"])
    assert cli.main(["rules", "changes", str(old), str(new), "--json"]) == 1
    (told,) = json.loads(capsys.readouterr().out)
    assert told == {
        "game": gone.stem, "what": "game", "name": gone.stem, "field": "", "old": True, "new": None, "verdict": True
    }  # fmt: skip


def test_changes_of_a_book_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "changes", "toledo-2021", "toledo-2020"]) == 2
    assert "no rule book 'toledo-2021'; did you mean" in capsys.readouterr().err
