"""Cards that were dealt and are taken back: the fault is told, the remedy is not, and the hand has its winner."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL
from tests.rules.table import Played
from tests.rules.test_poker_room import (
    BETTING,
    FLOP,
    HOLDEM,
    KNOWN,
    RAZZ,
    REST,
    RIVER,
    STUD,
    THREE,
    TURN,
    board,
    burn,
    holdem,
    laps,
    lay,
    lift,
)

BOARD_GAMES = (HOLDEM, "california/texas-holdem", "toledo-poker-guide/texas-holdem")
BURNING = (RAZZ, STUD, "columbus-2016/razz", "toledo-poker-guide/seven-card-stud")
STUDS = (*BURNING, "california/seven-card-stud")
TO_THE_FLOP = KNOWN + burn() + FLOP
CALLED_FLOP = KNOWN + CALL + burn() + FLOP


def winner(played: Played) -> list[str] | None:
    """Of the only hand; it was seen whole and counts."""
    (hand,) = played.rounds
    assert (hand.partial, hand.void) == (False, None)
    return next(iter(hand.result["winners"].values()))


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize("called", [False, True], ids=["nothing is called", "bets are called"])
@pytest.mark.parametrize("again", ["", burn()], ids=["no burn", "another burn"])
@pytest.mark.parametrize("aside", [None, "burn", "discard"])
def test_a_turn_dealt_too_soon_is_taken_back(game: str, called: bool, again: str, aside: str | None) -> None:
    """003 lines 659, 668-671; 001 line 1229; 004 line 36: its betting comes first, then the turn."""
    call, flop = (CALL, CALLED_FLOP) if called else ("", TO_THE_FLOP)
    back = lift("community", "2D") + (lay(aside, "2D") if aside else "")
    rest = BETTING + call + again + board("5H") + BETTING + call + burn() + board("3D") + BETTING + call
    played = holdem(flop + BETTING + burn() + TURN + back + rest, game)
    assert played.rules == (["premature-deal"] if called else [])
    assert winner(played) == ["seat-7"]
    assert played.rounds[0].cards["community"] == ["TH", "4C", "9S", "5H", "3D"]


@pytest.mark.parametrize("game", BOARD_GAMES)
def test_a_river_dealt_too_soon_is_taken_back(game: str) -> None:
    to_the_turn = CALLED_FLOP + BETTING + CALL + burn() + TURN + BETTING
    early = burn() + board("3C") + lift("community", "3C") + BETTING + CALL
    played = holdem(to_the_turn + early + RIVER + BETTING + CALL, game)
    assert played.rules == ["premature-deal"]
    assert winner(played) == ["seat-2"]
    played = holdem(to_the_turn + CALL + early + RIVER, game)
    assert (played.rules, winner(played)) == ([], ["seat-2"])


@pytest.mark.parametrize("game", BOARD_GAMES)
def test_a_flop_dealt_too_soon_is_taken_back(game: str) -> None:
    early = burn() + board("3C", "3D", "3H") + lift("community", "3C", "3D", "3H") + BETTING
    played = holdem(KNOWN + early + FLOP + REST, game)
    assert (played.rules, winner(played)) == ([], ["seat-2"])
    assert played.rounds[0].cards["community"] == ["TH", "4C", "9S", "2D", "KS"]


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize("pile", ["burn", "discard"])
def test_a_flop_of_four_cards_whose_last_is_made_the_burn(game: str, pile: str) -> None:
    """003 line 743, 001 line 1222, 004 line 34."""
    four = burn() + FLOP + board("3S")
    back = lift("community", "3S") + lay(pile, "3S")
    played = holdem(KNOWN + four + back + BETTING + TURN + BETTING + burn() + RIVER, game)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "community", "cards": 4}
    assert winner(played) == ["seat-2"]
    assert holdem(KNOWN + burn() + FLOP + BETTING + TURN + BETTING + burn() + RIVER, game).rules == ["burn-missing"]


def test_a_turn_without_a_burn_is_made_the_burn() -> None:
    bare = TO_THE_FLOP + BETTING + board("3S") + lift("community", "3S") + lay("burn", "3S")
    played = holdem(bare + TURN + BETTING + burn() + RIVER)
    assert played.rules == ["burn-missing"]
    assert winner(played) == ["seat-2"]


def test_a_river_of_two_hands_is_taken_back_or_run_twice() -> None:
    """003 lines 866-869: a board that is run twice is slid aside, and the second has its burns."""
    two = TO_THE_FLOP + lift("seat-5", "AS", "AD") + BETTING + burn() + TURN + BETTING + burn() + RIVER
    back = two + lift("community", "KS") + lay("burn", "KS") + BETTING
    for again in ("", burn()):
        played = holdem(back + again + board("5H"))
        assert (played.rules, winner(played)) == ([], ["seat-7"])
    assert holdem(two + lift("community", "KS") + BETTING + board("5H")).rules == []
    twice = holdem(two + lift("community", "KS") + BETTING + burn() + board("5H"))
    assert twice.rules == []
    assert twice.rounds[0].result["winners"] == {"high": ["seat-2"], "high/2": ["seat-7"]}


@pytest.mark.parametrize("game", BOARD_GAMES)
def test_the_board_is_taken_in_before_the_hands(game: str) -> None:
    hand = TO_THE_FLOP + REST + lift("community", "TH", "4C", "9S", "2D", "KS") + lay("discard", *["?"] * 5)
    played = holdem(hand + lift("seat-5", "AS", "AD") + lay("discard", "?", "?"), game)
    assert (played.rules, winner(played)) == ([], ["seat-2"])
    assert played.rounds[0].cards["community"] == ["TH", "4C", "9S", "2D", "KS"]


def test_a_board_card_that_lies_again_was_not_taken_back() -> None:
    hand = TO_THE_FLOP + BETTING + burn() + TURN + BETTING + "+3\n" + lift("community", "2D") + "+3\n" + TURN
    played = holdem(hand + BETTING + burn() + RIVER)
    assert (played.rules, winner(played)) == ([], ["seat-2"])


THIRD = laps(2, *THREE) + lay("seat-2", "KC") + lay("seat-5", "2C") + lay("seat-7", "QD") + BETTING
SUITS = dict(zip(THREE, "CHS", strict=True))
LATER = ("7", "8", "9", "T")


def dealt(rank: str, *seats: str) -> str:
    return "".join(lay(seat, rank + SUITS[seat]) for seat in seats)


def to_the_end(call: str, *streets: str) -> str:
    return "".join(call + burn() + dealt(rank, *THREE) + BETTING for rank in streets) + call


def seven_cards(played: Played, rank: str) -> None:
    """Every hand holds what was dealt to it in the end, and none of what was taken back."""
    (hand,) = played.rounds
    assert (hand.partial, hand.void) == (False, None)
    for seat in THREE:
        assert len(hand.cards[seat]) == 7
        assert hand.cards[seat][3] == rank + SUITS[seat]


@pytest.mark.parametrize("game", STUDS)
@pytest.mark.parametrize("cards", [1, 2, 3])
@pytest.mark.parametrize("pile", ["burn", "discard"])
@pytest.mark.parametrize("more", [0, 3])
def test_cards_of_a_street_dealt_too_soon_go_out_of_play(game: str, cards: int, pile: str, more: int) -> None:
    """001 line 1431: those, one more for each player left, a burn, and the street is dealt. 003 line 668 and
    004 line 87 have the betting before the street; they state no remedy."""
    early, served = burn() + dealt("4", *THREE[:cards]), THREE[:cards]
    back = "".join(lift(seat, "4" + SUITS[seat]) + lay(pile, "4" + SUITS[seat]) for seat in served)
    more_out = lay(pile, *["?"] * more) if more else ""
    played = holdem(THIRD + early + back + more_out + BETTING + to_the_end("", *LATER), game)
    assert played.rules == []
    seven_cards(played, "7")


@pytest.mark.parametrize("game", STUDS)
@pytest.mark.parametrize("cards", [1, 2, 3])
def test_the_fault_itself_is_told_where_bets_are_called(game: str, cards: int) -> None:
    """001 line 1431."""
    served = THREE[:cards]
    early = burn() + dealt("4", *served)
    back = "".join(lift(seat, "4" + SUITS[seat]) + lay("burn", "4" + SUITS[seat]) for seat in served)
    fourth = THIRD + CALL + burn() + dealt("7", *THREE) + BETTING
    played = holdem(fourth + early + back + lay("burn", "?", "?", "?") + to_the_end(CALL, *LATER[1:]), game)
    assert played.rules == ["premature-deal"]
    seven_cards(played, "7")
    clean = holdem(fourth + to_the_end(CALL, *LATER[1:]), game)
    assert clean.rules == []
    assert {**played.rounds[0].cards, "burn": []} == {**clean.rounds[0].cards, "burn": []}


@pytest.mark.parametrize("game", BURNING)
def test_two_burns_are_still_told_where_nothing_was_taken_back(game: str) -> None:
    assert holdem(THIRD + burn() + to_the_end("", *LATER), game).rules == ["burn-extra"]


@pytest.mark.parametrize("game", BURNING)
def test_a_missing_burn_of_stud_is_mended_by_moving_the_cards(game: str) -> None:
    """001 line 1432: the first card becomes the burn, and each later one moves a seat on."""
    wrong = lay("seat-2", "7H") + lay("seat-5", "7D") + lay("seat-7", "7S")
    moved = lift("seat-2", "7H") + lay("burn", "7H") + lift("seat-5", "7D") + lay("seat-2", "7D")
    moved += lift("seat-7", "7S") + lay("seat-5", "7S") + lay("seat-7", "7C")
    played = holdem(THIRD + wrong + moved + BETTING + to_the_end("", *LATER[1:]), game)
    assert played.rules == ["burn-missing"]
    assert [played.rounds[0].cards[seat][3] for seat in THREE] == ["7D", "7S", "7C"]
    assert [len(played.rounds[0].cards[seat]) for seat in THREE] == [7, 7, 7]
    assert holdem(THIRD + wrong + BETTING + to_the_end("", *LATER[1:]), game).rules == ["burn-missing"]


def test_a_card_dealt_off_the_table_is_replaced_when_the_street_is_dealt() -> None:
    """001 line 1425: the dead card may be the next burn."""
    street = burn() + dealt("7", "seat-2", "seat-7")
    late = lay("seat-5", "7H") + BETTING
    rest = to_the_end("", *LATER[1:])
    assert holdem(THIRD + street + late + rest, RAZZ).rules == []
    assert holdem(THIRD + street + lay("burn", "4D") + late + rest, RAZZ).rules == []
    dead_is_burn = late + dealt("8", *THREE) + BETTING + to_the_end("", *LATER[2:])
    assert holdem(THIRD + street + lay("burn", "4D") + dead_is_burn, RAZZ).rules == []


def test_a_seat_that_folded_after_the_forced_bet_goes_on_receiving_cards() -> None:
    """001 lines 1427-1430."""
    fold = lift("seat-5", "?", "?", "2C")
    played = holdem(THIRD + fold + to_the_end("", *LATER), RAZZ)
    assert played.rules == []
    assert played.rounds[0].result["seat-5"] == {"folded": True}
    assert holdem(THIRD + to_the_end("", *LATER), RAZZ).rules == []


# --- a card too many, taken from one hand


REST_OF_RIVER = BETTING + burn() + board("3D")
HOLES_OF = {"omaha": 4, "big-o": 5, "texas-holdem": 2}


@pytest.mark.parametrize("game", [f"california/{name}" for name in HOLES_OF] + ["columbus-2016/texas-holdem"])
@pytest.mark.parametrize("pile", [None, "burn", "discard"])
def test_a_hole_card_too_many_is_taken_back(game: str, pile: str | None) -> None:
    """001 lines 1036, 1211, 6701: the hand is what is left; the card may be the burn, or lie there besides it."""
    cards = {"seat-2": "AS AD AC AH 2H", "seat-5": "4S 5S 7D 8D JC", "seat-7": "6C 6H TS QD JD"}
    deal = "".join(
        lay(seat, cards[seat].split()[number]) for number in range(HOLES_OF[game.partition("/")[2]]) for seat in cards
    )
    back = lay("seat-2", "KC") + lift("seat-2", "KC") + (lay(pile, "KC") if pile else "")
    flop = board("TH", "4C", "9S")
    for burns in [burn()] if pile is None else ["", burn()]:
        played = holdem(deal + back + BETTING + burns + flop + BETTING + burn() + board("2D") + REST_OF_RIVER, game)
        assert played.rules == ["wrong-card-count"]
        assert winner(played) == ["seat-2"]
    kept = holdem(deal + lay("seat-2", "KC") + BETTING + burn() + flop + REST, game)
    assert kept.rules == ["wrong-card-count"]
    assert kept.rounds[0].result["winners"]["high"] is None


def test_a_card_too_many_that_was_only_looked_at_is_in_the_hand_again() -> None:
    looks = lay("seat-2", "3C") + lift("seat-2", "3C") + "+3\n" + lay("seat-2", "3C")
    played = holdem(KNOWN + looks + BETTING + burn() + FLOP + REST)
    assert played.rules == ["wrong-card-count"]
    assert played.rounds[0].result["winners"]["high"] is None


@pytest.mark.parametrize("game", BURNING)
@pytest.mark.parametrize("pile", [None, "discard"])
def test_a_card_of_a_street_is_replaced_by_another(game: str, pile: str | None) -> None:
    """001 line 1425: the dead card is none of the hand's; 001 line 1987 puts a nine away and replaces it."""
    hands = {"seat-2": "AS 2D 4H 5S 7C TC", "seat-5": "KH KD KC QH JD TD", "seat-7": "9H 9D QC JH 2C KS"}
    cards = {seat: each.split() for seat, each in hands.items()}
    first = "".join(lay(seat, cards[seat][number]) for number in range(3) for seat in cards)
    dealt = [burn() + "".join(lay(seat, each[number]) for seat, each in cards.items()) for number in (3, 4, 5)]
    back = lift("seat-2", "TC") + (lay(pile, "TC") if pile else "") + lay("seat-2", "3C") + BETTING
    last = burn() + lay("seat-2", "6H") + lay("seat-5", "8D") + lay("seat-7", "8S")
    played = holdem(first + BETTING + BETTING.join(dealt) + back + last, game)
    assert played.rules == []
    assert played.rounds[0].cards["seat-2"] == ["AS", "2D", "4H", "5S", "7C", "3C", "6H"]
    assert winner(played) == ["seat-2"]


def test_a_turn_without_a_burn_goes_back_and_is_dealt_again_after_one() -> None:
    """001 line 1229."""
    bare = TO_THE_FLOP + BETTING + TURN + lift("community", "2D") + burn() + TURN
    played = holdem(bare + BETTING + burn() + RIVER, "california/texas-holdem")
    assert played.rules == ["burn-missing"]
    assert winner(played) == ["seat-2"]


def test_a_draw_after_a_fifth_card_was_taken_back() -> None:
    """001 lines 3299, 3310: four cards, one given and one got; the replacement that fell at the wrong hand goes on."""
    badugi = "california/badugi"
    deal = "".join(
        lay(seat, card)
        for row in ("AS 4H 7D", "2D 5S 8H", "3C 6D 9S", "KC 6C QH")
        for seat, card in zip(THREE, row.split(), strict=True)
    )
    draw = BETTING + lift("seat-2", "KC") + lay("discard", "KC") + lay("seat-2", "4C")
    played = holdem(deal + lay("seat-2", "JS") + lift("seat-2", "JS") + draw, badugi)
    assert played.rules == ["wrong-card-count"]
    assert winner(played) == ["seat-2"]
    astray = BETTING + lift("seat-2", "KC") + lay("seat-5", "4C") + "+2\n" + lift("seat-5", "4C") + lay("seat-2", "4C")
    played = holdem(deal + astray + lift("seat-5", "6C") + lay("discard", "6C") + lay("seat-5", "7C"), badugi)
    assert played.rules == ["wrong-card-count"]
    assert winner(played) == ["seat-5"]
