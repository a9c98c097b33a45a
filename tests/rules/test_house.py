"""What every table is held to: an opened enclosure, cited from the book where it speaks of tampering."""

from __future__ import annotations

from pitwatch.rules.book import load_game
from pitwatch.rules.house import DEVICE_VANISHED, RULES, house_irregularity
from pitwatch.rules.records import Citation
from tests.rules.table import Played, facts, play

OPENED, CLOSED = "enclosure opened\n", "enclosure closed\n"


def table(game: str, log: str) -> Played:
    return play(game, facts("enclosure"), log)


def test_a_book_with_a_rule_of_its_own_is_what_counts() -> None:
    """000_0d8bbc32b348eb17.txt, line 81."""
    played = table("toledo-2020/roulette", OPENED)
    assert played.rules == ["tampering-suspected"]
    assert played.irregularities[0].citation.lines == "81"


def test_a_book_without_one_does_not_leave_it_unsaid() -> None:
    played = table("california/casino-war", OPENED + CLOSED)
    assert played.rules == ["enclosure-opened"]
    told = played.irregularities[0]
    assert (told.category, told.severity, told.disposition) == ("integrity", "critical", "inspect")
    assert told.citation == Citation(document="pitwatch", section="Integrity", lines="", title="docs/contract.md")
    assert (told.observed, told.evidence) == ({"device": "enclosure", "enclosure": "opened"}, (1,))
    assert table("california/casino-war", CLOSED).rules == []
    assert [alert.raised for alert in played.alerts] == [True, False]


def test_whom_the_book_wants_told_of_tampering_is_told() -> None:
    told = house_irregularity(load_game("columbus-2016/roulette"), DEVICE_VANISHED, {"a": "b"}, {"a": "c"}, (9, 4))
    assert told.notify
    assert told.evidence == (4, 9)
    assert told.rule == "columbus-2016/roulette/device-vanished"
    assert told.says == RULES[DEVICE_VANISHED].says


def test_none_of_these_is_a_rule_of_a_book() -> None:
    assert not set(RULES) & set(load_game("toledo-2020/roulette").rules)
