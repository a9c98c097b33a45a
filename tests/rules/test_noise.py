"""Noise of which the device says with its next message whether it hid any, in the middle of a baccarat round."""

import pytest

from tests.rules.table import facts, play

GAME = "toledo-2020/mini-midi-baccarat"
CALL = "panel key_pressed key=no_more_bets\n"
OVER = "panel key_pressed key=round_over\n"
TWO = "shoe card_drawn card=6D to=player\nshoe card_drawn card=7S to=banker\n"
LAST = "shoe card_drawn card=KC to=player\nshoe card_drawn card=KH to=banker\n"
OPEN = "shoe bytes_discarded count=3 lost=null\n"


def rounds(*parts, devices=("shoe", "panel")):
    played = play(GAME, facts(*devices), "".join(parts))
    assert played.rules == []
    return [(each.round, each.partial) for each in played.rounds]


@pytest.mark.parametrize(
    ("noise", "whole"),
    [
        (OPEN + "shoe bytes_discarded count=0 lost=0\n", True),
        ("shoe bytes_discarded count=3 lost=0\n", True),
        (OPEN + "panel bytes_discarded count=1\n" + "shoe bytes_discarded count=0 lost=0\n", True),
        (OPEN + "shoe bytes_discarded count=0 lost=1\n", False),
        (OPEN + "shoe bytes_discarded count=0\n", False),
        ("shoe bytes_discarded count=3 lost=2\n", False),
        ("shoe bytes_discarded count=0 lost=2\n", False),
        ("shoe bytes_discarded count=3\n", False),
        (OPEN, False),  # and the shoe goes on as if it had nothing to say
        (OPEN + "shoe device_offline reason=x\nshoe device_online\n", False),
        ("shoe bytes_discarded count=3 lost=false\n", False),
        ('shoe bytes_discarded count=3 lost="none"\n', False),
    ],
)
def test_a_round_is_whole_where_the_noise_hid_nothing(noise, whole):
    assert rounds(CALL, TWO, noise, LAST, OVER) == [(1, not whole)]


def test_a_key_that_ends_the_round_does_not_wait():
    """Else a third card that the noise hid would be missing of a round that is judged."""
    log = CALL + "shoe card_drawn card=2D to=player\nshoe card_drawn card=7S to=banker\n" + LAST
    assert rounds(log, OPEN, OVER, "shoe bytes_discarded count=0 lost=1\n") == [(1, True)]


def test_noise_at_the_end_of_the_stream_is_no_whole_round():
    log = CALL + "shoe card_drawn card=2D to=player\nshoe card_drawn card=7S to=banker\n" + LAST
    assert rounds(log, OPEN) == [(1, True)]


def test_noise_after_the_shoe_told_the_result_is_not_of_that_round():
    result = "shoe result_declared winner=banker pairs=[]\n"
    assert rounds(CALL, TWO, LAST, result, "shoe bytes_discarded count=3\n", OVER) == [(1, False)]


def test_between_rounds_without_keys_the_next_one_is_whole():
    shoe = "shoe shoe_started decks=8\n"
    noise = OPEN + "+60\nshoe bytes_discarded count=0 lost=0\n"
    assert rounds(shoe, TWO, LAST, noise, TWO, LAST, devices=("shoe",)) == [(1, False), (2, False)]


@pytest.mark.parametrize("reason", ["irregular_pulses", "overlapping_pulses", "bad_length", "bad_parity", "garbage"])
def test_noise_at_a_key_reader_is_no_fault_of_the_equipment(reason):
    noise = f"key_reader device_fault reason={reason}\nkey_reader device_recovered\n"
    assert rounds(CALL, TWO, noise, LAST, OVER, devices=("shoe", "panel", "key_reader")) == [(1, False)]
