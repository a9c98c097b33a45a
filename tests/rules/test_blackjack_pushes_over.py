"""Who still waits for the dealer over the target, and who must draw and was left, each beside the clean play next to
it. Rounds are written as in test_blackjack_games.
"""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, taken
from tests.rules.pit_log import laid as lay
from tests.rules.table import facts, play
from tests.rules.test_blackjack_games import (
    NMB,
    NO_BUST,
    NO_BUST_6,
    OVER,
    PURE,
    SHAQ,
    URBO,
    laid,
    rules,
    table,
)

STOOD = ["dealer-stood-against-rule"]
CHART = ["player-hits-or-stands-against-rule"]


def stops(game: str, dealer: str, player: str) -> list[str]:
    """The rules broken by a dealer who stops at these two cards over a player of these cards."""
    d, p = dealer.split(), player.split()
    deal = f"1 {p[0]}, d {d[0]}, 1 {p[1]}, d {d[1]}"
    return rules(game, ", ".join([deal, *(f"1 {card}" for card in p[2:])]))


@pytest.mark.parametrize(
    ("game", "dealer", "player", "broken"),
    [
        (NO_BUST, "6D TS", "KD 8H 5C", STOOD),  # 23 pushes against three cards of 24 or 25 (848)
        (NO_BUST, "6D TS", "KD 8H 6C", STOOD),
        (NO_BUST, "5D TS", "KD 8H 6C", STOOD),
        (NO_BUST, "4D TS", "KD 8H 6C", []),  # 24 at most: the dealer wins ties (851)
        (NO_BUST, "4D TS", "KD 8H 5C", STOOD),
        (NO_BUST, "3D TS", "KD 8H 5C", []),
        (NO_BUST, "6D TS", "KD 8H 4C", []),  # 22 loses (849)
        (NO_BUST, "6D TS", "KD 8H 7C", []),  # 25 is never the nearer
        (NO_BUST, "6D TS", "KD 2H 2C 9C", []),  # four cards (850)
        (NO_BUST, "6D AS", "KD 8H 5C", []),  # a soft 17: no bust in three cards
        (NO_BUST + "-perfect-pairs", "6D TS", "KD 8H 5C", STOOD),
        (SHAQ, "6D TS", "KD 8H 7C", STOOD),  # 26 is beyond the player's 25 (6278)
        (SHAQ, "2D 3S", "KD 8H 7C", STOOD),
        (SHAQ, "6D TS", "KD 8H 4C", []),
        (SHAQ, "6D TS", "KD 2H 2C 9C", []),
        (NO_BUST_6, "7D 8D", "KD 8H 5C", STOOD),  # a suited 7-8-9 (2351)
        (NO_BUST_6, "9D 7D", "KD 2H 2C 9C", STOOD),
        (NO_BUST_6, "7D 8S", "KD 8H 5C", []),
        (NO_BUST_6, "6D TS", "KD 8H 5C", []),
        (NO_BUST_6, "7D 8D", "KD 8H 6C", []),  # 24 is not nearer than 24
        (URBO, "6D TS", "KD 8H 5C", []),  # who is over loses (68)
    ],
)
def test_a_hand_over_the_target_waits_for_the_push(game: str, dealer: str, player: str, broken: list[str]) -> None:
    assert stops(game, dealer, player) == broken


def test_a_hand_taken_away_waits_for_nothing() -> None:
    over = laid("1 KD, d 6D, 1 8H, d TS, 1 5C")
    assert table(NO_BUST, NMB + over + OVER, "seats").rules == STOOD
    taken = laid("-1 KD, -1 8H, -1 5C")
    assert table(NO_BUST, NMB + over + taken + OVER, "seats").rules == []


def test_a_dealer_who_draws_for_the_push_is_not_accused() -> None:
    assert rules(NO_BUST, "1 KD, d 6D, 1 8H, d TS, 1 5C, d 8C") == []
    assert rules(NO_BUST, "1 KD, d 2D, 1 8H, d TS, 1 5C, d 2C") == []  # 14 in three cards: nobody waits any more


@pytest.mark.parametrize("game", [NO_BUST, NO_BUST + "-perfect-pairs", NO_BUST_6, PURE, SHAQ])
@pytest.mark.parametrize(
    ("cards", "broken"),
    [
        ("1 2D, d TH, 1 3C, d 9D, 1 2H, 1 3H", CHART),  # ten in four cards
        ("1 2D, d TH, 1 2C, d 9D, 1 2H, 1 3H", CHART),  # a pair: both halves of it would have to draw too
        ("1 2D, d TH, 1 2C, d 9D, 1 2H, 1 3H, 1/2 TC, 1 9S", []),  # it was split, and is drawn to
        ("1 2D, d TH, 1 3C, d 9D, 1 2H", []),  # doubled
        ("1 2D, d TH, 1 3C, d 9D, 1 2H, 1 5H", []),  # twelve
        ("1 2D, d TH, 1 3C, d 9D, 1 AH, 1 2H", []),  # soft eighteen
        ("1 2D, d TH, 1 3C, d AD, 1 2H, 1 3H", []),  # the dealer's natural, below
        ("1 8D, d TH, 1 8H, d 9D, 1 KC, 1/2 4C", []),
    ],
)
def test_a_count_to_draw_on_is_not_left(game: str, cards: str, broken: list[str]) -> None:
    gives_up_late = game == SHAQ and broken == CHART  # with any number of cards (6308)
    assert rules(game, cards) == ([] if gives_up_late else broken)


@pytest.mark.parametrize("game", [NO_BUST, NO_BUST + "-perfect-pairs", NO_BUST_6, PURE])
def test_a_split_hand_is_not_given_up(game: str) -> None:
    cards = "1 8D, d TH, 1 8H, d 9D, 1 KC, 1/2 3C"
    assert rules(game, cards) == CHART
    assert rules(game, cards + ", 1/2 KH") == []


def test_a_natural_of_two_equal_cards_takes_no_card() -> None:
    assert rules(URBO, "1 9S, 2 9C, d 7D, 1 9S, 2 9H, d KS, 1 2C") == CHART
    assert rules(URBO, "1 9S, 2 9C, d 7D, 1 9S, 2 9H, d KS") == []
    assert rules(URBO, "1 9S, 2 9C, d 7D, 1 9H, 2 9H, d KS, 1 2C") == []  # eighteen, or a pair that was split


@pytest.mark.parametrize("game", ["toledo-2020/blackjack", "toledo-2020/double-deck-blackjack"])
def test_a_hole_card_like_the_up_card_is_a_card(game: str) -> None:
    """000 lines 101, 527: with more than one deck."""
    dealt = lay("seat-1", "TS") + lay("dealer", "8C") + lay("seat-1", "8D") + lay("dealer", "null")
    shown = taken("dealer", "null") + lay("dealer", "8C 6D")
    played = play(game, facts("card_position", "panel"), CALL + dealt + shown + OVER)
    assert (played.rules, played.rounds[0].cards["dealer"]) == ([], ["8C", "8C", "6D"])
