"""Which hands of the poker room are compared at the showdown, and by which cards."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL
from tests.rules.test_poker_room import BETTING, KNOWN, REST, STUD, burn, holdem, laps, lay, lift
from tests.rules.test_poker_taken_back import BOARD_GAMES, TO_THE_FLOP, winner

TO_THE_RIVER = TO_THE_FLOP + REST
BEST, OTHERS = ("seat-2", ("KH", "KD")), (("seat-5", ("AS", "AD")), ("seat-7", ("5C", "5D")))


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize("mucked", ["", lay("discard", "?", "?")])
def test_the_best_hand_may_have_folded_after_the_river(game: str, mucked: str) -> None:
    """003 line 756, 004 line 39: there is a betting round after the river."""
    seat, cards = BEST
    played = holdem(TO_THE_RIVER + BETTING + lift(seat, *cards) + mucked + BETTING, game)
    (hand,) = played.rounds
    assert (played.rules, hand.result["winners"], hand.result[seat]) == ([], {"high": None}, {"high": None})


@pytest.mark.parametrize("game", BOARD_GAMES)
def test_the_losing_hands_are_killed_and_the_best_lies_or_all_are_taken_in(game: str) -> None:
    """003 line 673."""
    killed = "".join(lift(seat, *cards) for seat, cards in OTHERS)
    assert winner(holdem(TO_THE_RIVER + killed, game)) == ["seat-2"]
    assert winner(holdem(TO_THE_RIVER + killed + lift("seat-2", *BEST[1]), game)) == ["seat-2"]
    assert winner(holdem(TO_THE_RIVER + lift("seat-2", *BEST[1]) + killed, game)) == ["seat-2"]


def test_where_bets_are_called_a_hand_lifted_before_the_call_is_folded() -> None:
    called = TO_THE_RIVER.replace(BETTING, BETTING + CALL)
    folded = holdem(KNOWN + CALL + called.removeprefix(KNOWN) + lift("seat-2", *BEST[1]) + BETTING + CALL)
    assert folded.rounds[0].result["seat-2"] == {"folded": True}


@pytest.mark.parametrize("game", BOARD_GAMES)
@pytest.mark.parametrize("lifted", [("KH", "KD"), ("KH",), ("KD",)])
def test_cards_held_until_the_showdown_count_when_they_lie_there_again(game: str, lifted: tuple[str, ...]) -> None:
    """003 lines 757-759, 004 lines 40-42; those that stay in the hand are not seen."""
    held = KNOWN + lift("seat-2", *lifted) + TO_THE_RIVER.removeprefix(KNOWN) + BETTING
    assert winner(holdem(held + lay("seat-2", *lifted), game)) == ["seat-2"]
    played = holdem(held, game)
    assert played.rules == []
    if len(lifted) == 1:
        assert played.rounds[0].result["winners"] == {"high": None}
        assert played.rounds[0].result["seat-2"] == {"high": None}


def test_down_cards_held_from_fifth_street_on_count_at_the_showdown() -> None:
    """003 line 720."""
    hands = {"seat-2": "6S 6D 5C 4D 3D 2S TH", "seat-5": "QS QD 9H 9C 4S JD TC"}
    rows = list(zip(*(cards.split() for cards in hands.values()), strict=True))
    laid = ["".join(lay(seat, card) for seat, card in zip(hands, row, strict=True)) for row in rows]
    deal = "".join(laid[:3]) + BETTING + burn() + laid[3] + BETTING + burn() + laid[4]
    rest = BETTING + burn() + laid[5] + BETTING + burn() + laid[6]
    played = holdem(deal + lift("seat-2", "6S", "6D") + rest + BETTING + lay("seat-2", "6S", "6D"), STUD)
    assert (played.rules, winner(played)) == ([], ["seat-2"])


@pytest.mark.parametrize("game", BOARD_GAMES)
def test_the_winning_cards_are_pushed_forward_beside_the_board(game: str) -> None:
    """003 line 673."""
    push = BETTING + lift("seat-2", *BEST[1]) + "+2\n" + lay("community", *BEST[1])
    away = lift("community", *BEST[1], "TH", "4C", "9S", "2D", "KS")
    for after in ("", away, "".join(lift(*each[:1], *each[1]) for each in OTHERS)):
        played = holdem(TO_THE_RIVER + push + after, game)
        assert (played.rules, winner(played)) == ([], ["seat-2"])
        assert played.rounds[0].cards["community"] == ["TH", "4C", "9S", "2D", "KS"]
    assert holdem(TO_THE_RIVER + BETTING + lay("community", "7H"), game).rules == ["wrong-card-count"]


def test_cards_that_lay_unread_are_pushed_forward() -> None:
    unread = laps(2, "seat-2", "seat-5", "seat-7") + BETTING + TO_THE_RIVER.removeprefix(KNOWN) + BETTING
    played = holdem(unread + lift("seat-2", "?", "?") + lay("community", "KH", "KD"))
    assert played.rules == []
    assert played.rounds[0].result["seat-2"] == {"high": "three-of-a-kind"}


@pytest.mark.parametrize("game", BOARD_GAMES)
def test_a_hand_is_turned_up_with_a_card_that_lies_elsewhere(game: str) -> None:
    """003 lines 596-599, 004 line 36: one deck is in use."""
    unread = laps(2, "seat-2", "seat-5", "seat-7") + BETTING + TO_THE_RIVER.removeprefix(KNOWN) + BETTING

    def turned(*hands: tuple[str, str]) -> str:
        return "".join(lift(seat, "?", "?") + lay(seat, *cards.split()) for seat, cards in hands)

    assert holdem(unread + turned(("seat-2", "KH KD"), ("seat-5", "AS AD")), game).rules == []
    board_card = holdem(unread + turned(("seat-2", "KH KD"), ("seat-5", "AS 4C")), game)
    assert board_card.rules == ["duplicate-card"]
    assert holdem(unread + turned(("seat-2", "KH KD"), ("seat-5", "AS KD")), game).rules == ["duplicate-card"]
    again = turned(("seat-2", "KH KD")) + lift("seat-2", "?", "?") + lay("seat-2", "KD", "KH")
    pushed = turned(("seat-2", "KH KD")) + lift("seat-2", "?", "?") + lay("community", "KD", "KH")
    for looks in (again, pushed):
        assert holdem(unread + looks, game).rules == []
