"""Cards that a reader under the felt tells twice within a fraction of a second: one card, and nobody is accused; and
cards that really are two, which stay two. Line numbers are those of document 000."""

from __future__ import annotations

import pytest

from pitwatch.devices.observation import Observation
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Round
from tests.rules.table import Played, facts, only, play, read_log, silent

FELT = ("card_position", "panel")
PACKETS = ("shuffler", *FELT)
SIX = {"decks": 6}
EIGHT = {"decks": 8}
SHUFFLED = "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"
CALL = "panel key_pressed key=no_more_bets\n"
OVER = "panel key_pressed key=round_over\n"


def lay(to: str, *cards: str, apart: float = 1.0) -> str:
    """Cards told at a position so many seconds apart; "?" unread."""
    lines = [f"card_position card_placed to={to} card={'null' if card == '?' else card}" for card in cards]
    return f"\n-{1 - apart}\n".join(lines) + "\n"


def lift(to: str, *cards: str) -> str:
    return lay(to, *cards).replace("card_placed", "card_removed")


def draw(*cards: str) -> str:
    return "".join(f"shoe card_drawn to=null card={card}\n" for card in cards)


def packets(cards: int, *positions: str) -> str:
    return "".join(f"shuffler packet_dispensed cards={cards} to={to}\n" for to in positions)


def blackjack(first: str, second: str, dealers: str = lay("dealer", "TH", "2C"), **options: int) -> Played:
    """Seat-1 has `first` and then 8C, seat-2 9H and `second`. Lines 473-477."""
    log = CALL + first + lay("seat-2", "9H") + lay("dealer", "6D") + lay("seat-1", "8C") + second
    log += lay("dealer", "?") + lift("dealer", "?") + dealers + OVER
    return play("toledo-2020/blackjack", facts(*FELT, options=options or SIX), log)


def three_cards(seat: str, *, machine: bool = True) -> Played:
    """`seat`: what is told of seat-1. Lines 1764-1767, 1913."""
    if machine:
        dealt = SHUFFLED + CALL + packets(3, "seat-1", "dealer")
        devices = PACKETS
    else:
        dealt, devices = "panel key_pressed key=hand_shuffled\n" + CALL, FELT
    log = dealt + seat + lay("dealer", "2C", "3C", "5D") + OVER
    return play("toledo-2020/three-card-poker", facts(*devices), log)


@pytest.mark.parametrize("apart", [0.21, 0.3, 0.39])
@pytest.mark.parametrize("told", [("8D", "8D"), ("?", "8D"), ("8D", "?"), ("?", "8D", "8D"), ("8D", "?", "8D")])
def test_a_card_of_several_decks_told_twice_is_one(told, apart):
    round_ = silent(blackjack(lay("seat-1", "TS"), lay("seat-2", *told, apart=apart)))
    assert round_.cards["seat-2"] == ["9H", "8D"]


@pytest.mark.parametrize("told", [("8D", "8D"), ("?", "8D"), ("8D", "?")])
def test_told_at_once_of_several_decks_the_round_is_partial(told):
    played = blackjack(lay("seat-1", "TS"), lay("seat-2", *told, apart=0.05))
    assert played.rules == []
    assert (only(played).partial, only(played).cards["seat-2"]) == (True, ["9H", "8D"])


def test_further_faults_of_a_round_with_a_card_told_twice_are_reported():
    played = blackjack(lay("seat-1", "TS", "TS", apart=0.3), lay("seat-2", "8D"), lay("dealer", "TH", "2C", "2S"))
    assert played.rules == ["dealer-drew-against-rule"]


@pytest.mark.parametrize("told", [("8D", "8D"), ("?", "8D"), ("8D", "?")])
def test_two_cards_a_second_apart_are_two(told):
    assert blackjack(lay("seat-1", "TS"), lay("seat-2", *told)).rules == ["wrong-initial-sequence"]


def test_another_face_is_another_card_however_quickly():
    assert blackjack(lay("seat-1", "TS"), lay("seat-2", "8D", "7D", apart=0.3)).rules == ["wrong-initial-sequence"]


def test_two_unread_cards_are_two():
    assert blackjack(lay("seat-1", "TS"), lay("seat-2", "?", "?", apart=0.3)).rules == ["wrong-initial-sequence"]


def test_a_card_lifted_in_between_is_not_told_again():
    """Patron turns two equal eights: neither is the other told twice. Lines 101, 473-477."""
    hand = lay("seat-2", "?") + lift("seat-2", "?") + lay("seat-2", "8D", "8D", apart=0.3)
    assert len(only(blackjack(lay("seat-1", "TS"), hand)).cards["seat-2"]) > 2


BACCARAT = "shoe shoe_started decks=8\n+20\n" + CALL


def baccarat(*log: str) -> Played:
    """Lines 3844, 3990."""
    table = facts("shoe", *FELT, options=EIGHT)
    return play("toledo-2020/mini-midi-baccarat", table, BACCARAT + "".join(log) + OVER)


@pytest.mark.parametrize("apart", [0.05, 0.3])
def test_the_shoe_tells_two_equal_cards_from_one_told_twice(apart):
    bankers = draw("9D", "7H") + lay("banker", "9D", "7H")
    one = silent(baccarat(draw("TS"), lay("player", "TS", "TS", apart=apart), draw("9C"), lay("player", "9C"), bankers))
    assert one.cards["player"] == ["TS", "9C"]
    two = only(
        baccarat(draw("TS", "TS"), lay("player", "TS", "TS", apart=apart), bankers, draw("2C"), lay("player", "2C"))
    )
    assert two.cards["player"] == ["TS", "TS", "2C"]
    assert not two.partial


@pytest.mark.parametrize("apart", [0.05, 0.15, 0.3])
def test_a_card_of_one_deck_told_twice_is_one(apart):
    round_ = silent(three_cards(lay("seat-1", "TS", "TS", apart=apart) + lay("seat-1", "9S", "8S")))
    assert round_.result["seat-1"]["hand"] == "straight-flush"


@pytest.mark.parametrize("apart", [0.05, 0.15, 0.3])
@pytest.mark.parametrize("told", [("TS", "?"), ("?", "TS")])
def test_by_hand_an_unread_telling_is_the_same_card(told, apart):
    deal = lay("seat-1", *told, apart=apart) + "".join(
        lay("dealer", dealers) + lay("seat-1", seats) for dealers, seats in (("KC", "9S"), ("QC", "8S"))
    )
    log = "panel key_pressed key=hand_shuffled\n" + CALL + deal + lay("dealer", "2H") + OVER
    round_ = silent(play("toledo-2020/three-card-poker", facts(*FELT), log))
    assert round_.result["seat-1"]["hand"] == "straight-flush"


def test_a_duplicate_in_a_packet_is_no_card_told_twice():
    """The shuffler counted three and three were told. Lines 1764-1767."""
    packet = lay("seat-1", "TS", "TS", "9H", apart=0.1)
    played = three_cards(packet)
    assert "duplicate-card" in played.rules
    assert played.rounds[0].void is not None


def test_a_duplicate_laid_later_is_reported():
    assert three_cards(lay("seat-1", "TS", "TS", "9H")).rules == ["duplicate-card"]


def test_an_unread_card_of_a_packet_is_a_card():
    round_ = silent(three_cards(lay("seat-1", "TS", "?", "9H", apart=0.1)))
    assert round_.cards["seat-1"] == ["TS", None, "9H"]


def test_a_packet_spread_slowly_is_whole():
    """The number of cards tells that the unread one is one of the three. Line 1913."""
    round_ = silent(three_cards(lay("seat-1", "TS", "?", "9H", apart=0.25)))
    assert round_.cards["seat-1"] == ["TS", None, "9H"]


def test_a_packet_with_a_card_too_many_is_reported_though_a_card_was_told_twice():
    seat = lay("seat-1", "TS", "?", apart=0.3) + lay("seat-1", "9S", "8S", "7S")
    assert "wrong-card-count" in three_cards(seat).rules


@pytest.mark.parametrize("gap", [0.1, 0.3])
def test_cards_spread_in_the_middle_are_never_one(gap):
    """The flop of ultimate texas hold'em. Line 2194."""
    log = SHUFFLED + CALL + packets(2, "seat-1", "dealer") + packets(5, "community")
    log += lay("seat-1", "TS", "9S") + lay("dealer", "2C", "3C")
    log += lay("community", "KC", "?", "QD", "4H", "5H", apart=gap) + OVER
    played = play("toledo-2020/ultimate-texas-holdem", facts(*PACKETS), log)
    assert len(only(played).cards["community"]) == 5


def test_cards_drawn_one_right_after_the_other_at_poker_are_two():
    log = CALL + lay("seat-1", "TS") + lay("seat-2", "2S") + lay("seat-1", "9S", "?", apart=0.3) + OVER
    played = play("columbus-2016/texas-holdem", facts(*FELT), log)
    assert played.rounds[0].cards["seat-1"] == ["TS", "9S", None]


def test_what_is_kept_back_comes_in_order_and_in_time():
    """An unread card waits; so does what is told after it, and nothing is waited for longer than the window."""
    engine = Engine(load_game("toledo-2020/blackjack"), facts(*FELT, options=SIX))
    log = CALL + lay("seat-1", "?") + "-0.9\n" + lay("dealer", "6D")
    for seq, seen in enumerate(read_log(log), start=1):
        assert engine.feed(seq, seen) == []
    assert engine.deadline == 2_400_000_000
    engine.tick(2_399_999_999)
    assert engine.desk.round.cards == {}
    engine.tick(2_400_000_000)
    assert engine.desk.round.cards == {"seat-1": [None], "dealer": ["6D"]}
    assert list(engine.desk.round.cards) == ["seat-1", "dealer"]


def test_the_end_of_the_stream_keeps_nothing_back():
    engine = Engine(load_game("toledo-2020/blackjack"), facts(*FELT, options=SIX))
    for seq, seen in enumerate(read_log(CALL + lay("seat-1", "?")), start=1):
        engine.feed(seq, seen)
    (round_,) = [each for each in engine.finish() if isinstance(each, Round)]
    assert round_.cards == {"seat-1": [None]}


def test_ticks_in_between_change_nothing():
    """A replay has none; a table that runs has one at each deadline."""
    log = CALL + lay("seat-1", "?", "TS", apart=0.3) + lay("seat-2", "9H", "9H", apart=0.3) + lay("dealer", "?")
    seen = read_log(log + "+30\n" + OVER)
    outs = []
    for ticks in (False, True):
        engine, out = Engine(load_game("toledo-2020/blackjack"), facts(*FELT, options=SIX)), []
        for seq, each in enumerate(seen, start=1):
            while ticks and engine.deadline is not None and engine.deadline <= each.t:
                out += engine.tick(engine.deadline)
            out += engine.feed(seq, each)
        outs.append([*out, *engine.finish()])
    assert outs[0] == outs[1]


def test_a_reader_that_went_off_line_in_between_tells_no_card_again():
    seen = [
        Observation(1, "panel", "key_pressed", {"key": "no_more_bets"}),
        Observation(2, "card_position", "card_placed", {"to": "seat-1", "card": None}),
        Observation(3, "card_position", "device_offline", {"reason": "x"}),
        Observation(300_000_000, "card_position", "device_online", {}),
        Observation(300_000_001, "card_position", "card_placed", {"to": "seat-1", "card": "TS"}),
    ]
    engine = Engine(load_game("toledo-2020/blackjack"), facts(*FELT, options=SIX))
    for seq, each in enumerate(seen, start=1):
        engine.feed(seq, each)
    assert engine.desk.round.cards == {"seat-1": [None, "TS"]}
