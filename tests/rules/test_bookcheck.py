"""Mistakes in a rule book are found with file and line; the books that come with Pitwatch have none."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pitwatch.rules.book import book as books
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.book.bookcheck import check_path
from pitwatch.rules.text.toml_lines import line_of

BOOK = """id = "house"
title = "House rules"
document = "house.txt"
"""

GAME = """id = "roulette"
name = "Roulette"
family = "roulette"
section = "One"
lines = "10-90"

[figures.minimum-revolutions]
value = 4
says = "Least revolutions"
lines = "20"

[options.wheel]
says = "Which wheel"
values = ["double-zero", "single-zero"]
default = "double-zero"
lines = "12"

[[phase]]
id = "spin"
says = "The ball is spun"
starts = ["wheel.ball_launched"]
lines = "30"

[[irregularity]]
id = "floater"
says = "The ball floats"
needs = ["wheel.ball_floating"]
category = "no-spin"
severity = "alert"
disposition = "no-spin"
instruction = "Announce No Spin."
lines = "40-41"
"""


def house(folder: Path, game: str) -> Path:
    (folder / "book.toml").write_text(BOOK)
    (folder / "roulette.toml").write_text(game)
    return folder


def test_a_good_book(tmp_path: Path) -> None:
    assert check_path(house(tmp_path, GAME)) == []
    game = books.load_game(f"{tmp_path}/roulette")
    assert game.path == "house/roulette"
    assert game.figure("minimum-revolutions") == 4


def test_a_book_of_an_editor_that_marks_its_byte_order(tmp_path: Path) -> None:
    path = house(tmp_path, "\ufeff" + GAME)
    assert check_path(path) == []
    assert books.load_game(f"{tmp_path}/roulette").figure("minimum-revolutions") == 4


MISTAKES = {
    "a citation is missing": (
        'instruction = "Announce No Spin."\nlines = "40-41"\n',
        'instruction = "x"\n',
        24,
        "citation",
    ),
    "a citation that is none": ('lines = "40-41"', 'lines = "forty"', 32, "'forty' is no citation"),
    "a citation outside the section": ('lines = "40-41"', 'lines = "91"', 32, "outside the section, lines 10-90"),
    "a citation that runs backwards": ('lines = "40-41"', 'lines = "41-40"', 32, "runs backwards"),
    "a section that is none": ('lines = "10-90"', 'lines = "ten"', 5, "lines: 'ten' is no citation"),
    "a section that runs backwards": ('lines = "10-90"', 'lines = "90-10"', 5, "lines: 90-10 runs backwards"),
    "an event no device has": ("wheel.ball_floating", "wheel.ball_flying", 27, "no device can show"),
    "a device that is none": ("wheel.ball_floating", "whel.ball_floating", 27, "names no device type"),
    "a phase no device can start": ("wheel.ball_launched", "wheel.croupier_smiles", 21, "no device can show"),
    "an impossible count": ('lines = "30"', 'cards = -3\nlines = "30"', 22, "cards cannot be"),
    "a figure below nothing": ("value = 4", "value = -4", 8, "-4 cannot be; 0 or more is right"),
    "a figure of the wrong kind": ("value = 4", 'value = "four"', 8, "'four' cannot be used here; a whole number"),
    "a figure that nothing reads": (
        "[figures.minimum-revolutions]",
        "[figures.minimum-turns]",
        7,
        "minimum-revolutions",
    ),
    "an option that nothing reads": (
        "[options.wheel]",
        "[options.whel]",
        12,
        "reads options.whel; did you mean 'wheel'?",
    ),
    "a rule that nothing judges": ('id = "floater"', 'id = "floaters"', 25, "called 'floaters', so no device judges"),
    "a choice of an option that is not declared": (
        'needs = ["wheel.ball_floating"]',
        'needs = ["option.rim:wide"]',
        27,
        "no option 'rim' here; declared: wheel",
    ),
    "a part of a need that is none": (
        'needs = ["wheel.ball_floating"]',
        'needs = ["wheel.ball_floating"]\npartly = { "wheel.rotor" = "sometimes" }',
        28,
        "'wheel.rotor' is none of its needs; wheel.ball_floating are",
    ),
    "a part by a choice that nobody has": (
        'needs = ["wheel.ball_floating"]',
        'needs = ["wheel.ball_floating"]\npartly = { "option.wheel:tripple" = "sometimes" }',
        28,
        "option 'wheel' has no value 'tripple'",
    ),
    "an unknown key": ('says = "The ball floats"', 'say = "The ball floats"', 26, "`say` is no key"),
    "an unknown key of the game": ('name = "Roulette"', 'nam = "Roulette"', 2, "did you mean `name`?"),
    "an unknown key of a rule": ("instruction =", "instuction =", 31, "did you mean `instruction`?"),
    "an unknown key of a figure": ("value = 4", "val = 4", 8, "did you mean `value`?"),
    "an unknown key like no other": (
        'name = "Roulette"',
        'zzz = 1\nname = "Roulette"',
        2,
        "`zzz` is no key of this table",
    ),
    "a severity that does not fit": ('severity = "alert"', 'severity = "notice"', 29, "alert is right"),
    "a disposition that is none": ('disposition = "no-spin"', 'disposition = "shrug"', 30, "none of none-stated, "),
    "an option whose default is not allowed": ('default = "double-zero"', 'default = "triple-zero"', 15, "triple-zero"),
    "a family nobody follows": ('family = "roulette"', 'family = "bingo"', 3, "'bingo' is not followed"),
    "no TOML": ("[[phase]]", "[[phase", 18, "not readable as TOML"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_shown_where_it_stands(tmp_path: Path, mistake: str) -> None:
    right, wrong, line, says = MISTAKES[mistake]
    assert GAME.count(right) >= 1
    (problem,) = check_path(house(tmp_path, GAME.replace(right, wrong, 1)))
    assert problem.file == str(tmp_path / "roulette.toml")
    assert (problem.line, says in problem.says) == (line, True), str(problem)


def test_all_mistakes_of_a_file_are_shown_at_once_and_no_consequence_of_one(tmp_path: Path) -> None:
    """Once what was missing or of a wrong type had to be right before anything else was looked at."""
    game = GAME
    for right, wrong in (
        ('name = "Roulette"', "name = 7"),
        ("value = 4", 'value = "four"'),
        ('says = "Least revolutions"\n', ""),
        ('values = ["double-zero", "single-zero"]', 'values = "double-zero"'),
        ("wheel.ball_launched", "wheel.croupier_smiles"),
        ('says = "The ball floats"', 'say = "The ball floats"'),
        ("wheel.ball_floating", "whel.ball_floating"),
        ('disposition = "no-spin"', 'disposition = "shrug"'),
        ('severity = "alert"', 'severity = "notice"'),
        ('lines = "40-41"', 'lines = "forty"\nnotify = ["surveillance", 3]'),
    ):
        assert right in game
        game = game.replace(right, wrong, 1)
    found = check_path(house(tmp_path, game))
    assert [(each.line, each.says.partition(": ")[0]) for each in found] == [
        (2, "name"), (7, "figures.minimum-revolutions"), (8, "figures.minimum-revolutions.value"),
        (13, "options.wheel.values"), (20, "phase[0].starts"), (25, "irregularity[0].say"),
        (26, "irregularity[0].needs"), (29, "irregularity[0].disposition"),
        (31, "irregularity[0].lines"), (32, "irregularity[0].notify[1]"),
    ]  # fmt: skip
    assert found[0].says == "name: a whole number stands here; text is right"
    assert all(each.file == str(tmp_path / "roulette.toml") for each in found)


def test_all_files_of_a_book_are_checked(tmp_path: Path) -> None:
    house(tmp_path, GAME.replace('family = "roulette"\n', ""))
    (tmp_path / "book.toml").write_text('id = 4\ntitle = "x"\n')
    (tmp_path / "general.toml").write_text("irregularity = 3\n")
    assert [str(each).removeprefix(f"{tmp_path}/") for each in check_path(tmp_path)] == [
        "book.toml:1: the file: `document` is missing",
        "book.toml:1: id: a whole number stands here; text is right",
        "general.toml:1: the file: `section` is missing",
        'general.toml:1: the file: no citation; add lines = "…", the lines of the document that say it',
        "general.toml:1: irregularity: a whole number stands here; a list is right",
        "roulette.toml:1: the file: `family` is missing",
    ]


GENERAL = """section = "General"
lines = "1-9"

[[irregularity]]
id = "equipment-malfunction"
applies_to = "all-table-games"
says = "Equipment is defective"
needs = ["any.device_fault"]
category = "equipment"
severity = "critical"
disposition = "inspect"
instruction = "Inspect it."
lines = "5"
"""


@pytest.mark.parametrize(
    ("general", "inherits", "says"),
    [
        (GENERAL, "all-table-game", "general.toml has no class 'all-table-game'; did you mean 'all-table-games'?"),
        (GENERAL, "carnival", "general.toml has no class 'carnival'; it has: all-table-games"),
        ("", "all-table-games", "there is no general.toml with 'all-table-games' beside this file; copy the one of"),
    ],
)
def test_a_class_that_is_not_there_is_told_and_not_left_out(
    tmp_path: Path, general: str, inherits: str, says: str
) -> None:
    right = GAME.replace('lines = "10-90"\n', 'lines = "10-90"\ninherits = ["all-table-games"]\n')
    house(tmp_path, right.replace("all-table-games", inherits))
    if general:
        (tmp_path / "general.toml").write_text(general)
    (problem,) = check_path(tmp_path)
    assert str(problem).startswith(f"{tmp_path}/roulette.toml:6: inherits: {says}")
    with pytest.raises(BookError) as refused:
        books.load_game(f"{tmp_path}/roulette")
    assert str(refused.value) == str(problem)
    house(tmp_path, right)
    (tmp_path / "general.toml").write_text(GENERAL)
    assert check_path(tmp_path) == []
    assert list(books.load_game(f"{tmp_path}/roulette").rules) == ["equipment-malfunction", "floater"]


def test_the_way_of_changing_a_figure_that_the_page_describes(tmp_path: Path) -> None:
    """docs/rule-books.md: the game's file and general.toml copied, a book.toml beside them."""
    (tmp_path / "book.toml").write_text(BOOK)
    for name in ("roulette.toml", "general.toml"):
        (tmp_path / name).write_text((books.BOOKS / "toledo-2020" / name).read_text())
    assert check_path(tmp_path) == []
    assert list(books.load_game(f"{tmp_path}/roulette").rules) == list(books.load_game("toledo-2020/roulette").rules)
    (tmp_path / "general.toml").unlink()
    assert [problem.line for problem in check_path(tmp_path)] == [6]


def test_a_rule_of_a_general_part_that_nothing_judges(tmp_path: Path) -> None:
    (house(tmp_path, GAME) / "general.toml").write_text(GENERAL.replace("equipment-malf", "equipment-mal"))
    (problem,) = check_path(tmp_path)
    assert (problem.line, "did you mean 'equipment-malfunction'?" in problem.says) == (5, True)


def test_what_only_a_person_sees_may_have_any_name(tmp_path: Path) -> None:
    named = GAME.replace('id = "floater"', 'id = "shoes-on-the-table"')
    assert check_path(house(tmp_path, named.replace("wheel.ball_floating", "person"))) == []
    (problem,) = check_path(house(tmp_path, named))
    assert 'with needs = ["person"] people can report it' in problem.says


def test_a_rule_that_stands_twice(tmp_path: Path) -> None:
    twice = GAME + GAME[GAME.index("[[irregularity]]") :]
    (problem,) = check_path(house(tmp_path, twice))
    assert problem.line == 34
    assert "is there twice" in problem.says


def test_a_file_of_another_kind_is_no_book(tmp_path: Path) -> None:
    readme = house(tmp_path, GAME) / "README.md"
    readme.write_text("# House rules\n")
    with pytest.raises(BookError, match=r"README\.md: is no file of a rule book; give .* one of its \.toml files"):
        check_path(readme)
    assert check_path(tmp_path) == []


def test_a_general_part_whose_section_runs_backwards(tmp_path: Path) -> None:
    (house(tmp_path, GAME) / "general.toml").write_text(GENERAL.replace("1-9", "9-1"))
    (problem,) = check_path(tmp_path)
    assert str(problem) == f"{tmp_path}/general.toml:2: lines: 9-1 runs backwards"


def test_a_folder_that_is_no_book(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"no book\.toml"):
        check_path(tmp_path)


@pytest.mark.parametrize("book", [path.name for path in books.books()])
def test_the_books_that_come_with_pitwatch_are_free_of_mistakes(book: str) -> None:
    assert [str(problem) for problem in check_path(books.BOOKS / book)] == []


def test_more_cards_than_there_are(tmp_path: Path) -> None:
    figure = '[figures.cards-per-deck]\nvalue = 520\nsays = "Cards"\nlines = "20"\n'
    (problem,) = check_path(house(tmp_path, GAME.replace("[options.wheel]", figure + "[options.wheel]")))
    assert problem.says == "figures.cards-per-deck.value: 520 cannot be; 0 to 432 is right"


def test_a_game_that_lacks_what_its_family_must_be_told(tmp_path: Path) -> None:
    game = GAME[: GAME.index("[figures.")].replace('family = "roulette"', 'family = "craps"')
    (problem,) = check_path(house(tmp_path, game))
    assert (problem.line, problem.says) == (
        3, "family: the game cannot be followed as it stands: 'come-out' is missing",
    )  # fmt: skip


def test_lines_of_keys() -> None:
    text = 'a = 1\n[b.c]\nd = [\n  1,\n]\n[[e]]\nf = 1\n[[e]]\nf = "x"\n'
    assert [line_of(text, path) for path in ("a", "b.c", "b.c.d", "e[0].f", "e[1]", "e[1].g", "z")] == [
        1,
        2,
        3,
        7,
        8,
        8,
        1,
    ]


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (GAME + '\n[figures."a\\nb"]\nvalue = 1\nsays = "x"\nlines = "20"\n', r"figures.a\nb"),
        ('"a\\nb" = 1\n' + GAME, r"a\nb"),
        ("x = " + "[" * 2_000, "not readable as TOML: nested too deep"),
        ("x = " + "9" * 5_000, "not readable as TOML: a whole number of too many digits"),
    ],
)
def test_whatever_stands_there_is_told_in_one_line(tmp_path: Path, game: str, told: str) -> None:
    problems = check_path(house(tmp_path, game))
    assert told in str(problems[0])
    assert all(len(str(problem).splitlines()) == 1 for problem in problems)


def test_a_table_of_a_game_that_is_a_number_is_a_mistake_and_no_fault_of_the_program(tmp_path: Path) -> None:
    book = tmp_path / "book"
    shutil.copytree(books.BOOKS / "toledo-2020", book)
    path = next(each for each in sorted(book.glob("*.toml")) if "\nwhen = {" in each.read_text())
    path.write_text(re.sub(r"\nwhen = \{.*\}\n", "\nwhen = 3\n", path.read_text(), count=1))
    assert any("cannot be followed as it stands" in problem.says for problem in check_path(path))
