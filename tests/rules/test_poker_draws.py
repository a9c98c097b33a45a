"""Draws of the poker room out of their turn, of a card too few or of a card that was given; the same card twice."""

from __future__ import annotations

import pytest

from tests.rules.test_poker_room import BADUGI, BETTING, CHINESE, THREE, board, burn, holdem, lay, lift

DRAWMAHAS = ("california/drawmaha", "california/drawmaha-2-7")
HANDS = dict(
    zip(THREE, ("AS AD KC 9H 4D", "5H 4H JC QD QS", "8C 8D 7S 6S 2C"), strict=True),
)
DEAL = "".join(lay(seat, HANDS[seat].split()[number]) for number in range(5) for seat in THREE) + BETTING
FLOP = burn() + board("KH", "7H", "2H") + BETTING
GIVEN, GOT = lift("seat-2", "9H", "4D"), lay("seat-2", "KS", "3S")
REST = BETTING + burn() + board("3C") + BETTING
STREET = burn() + board("TH")


@pytest.mark.parametrize("game", DRAWMAHAS)
def test_discards_are_replaced_after_the_turn_and_before_the_river(game: str) -> None:
    """001 lines 6833-6836, 6844, 6989-6994, 7003."""
    assert holdem(DEAL + FLOP + GIVEN + STREET + GOT + REST, game).rules == []
    assert holdem(DEAL + FLOP + GIVEN + GOT + STREET + REST, game).rules == ["premature-deal"]
    late = holdem(DEAL + FLOP + GIVEN + STREET + REST + GOT, game)
    assert late.rules == ["premature-deal"]
    assert "KS" in late.rounds[0].cards["seat-2"]


@pytest.mark.parametrize("game", DRAWMAHAS)
def test_a_hand_that_gave_a_card_and_got_none(game: str) -> None:
    """001 lines 6825, 6864, 6984, 7021: five cards after the draw. Who takes the card back gave none."""
    drawn = DEAL + FLOP + GIVEN + lift("seat-7", "2C") + STREET + GOT
    played = holdem(drawn + REST, game)
    assert played.rules == ["draw-count-mismatch"]
    assert played.irregularities[0].observed == {"position": "seat-7", "cards": 4}
    assert holdem(drawn + lay("seat-7", "2C") + REST, game).rules == []
    folds = lift("seat-7", "8C", "8D", "7S", "6S")
    assert holdem(drawn + folds + REST, game).rules == []
    holds = DEAL + FLOP + GIVEN + STREET + GOT + lift("seat-7", "2C") + REST
    assert holdem(holds, game).rules == []
    assert holdem(lay("seat-2") + DEAL.removeprefix(lay("seat-2", "AS")) + FLOP + STREET + REST, game).rules == []


@pytest.mark.parametrize("game", DRAWMAHAS)
@pytest.mark.parametrize("shuffled", ["", "panel key_pressed key=hand_shuffled\n"])
def test_a_discard_comes_out_of_the_deck_again(game: str, shuffled: str) -> None:
    """001 lines 6758, 6857, 6897, 7016: only a stub that ran short is shuffled in the hand."""
    drawn = DEAL + FLOP + GIVEN + lift("seat-7", "2C") + STREET + GOT + shuffled
    assert holdem(drawn + lay("seat-7", "9H") + REST, game).rules == ([] if shuffled else ["duplicate-card"])
    astray = DEAL + FLOP + GIVEN + lift("seat-7", "2C") + STREET + lay("seat-7", "KS") + lift("seat-7", "KS")
    assert "duplicate-card" not in holdem(astray + GOT + lay("seat-7", "9S") + REST, game).rules


def chinese(*hands: str) -> str:
    return "".join(lay(seat, *cards.split()) for seat, cards in zip(THREE, hands, strict=True))


def test_the_same_card_in_two_hands_of_chinese_poker_is_a_misdeal_and_in_one_is_not() -> None:
    """001 line 2197: twice in one hand fouls that hand alone."""
    one, two = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", "AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H"
    three = "AD KD QD JD TD 9D 8D 7D 6D 5D 4D 3D {}"
    assert holdem(chinese(one, two, three.format("2D")), CHINESE).rounds[0].void is None
    played = holdem(chinese(one, two, three.format("2S")), CHINESE)
    assert (played.rules, played.rounds[0].void) == (["duplicate-card"], "duplicate-card")


BADUGI_DEAL = "".join(
    lay(seat, card)
    for row in ("AS 4H 7D", "2D 5S 8H", "3C 6D 9S", "KC 6C QH")
    for seat, card in zip(THREE, row.split(), strict=True)
)


def test_the_lift_of_a_discard_is_told_a_moment_after_the_card_for_it() -> None:
    """001 line 3310: the discard is collected before as many are dealt."""
    late = BETTING + lay("seat-2", "4C") + "-0.8\n" + lift("seat-2", "KC") + "+3\n"
    late += lay("seat-5", "7C") + "-0.8\n" + lift("seat-5", "6C")
    played = holdem(BADUGI_DEAL + late, BADUGI)
    assert played.rules == []
    assert played.rounds[0].result["winners"] == {"badugi": ["seat-5"]}


@pytest.mark.parametrize("after", ["", "+20\n", lift("seat-2", "KC"), "-0.8\n" + lift("seat-5", "6C")])
def test_a_card_for_a_hand_that_gave_none_is_one_too_many(after: str) -> None:
    played = holdem(BADUGI_DEAL + BETTING + lay("seat-2", "4C") + after, BADUGI)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "seat-2", "cards": 5}
    drawn = BADUGI_DEAL + BETTING + lift("seat-5", "6C") + lay("seat-5", "7C") + "+3\n"
    assert holdem(drawn + lay("seat-2", "4C") + after, BADUGI).rules == ["draw-count-mismatch"]
