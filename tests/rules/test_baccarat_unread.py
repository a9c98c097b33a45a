"""Baccarat by a shoe alone, a face unread: where the round ends may not be known, and then nobody is accused, and the
rounds after it are found again."""

from __future__ import annotations

import random

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.games.baccarat.lost_place import LostPlace
from pitwatch.rules.games.baccarat.tableau import Tableau
from pitwatch.rules.play.cards import DECK
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/mini-midi-baccarat"
TABLEAU = Tableau(load_game(GAME).tables)
HANDS = {"P": "player", "B": "banker"}
SHOE = "shoe shoe_started decks=8\n"
NATURAL = "P:9C B:2D P:KD B:3S"
BANKER_DRAWS = "P:6D B:5S P:KC B:KH B:2S"
PLAYER_DRAWS = "P:5D B:7S P:KC B:KH P:2S"


def shoe(cards: str) -> str:
    dealt = [(HANDS[word[0]], word[2:]) for word in cards.split()]
    return "".join(f"shoe card_drawn card={card} to={to}\n" for to, card in dealt)


def at(log: str, *devices: str) -> Played:
    return play(GAME, facts(*(devices or ("shoe",))), SHOE + log)


@pytest.mark.parametrize("unread", ["null", "10D"])
def test_where_the_round_ends_is_not_known(unread: str) -> None:
    """2D and 3S make five: the player's hand may stand, draw, or be a natural. 9C may be its third card."""
    damaged = "shoe device_fault reason=bad_field\n" if unread == "10D" else ""
    played = at(damaged + shoe("P:null B:2D P:KD B:3S") + shoe(NATURAL) + shoe(NATURAL) * 2)
    assert played.rules == []
    assert played.rounds[0].cards == {"player": [None, "KD"], "banker": ["2D", "3S"]}
    assert all(each.partial and each.result["winner"] is None for each in played.rounds)
    assert all("third-card-rule" in each.not_observable for each in played.rounds)


def test_a_joker_is_reported_as_foreign_and_no_draw_with_it() -> None:
    played = at(shoe("P:JK B:2D P:KD B:3S") + shoe(NATURAL) * 2)
    assert played.rules == ["foreign-card"]
    assert played.rounds[0].partial


@pytest.mark.parametrize("between", ["", NATURAL, f"{NATURAL} {NATURAL}"])
@pytest.mark.parametrize("shows", [BANKER_DRAWS, PLAYER_DRAWS])
def test_two_cards_running_to_one_hand_show_where_a_round_begins(shows: str, between: str) -> None:
    log = shoe("P:null B:2D P:KD B:3S") + shoe(between) + shoe(shows)
    found = at(log + shoe(NATURAL) + shoe(NATURAL))
    assert found.rules == []
    assert [(each.partial, each.result["winner"]) for each in found.rounds[-2:]] == [(False, "player")] * 2
    assert not any("third-card-rule" in (each.not_observable or ()) for each in found.rounds[-2:])
    wrong = at(log + shoe(NATURAL) + shoe(NATURAL + " B:4C") + shoe(NATURAL))
    assert wrong.rules == ["third-card-rule"]
    assert wrong.irregularities[0].round == found.rounds[-1].round


@pytest.mark.parametrize("said", ["panel key_pressed key=no_more_bets\n", SHOE])
def test_a_key_or_a_new_shoe_shows_it_as_well(said: str) -> None:
    played = at(shoe("P:null B:2D P:KD B:3S") + shoe(NATURAL) + said + shoe(NATURAL), "shoe", "panel")
    assert not {"third-card-rule", "more-than-one-extra-card"} & set(played.rules)
    assert (played.rounds[-1].partial, played.rounds[-1].result["winner"]) == (False, "player")


def test_where_the_faces_that_were_read_settle_it_the_round_is_whole() -> None:
    log = shoe("P:null B:9D P:KD B:KS") + shoe(NATURAL)  # a natural: nobody draws
    assert [(each.partial, each.cards["player"]) for each in at(log).rounds] == [
        (False, [None, "KD"]), (False, ["9C", "KD"]),
    ]  # fmt: skip
    log = shoe("P:null B:9D P:KD B:KS P:2C") + shoe(NATURAL)
    assert at(log).rules == ["third-card-rule"]


def test_a_shoe_that_declares_each_result_tells_where_the_round_ends() -> None:
    declared = "shoe result_declared winner=player pairs=[]\n"
    log = shoe(NATURAL) + declared + shoe("P:null B:2D P:KD B:3S P:4C") + declared + shoe(NATURAL) + declared
    assert [each.partial for each in at(log).rounds] == [False, False, False]


def test_the_cut_card_is_not_counted_from_where_rounds_cannot_be_told_apart() -> None:
    log = shoe(NATURAL) + "shoe cut_card_drawn\n" + shoe("P:null B:2D P:KD B:3S P:4C B:2S") + "shoe shoe_started\n"
    assert "dealt-past-last-hand" not in at(log).rules


@pytest.mark.parametrize("seed", range(40))
def test_any_one_face_unread_accuses_nobody(seed: int) -> None:
    chance = random.Random(seed)
    cards = list(DECK * 8)
    chance.shuffle(cards)
    dealt = [(to, card) for _ in range(15) for to, card in TABLEAU.deal(cards.pop)]
    blot = chance.randrange(len(dealt))
    dealt[blot] = (dealt[blot][0], "null")
    played = at("".join(f"shoe card_drawn card={card} to={to}\n" for to, card in dealt))
    assert played.rules == []
    assert [each.round for each in played.rounds] == list(range(1, len(played.rounds) + 1))
    assert all(len(hand) <= 3 for each in played.rounds for hand in each.cards.values())


def test_cards_that_may_have_gone_by_show_nothing() -> None:
    place = LostPlace()
    assert [place.drawn(to) for to in ("player", "player")] == [False, True]
    place.gap()
    assert [place.drawn(to) for to in ("player", "banker", "banker", "player")] == [False, False, False, True]


# --- every face read, and nobody who says where a round ends


def felt(cards: str) -> str:
    """Laid as a shoe draws them, then lifted."""
    dealt = [(HANDS[word[0]], word[2:]) for word in cards.split()]
    lifted = "".join(f"card_position card_removed card={card} to={to}\n" for to, card in dealt)
    return shoe_and_felt(cards) + lifted


def shoe_and_felt(cards: str) -> str:
    dealt = [(HANDS[word[0]], word[2:]) for word in cards.split()]
    return "".join(
        f"shoe card_drawn card={card} to={to}\ncard_position card_placed card={card} to={to}\n" for to, card in dealt
    )


def test_the_next_round_may_begin_with_the_card_that_began_the_last() -> None:
    """After a natural the document leaves the banker's draw open: the round waits until the felt is cleared."""
    game = "california/ez-baccarat-panda-8"
    rounds = ("P:AS B:4C P:8C B:TH", "P:AS B:4D P:4C B:6S P:AD B:KC", "P:2C B:2S P:AC B:QD P:4D B:9C")
    table = facts("shoe", "card_position", without=("result_declared",))
    played = play(game, table, SHOE + "".join(felt(each) for each in rounds))
    assert played.rules == []
    assert [each.cards["player"] for each in played.rounds] == [["AS", "8C"], ["AS", "4C", "AD"], ["2C", "AC", "4D"]]


def test_a_card_that_was_lifted_to_be_looked_at_is_not_the_next_rounds() -> None:
    looked = "card_position card_removed card=8C to=player\ncard_position card_placed card=8C to=player\n"
    table = facts("shoe", "card_position", without=("result_declared",))
    played = play("california/ez-baccarat-panda-8", table, SHOE + shoe_and_felt("P:AS B:4C P:8C B:TH") + looked)
    assert played.rules == []
    assert [each.cards["player"] for each in played.rounds] == [["AS", "8C"]]
