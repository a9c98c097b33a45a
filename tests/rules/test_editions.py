"""Books made of other books: a game that takes another over, an edition that states only its differences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pitwatch.rules.book import BOOKS, book_files, games, load_game, read_game
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.book.bookcheck import check_path
from pitwatch.rules.book.editions import LineMap

BOOK = 'id = "house"\ntitle = "House rules"\ndocument = "house.txt"\n'
RULE = """
[[irregularity]]
id = "{id}"
says = "Something is wrong"
needs = ["person"]
category = "procedure"
severity = "notice"
disposition = "none-stated"
instruction = "{instruction}"
lines = "{lines}"
"""
BASE = (
    'id = "base"\nname = "Base"\nfamily = "blackjack"\nsection = "Two"\nlines = "10-40"\n'
    '[figures.target]\nvalue = 21\nsays = "Target"\nlines = "12"\n'
    '[figures.dealer-stands]\nvalue = 17\nsays = "Stands"\nlines = "12"\n'
    '[tables]\npoints = { A = [1, 11], 2 = [2] }\ninitial-deal = ["hands", "dealer", "hands", "dealer"]\n'
    '[[outcome]]\nname = "Wager"\ntrigger = "Wins"\nlines = "20-21, 30"\n'
    + RULE.format(id="first", instruction="Do this.", lines="11")
    + RULE.format(id="second", instruction="Do that.", lines="15-16")
)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return folder


def test_a_game_takes_another_over_but_for_its_own(tmp_path: Path) -> None:
    variant = (
        'id = "variant"\nname = "Variant"\nfamily = "blackjack"\nsection = "Five"\nlines = "50-60"\n'
        'inherits_game = "base"\n' + RULE.format(id="second", instruction="Do otherwise.", lines="51")
    )
    game = read_game(write(tmp_path, book=BOOK, base=BASE, variant=variant), "variant")
    assert [(rule.id, rule.section, rule.lines) for rule in game.rules.values()] == [
        ("first", "Two", "11"),
        ("second", "Five", "51"),
    ]
    assert (game.figure("target"), game.figures["target"].section) == (21, "Two")
    assert (game.section, game.lines, game.outcomes[0].section) == ("Five", "50-60", "Two")
    assert game.files == ("book.toml", "base.toml", "variant.toml")
    assert check_path(tmp_path) == []


def test_a_game_that_is_not_there_cannot_be_taken_over(tmp_path: Path) -> None:
    variant = BASE.replace('id = "base"', 'id = "variant"\ninherits_game = "bse"')
    folder = write(tmp_path, book=BOOK, variant=variant)
    (problem,) = check_path(folder / "variant.toml")
    assert str(problem).endswith("variant.toml:2: inherits_game: there is no bse.toml beside this file")


def edition(tmp_path: Path, rows: str, **files: str) -> Path:
    newer = write(tmp_path / "newer", book=BOOK, base=BASE, other=BASE.replace('"base"', '"other"'))
    older = (
        'id = "older"\ntitle = "Old house rules"\ndocument = "old.txt"\n'
        f'edition_of = "{newer}"\nwithout = ["other"]\n[sections]\nTwo = "One"\n'
    )
    folder = write(tmp_path / "older", book=older, **files)
    (folder / "lines.csv").write_text("newer,first,last\n" + rows)
    return folder


ROWS = "10,3,3\n11,5,7\n12,8,8\n15,9,9\n16,11,12\n20,14,14\n21,40,41\n30,42,43\n40,50,52\n"


def test_an_edition_has_the_games_of_the_other_print_in_its_own_lines(tmp_path: Path) -> None:
    folder = edition(tmp_path, ROWS)
    assert games(folder) == ["base"]
    game = read_game(folder, "base")
    assert (game.path, game.document, game.section, game.lines) == ("older/base", "old.txt", "One", "3-52")
    assert [(rule.section, rule.lines) for rule in game.rules.values()] == [("One", "5-7"), ("One", "9-12")]
    assert game.outcomes[0].lines == "14-41, 42-43"  # 20-21 and 30
    assert check_path(folder) == []


def test_what_the_older_print_has_not_is_left_out(tmp_path: Path) -> None:
    game = read_game(edition(tmp_path, ROWS.replace("11,5,7\n", "").replace("12,8,8\n", "")), "base")
    assert list(game.rules) == ["second"]
    assert game.figures["target"].lines == "3"  # a figure is needed to play: its section's heading


def test_only_the_differences_are_stated(tmp_path: Path) -> None:
    own = 'id = "base"\nwithout = ["Wager"]\n' + RULE.format(id="second", instruction="Do nothing.", lines="9")
    folder = edition(tmp_path, ROWS, base=own)
    game = read_game(folder, "base")
    assert game.rules["second"].instruction == "Do nothing."
    assert (game.rules["first"].lines, game.outcomes) == ("5-7", ())
    assert check_path(folder) == []
    assert [path.name for path in book_files(folder)] == [
        "base.toml", "book.toml", "lines.csv", "base.toml", "book.toml", "other.toml",
    ]  # fmt: skip


def test_mistakes_in_an_edition_have_file_and_line(tmp_path: Path) -> None:
    folder = edition(tmp_path, ROWS, base='id = "base"\n' + RULE.format(id="first", instruction="x", lines="99"))
    assert [problem.says for problem in check_path(folder)] == [
        "irregularity[0].lines: 99-99 lies outside the section, lines 3-52"
    ]
    (folder / "lines.csv").write_text("newer,first,last\n10,3\n")
    with pytest.raises(BookError, match=r"lines\.csv:2: '10,3' is no row of three line numbers$"):
        read_game(folder, "base")
    (folder / "lines.csv").unlink()
    with pytest.raises(BookError, match=r"lines\.csv: No such file or directory; an edition has one$"):
        read_game(folder, "base")


def test_a_span_is_cut_where_other_words_stand_between() -> None:
    """A table that the older print has further down is no part of the lines around it."""
    moved = LineMap([(1, 10, 10), (2, 30, 34), (3, 12, 13), (4, 15, 15)])
    assert moved.lines("1-3") == "10-13, 30-34"
    assert moved.lines("1, 4") == "10, 15"
    assert moved.lines("7") == ""


# --- toledo-2019


def test_toledo_2019_is_toledo_2020_in_older_lines() -> None:
    newer = set(games(BOOKS / "toledo-2020"))
    assert newer - set(games(BOOKS / "toledo-2019")) == {"face-up-pai-gow-poker", "ez-baccarat"}
    game = load_game("toledo-2019/blackjack")
    low, high = (int(line) for line in game.lines.split("-"))
    own = [rule for rule in game.rules.values() if rule.section == "Two"]
    assert len(own) > 20
    for rule in own:
        assert all(low <= int(line) <= high for line in re.findall(r"\d+", rule.lines)), rule.id
    assert game.rules["dealer-drew-against-rule"].lines == "813-819, 835-837"
    assert load_game("toledo-2019/three-card-prime").section == "Nineteen"


def test_a_taken_over_game_has_an_older_edition_too() -> None:
    game = load_game("toledo-2019/zappit-blackjack")
    assert game.rules["dealer-drew-against-rule"].section == "Two"
    assert (game.rules["invalid-zappit"].section, game.rules["invalid-zappit"].lines) == ("Five", "1877-1878")
    assert "not readable in this print" in next(each for each in game.outcomes if each.name == "In Bet").trigger


def test_the_edition_follows_its_table() -> None:
    from tests.rules.table import facts, play

    log = "panel key_pressed key=no_more_bets\n" + "".join(
        f"shoe card_drawn card={card} to={to}\n"
        for to, card in (("seat-1", "TS"), ("dealer", "TH"), ("seat-1", "9C"), ("dealer", "7D"), ("dealer", "2S"))
    )
    played = play("toledo-2019/blackjack", facts("shoe", "panel"), log + "panel key_pressed key=round_over\n")
    (found,) = played.irregularities
    assert found.rule == "toledo-2019/blackjack/dealer-drew-against-rule"
    assert (found.citation.document, found.citation.lines) == ("002_a6b7992e3e48a830.txt", "813-819, 835-837")
