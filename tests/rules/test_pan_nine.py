"""Pan 9 against lines 166-256 of California's rules: each rule beside the clean round next to it."""

from __future__ import annotations

from typing import Any

import pytest

from pitwatch.rules.play.cards import DECK
from tests.rules.table import Played, facts, play

GAME = "california/pan-9-dragon-9-bonus"
CALL, OVER = "panel key_pressed key=no_more_bets\n", "panel key_pressed key=round_over\n"
SHOE = "shoe shoe_started decks=8\n"
HANDS = {"1": "seat-1", "2": "seat-2", "D": "dealer"}

PAT = "1:6S 2:2C D:4D 1:AS 2:2D D:3D 1:KH 2:KC D:QC"  # 7, 4 and a player-dealer's 7
DRAWS = "1:6S 2:2C D:2D 1:AS 2:2D D:KD 1:KH 2:KC D:AC"  # the player-dealer has 3


def by_shoe(cards: str) -> str:
    words = (word.split(":") for word in cards.split())
    return "".join(f"shoe card_drawn card={card} to={HANDS[hand]}\n" for hand, card in words)


def by_felt(cards: str) -> str:
    return by_shoe(cards).replace("shoe card_drawn", "card_position card_placed")


def lifted(cards: str) -> str:
    return by_shoe(cards).replace("shoe card_drawn", "card_position card_removed")


def at(cards: str, *devices: str, before: str = SHOE, read: Any = by_shoe, **table: Any) -> Played:
    return play(GAME, facts(*(devices or ("shoe", "panel")), **table), before + CALL + read(cards) + OVER)


def test_a_round_record() -> None:
    (round_,) = at(DRAWS + " 2:5H D:6H").rounds
    assert not round_.partial
    assert round_.result == {
        "seat-1": {"points": 7, "cards": 3, "hand": None},
        "seat-2": {"points": 9, "cards": 4, "hand": "4-card-9"},
        "dealer": {"points": 9, "cards": 4},
    }


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("2S 3S 4S KS", "4-card-9-suited"),
        ("2S 3C 4S KS", "4-card-9-same-color"),
        ("2S 3H 4S KS", "4-card-9"),
        ("2H 3H 4H", "3-card-9-suited"),
        ("2H 3D 4H", "3-card-9-same-color"),
        ("2H 3C 4H", None),
        ("2H 3H 3H", None),
    ],
)
def test_dragon_9(cards: str, name: str | None) -> None:
    """234-239."""
    (first, second, third), more = cards.split()[:3], cards.split()[3:]
    played = at(f"1:{first} D:4D 1:{second} D:3D 1:{third} D:QC" + "".join(f" 1:{card}" for card in more))
    assert played.rules == []
    assert played.rounds[0].result["seat-1"]["hand"] == name


@pytest.mark.parametrize("read", [by_shoe, by_felt])
@pytest.mark.parametrize(
    ("cards", "rules"),
    [
        (PAT, []),
        (PAT + " 2:5H", []),
        (PAT + " 2:5H D:AH", ["dealer-drew-against-rule"]),
        (DRAWS + " D:6H", []),
        (DRAWS, ["dealer-stood-against-rule"]),
        (PAT + " 2:5H 2:AH", ["wrong-card-count"]),
        (PAT.replace(" 2:KC", ""), ["wrong-card-count"]),
        ("1:6S 1:AS 2:2C D:4D 2:2D D:3D 1:KH 2:KC D:QC", ["wrong-initial-sequence"]),
        ("1:6S 1:AS 1:KH 2:2C 2:2D 2:KC D:4D D:3D D:QC", ["wrong-initial-sequence"]),
        ("D:4D 1:6S 2:2C D:3D 1:AS 2:2D D:QC 1:KH 2:KC", []),
        ("1:6S 2:2C D:4D 1:AS 1:KH 2:2D D:3D 2:KC D:QC", ["wrong-initial-sequence"]),
    ],
)
def test_the_cards_of_a_round(read: Any, cards: str, rules: list[str]) -> None:
    devices = ("shoe", "panel") if read is by_shoe else ("shoe", "card_position", "panel")
    played = at(cards, *devices, read=read)
    assert played.rules == rules
    assert not played.rounds[0].partial


@pytest.mark.parametrize("third", ["4D", "5D"])
def test_on_five_and_six_the_player_dealer_is_free(third: str) -> None:
    """195."""
    dealt = f"1:6S D:AD 1:AS D:KC 1:KH D:{third}"
    assert at(dealt).rules == []
    assert at(dealt + " D:2H").rules == []


def test_without_a_panel_a_cleared_felt_ends_the_round() -> None:
    log = (by_felt(PAT) + lifted(PAT)) * 2 + by_felt(DRAWS) + lifted(DRAWS) + by_felt(PAT)
    played = play(GAME, facts("card_position", "shoe", without=["card_drawn"]), SHOE + log)
    assert played.rules == ["dealer-stood-against-rule"]
    assert [r.partial for r in played.rounds] == [False] * 4
    assert played.irregularities[0].round == 3


def test_a_shoe_alone_cannot_tell_where_a_round_ends_and_accuses_nobody() -> None:
    drew = DRAWS + " 2:5H D:6H"
    for rounds in (drew, PAT, DRAWS, PAT + " " + drew):
        played = play(GAME, facts("shoe"), SHOE + by_shoe(" ".join([rounds] * 2)))
        assert played.rules == []
    assert play(GAME, facts("shoe"), SHOE + by_shoe(PAT)).rounds[0].partial is False


def test_a_player_who_looks_at_the_cards_is_dealt_none() -> None:
    looked = by_felt(PAT) + lifted("1:6S 1:AS 1:KH") + by_felt("1:KH 1:6S 1:AS 2:5H")
    played = play(GAME, facts("card_position", "panel"), CALL + looked + OVER)
    assert played.rules == []
    assert len(played.rounds[0].cards["seat-1"]) == 3


@pytest.mark.parametrize("read_later", [True, False], ids=["read as it is lifted", "never read"])
def test_a_felt_is_cleared_of_a_card_that_lay_there_unread(read_later: bool) -> None:
    face = "card=6S to=seat-1"
    dealt, taken = by_felt(PAT).replace(face, "card=null to=seat-1"), lifted(PAT)
    taken = taken if read_later else taken.replace(face, "card=null to=seat-1")
    log = dealt + taken + by_felt(PAT) + lifted(PAT)
    played = play(GAME, facts("card_position", "shoe", without=["card_drawn"]), SHOE + log)
    assert played.rules == []
    assert [r.cards["seat-1"][0] for r in played.rounds] == ["6S" if read_later else None, "6S"]
    assert played.rounds[1].partial is False


@pytest.mark.parametrize("unread", ["laid", "lifted", "laid back"])
def test_a_card_that_is_looked_at_is_the_same_card_though_it_is_read_but_once(unread: str) -> None:
    laid, up, back = by_felt(PAT), lifted("1:6S"), by_felt("1:6S")
    blot = lambda log: log.replace("card=6S to=seat-1", "card=null to=seat-1")  # noqa: E731
    log = {"laid": blot(laid) + up + back, "lifted": laid + blot(up) + back, "laid back": laid + up + blot(back)}
    played = play(GAME, facts("card_position", "panel"), CALL + log[unread] + by_felt("1:5H") + OVER)
    assert played.rules == []
    assert len(played.rounds[0].cards["seat-1"]) == 4


def test_the_stripped_decks() -> None:
    """178: no seven to ten, no joker; four decks hold four of a card."""
    assert at(PAT.replace("6S", "8S")).rules == ["foreign-card"]
    assert at(PAT.replace("2C", "JK")).rules == ["foreign-card"]
    many = "".join(CALL + by_shoe(PAT) + OVER for _ in range(5))
    four = play(GAME, facts("shoe", "panel", options={"decks": 4}), "shoe shoe_started decks=4\n" + many)
    assert set(four.rules) == {"duplicate-card"}
    assert play(GAME, facts("shoe", "panel", options={"decks": 5}), "shoe shoe_started decks=5\n" + many).rules == []


def test_who_banks_and_who_bets_late() -> None:
    bank = "seats bank_moved seat=seat-3\n" + "seats seat_taken seat=seat-1\n"
    called = CALL + by_shoe(PAT) + OVER
    devices = ("shoe", "panel", "seats")
    assert play(GAME, facts(*devices), SHOE + bank + called * 2).rules == []
    assert play(GAME, facts(*devices), SHOE + bank + called * 3).rules == ["bank-held-too-long"]
    first, rest = by_shoe(PAT).split("\n", 1)
    late = CALL + first + "\nseats seat_taken seat=seat-4\n" + rest + OVER
    assert play(GAME, facts(*devices), SHOE + bank + late).rules == ["late-wager"]
    in_time = CALL + "seats seat_taken seat=seat-4\n" + first + "\nseats seat_taken seat=seat-4\n" + rest + OVER
    assert play(GAME, facts(*devices), SHOE + bank + in_time).rules == []
    chips = CALL + first + "\nseats seat_taken seat=seat-3\n" + rest + OVER
    assert play(GAME, facts(*devices), SHOE + bank + chips).rules == []


def test_what_was_not_seen_accuses_nobody() -> None:
    unread = DRAWS.replace("AC", "null").replace("D:2D", "D:null")
    assert at(unread).rules == []
    lost = by_shoe(DRAWS).replace("to=dealer", "to=null")
    assert play(GAME, facts("shoe", "panel"), SHOE + CALL + lost + OVER).rules == []
    first, rest = by_shoe(DRAWS).split("\n", 1)
    gap = "\nshoe device_offline reason=unplugged\nshoe device_online\n"
    (round_,) = play(GAME, facts("shoe", "panel"), SHOE + CALL + first + gap + rest + OVER).rounds
    assert round_.partial


@pytest.mark.parametrize("again", ["", PAT])
def test_a_misdeal_that_is_called_voids_the_round_and_ends_the_judging(again: str) -> None:
    given_up = CALL + by_shoe(PAT.replace(" 2:KC", "")) + "panel key_pressed key=misdeal\n" + by_shoe(again) + OVER
    played = play(GAME, facts("shoe", "panel"), SHOE + given_up + CALL + by_shoe(PAT) + OVER)
    assert played.rules == []
    assert [(round_.void, round_.partial) for round_ in played.rounds] == [("misdeal", False), (None, False)]


@pytest.mark.parametrize("devices", [("shoe", "card_position", "panel"), ("card_position", "panel")])
def test_a_card_laid_at_the_wrong_place_and_moved_counts_where_it_lies(devices: tuple[str, ...]) -> None:
    log = CALL + by_felt("2:6S") + lifted("2:6S") + by_felt(PAT) + OVER
    (round_,) = play(GAME, facts(*devices), SHOE * ("shoe" in devices) + log).rounds
    assert (round_.irregularities, round_.partial) == ((), False)
    assert round_.cards["seat-2"] == ["2C", "2D", "KC"]
    drawn = by_shoe("1:6S").replace("seat-1", "null")
    if "shoe" in devices:  # another deck's six of spades
        log = CALL + by_felt("2:6S") + lifted("2:6S") + drawn + by_felt(PAT) + OVER
        assert play(GAME, facts(*devices), SHOE + log).rules == ["wrong-initial-sequence"]


def test_every_card_counts_its_pips() -> None:
    for card in DECK:
        if card[0] in "A23456JQK":
            points = at(f"1:{card} D:4D 1:KS D:3D 1:QS D:QC").rounds[0].result["seat-1"]["points"]
            assert points == "JQKA23456".index(card[0]) - 2 if card[0] in "A23456" else points == 0


@pytest.mark.parametrize("missed", [0, 1])
@pytest.mark.parametrize("at", [1, 4, 9])
def test_without_a_panel_a_card_looked_at_or_missed_as_it_was_lifted_ends_no_round_early(at: int, missed: int) -> None:
    """Where the felt tells one round from the next."""
    cards = PAT.split()
    looked = by_felt(" ".join(cards[:at])) + lifted(cards[0]) + by_felt(cards[0]) + by_felt(" ".join(cards[at:]))
    collected = lifted(" ".join(cards[missed:]))
    twice = looked + collected + by_felt(PAT) + lifted(PAT)
    played = play(GAME, facts("shoe", "card_position", without=["card_drawn"]), SHOE + twice)
    assert played.rules == []
    assert [round_.result["seat-2"]["cards"] for round_ in played.rounds] == [3, 3]
