"""A relieving dealer burns the first card on a live game (Section Two, line 469), followed at a blackjack table."""

from __future__ import annotations

from tests.rules.table import Played, facts, play

NMB, OVER = "panel key_pressed key=no_more_bets\n", "panel key_pressed key=round_over\n"
ROUND = """
    shoe card_drawn card=TS to=seat-1
    shoe card_drawn card=TH to=dealer
    shoe card_drawn card=9S to=seat-1
    shoe card_drawn card=7H to=dealer
"""
PLAYED = NMB + ROUND + OVER
RELIEF = "panel key_pressed key=dealer_change\n"
BURN = "shoe card_drawn card=2C to=burn\n"
NO_BURN = ["relief-dealer-no-burn"]


def table(log: str, *devices: str) -> Played:
    people = {"1": "dealer", "2": "dealer", "9": "supervisor"}
    return play("toledo-2020/blackjack", facts(*(devices or ("shoe", "panel", "key_reader")), people=people), log)


def test_the_relief_burns_before_dealing() -> None:
    assert table(PLAYED + RELIEF + BURN + PLAYED).rules == []
    assert table(PLAYED + RELIEF + NMB + BURN + ROUND + OVER).rules == []
    assert table(PLAYED + BURN + RELIEF + PLAYED).rules == []  # the key was pressed late
    assert table(PLAYED + RELIEF + PLAYED).rules == NO_BURN
    assert table(PLAYED + NMB + RELIEF + ROUND + OVER).rules == NO_BURN
    assert table(PLAYED + RELIEF + PLAYED + PLAYED).rules == NO_BURN  # once, not in every round after it


def test_a_relief_who_has_the_cards_shuffled_burns_once() -> None:
    """468-469: the burn of the full shoe is the first card before dealing; where none was seen it stands."""
    shuffled = "shoe shoe_started decks=6\n"
    assert table(PLAYED + RELIEF + shuffled + BURN + PLAYED).rules == []
    assert table(PLAYED + RELIEF + BURN + shuffled + PLAYED).rules == []
    assert table(PLAYED + RELIEF + shuffled + PLAYED).rules == NO_BURN


def test_a_dead_game_needs_no_burn() -> None:
    assert table(RELIEF + PLAYED).rules == []  # opened, nobody has played yet
    assert table(PLAYED + "+900\n" + RELIEF + PLAYED).rules == []


def test_wagers_make_a_game_live() -> None:
    devices = ("shoe", "panel", "seats")
    taken, left = "seats seat_taken seat=seat-1\n", "seats seat_left seat=seat-1\n"
    opened = "shoe shoe_started decks=6\n"
    assert table(opened + taken + RELIEF + PLAYED, *devices).rules == NO_BURN
    assert table(opened + RELIEF + taken + PLAYED, *devices).rules == []
    assert table(taken + PLAYED + left + RELIEF + taken + PLAYED, *devices).rules == []


def test_another_dealers_credential_is_a_relief() -> None:
    first, second = (f'key_reader credential_presented credential="{each}"\n' for each in (1, 2))
    supervisor = 'key_reader credential_presented credential="9"\n'
    assert table(first + PLAYED + second + PLAYED).rules == NO_BURN
    assert table(first + PLAYED + second + BURN + PLAYED).rules == []
    assert table(first + PLAYED + first + supervisor + PLAYED).rules == []


def test_a_relief_in_mid_round_is_judged_at_the_next() -> None:
    begun, rest = NMB + "".join(ROUND.splitlines(True)[:3]), "".join(ROUND.splitlines(True)[3:])
    assert table(PLAYED + begun + RELIEF + rest + OVER).rules == []
    assert table(PLAYED + begun + RELIEF + rest + OVER + PLAYED).rules == NO_BURN
    assert table(PLAYED + begun + RELIEF + rest + OVER + BURN + PLAYED).rules == []


def test_a_card_to_nobody_knows_where_may_be_the_burn() -> None:
    unknown = "shoe card_drawn card=2C to=null\n"
    assert table(PLAYED + RELIEF + unknown + PLAYED).rules == []
    lost = "shoe device_offline reason=silent\nshoe device_online\n"
    assert table(PLAYED + RELIEF + lost + PLAYED).rules == []


def test_the_place_of_the_first_card_may_show_under_the_felt() -> None:
    devices = ("shoe", "panel", "card_position")
    pairs = [("TS", "seat-1"), ("TH", "dealer"), ("9S", "seat-1"), ("7H", "dealer")]
    cards = "".join(f"shoe card_drawn card={c} to=null\ncard_position card_placed card={c} to={p}\n" for c, p in pairs)
    played = NMB + cards + OVER
    assert table(played + RELIEF + played, *devices).rules == NO_BURN
    assert table(played + RELIEF + NMB + "shoe card_drawn card=2C to=null\n" + cards + OVER, *devices).rules == []
    assert table(played + RELIEF + "shoe card_drawn card=2C to=null\n" + played, *devices).rules == []
