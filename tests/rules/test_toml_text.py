"""What is wrong in a TOML file is said in plain words, with the line as it stands there."""

from __future__ import annotations

import tomllib

import pytest

from pitwatch.rules.text.toml_text import parse


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("id = RL-07", "text stands in quotes"),
        ('id "RL-07"', "KEY = VALUE is right"),
        ('id = "RL-07', "a quote is missing"),
        ("[table", "[NAME] is right"),
        ("[[device]", "[[NAME]] is right"),
        ("= 3", "no section, no key and no comment"),
        ('link = "c:\\ports"', "stands for nothing"),
        ("lines = { a = 1", "a comma or } is missing"),
        ("baud = 9600 8N1", "something follows what is complete"),
    ],
)
def test_the_line_is_shown_with_what_is_wrong(line: str, says: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as refused:
        parse(f"a = 1\n\n  {line}\nz = 2\n")
    told = str(refused.value)
    assert says in told
    assert "(at line 3, column " in told
    assert told.endswith(f": {line}")


def test_a_text_that_ends_too_early_names_its_last_line() -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at end of document\), line 2: b = \[1$"):
        parse("a = 1\nb = [1\n\n")


def test_no_password_of_an_address_is_shown() -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as refused:
        parse("database = postgresql://floor:p/w@rd@db/pit\n")
    assert str(refused.value).endswith(": database = postgresql://…@db/pit")


def test_a_long_line_is_cut() -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as refused:
        parse("a = " + "x" * 5_000)
    assert len(str(refused.value)) < 250
