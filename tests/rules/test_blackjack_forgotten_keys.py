"""Blackjack with a reader under the felt and a panel of which keys are forgotten, or pressed late (toledo-2020, 473,
494): the cards of a round are picked up, and those of the next are laid on a bare felt."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

GAMES = ("toledo-2020/blackjack", "columbus-2016/blackjack", "toledo-2020/double-deck-blackjack")
DEAL = (("seat-1", "TS"), ("dealer", "6D"), ("seat-1", "8C"), ("dealer", "null"))
DEALER = taken("dealer", "null") + laid("dealer", "TH") + laid("dealer", "5C")
PICKED_UP = taken("seat-1", "TS 8C") + taken("dealer", "6D TH 5C")
ROUND = "".join(laid(to, card) for to, card in DEAL) + DEALER + PICKED_UP
TURNED = taken("dealer", "null") + laid("dealer", "TC")


def blackjack(log: str, game: str = GAMES[0]) -> Played:
    return play(game, facts("card_position", "panel", options={"decks": 2}), log)


def totals(played: Played) -> list[tuple[int, int]]:
    return [(each.result["seat-1"]["total"], each.result["dealer"]["total"]) for each in played.rounds]


NEXT = laid("seat-1", "2S") + laid("dealer", "9D") + laid("seat-1", "KC") + laid("dealer", "null")


@pytest.mark.parametrize("game", GAMES)
def test_both_keys_forgotten(game: str) -> None:
    played = blackjack(CALL + ROUND + "+20\n" + NEXT + laid("seat-1", "7D") + TURNED + OVER, game)
    assert played.rules == []
    assert totals(played) == [(18, 21), (19, 19)]


def test_no_more_bets_a_card_late_and_round_over_not_at_all() -> None:
    late = NEXT.replace(laid("dealer", "9D"), CALL + laid("dealer", "9D"))
    played = blackjack(CALL + ROUND + "+20\n" + late + laid("seat-1", "7D") + TURNED + OVER)
    assert played.rules == []
    assert totals(played) == [(18, 21), (19, 19)]


def test_cards_that_were_not_read_hold_no_round_open() -> None:
    unread = ROUND.replace(laid("dealer", "5C"), laid("dealer", "null")).replace("card=5C", "card=null")
    played = blackjack(CALL + unread + "+20\n" + NEXT + laid("seat-1", "7D") + TURNED + OVER)
    assert played.rules == []
    assert [each.cards["seat-1"] for each in played.rounds] == [["TS", "8C"], ["2S", "KC", "7D"]]


def test_cards_that_are_taken_up_for_a_moment_and_laid_again_are_the_same_round() -> None:
    again = laid("seat-1", "TS 8C") + laid("dealer", "6D TH 5C")
    played = blackjack(CALL + ROUND + again + PICKED_UP + OVER)
    assert played.rules == []
    assert totals(played) == [(18, 21)]


def test_a_felt_that_is_bare_while_the_dealer_still_has_to_draw_holds_the_same_round() -> None:
    deal = "".join(laid(to, card) for to, card in DEAL)
    up = taken("seat-1", "TS 8C") + taken("dealer", "6D null")
    played = blackjack(
        CALL + deal + up + "+20\n" + laid("seat-1", "TS 8C") + laid("dealer", "6D TH") + laid("dealer", "5C") + OVER
    )
    assert len(played.rounds) == 1
