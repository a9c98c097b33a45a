"""The run itself: it fails where something is wrong, and its matrix says what was played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from pitwatch.rules.book import BOOKS, load_game
from pitwatch.rules.records import Irregularity
from pitwatch.sim_hw import Planned
from tests.conformance import catalogue, matrix, play
from tests.conformance.cases import Case, cases
from tests.conformance.exempt import Exempt, exemption
from tests.conformance.run import Outcome, Size, conform, gaps, holes
from tests.sim_hw.tablerun import BenchTable

ROULETTE = "toledo-2020/roulette"
TABLE = Case(ROULETTE, "roulette")

UNBROKEN = """
[[irregularity]]
id = "ball-of-another-colour"
says = "The ball that settles is not the one that was launched"
needs = ["wheel.ball_launched", "wheel.ball_settled"]
category = "procedure"
severity = "notice"
disposition = "none-stated"
instruction = "Look at the ball."
lines = "1649"
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A roulette book in which the text of the shipped one can be changed."""
    for name in ("book", "general", "roulette"):
        (tmp_path / f"{name}.toml").write_text((BOOKS / "toledo-2020" / f"{name}.toml").read_text())
    return tmp_path


def change(house: Path, old: str, new: str) -> str:
    """Change the game; returns its path."""
    file = house / "roulette.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    return f"{house}/roulette"


def test_a_game_that_conforms() -> None:
    outcome = conform(ROULETTE, Size(clean=20, seeds=2))
    assert outcome.wrong == []
    assert outcome.clean >= 20
    assert outcome.broken["same-direction-spin"] == 2 * len(cases(ROULETTE))


def test_a_rule_that_nobody_breaks_is_a_hole(house: Path) -> None:
    path = change(house, "\n[[irregularity]]", f"{UNBROKEN}\n[[irregularity]]")
    assert {rule for _, rule in gaps(path)} >= {"ball-of-another-colour"}
    assert f"{path} at roulette: ball-of-another-colour is judged, but no simulated dealer breaks it" in holes(path)


def test_a_rule_whose_devices_no_bench_table_has_is_a_hole(house: Path) -> None:
    path = change(house, 'needs = ["wheel.ball_floating"', 'needs = ["peek.hole_card_checked"')
    assert (path, "floater") in gaps(path)


def test_a_family_without_a_table_is_a_hole(house: Path) -> None:
    assert holes("california/poker-collection-rates") == []
    path = change(house, 'family = "roulette"', 'family = "bingo"')
    assert f"{path}: there is no bench table of family 'bingo' in sim_hw/tables" in holes(path)


def test_noise_in_clean_rounds_is_told() -> None:
    heard = TABLE.bench.run(3, 1, {1: "result-mismatch"})
    assert list(play.noise(heard, 4)) == ["result-mismatch reported 1 times", "3 rounds put out"]


def test_another_verdict_than_expected_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = BenchTable("roulette")
    monkeypatch.setattr(bench, "plan", lambda *_: [Planned(1, "result-mismatch", ("floater", "result-mismatch"))])
    monkeypatch.setitem(TABLE.__dict__, "bench", bench)
    assert play.fault(TABLE, "result-mismatch", 1) == [
        "toledo-2020/roulette at roulette, result-mismatch, seed 1: "
        "in round 2 expected floater, result-mismatch, reported result-mismatch"
    ]


def test_a_fault_that_cannot_be_played_is_told() -> None:
    (told,) = play.fault(TABLE, "floater", 1)
    assert ", floater, seed 1: ValueError: floater: cannot be provoked at this table" in told


def found() -> Irregularity:
    (each,) = TABLE.bench.run(3, 1, {1: "same-direction-spin"}).irregularities
    return each


def test_what_is_not_as_in_the_book_is_told() -> None:
    game = load_game(ROULETTE)
    assert play.differences(game, found()) == []
    milder = msgspec.structs.replace(found(), severity="notice")
    assert play.differences(game, milder) == ["same-direction-spin.severity is 'notice', in the book 'alert'"]
    elsewhere = msgspec.structs.replace(found(), citation=msgspec.structs.replace(found().citation, lines="1"))
    assert play.differences(game, elsewhere) == ["same-direction-spin.lines is '1', in the book '1658'"]
    other = msgspec.structs.replace(found(), rule="toledo-2020/craps/same-direction-spin")
    assert play.differences(game, other) == ["toledo-2020/craps/same-direction-spin is no rule of toledo-2020/roulette"]


def test_what_the_house_must_choose_is_chosen() -> None:
    chosen = [case for case in cases("toledo-2020/three-card-poker") if case.options]
    assert [case.options for case in chosen] == [(("verification", "key-card"),)]
    assert str(chosen[0]) == "toledo-2020/three-card-poker at three-card-poker with verification = key-card"


def test_a_name_of_the_reading_that_no_book_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "toledo-2020"
    folder.mkdir()
    (folder / "roulette.yaml").write_text(
        "irregularities: [{id: ball-stolen, detectable_by: [wheel]}, {id: under-four-revolutions}, "
        "{id: late-bet, detectable_by: [table-panel]}, {id: chips-leaving-table, detectable_by: [human]}]"
    )
    (folder / "bingo.yaml").write_text("irregularities: []")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    missing, unwritten = catalogue.unwritten()
    assert missing.startswith("rule book 'toledo-2020' has no game 'bingo'; ")
    assert unwritten.startswith("toledo-2020/roulette: ball-stolen is in no book")
    assert list(catalogue.unexplained(())) == [
        "toledo-2020/roulette: late-bet is seen by table-panel, but the book needs a person"
    ]


def test_exemptions_are_patterns() -> None:
    table = (Exempt("* at roulette", "ball-*", "why"),)
    assert exemption(table, "x/y at roulette", "ball-lost") is table[0]
    assert exemption(table, "x/y at craps", "ball-lost") is None


def test_the_matrix_says_what_was_played() -> None:
    outcome = Outcome(ROULETTE, clean=20, broken=Counter({"floater": 3}))
    lines = list(matrix.lines([outcome]))
    assert "    1 toledo-2020/roulette, 20 clean rounds" in lines
    rows = {line.split()[0]: line.split()[1] for line in lines if line and line.split()[0] in load_game(ROULETTE).rules}
    assert rows == {
        rule.id: "3" if rule.id == "floater" else "p" if rule.only_a_person_sees else "-"
        for rule in load_game(ROULETTE).rules.values()
    }
