"""Mini/Midi Baccarat against Section Nineteen (lines 3819-4005): each rule beside the clean round next to it.

A round is written as it is dealt, `P:6D B:6S P:KC B:KH`, and read by whichever devices the table has.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.book import load_game
from pitwatch.rules.games.baccarat.tableau import Tableau
from pitwatch.rules.play.cards import DECK
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/mini-midi-baccarat"
TABLEAU = Tableau(load_game(GAME).tables)
HANDS = {"P": "player", "B": "banker"}

CALL = "panel key_pressed key=no_more_bets\n"
OVER = "panel key_pressed key=round_over\n"
CUT = "shoe cut_card_drawn\n"
SHOE = "shoe shoe_started decks=8\n"

STAND = "P:6D B:7S P:KC B:KH"  # neither draws: 6 to 7
NATURAL = "P:9D B:7S P:KC B:KH"
BOTH_DRAW = "P:2D B:3S P:KC B:KH P:7C B:2D"  # 2 draws a 7: banker's 3 draws
PLAYER_MUST = "P:5D B:7S P:KC B:KH"  # a card is still due to the player
BANKER_MUST = "P:6D B:5S P:KC B:KH"  # the player stands, a card is still due to the banker


def pairs_of(cards: str) -> list[tuple[str, str]]:
    return [(HANDS[word[0]], word[2:]) for word in cards.split()]


def line(event: str, card: str, to: str | None, **more: Any) -> str:
    device = "shoe" if event == "card_drawn" else "card_position"
    face = "null" if card in ("null", "??") else card
    fields = "".join(f" {name}={value}" for name, value in more.items())
    return f"{device} {event} card={face} to={to or 'null'}{fields}\n"


def shoe(cards: str) -> str:
    """By a shoe that knows where each card goes."""
    return "".join(line("card_drawn", card, to) for to, card in pairs_of(cards))


def indexed(cards: str) -> str:
    """By a shoe that counts each hand's cards as well."""
    counts = {"player": 0, "banker": 0}
    log = ""
    for to, card in pairs_of(cards):
        counts[to] += 1
        log += line("card_drawn", card, to, index=counts[to])
    return log


def blind(cards: str) -> str:
    """By a shoe that reads cards and no more."""
    return "".join(line("card_drawn", card, None) for _, card in pairs_of(cards))


def felt(cards: str) -> str:
    """By a reader under the felt; the banker's first two lie under the shoe until the player's are announced (3990)."""
    pairs = pairs_of(cards)
    initial = sorted(pairs[:4], key=lambda pair: pair[0] == "banker")
    placed = "".join(line("card_placed", card, to) for to, card in [*initial, *pairs[4:]])
    return placed + "".join(line("card_removed", card, to) for to, card in pairs)


def both(cards: str) -> str:
    """By a blind shoe and the felt."""
    log = ""
    for to, card in pairs_of(cards):
        log += line("card_drawn", card, None) + line("card_placed", card, to)
    return log + "".join(line("card_removed", card, to) for to, card in pairs_of(cards))


def burn(first: str, cards: int, to: str | None = "burn") -> str:
    """The start of a shoe: `cards` more after the first."""
    return SHOE + line("card_drawn", first, to) + "".join(line("card_drawn", DECK[n], to) for n in range(cards))


FRESH = burn("3C", 3)
FRESH_BLIND = burn("3C", 3, None)

EQUIPMENT = {
    "shoe": (shoe, FRESH, ("shoe",)),
    "shoe with index": (indexed, FRESH, ("shoe",)),
    "blind shoe": (blind, FRESH_BLIND, ("shoe",)),
    "felt": (felt, FRESH, ("shoe", "card_position")),
    "blind shoe and felt": (both, FRESH_BLIND, ("shoe", "card_position")),
}


def at(log: str, *devices: str, **table: Any) -> Played:
    return play(GAME, facts(*(devices or ("shoe",)), **table), log)


# the course of a round, however the table is equipped


@pytest.mark.parametrize("panel", [False, True], ids=["no panel", "panel"])
@pytest.mark.parametrize("equipment", EQUIPMENT)
def test_clean_play_is_rounds_and_nothing_else(equipment: str, panel: bool) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    chance, log, expected = random.Random(equipment), "", []
    for _ in range(3):
        cards = list(DECK * 8)
        chance.shuffle(cards)
        log += fresh
        for _ in range(25):
            dealt = TABLEAU.deal(cards.pop)
            log += CALL * panel + read(" ".join(f"{to[0].upper()}:{card}" for to, card in dealt)) + OVER * panel
            hands = {name: [card for to, card in dealt if to == name] for name in ("player", "banker")}
            expected.append((hands, TABLEAU.result(hands["player"], hands["banker"])))
    played = at(log, *devices, *(["panel"] * panel))
    assert played.rules == []
    assert [(r.cards, r.result) for r in played.rounds] == expected
    assert not any(r.partial or r.void for r in played.rounds)
    assert [r.round for r in played.rounds] == list(range(1, 76))


def test_a_round_record() -> None:
    (round_,) = at(FRESH + shoe("P:3D B:7S P:KC B:KH P:KD")).rounds
    assert (round_.opened, round_.closed) == (6.0, 10.0)
    assert round_.cards == {"player": ["3D", "KC", "KD"], "banker": ["7S", "KH"]}
    assert round_.result == {
        "winner": "banker",
        "points": {"player": 3, "banker": 7},
        "natural": False,
        "margin": 4,
    }


def test_with_a_panel_the_keys_bound_the_round() -> None:
    played = at(FRESH + CALL + shoe(STAND) + "+5\n" + CALL + shoe(NATURAL) + "+5\n" + OVER, "shoe", "panel")
    assert played.rules == []
    assert [r.closed - r.opened for r in played.rounds] == [10.0, 10.0]
    assert [r.result["natural"] for r in played.rounds] == [False, True]


@pytest.mark.parametrize("equipment", EQUIPMENT)
def test_where_nobody_touches_a_key_the_tableau_bounds_the_rounds_and_none_was_called(equipment: str) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    played = at(fresh + read(STAND) + read(NATURAL) + read(BOTH_DRAW), *devices, "panel")
    assert [(each.rule.rpartition("/")[2], each.round) for each in played.irregularities] == [
        ("no-more-bets-not-called", number) for number in (1, 2, 3)
    ]
    assert [r.result["winner"] for r in played.rounds] == ["banker", "player", "player"]


def test_a_patron_who_looks_at_the_cards_deals_nothing() -> None:
    """3846-3857: on a designated table the cards go to a patron and come back."""
    looked = """
        card_position card_placed card=6D to=player
        card_position card_placed card=KC to=player
        card_position card_placed card=7S to=banker
        card_position card_removed card=6D to=player
        card_position card_removed card=KC to=player
        card_position card_placed card=KC to=player
        card_position card_placed card=6D to=player
        card_position card_placed card=KH to=banker
    """
    played = at(SHOE + CALL + looked + OVER, "shoe", "card_position", "panel")
    assert played.rules == []
    assert played.rounds[0].cards == {"player": ["6D", "KC"], "banker": ["7S", "KH"]}


def test_a_patron_who_looks_at_a_complete_hand_begins_no_round() -> None:
    looked = """
        card_position card_placed card=9D to=player
        card_position card_placed card=KC to=player
        card_position card_placed card=7S to=banker
        card_position card_placed card=KH to=banker
        card_position card_removed card=9D to=player
        card_position card_removed card=KC to=player
        card_position card_placed card=KC to=player
        card_position card_placed card=9D to=player
        card_position card_removed card=KH to=banker
        card_position card_removed card=7S to=banker
        card_position card_removed card=KC to=player
        card_position card_removed card=9D to=player
    """
    played = at(SHOE + looked + looked, "shoe", "card_position")
    assert played.rules == []
    assert [(r.round, r.result["winner"]) for r in played.rounds] == [(1, "player"), (2, "player")]


def test_a_cleared_felt_ends_a_hand_that_was_still_due_a_card() -> None:
    for read, fresh in ((felt, FRESH), (both, FRESH_BLIND)):
        played = at(fresh + read(STAND) + read(PLAYER_MUST) + read(STAND), "shoe", "card_position")
        assert played.rules == ["third-card-rule"]
        assert [(r.round, r.partial) for r in played.rounds] == [(1, False), (2, False), (3, False)]


# 3868-3899: the third card


@pytest.mark.parametrize("equipment", EQUIPMENT)
@pytest.mark.parametrize(
    ("cards", "observed"),
    [
        (STAND + " B:2C", {"hand": "banker", "drew": True}),
        (NATURAL + " B:2C", {"hand": "banker", "drew": True}),
        ("P:2D B:8S P:KC B:KH P:2C", {"hand": "player", "drew": True}),
        ("P:2D B:3S P:KC B:KH P:8C B:2D", {"hand": "banker", "drew": True}),
        ("P:5D B:3S P:KC B:KH B:2D", {"hand": "player", "drew": False}),
        (BANKER_MUST, {"hand": "banker", "drew": False}),
        (PLAYER_MUST, {"hand": "player", "drew": False}),
        ("P:2D B:3S P:KC B:KH P:9C", {"hand": "banker", "drew": False}),
    ],
)
def test_wrong_draws_with_a_panel(equipment: str, cards: str, observed: dict[str, Any]) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    if equipment == "blind shoe":
        if cards.startswith("P:5D B:3S"):
            return  # a blind shoe takes the banker's card for the player's: nothing is wrong to it
        observed = observed if not observed["drew"] else {"hand": None, "drew": True}
    played = at(
        fresh + CALL + read(STAND) + OVER + CALL + read(cards) + OVER + CALL + read(STAND) + OVER, *devices, "panel"
    )
    assert played.rules == ["third-card-rule"]
    (breach,) = played.irregularities
    assert (breach.round, breach.severity, breach.disposition) == (2, "notice", "none-stated")
    assert {name: breach.observed[name] for name in observed} == observed
    assert breach.citation.lines == "3868-3899"
    assert [r.irregularities for r in played.rounds] == [(), (breach.rule,), ()]
    assert [r.partial for r in played.rounds] == [False, False, False]


@pytest.mark.parametrize(
    ("read", "extra"),
    [
        (shoe, "P:2C"),
        (shoe, "B:2C"),
        (indexed, "P:2C"),
        (indexed, "B:2C"),
        (felt, "P:2C"),
        (felt, "B:2C"),
    ],
)
def test_without_a_panel_a_card_too_many_belongs_to_the_round_just_closed(read: Any, extra: str) -> None:
    too_many = STAND + " " + extra
    log = FRESH + read(NATURAL) + read(too_many) + read(BOTH_DRAW) + read(STAND)
    played = at(log, *(("shoe", "card_position") if read is felt else ("shoe",)))
    assert played.rules == ["third-card-rule"]
    (breach,) = played.irregularities
    assert (breach.round, breach.observed) == (2, {"hand": HANDS[extra[0]], "drew": True})
    assert [r.cards for r in played.rounds][2]["banker"] == ["3S", "KH", "2D"]
    assert [(r.round, r.result["winner"], r.partial) for r in played.rounds] == [
        (1, "player", False),
        (2, "banker", False),
        (3, "player", False),
        (4, "banker", False),
    ]


@pytest.mark.parametrize("extra", ["P:2C", "B:2C", "P:2C B:2H"])
def test_cards_before_the_shoe_declares_the_hand_belong_to_it(extra: str) -> None:
    declared = "shoe result_declared winner=banker pairs=[]\n"
    played = at(FRESH + shoe(STAND + " " + extra) + declared)
    assert played.rules == ["third-card-rule"]
    assert [r.round for r in played.rounds] == [1]
    after = at(FRESH + shoe(STAND) + declared + shoe(STAND) + declared)
    assert after.rules == []
    assert [r.round for r in after.rounds] == [1, 2]


@pytest.mark.parametrize("read", [shoe, indexed, blind])
def test_the_shoe_ends_a_hand_that_was_still_due_a_card(read: Any) -> None:
    declared = "shoe result_declared winner=banker pairs=[]\n"
    fresh = FRESH_BLIND if read is blind else FRESH
    played = at(fresh + read(STAND) + declared + read(PLAYER_MUST) + declared + read(STAND) + declared)
    assert played.rules == ["third-card-rule"]
    assert [(r.round, r.partial) for r in played.rounds] == [(1, False), (2, False), (3, False)]
    assert played.irregularities[0].round == 2


def test_a_missing_card_that_hides_where_the_next_round_begins_is_told_once() -> None:
    """Neither panel nor result nor index: what comes after the missing card looks wrong again and again."""
    after = shoe(STAND + " " + BOTH_DRAW + " " + NATURAL + " " + BOTH_DRAW)
    assert at(FRESH + shoe(STAND) + shoe(BANKER_MUST) + after).rules == ["third-card-rule"]
    assert at(FRESH + shoe(STAND) + shoe(BANKER_MUST + " B:2D") + after).rules == []


def test_the_shoes_own_count_tells_that_a_card_is_missing() -> None:
    played = at(FRESH + indexed(PLAYER_MUST) + indexed(STAND))
    assert played.rules == ["third-card-rule"]
    assert played.irregularities[0].observed["drew"] is False
    assert [len(r.cards["player"]) for r in played.rounds] == [2, 2]


def test_an_overdraw_that_the_shoe_stopped() -> None:
    error = "shoe reader_error kind=overdraw\n"
    assert at(FRESH + shoe(STAND) + error).rules == ["third-card-rule"]
    assert at(FRESH + CALL + shoe(STAND) + error + OVER, "shoe", "panel").rules == ["third-card-rule"]
    assert at(FRESH + CALL + shoe(STAND) + OVER + CALL + error + shoe(STAND) + OVER, "shoe", "panel").rules == []
    assert at(FRESH + shoe(STAND) + error.replace("overdraw", "unreadable")).rules == []


@pytest.mark.parametrize(("before", "again"), [(PLAYER_MUST, ""), ("P:6D B:7S", STAND), (STAND, NATURAL)])
def test_a_misdeal_that_is_called_voids_the_round_and_ends_the_judging(before: str, again: str) -> None:
    dealt = FRESH + CALL + shoe(before) + "panel key_pressed key=misdeal\n" + shoe(again) + OVER
    played = at(dealt + CALL + shoe(STAND) + OVER, "shoe", "panel")
    assert played.rules == []
    assert [(r.void, r.partial, r.result["winner"]) for r in played.rounds] == [
        ("misdeal", False, None),
        (None, False, "banker"),
    ]


def laid(cards: str) -> str:
    """By a blind shoe and the felt, card by card; where the table has no shoe its lines say nothing."""
    return "".join(line("card_drawn", card, None) + line("card_placed", card, to) for to, card in pairs_of(cards))


def moved(card: str, origin: str, to: str) -> str:
    return line("card_removed", card, HANDS[origin]) + line("card_placed", card, HANDS[to])


@pytest.mark.parametrize("devices", [("shoe", "card_position", "panel"), ("card_position", "panel")])
def test_a_card_laid_in_the_wrong_box_and_moved_counts_where_it_lies(devices: tuple[str, ...]) -> None:
    dealt = laid("B:4C") + moved("4C", "B", "P") + laid("B:5D P:3H B:2D")
    if "shoe" not in devices:
        dealt = "".join(each for each in dealt.splitlines(keepends=True) if not each.startswith("shoe"))
    (round_,) = at((FRESH if "shoe" in devices else "") + CALL + dealt + OVER, *devices).rounds
    assert round_.irregularities == ()
    assert round_.cards == {"player": ["4C", "3H"], "banker": ["5D", "2D"]}
    assert (round_.result["winner"], round_.result["points"]) == ("tie", {"player": 7, "banker": 7})


def test_a_third_card_moved_to_the_hand_that_is_due_it_is_one_wrong_draw() -> None:
    log = FRESH + CALL + laid("P:KC B:5D P:4H B:AD B:6S") + moved("6S", "B", "P") + laid("B:8D") + OVER
    played = at(log, "shoe", "card_position", "panel")
    assert played.rules == ["third-card-rule"]  # the player was due the first; a 6 lets the banker's 6 draw
    assert played.rounds[0].result["points"] == {"player": 0, "banker": 4}


def test_a_card_of_another_deck_from_the_shoe_is_no_moved_one() -> None:
    """A patron lifts the banker's 4C while the player is dealt a 4C."""
    lifted, back = line("card_removed", "4C", "banker"), line("card_placed", "4C", "banker")
    log = FRESH + CALL + laid("P:AD B:4C P:KC B:3H") + lifted + laid("P:4C") + back + OVER
    (round_,) = at(log, "shoe", "card_position", "panel").rounds
    assert round_.irregularities == ()
    assert round_.result["points"] == {"player": 5, "banker": 7}


def test_a_shoe_changed_in_mid_round_proves_nothing() -> None:
    played = at(FRESH + shoe(PLAYER_MUST) + FRESH + shoe(STAND))
    assert played.rules == []
    assert [r.partial for r in played.rounds] == [True, False]


def test_the_end_of_the_stream_proves_nothing() -> None:
    played = at(FRESH + shoe(STAND) + shoe(PLAYER_MUST))
    assert played.rules == []
    assert [(r.partial, r.result["winner"]) for r in played.rounds] == [(False, "banker"), (True, None)]


# 3844, 3995: never more than one additional card


@pytest.mark.parametrize("equipment", ["shoe", "shoe with index", "felt", "blind shoe and felt"])
def test_a_second_extra_card_with_a_panel(equipment: str) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    played = at(fresh + CALL + read(BOTH_DRAW + " B:4C") + OVER, *devices, "panel")
    assert played.rules == ["more-than-one-extra-card"]
    assert played.irregularities[0].observed == {"hand": "banker", "extra_cards": 2}
    assert at(fresh + CALL + read(BOTH_DRAW) + OVER, *devices, "panel").rules == []


@pytest.mark.parametrize(("read", "extra"), [(shoe, "B:4C"), (indexed, "B:4C"), (indexed, "P:4C"), (shoe, "P:4C")])
def test_a_second_extra_card_without_a_panel(read: Any, extra: str) -> None:
    played = at(FRESH + read(BOTH_DRAW + " " + extra) + read(STAND) + read(STAND))
    assert played.rules == ["more-than-one-extra-card"]
    assert played.irregularities[0].round == 1
    assert len(played.rounds) == 3


# 3984: the burn


@pytest.mark.parametrize("to", ["burn", None])
@pytest.mark.parametrize(
    ("first", "cards", "rules"),
    [
        ("AS", 1, []),
        ("AS", 2, ["burn-count-wrong"]),
        ("9S", 9, []),
        ("9S", 8, ["burn-count-wrong"]),
        ("QS", 10, []),
        ("TS", 11, ["burn-count-wrong"]),
        ("TS", 0, ["burn-count-wrong"]),
    ],
)
def test_as_many_cards_as_the_first_is_worth(to: str | None, first: str, cards: int, rules: list[str]) -> None:
    read = blind if to is None else shoe
    played = at(burn(first, cards, to) + CALL + read(STAND) + OVER + CALL + read(NATURAL) + OVER, "shoe", "panel")
    assert played.rules == rules
    assert [r.result["winner"] for r in played.rounds] == ["banker", "player"]
    if rules:
        (breach,) = played.irregularities
        assert breach.observed == {"first_card": first, "burned": cards}
        assert breach.citation.lines == "3984"


@pytest.mark.parametrize(("cards", "rules"), [(4, []), (3, ["burn-count-wrong"]), (5, ["burn-count-wrong"])])
def test_the_burn_without_a_panel(cards: int, rules: list[str]) -> None:
    assert at(burn("4S", cards) + shoe(STAND)).rules == rules


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_a_blind_shoe_without_keys_cannot_tell_a_wrong_burn_and_accuses_nobody_of_it(cards: int) -> None:
    declared = "shoe result_declared winner=banker pairs=[]\n"
    log = burn("4S", cards, None) + (blind(STAND) + declared) * 3
    assert at(log).rules == []


def test_a_burn_whose_first_card_was_not_read_is_not_judged() -> None:
    assert at(burn("null", 4) + shoe(STAND)).rules == []
    assert at(burn("null", 4, None) + CALL + blind(STAND) + OVER, "shoe", "panel").rules == []


def test_a_joker_that_opens_the_burn_is_foreign_and_worth_nothing() -> None:
    assert at(burn("JK", 3) + CALL + shoe(STAND) + OVER, "shoe", "panel").rules == ["foreign-card"]
    assert at(burn("JC", 3) + CALL + shoe(STAND) + OVER, "shoe", "panel").rules == ["burn-count-wrong"]


def test_the_house_may_burn_cards_at_any_time() -> None:
    """3970: between rounds there is no count."""
    assert at(FRESH + shoe(STAND) + "shoe card_drawn card=2D to=burn\n" + shoe(NATURAL)).rules == []


@pytest.mark.parametrize(("cards", "rules"), [(5, []), (4, ["burn-count-wrong"])])
def test_the_rack_counts_the_burn_where_no_reader_sees_it(cards: int, rules: list[str]) -> None:
    log = f"""
        discard_rack emptied
        {SHOE}
        card_position card_placed card=4D to=burn
        discard_rack cards_counted cards={cards}
    """
    table = facts("card_position", "discard_rack", "panel", "shoe", without=["card_drawn"])
    assert play(GAME, table, log + CALL + felt(STAND) + OVER).rules == rules


@pytest.mark.parametrize(("cards", "rules"), [(5, []), (4, ["burn-count-wrong"]), (1, [])])
def test_a_reader_that_sees_more_than_the_turned_card_counts_the_burn(cards: int, rules: list[str]) -> None:
    """One that sees the turned card alone does not: the rest may have gone to the rack."""
    table = facts("card_position", "panel", "shoe", without=["card_drawn"])
    log = SHOE + "card_position card_placed card=4D to=burn\n"
    log += "card_position card_placed card=null to=burn\n" * (cards - 1)
    assert play(GAME, table, log + CALL + felt(STAND) + OVER).rules == rules


def test_a_rack_that_may_not_have_been_empty_proves_nothing() -> None:
    log = f"{SHOE} card_position card_placed card=4D to=burn\n discard_rack cards_counted cards=300\n"
    table = facts("card_position", "discard_rack", "panel", "shoe", without=["card_drawn"])
    assert play(GAME, table, log + CALL + felt(STAND) + OVER).rules == []


def test_a_rack_that_was_empty_before_a_round_is_not_empty_after_it() -> None:
    """Emptied once: the cards of the rounds dealt since lie in it, until it is emptied again."""
    table = facts("card_position", "discard_rack", "panel", "shoe", without=["card_drawn"])
    opened = "card_position card_placed card=4D to=burn\n"
    count = "discard_rack cards_counted cards={}\n"
    emptied, round_ = "discard_rack emptied\n", CALL + felt(STAND) + OVER
    first = emptied + SHOE + opened + count.format(5) + round_
    assert play(GAME, table, first + SHOE + opened + count.format(9) + round_).rules == []
    assert play(GAME, table, first + emptied + SHOE + opened + count.format(9) + round_).rules == ["burn-count-wrong"]
    assert play(GAME, table, first + emptied + SHOE + opened + count.format(5) + round_).rules == []
    late = SHOE + opened + count.format(9) + emptied + round_
    assert play(GAME, table, late).rules == []  # it was counted before it was empty


# 3989: no more bets


@pytest.mark.parametrize("equipment", EQUIPMENT)
def test_a_round_that_nobody_called(equipment: str) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    log = fresh + CALL + read(STAND) + OVER + read(NATURAL) + OVER + CALL + read(STAND) + OVER
    played = at(log, *devices, "panel")
    assert played.rules == ["no-more-bets-not-called"]
    assert played.irregularities[0].round == 2
    assert played.irregularities[0].citation.lines == "3989"
    assert len(played.rounds) == 3


@pytest.mark.parametrize("equipment", EQUIPMENT)
def test_the_first_round_of_a_shoe_that_nobody_called(equipment: str) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    played = at(fresh + read(STAND) + OVER + CALL + read(STAND) + OVER, *devices, "panel")
    assert played.rules == ["no-more-bets-not-called"]
    assert [(r.round, r.result["winner"]) for r in played.rounds] == [(1, "banker"), (2, "banker")]


def test_a_call_before_the_shoe_is_started_stands() -> None:
    for read, to in ((shoe, "burn"), (blind, None)):
        played = at(CALL + burn("3C", 3, to) + read(STAND) + OVER, "shoe", "panel")
        assert played.rules == []
        assert [r.result["winner"] for r in played.rounds] == ["banker"]


def test_called_after_the_first_card_is_not_called_at_the_start() -> None:
    late = shoe("P:6D") + CALL + shoe("B:7S P:KC B:KH") + OVER
    played = at(FRESH + CALL + shoe(STAND) + OVER + late, "shoe", "panel")
    assert played.rules == ["no-more-bets-not-called"]
    assert len(played.rounds) == 2


# 3996, 4005: the cut card


@pytest.mark.parametrize("panel", [False, True], ids=["no panel", "panel"])
@pytest.mark.parametrize("equipment", EQUIPMENT)
def test_the_cut_card_during_a_hand_allows_one_more(equipment: str, panel: bool) -> None:
    read, fresh, devices = EQUIPMENT[equipment]
    devices = (*devices, *(["panel"] * panel))

    def dealt(cards: str) -> str:
        return CALL * panel + read(cards) + OVER * panel

    first, rest = read(STAND).split("\n", 1)
    log = fresh + dealt(NATURAL) + CALL * panel + first + "\n" + CUT + rest + OVER * panel + dealt(STAND)
    assert at(log, *devices).rules == []
    assert at(log + fresh + dealt(STAND), *devices).rules == []
    past = at(log + dealt(NATURAL), *devices)
    assert past.rules == ["dealt-past-last-hand"]
    assert past.irregularities[0].round == 4


@pytest.mark.parametrize("panel", [False, True], ids=["no panel", "panel"])
def test_the_cut_card_first_allows_that_hand_only(panel: bool) -> None:
    devices = ("shoe", "shuffler", *(["panel"] * panel))

    def dealt(cards: str) -> str:
        return CALL * panel + shoe(cards) + OVER * panel

    for cut in (CUT + CALL * panel, CALL * panel + CUT):
        log = FRESH + dealt(NATURAL) + cut + shoe(STAND) + OVER * panel
        assert at(log, *devices).rules == []
        past = at(log + dealt(STAND) + dealt(STAND), *devices)
        assert past.rules == ["dealt-past-last-hand"] * 2
        assert [each.round for each in past.irregularities] == [3, 4]
        shuffled = "shuffler shuffle_started\n shuffler shuffle_completed cards=416\n"
        assert at(log + shuffled + dealt(STAND) + dealt(STAND), *devices).rules == []
        assert (
            at(log + "shoe device_offline reason=unplugged\n shoe device_online\n" + dealt(STAND), *devices).rules == []
        )


def test_a_call_without_a_card_deals_no_hand() -> None:
    log = FRESH + CUT + CALL + shoe(STAND) + OVER + CALL
    assert at(log, "shoe", "panel").rules == []


# Section One, 72 and 81: the shoe's own result


@pytest.mark.parametrize("panel", [False, True], ids=["no panel", "panel"])
def test_the_shoes_result_against_the_cards(panel: bool) -> None:
    devices = ("shoe", *(["panel"] * panel))

    def declared(cards: str, result: str) -> Played:
        return at(FRESH + CALL * panel + shoe(cards) + f"shoe result_declared {result}\n" + OVER * panel, *devices)

    assert declared(STAND, "winner=banker pairs=[]").rules == []
    assert declared("P:KD B:7S P:KC B:KH P:KS", 'winner=banker pairs=["player"]').rules == []
    assert declared(STAND, "winner=null pairs=[]").rules == []
    wrong = declared(STAND, "winner=player pairs=[]")
    assert wrong.rules == ["result-mismatch"]
    (breach,) = wrong.irregularities
    assert (breach.severity, breach.round, breach.observed) == ("critical", 1, {"winner": "player"})
    assert breach.required == {"winner": "banker", "points": {"player": 6, "banker": 7}}
    assert (breach.citation.section, breach.citation.lines) == ("One", "72, 81")
    assert declared("P:KD B:7S P:KC B:KH P:KS", "winner=banker pairs=[]").rules == ["result-mismatch"]


def test_after_a_wrong_draw_the_result_is_not_held_against_the_shoe() -> None:
    log = FRESH + CALL + shoe(STAND + " P:4C") + "shoe result_declared winner=banker pairs=[]\n" + OVER
    assert at(log, "shoe", "panel").rules == ["third-card-rule"]


def test_an_unread_card_cannot_contradict_the_shoe() -> None:
    log = FRESH + shoe("P:?? B:8S P:KC B:KH") + "shoe result_declared winner=player pairs=[]\n"
    played = at(log)
    assert played.rules == []
    assert played.rounds[0].result["winner"] is None


# what was not read, and starts in the middle


def test_unread_faces_accuse_nobody() -> None:
    for cards in ("P:?? B:7S P:KC B:KH", "P:?? B:7S P:KC B:KH P:2D", "P:2D B:6S P:KC B:KH P:??"):
        played = at(FRESH + CALL + shoe(cards) + OVER + CALL + shoe(STAND) + OVER, "shoe", "panel")
        assert played.rules == []
        assert [(r.result["winner"], r.partial) for r in played.rounds] == [(None, False), ("banker", False)]


def test_without_a_panel_a_round_that_may_be_over_is_partial_until_it_is_known_where_the_next_begins() -> None:
    declared = "shoe result_declared winner=banker pairs=[]\n"
    log = FRESH_BLIND + blind("P:?? B:7S P:KC B:KH") + blind("P:KC B:KH") + declared + blind(STAND)
    played = at(log)
    assert played.rules == []
    assert [r.partial for r in played.rounds] == [True, False]


@pytest.mark.parametrize("skip", range(5))
@pytest.mark.parametrize("read", [shoe, indexed, blind, felt])
def test_a_start_in_mid_round_is_partial_and_judges_nothing(read: Any, skip: int) -> None:
    middle = "".join(read(BOTH_DRAW + " B:4C").splitlines(keepends=True)[skip:])
    devices = ("shoe", "card_position") if read is felt else ("shoe",)
    played = at(middle + OVER + CALL + read(STAND) + OVER, *devices, "panel")
    assert played.rules == []
    assert played.rounds[-1].partial is False
    assert all(r.partial and r.result["winner"] is None for r in played.rounds[:-1])
    fresh = FRESH_BLIND if read is blind else FRESH
    played = at(middle + fresh + read(STAND), *devices)
    assert played.rules == []
    assert [r.partial for r in played.rounds].count(False) == 1


@pytest.mark.parametrize("position", range(1, 6))
@pytest.mark.parametrize(("read", "device"), [(shoe, "shoe"), (blind, "shoe"), (felt, "card_position")])
def test_a_device_that_drops_out_in_mid_round(read: Any, device: str, position: int) -> None:
    cards = read(BOTH_DRAW).splitlines(keepends=True)
    gap = f"{device} device_offline reason=unplugged\n{device} device_online\n"
    broken = "".join(cards[: position - 1]) + gap + "".join(cards[position:])
    devices = ("shoe", "card_position", "panel") if read is felt else ("shoe", "panel")
    fresh = FRESH_BLIND if read is blind else FRESH
    played = at(fresh + CALL + broken + OVER + CALL + read(STAND) + OVER, *devices)
    assert played.rules == []
    assert [r.partial for r in played.rounds] == [True, False]


def test_a_panel_that_drops_out_leaves_the_rounds_to_the_tableau() -> None:
    log = FRESH + CALL + shoe(STAND) + OVER + "panel device_offline reason=unplugged\n" + shoe(STAND) + shoe(BOTH_DRAW)
    played = at(log, "shoe", "panel")
    assert played.rules == []
    assert [r.result["winner"] for r in played.rounds] == ["banker", "banker", "player"]


# a person's report, and what every game inherits


def test_a_person_reports_what_no_device_sees() -> None:
    played = at(
        FRESH + CALL + shoe(STAND) + "panel key_pressed key=report:patron-touches-cards\n" + OVER, "shoe", "panel"
    )
    assert played.rules == ["patron-touches-cards"]


def test_the_shuffler_jams() -> None:
    played = at("shuffler shuffle_started\n shuffler jammed\n" + FRESH + shoe(STAND), "shoe", "shuffler")
    assert played.rules == ["shuffler-fault-during-shuffle"]


# anything at all

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 400),
    st.sampled_from(["player", "banker", "burn", "discard", "seat-1", "tie", "AS", "5D", "KC", "JK", "??", "overdraw"]),
    st.sampled_from(["no_more_bets", "round_over", "misdeal", "hand_shuffled", "report:third-card-rule", ""]),
    st.lists(st.sampled_from(["player", "banker", None, 3]), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
)
FIELDS = ("card", "to", "index", "key", "winner", "pairs", "kind", "cards", "decks", "outside", "seat", "reason")
DEVICES = ("shoe", "card_position", "panel", "seats", "shuffler", "discard_rack")
COMMON = ("device_online", "device_offline", "device_fault", "device_recovered", "bytes_discarded", "edges_lost")
EVENT = st.sampled_from([(device, event) for device in DEVICES for event in (*EVENTS[device], *COMMON)])
STREAM = st.lists(st.tuples(EVENT, st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4)), max_size=40)


@settings(max_examples=150, deadline=None)
@given(STREAM, st.sets(st.sampled_from(DEVICES)))
def test_any_stream_is_survived_and_read_the_same_twice(stream: Any, devices: set[str]) -> None:
    from pitwatch.devices.observation import Observation
    from pitwatch.rules.engine import Engine

    def run() -> list[Any]:
        engine = Engine(load_game(GAME), facts(*sorted(devices)))
        records: list[Any] = []
        for seq, ((device, event), data) in enumerate(stream, start=1):
            records += engine.feed(seq, Observation(seq * 1_000_000_000, device, event, dict(data)))
        return records + engine.finish()

    assert run() == run()
