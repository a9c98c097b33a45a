"""The deck against Section One, line 81 (derived): duplicates, foreign cards, counts; and decks that must alternate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pitwatch.rules.book import BOOKS
from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

POKER = "toledo-2020/three-card-poker"
BACCARAT = "toledo-2020/mini-midi-baccarat"
SHUFFLED = "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"


def deal(one: str, two: str, dealer: str) -> str:
    return CALL + laid("seat-1", one) + laid("seat-2", two) + laid("dealer", dealer) + OVER


def poker(log: str, *devices: str, game: str = POKER, **table: Any) -> Played:
    return play(game, facts(*(devices or ("card_position", "shuffler", "panel")), **table), SHUFFLED + log)


def baccarat(log: str, decks: int = 8) -> Played:
    table = facts("shoe", "panel", "discard_rack", options={"decks": decks})
    played = play(BACCARAT, table, log)
    return played


def deck_rules(played: Played) -> list[str]:
    return [rule for rule in played.rules if rule in ("duplicate-card", "foreign-card", "deck-count-mismatch")]


# --- one deck, which may come back shuffled in any round


def test_a_card_twice_in_a_round() -> None:
    played = poker(deal("AS KD 4C", "AS 9D 2C", "5H 6H 8C"))
    assert played.rules == ["duplicate-card"]
    (found,) = played.irregularities
    assert (found.observed, found.severity) == ({"card": "AS", "times": 2}, "critical")
    assert (found.citation.section, found.citation.lines) == ("One", "81")
    assert found.evidence == (4, 7)
    assert played.rounds[0].void is None


def test_the_same_card_in_the_next_round_is_the_same_card() -> None:
    assert poker(deal("AS KD 4C", "AH 9D 2C", "5H 6H 8C") * 2).rules == []


TAG = "card_position card_placed to=seat-2 card=null tag=04A1B2C3D4E580{}\n"


@pytest.mark.parametrize(("more", "rules"), [(" foreign=true", ["foreign-card"]), ("", [])])
def test_a_tag_of_no_card_of_this_deck_is_a_foreign_card_and_an_unread_one_is_not(more: str, rules: list[str]) -> None:
    log = (
        CALL + laid("seat-1", "AS KD 4C") + TAG.format(more) * 2 + laid("seat-2", "9D 2C") + laid("dealer", "5H 6H 8C")
    )
    played = poker(log + OVER)
    assert deck_rules(played) == rules
    if rules:
        found = next(each for each in played.irregularities if each.rule.endswith("/foreign-card"))
        assert found.observed == {"card": None, "tag": "04A1B2C3D4E580"}


def test_a_card_that_moves_is_no_second_card() -> None:
    log = CALL + laid("seat-1", "AS KD 4C") + laid("seat-2", "AH 9D 2C") + laid("dealer", "5H 6H 8C")
    log += taken("seat-1", "AS KD 4C") + laid("discard", "AS KD") + laid("seat-1", "4C") + OVER
    assert poker(log).rules == []


def test_unread_cards_are_nobodys_double() -> None:
    assert poker(deal("null null 4C", "null 9D 2C", "5H null 8C")).rules == []


def test_the_shoe_and_the_reader_show_one_card_not_two() -> None:
    log = CALL
    for to, cards in (("seat-1", "AS KD 4C"), ("seat-2", "AH 9D 2C"), ("dealer", "5H 6H 8C")):
        log += "".join(f"shoe card_drawn card={card} to={to}\n{laid(to, card)}" for card in cards.split())
    assert poker(log + OVER, "shoe", "card_position", "shuffler", "panel").rules == []


def test_a_reader_that_was_away_may_have_missed_a_card_lifted() -> None:
    gap = "card_position device_offline reason=silent\ncard_position device_online\n"
    log = CALL + laid("seat-1", "AS KD 4C") + gap + SHUFFLED + laid("seat-1", "AS") + OVER
    assert deck_rules(poker(log)) == []


def test_cards_dealt_again_after_a_shuffle_in_the_round() -> None:
    log = (
        CALL + laid("seat-1", "AS KD 4C") + "panel key_pressed key=hand_shuffled\n" + laid("seat-2", "AS 9D 2C") + OVER
    )
    assert "duplicate-card" not in poker(log).rules


@pytest.mark.parametrize("card", ["JK", "1S"])
def test_a_card_that_the_deck_does_not_hold(card: str) -> None:
    played = poker(deal(f"AS KD {card}", "AH 9D 2C", "5H 6H 8C"))
    assert played.rules == ["foreign-card"]
    assert played.irregularities[0].observed == {"card": card}


@pytest.mark.parametrize(("cards", "rules"), [("51", 1), ("53", 1), ("104", 1), ("52", 0), ("null", 0)])
def test_the_number_of_cards_shuffled(cards: str, rules: int) -> None:
    log = f"shuffler shuffle_started\nshuffler shuffle_completed cards={cards}\n"
    assert poker(log).rules == ["deck-count-mismatch"] * rules


def test_nothing_is_judged_before_the_first_boundary() -> None:
    table = facts("card_position", "panel")
    log = laid("seat-1", "AS KD AS") + OVER
    assert play(POKER, table, log).rules == []


# --- a shoe of many decks


def shoe(cards: str, to: str = "burn") -> str:
    return "".join(f"shoe card_drawn card={card} to={to}\n" for card in cards.split())


SHOE = "shoe shoe_started decks=8\n"


def test_the_ninth_of_eight_in_a_shoe() -> None:
    assert deck_rules(baccarat(SHOE + shoe("KS " * 8))) == []
    assert deck_rules(baccarat(SHOE + shoe("KS " * 9))) == ["duplicate-card"]


def test_a_new_shoe_counts_anew() -> None:
    assert deck_rules(baccarat((SHOE + shoe("KS " * 5)) * 2)) == []


@pytest.mark.parametrize(
    "unseen", ["shoe cut_card_drawn\n", "panel key_pressed key=hand_shuffled\n", "shoe device_offline reason=silent\n"]
)
def test_a_shoe_that_may_have_been_shuffled_is_not_counted_on(unseen: str) -> None:
    log = SHOE + shoe("KS " * 5) + unseen + "shoe device_online\n" + CALL + OVER + shoe("KS " * 5)
    assert deck_rules(baccarat(log)) == []


def test_a_shoe_never_seen_from_its_start_is_not_counted_over_rounds() -> None:
    round_ = CALL + shoe("KS " * 4, "player") + OVER
    assert deck_rules(baccarat(round_ * 3)) == []


def test_the_joker_in_a_shoe_without() -> None:
    assert deck_rules(baccarat(SHOE + shoe("KS JK KS"))) == ["foreign-card"]


def test_more_cards_in_the_rack_than_there_are() -> None:
    racked = "discard_rack emptied\n" + "discard_rack cards_counted cards=104\n" * 4
    assert deck_rules(baccarat(SHOE + racked)) == []
    more = baccarat(SHOE + racked * 2 + "discard_rack cards_counted cards=1\n")
    assert deck_rules(more) == ["deck-count-mismatch"]
    assert more.irregularities[0].evidence == (8, 9, 10, 11, 12), "what was counted since the rack was empty"
    assert deck_rules(baccarat(SHOE + (racked * 2))) == []


def test_a_rack_not_seen_empty_says_nothing() -> None:
    assert deck_rules(baccarat(SHOE + "discard_rack cards_counted cards=500\n")) == []


# --- two decks in turn, in a book that asks for it


@pytest.fixture
def alternating(tmp_path: Path) -> str:
    """Three-card poker in a house whose two decks must alternate, with a joker in each."""
    for name in ("book.toml", "general.toml", "three-card-poker.toml"):
        (tmp_path / name).write_text((BOOKS / "toledo-2020" / name).read_text())
    game = tmp_path / "three-card-poker.toml"
    game.write_text(
        game.read_text()
        + """
        [[irregularity]]
        id = "deck-not-alternated"
        says = "A round is dealt from the same deck as the last"
        needs = ["panel.key_pressed"]
        category = "procedure"
        severity = "notice"
        disposition = "none-stated"
        instruction = "The two decks alternate."
        lines = "1764"

        [figures.jokers]
        value = 1
        says = "Jokers of a deck"
        lines = "1766"
        """
    )
    return f"{tmp_path}/three-card-poker"


CHANGE = "panel key_pressed key=deck_changed\n"
CLEAN = deal("AS KD 4C", "AH 9D 2C", "5H 6H 8C")


def test_deck_not_alternated(alternating: str) -> None:
    assert poker((CHANGE + CLEAN) * 3, game=alternating).rules == []
    assert poker((CHANGE + CLEAN) * 2 + CLEAN, game=alternating).rules == ["deck-not-alternated"]


def test_the_key_for_a_change_of_deck_may_come_a_moment_late(alternating: str) -> None:
    late = CALL + CLEAN.replace(CALL, "").replace(OVER, CHANGE + OVER)
    assert poker((CHANGE + CLEAN) * 2 + late + CHANGE + CLEAN, game=alternating).rules == []
    too_late = late.replace(CHANGE, "+20\n" + CHANGE)
    assert poker((CHANGE + CLEAN) * 2 + too_late + CLEAN, game=alternating).rules == ["deck-not-alternated"]
    assert poker((CHANGE + CLEAN) * 2 + late + CLEAN, game=alternating).rules == ["deck-not-alternated"]


def test_a_call_that_is_pressed_twice_deals_no_deck_twice(alternating: str) -> None:
    assert poker((CHANGE + CALL + CLEAN) * 3, game=alternating).rules == []


def test_a_crew_that_does_not_tell_its_changes_is_not_accused(alternating: str) -> None:
    assert poker(CLEAN * 3, game=alternating).rules == []


def test_a_book_with_a_joker(alternating: str) -> None:
    assert poker(deal("AS KD JK", "AH 9D 2C", "5H 6H 8C"), game=alternating).rules == []
    assert poker(deal("AS KD JK", "AH JK 2C", "5H 6H 8C"), game=alternating).rules == ["duplicate-card"]


def test_a_card_lifted_unread_and_laid_back_is_no_second_one() -> None:
    board = laid("community", "4D 4C KH QH JH")
    log = CALL + laid("seat-1", "AS KS") + laid("dealer", "2C 3C") + board
    turned = "card_position card_removed card=null to=community\n" + laid("community", "4C")
    game = "toledo-2020/ultimate-texas-holdem"
    assert play(game, facts("card_position", "panel"), log + turned).rules == []
    assert "duplicate-card" in play(game, facts("card_position", "panel"), log + laid("dealer", "4C")).rules


BACKS = CALL + "".join(laid(to, "null null null") for to in ("seat-1", "seat-2", "dealer"))


def shown(to: str, cards: str) -> str:
    return taken(to, "null null null") + laid(to, cards)


def test_two_hands_that_are_turned_up_with_the_same_card() -> None:
    """The cards lay face down: none that was read is away, so neither can be the other."""
    log = BACKS + shown("seat-1", "AS KD QC") + shown("seat-2", "AH 9D 2C")
    assert poker(log + shown("dealer", "5H 6H 8C") + OVER).rules == []
    assert poker(log + shown("dealer", "5H KD 8C") + OVER).rules == ["duplicate-card"]
    assert poker(log + shown("seat-1", "AS KD QC") + shown("dealer", "5H 6H 8C") + OVER).rules == []


def test_a_card_that_was_read_and_lifted_unread_may_lie_anywhere() -> None:
    dealt = CALL + laid("seat-1", "AS KD QC") + laid("dealer", "5H 6H 8C")
    away = taken("seat-1", "null null")
    assert poker(dealt + away + laid("seat-1", "KD AS") + OVER).rules == []
    assert "duplicate-card" not in poker(dealt + away + laid("seat-2", "KD AS") + OVER).rules
