"""Let it ride: three cards to the dealer for the board, of which one is burned and two remain (3323-3324, 3393)."""

from __future__ import annotations

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/let-it-ride"
LAPS = (("AS", "7H"), ("KS", "8C"), ("9D", "8D"))
SHUFFLED = "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"
PACKETS = "".join(f"shuffler packet_dispensed cards=3 to={to}\n" for to in ("seat-1", "community"))
END = "+40\n" + OVER


def ride(log: str) -> Played:
    return play(GAME, facts("shuffler", "card_position", "panel"), log)


def by_hand(*board: str) -> str:
    """Two hands and the board in laps, as many as there are cards for it."""
    log = "panel key_pressed key=hand_shuffled\n" + CALL
    for lap, (first, second) in enumerate(LAPS):
        log += laid("seat-1", first) + laid("seat-2", second) + "".join(laid("community", c) for c in board[lap:][:1])
    return log


def burned(*cards: str) -> str:
    return "".join(taken("community", card) for card in cards) + "".join(laid("burn", card) for card in cards)


def shown(*cards: str) -> str:
    """Seen only as they are turned, after the patrons have decided."""
    return "+5\n".join(laid("community", card) for card in cards)


def test_a_board_that_was_dealt_two_cards_lacks_one() -> None:
    assert ride(by_hand("8H", "3D") + burned("3D") + END).rules == ["wrong-card-count"]
    assert ride(by_hand("8H", "3D", "QC") + burned("QC") + END).rules == []


def test_a_board_that_is_seen_when_it_is_turned_lacks_nothing() -> None:
    """The hands are turned one after the other at the end."""
    hands = laid("seat-1", "AS KS 9D") + laid("seat-2", "7H 8C 8D")
    for devices in (("card_position", "panel"), ("shuffler", "card_position", "panel")):
        assert play(GAME, facts(*devices), CALL + shown("8H", "3D") + hands + END).rules == []
        some = CALL + laid("seat-1", "AS KS 9D") + shown("8H", "3D") + laid("seat-2", "7H 8C 8D")
        assert play(GAME, facts(*devices), some + END).rules == []


def test_two_cards_burned_leave_one() -> None:
    deal = SHUFFLED + CALL + PACKETS + laid("community", "2C 3C 4C")
    hand = "+20\n" + laid("seat-1", "AS KS QS")
    played = ride(deal + burned("2C", "3C") + hand + END)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "community", "cards": 1}
    assert played.irregularities[0].required == {"cards": 2}
    assert ride(deal + burned("2C") + hand + END).rules == []


def test_a_card_burned_too_many_that_is_laid_back_at_once_remains() -> None:
    deal = SHUFFLED + CALL + PACKETS + laid("community", "2C 3C 4C") + burned("2C", "3C")
    back = taken("burn", "3C") + laid("community", "3C")
    assert ride(deal + back + "+20\n" + laid("seat-1", "AS KS QS") + END).rules == []


def test_cards_that_are_collected_on_the_burned_ones_were_not_burned() -> None:
    deal = SHUFFLED + CALL + PACKETS + laid("community", "2C 3C 4C") + burned("2C") + "+20\n"
    turned = (
        taken("community", "3C")
        + laid("community", "3C")
        + "+20\n"
        + taken("community", "4C")
        + laid("community", "4C")
    )
    hand = laid("seat-1", "AS KS QS")
    assert ride(deal + turned + hand + "+20\n" + burned("3C", "4C") + taken("seat-1", "AS KS QS") + END).rules == []
    assert ride(deal + hand + "+20\n" + taken("seat-1", "AS KS QS") + burned("3C", "4C") + END).rules == []


def test_three_cards_turned_one_after_another_were_not_burned() -> None:
    deal = SHUFFLED + CALL + PACKETS + laid("seat-1", "AS KS QS") + "+20\n"
    played = ride(deal + shown("2C", "3C", "4C") + OVER)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "community", "cards": 3}
    assert ride(deal + shown("2C", "3C") + OVER).rules == []
    assert ride(deal + laid("community", "2C 3C 4C") + burned("4C") + END).rules == []
    assert ride(deal + shown("2C", "3C") + laid("community", "4C") + OVER).rules == []  # spread, or turned together
