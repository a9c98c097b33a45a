"""The poker room on pit logs: the line of the document, what the table saw, the verdict; beside each a clean hand."""

from __future__ import annotations

import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.table import DeviceFacts, TableFacts
from tests.rules.pit_log import CALL, OVER
from tests.rules.table import facts, play, read_log

FELT = facts("card_position", "panel")
HOLDEM, STUD, RAZZ = "columbus-2016/texas-holdem", "columbus-2016/seven-card-stud", "california/razz"
DRAWMAHA, BADUGI, CHINESE = "california/drawmaha", "california/badugi", "california/chinese-poker"

BETTING = "+8\n"


def lay(to: str, *cards: str) -> str:
    """Cards as a reader tells them; "?" lies face down, unread."""
    return "".join(
        f"card_position card_placed card={'null' if card == '?' else card} to={to}\n" for card in cards or ("?",)
    )


def lift(to: str, *cards: str) -> str:
    return "".join(
        f"card_position card_removed card={'null' if card == '?' else card} to={to}\n" for card in cards or ("?",)
    )


def laps(times: int, *seats: str) -> str:
    return "".join(lay(seat) for _ in range(times) for seat in seats)


def burn(times: int = 1) -> str:
    return lay("burn", *["?"] * times)


def board(*cards: str) -> str:
    return lay("community", *cards)


THREE = ("seat-2", "seat-5", "seat-7")
HOLES = laps(2, *THREE) + BETTING
FLOP, TURN, RIVER = board("TH", "4C", "9S"), board("2D"), board("KS")
REST = BETTING + burn() + TURN + BETTING + burn() + RIVER


def holdem(hand: str, game: str = HOLDEM, table: TableFacts = FELT):
    return play(game, table, CALL + hand + OVER)


# --- a clean hand


def test_a_hand_of_holdem_dealt_as_written_says_nothing() -> None:
    """003 lines 741-747: two cards each, burn and flop, burn and turn, burn and river."""
    played = holdem(HOLES + burn() + FLOP + REST)
    assert played.rules == []
    (hand,) = played.rounds
    assert not hand.partial
    assert hand.cards["community"] == ["TH", "4C", "9S", "2D", "KS"]
    assert hand.cards["seat-2"] == [None, None]


def test_folded_hands_peeks_and_cards_turned_at_the_showdown_are_no_cards_dealt() -> None:
    peek = lift("seat-2") + lay("seat-2", "?")
    fold = lift("seat-5", "?", "?")
    show = lift("seat-2", "?", "?") + lay("seat-2", "KH", "KD") + lay("seat-7", "AS", "AD")
    played = holdem(HOLES + peek + burn() + FLOP + fold + REST + show)
    assert played.rules == []
    assert played.rounds[0].result == {
        "seat-2": {"high": "three-of-a-kind"}, "seat-5": {"folded": True}, "seat-7": {"high": "pair"},
        "winners": {"high": ["seat-2"]},
    }  # fmt: skip


def test_everybody_else_folds_and_the_last_hand_wins_unseen() -> None:
    folds = "".join(lift(seat, "?", "?") for seat in ("seat-5", "seat-2", "seat-7"))
    played = holdem(HOLES + burn() + FLOP + folds)
    assert played.rules == []
    assert played.rounds[0].result["winners"] == {"high": ["seat-7"]}
    assert not played.rounds[0].partial


KNOWN = lay("seat-2", "KH") + lay("seat-5", "AS") + lay("seat-7", "5C") + lay("seat-2", "KD") + lay("seat-5", "AD")
KNOWN += lay("seat-7", "5D") + BETTING
TO_THE_RIVER = KNOWN + CALL + burn() + FLOP + BETTING + CALL + burn() + TURN + BETTING + CALL + burn() + RIVER
FOLDS = lift("seat-5", "AS", "AD") + lift("seat-7", "5C", "5D")
TAKEN_IN = lift("seat-2", "KH", "KD")


def test_who_folds_after_the_river_shows_no_hand() -> None:
    """Where the end of each betting is called, what is lifted before the last call is folded."""
    played = holdem(TO_THE_RIVER + BETTING + FOLDS + TAKEN_IN)
    assert played.rules == []
    assert played.rounds[0].result == {
        "seat-2": {"high": "three-of-a-kind"}, "seat-5": {"folded": True}, "seat-7": {"folded": True},
        "winners": {"high": ["seat-2"]},
    }  # fmt: skip


@pytest.mark.parametrize("hand", [
    TO_THE_RIVER + BETTING + CALL + FOLDS + TAKEN_IN,
    KNOWN + burn() + FLOP + REST + BETTING + FOLDS + TAKEN_IN,
], ids=["after the last call", "nothing is called"])  # fmt: skip
def test_hands_taken_in_at_the_end_were_shown(hand: str) -> None:
    played = holdem(hand)
    assert played.rules == []
    assert played.rounds[0].result == {
        "seat-2": {"high": "three-of-a-kind"}, "seat-5": {"high": "pair"}, "seat-7": {"high": "pair"},
        "winners": {"high": ["seat-2"]},
    }  # fmt: skip


# --- burns


@pytest.mark.parametrize("hand", [
    HOLES + FLOP + REST,
    HOLES + burn() + FLOP + BETTING + TURN + BETTING + burn() + RIVER,
    HOLES + burn() + FLOP + BETTING + burn() + TURN + BETTING + RIVER,
])  # fmt: skip
def test_a_street_without_a_burn(hand: str) -> None:
    """003 lines 671, 743-747."""
    played = holdem(hand)
    assert played.rules == ["burn-missing"]
    assert played.irregularities[0].citation.lines == "671"
    assert played.irregularities[0].severity == "notice"


def test_the_flop_is_dealt_without_a_burn_and_the_hand_ends_there() -> None:
    assert holdem(HOLES + FLOP).rules == ["burn-missing"]


def test_a_felt_that_shows_no_burn_at_all_has_no_place_for_them() -> None:
    bare = HOLES + FLOP + BETTING + TURN + BETTING + RIVER
    assert holdem(bare).rules == []
    seen_before = CALL + HOLES + burn() + FLOP + REST + OVER + CALL + bare + OVER
    assert play(HOLDEM, FELT, seen_before).rules == ["burn-missing"] * 3


@pytest.mark.parametrize("game", [HOLDEM, "california/texas-holdem", "toledo-poker-guide/texas-holdem"])
def test_a_burn_that_is_laid_after_its_street_is_neither_missing_nor_one_too_many(game: str) -> None:
    """003 line 671, 001 line 1222, 004 line 36: the dealer holds the burn card until the street lies."""
    assert holdem(HOLES + FLOP + burn() + REST, game).rules == []
    assert holdem(HOLES + board("TH") + burn() + board("4C", "9S") + REST, game).rules == []
    start = HOLES + burn() + FLOP + BETTING
    assert holdem(start + TURN + burn() + BETTING + burn() + RIVER, game).rules == []
    assert holdem(start + burn() + TURN + BETTING + RIVER + burn(), game).rules == []
    assert holdem(start + TURN + burn(3) + RIVER, game).rules == ["burn-extra"]
    assert holdem(start + TURN + burn() + RIVER, game).rules == ["burn-missing"]
    assert holdem(start + burn() + TURN + burn() + BETTING + burn() + RIVER, game).rules == ["burn-extra"]


def test_a_burn_of_stud_that_is_laid_late() -> None:
    """003 line 715."""
    third, rest = laps(3, *THREE) + BETTING, "".join(BETTING + burn() + laps(1, *THREE) for _ in range(3))
    assert holdem(third + laps(1, *THREE) + burn() + rest, STUD).rules == []
    assert holdem(third + laps(1, "seat-2", "seat-5") + burn() + lay("seat-7") + rest, STUD).rules == []
    assert holdem(third + laps(1, *THREE) + rest, STUD).rules == ["burn-missing"]


def test_readers_without_one_for_burn_cards_judge_none() -> None:
    places = frozenset({"card_placed", "card_removed", "card_placed:community", *(f"card_placed:{s}" for s in THREE)})
    table = TableFacts(devices=(DeviceFacts("card_position", "card_position", places), *facts("panel").devices))
    assert holdem(HOLES + FLOP, table=table).rules == []
    with_burn = places | {"card_placed:burn"}
    table = TableFacts(devices=(DeviceFacts("card_position", "card_position", with_burn), *facts("panel").devices))
    assert holdem(HOLES + FLOP, table=table).rules == ["burn-missing"]


def test_two_cards_burned() -> None:
    log = HOLES + burn(2) + FLOP + REST
    played = holdem(log)
    assert played.rules == ["burn-extra"]
    burned = [seq for seq, seen in enumerate(read_log(CALL + log), 1) if seen.data.get("to") == "burn"]
    assert played.irregularities[0].evidence == tuple(burned[:2])


def test_a_burn_on_the_discard_pile_is_one_and_a_folded_hand_there_is_none() -> None:
    """001 lines 1217, 1222."""
    fold = lift("seat-5", "?", "?") + lay("discard", "?", "?")
    pile = lay("discard", "?")
    clean = HOLES + fold + pile + FLOP + BETTING + pile + TURN + BETTING + pile + RIVER
    game = "california/texas-holdem"
    assert holdem(clean, game).rules == []
    assert holdem(HOLES + fold + pile + pile + FLOP, game).rules == ["burn-extra"]


def test_the_guide_writes_no_burn_before_the_flop() -> None:
    """004 lines 34, 36, 38: the flop may come without, the turn may not."""
    game = "toledo-poker-guide/texas-holdem"
    assert holdem(HOLES + FLOP + REST, game).rules == []
    assert holdem(HOLES + burn() + FLOP + REST, game).rules == []
    assert holdem(HOLES + burn(2) + FLOP + REST, game).rules == ["burn-extra"]
    assert holdem(HOLES + burn() + FLOP + BETTING + TURN + BETTING + burn() + RIVER, game).rules == ["burn-missing"]


def test_the_board_run_twice_by_two_who_agreed() -> None:
    """003 lines 850-869: a burn before each up card; with three live hands it is a card too many."""
    fold = lift("seat-5", "?", "?")
    second = burn() + board("7D") + burn() + board("7C")
    assert holdem(HOLES + burn() + FLOP + fold + REST + second).rules == []
    assert holdem(HOLES + burn() + FLOP + REST + second).rules == ["wrong-card-count"]


def test_the_second_board_lacks_a_burn() -> None:
    """003 line 869: a burn before each up card. A flop that is run again has one for its three cards."""
    fold = lift("seat-5", "?", "?")
    first = HOLES + burn() + FLOP + fold + REST
    for pause in ("", BETTING):
        played = holdem(first + burn() + board("7D") + pause + board("7C"))
        assert played.rules == ["burn-missing"]
        assert played.irregularities[0].observed == {"street": "river", "burned": 0}
    flop = burn() + board("3D", "3H", "3S")
    assert holdem(first + flop + burn() + board("7D") + burn() + board("7C")).rules == []
    assert holdem(first + flop + board("7D") + burn() + board("7C")).rules == ["burn-missing"]
    assert holdem(first + burn() + board("7D") + board("7C") + burn()).rules == []
    assert holdem(first + board("7D")).rules == ["wrong-card-count"]


# --- how many cards


def test_a_third_hole_card() -> None:
    played = holdem(HOLES + lay("seat-5") + burn() + FLOP + REST)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "seat-5", "cards": 3}


def test_a_hand_with_one_hole_card() -> None:
    holes = laps(2, "seat-2", "seat-7") + lay("seat-5") + BETTING
    played = holdem(holes + burn() + FLOP + REST)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "seat-5", "cards": 1}
    assert played.irregularities[0].required == {"cards": 2}


def test_a_flop_of_four_cards_is_no_turn_without_a_burn() -> None:
    flop = board("TH", "4C", "9S", "3S")
    assert holdem(HOLES + burn() + flop + REST).rules == ["wrong-card-count"]
    assert holdem(HOLES + burn() + FLOP + board("3S") + BETTING + burn() + RIVER).rules == ["burn-missing"]


@pytest.mark.parametrize(("game", "cards"), [
    ("california/big-o", 5), ("columbus-2016/pineapple-holdem", 3), ("columbus-2016/crazy-pineapple-holdem", 3),
    ("toledo-poker-guide/pineapple-holdem", 3), ("toledo-poker-guide/crazy-pineapple-holdem", 3), (HOLDEM, 2),
])  # fmt: skip
def test_every_hand_lacks_a_card(game: str, cards: int) -> None:
    """001 line 6701; 003 lines 818, 846; 004 lines 63, 71: the dealer stopped a lap early."""
    short = holdem(laps(cards - 1, *THREE) + BETTING + burn() + FLOP + REST, game)
    assert short.rules == ["wrong-card-count"] * 3
    assert [each.observed["cards"] for each in short.irregularities] == [cards - 1] * 3
    assert holdem(laps(cards, *THREE) + BETTING + burn() + FLOP + REST, game).rules == []


@pytest.mark.parametrize("game", [HOLDEM, "california/texas-holdem", "toledo-poker-guide/texas-holdem"])
def test_a_flop_of_two_cards_is_no_second_burn(game: str) -> None:
    """003 line 743, 001 line 1222, 004 line 34. What wins on a board that lacks a card nobody knows."""
    two = board("TH", "4C")
    played = holdem(KNOWN + burn() + two + REST, game)
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "community", "cards": 2}
    assert played.irregularities[0].required == {"cards": 3}
    assert played.rounds[0].result["winners"] == {"high": None}
    assert holdem(KNOWN + burn() + two + BETTING + board("9S") + REST, game).rules == []


def test_a_hand_of_chinese_poker_with_twelve_cards_is_a_misdeal() -> None:
    """001 lines 2191, 2193."""
    stacks = "".join(lay(f"seat-{n}", *["?"] * 13) for n in (1, 2, 3))
    short = holdem(stacks + lay("seat-4", *["?"] * 12), CHINESE)
    assert short.rules == ["wrong-card-count"]
    assert short.rounds[0].void == "wrong-card-count"
    assert holdem(stacks + lay("seat-4", *["?"] * 13), CHINESE).rules == []


def test_a_hand_of_razz_without_its_seventh_card_is_dead() -> None:
    """001 line 1476; who has folded needs none."""
    six = laps(3, *THREE)
    for rank in "456":
        six += BETTING + burn() + lay("seat-2", f"{rank}C") + lay("seat-5", f"{rank}D") + lay("seat-7", f"{rank}S")
    last = BETTING + burn() + lay("seat-2") + lay("seat-7")
    assert holdem(six + last, RAZZ).rules == ["wrong-card-count"]
    assert holdem(six + last, RAZZ).irregularities[0].disposition == "hand-void"
    assert holdem(six + lift("seat-5", "?", "?", "?", "4D", "5D", "6D") + last, RAZZ).rules == []


def test_a_card_dealt_unread_that_a_patron_looks_at_is_no_card_more() -> None:
    """It shows its face when it is lifted, and lies down again with it."""
    first = laps(3, *THREE)
    look = lift("seat-5", "6D") + lay("seat-5", "6D")
    street = BETTING + burn() + lay("seat-2", "4C") + lay("seat-5", "4D") + lay("seat-7", "4S")
    rest = "".join(BETTING + burn() + laps(1, *THREE) for _ in range(3))
    assert holdem(first + look + street + look + rest, RAZZ).rules == []
    third = holdem(first + look + lay("seat-5", "9D") + street.replace("4", "5") + rest, RAZZ)
    assert third.rules == ["wrong-card-count"]


# --- too early


def test_the_next_street_begins_before_the_last_hole_card_is_dealt() -> None:
    holes = laps(2, "seat-2", "seat-7") + lay("seat-5") + BETTING
    played = holdem(holes + burn() + board("TH", "4C") + lay("seat-5") + board("9S") + REST)
    assert played.rules == ["premature-deal"]


def test_razz_deals_a_street_before_its_betting_is_called_complete() -> None:
    """001 line 1431, in a house whose dealers call each betting round complete; one call in the hand shows that."""
    street = burn() + lay("seat-2", "5C") + lay("seat-5", "9C") + lay("seat-7", "KC")
    hand = laps(3, *THREE) + CALL + street + CALL + street.replace("C", "D")
    assert holdem(hand + CALL, RAZZ).rules == []
    played = holdem(laps(3, *THREE) + CALL + street + BETTING + street.replace("C", "D") + CALL, RAZZ)
    assert played.rules == ["premature-deal"]
    assert played.irregularities[0].disposition == "correct-and-continue"
    assert len(played.rounds) == 1


def test_without_calls_between_streets_none_is_missed() -> None:
    assert holdem(HOLES + burn() + FLOP + REST).rules == []


def test_a_call_and_then_hole_cards_is_the_next_hand() -> None:
    """A hand that nobody closed ends with the next one's call."""
    played = play(HOLDEM, FELT, CALL + HOLES + burn() + FLOP + CALL + HOLES + burn() + FLOP + REST + OVER)
    assert played.rules == []
    assert len(played.rounds) == 2


# --- the stub


def stud_to_sixth(*seats: str) -> str:
    third = laps(3, *seats)
    return third + "".join(BETTING + burn() + laps(1, *seats) for _ in range(3)) + BETTING


EIGHT = tuple(f"seat-{n}" for n in range(1, 9))


def folded(*seats: str) -> str:
    return "".join(lift(seat, *["?"] * 6) for seat in seats)


def test_the_stub_holds_no_seventh_card_for_everybody() -> None:
    """003 line 719: 8 x 6 cards and three burns leave one card; the burn cards are shuffled in."""
    dealt = stud_to_sixth(*EIGHT) + folded(*EIGHT[3:])
    played = holdem(dealt + "panel key_pressed key=hand_shuffled\n" + burn() + laps(1, *EIGHT[:3]), STUD)
    assert played.rules == ["stub-short"]
    assert played.irregularities[0].observed == {"street": "seventh-street", "cards_left": 1}
    assert played.irregularities[0].required == {"cards": 3}
    assert not played.rounds[0].partial


def test_even_with_the_burn_cards_the_stub_is_short_and_a_common_card_is_dealt() -> None:
    mixed = stud_to_sixth(*EIGHT) + "panel key_pressed key=hand_shuffled\n" + burn() + board("5C")
    assert holdem(mixed, STUD).rules == ["stub-short", "stub-plus-burns-short"]
    assert holdem(stud_to_sixth(*EIGHT) + burn() + board("5C"), STUD).rules == ["stub-short"]


def test_six_players_never_run_the_deck_short() -> None:
    six = EIGHT[:6]
    assert holdem(stud_to_sixth(*six) + burn() + laps(1, *six), STUD).rules == []


def test_a_burn_card_that_is_dealt_again_is_no_second_copy() -> None:
    third = "".join(lay(seat) for _ in range(3) for seat in EIGHT)
    burned = lay("burn", "5C")
    streets = BETTING + burned + laps(1, *EIGHT) + "".join(BETTING + burn() + laps(1, *EIGHT) for _ in range(2))
    again = lay("burn", "5C") + laps(1, "seat-1", "seat-2", "seat-3")
    assert holdem(third + streets + folded(*EIGHT[3:]) + again, STUD).rules == ["stub-short"]


# --- draws


def give_back(seat: str, *cards: str) -> str:
    return lift(seat, *cards)


def test_a_draw_of_drawmaha_comes_after_the_turn() -> None:
    """001 lines 6823-6836: all discard, burn, turn, then each gets as many as he gave back."""
    before = laps(5, *THREE) + BETTING + burn() + FLOP + BETTING + lift("seat-2", "?", "?") + lift("seat-7", "?")
    turn = burn() + TURN
    draw = lay("seat-2", "?", "?") + lay("seat-7", "?")
    assert holdem(before + turn + draw + BETTING + burn() + RIVER, DRAWMAHA).rules == []
    fewer = lay("seat-2", "?") + lay("seat-7", "?")
    assert holdem(before + turn + fewer + BETTING + burn() + RIVER, DRAWMAHA).rules == ["draw-count-mismatch"]
    more = lay("seat-2", "?", "?", "?") + lay("seat-7", "?")
    assert holdem(before + turn + more + BETTING + burn() + RIVER, DRAWMAHA).rules == ["draw-count-mismatch"]


def test_two_draws_of_badugi() -> None:
    """001 lines 3306-3320."""
    deal = laps(4, *THREE) + BETTING
    one = lift("seat-2", "?", "?") + lay("seat-2", "?", "?") + lift("seat-5", "?") + lay("seat-5", "?") + BETTING
    two = lift("seat-2", "?") + lay("seat-2", "?") + BETTING
    assert holdem(deal + one + two, BADUGI).rules == []
    wrong = lift("seat-2", "?", "?", "?") + lay("seat-2", "?", "?") + BETTING + lift("seat-2", "?", "?")
    assert holdem(deal + one + wrong, BADUGI).rules == ["draw-count-mismatch"]


def test_a_hand_lifted_whole_may_be_folded_or_held_and_says_nothing_of_a_draw() -> None:
    assert holdem(laps(4, *THREE) + BETTING + lift("seat-2", *["?"] * 4) + lay("seat-2", "?", "?"), BADUGI).rules == []


BADUGIS = {"seat-1": "AS 2H 3D 4C", "seat-2": "KS QH JD TC", "seat-3": "AH 2S 3C 5H"}


def badugi(*lifted: str, called: str = "") -> dict[str, object]:
    """Seat 2 draws three cards in two draws; then the hands named are lifted whole."""
    deal = seen(**{seat.replace("-", "_"): hand for seat, hand in BADUGIS.items()}) + BETTING
    one = lift("seat-2", "KS", "QH") + lay("seat-2", "5S", "6H") + BETTING
    two = lift("seat-2", "JD") + lay("seat-2", "7D") + BETTING + called
    held = BADUGIS | {"seat-2": "TC 5S 6H 7D"}
    played = holdem(deal + one + two + "".join(lift(seat, *held[seat].split()) for seat in lifted), BADUGI)
    assert played.rules == []
    return played.rounds[0].result


def test_the_hands_that_lie_after_the_last_draw_of_badugi_are_compared() -> None:
    """001 lines 3270-3277, 3331; pokerkit's `BadugiHand` names the same winner."""
    result = badugi()
    assert result["seat-2"] == {"badugi": "badugi T-7-6-5"}
    assert result["winners"] == {"badugi": ["seat-1"]}
    assert pokerkit.BadugiHand("As2h3d4c") > pokerkit.BadugiHand("Tc5s6h7d") > pokerkit.BadugiHand("Ah2s3c")


def test_who_may_have_folded_after_the_last_draw_of_badugi_wins_nothing_unsaid() -> None:
    """Where no betting is called: the last that lies, or that is lifted, folded not."""
    taken_in = badugi("seat-3", "seat-2", "seat-1")
    assert taken_in["winners"] == {"badugi": ["seat-1"]}
    assert taken_in["seat-2"] == {"badugi": None}
    assert badugi("seat-1")["winners"] == {"badugi": None}
    assert badugi("seat-1", "seat-3")["winners"] == {"badugi": None}
    assert badugi("seat-1", "seat-2", called=CALL)["winners"] == {"badugi": ["seat-1"]}


# --- what the hands come to


def seen(**hands: str) -> str:
    """Hands that a reader reads face down: seat_1="AS KS"."""
    cards = {seat.replace("_", "-"): text.split() for seat, text in hands.items()}
    most = max(len(each) for each in cards.values())
    return "".join(lay(seat, each[lap]) for lap in range(most) for seat, each in cards.items() if lap < len(each))


def streets(*cards: str) -> str:
    return burn() + board(*cards[:3]) + BETTING + burn() + board(cards[3]) + BETTING + burn() + board(cards[4])


def test_omaha_plays_exactly_two_of_four_and_high_and_low_share() -> None:
    """001 lines 5742-5746, 5818-5821."""
    hands = seen(seat_1="AS 2S KD KC", seat_2="9C 9D QH QD", seat_3="AH AD AC JS")
    played = holdem(hands + streets("3D", "5C", "8H", "9H", "JC"), "california/omaha-high-low-split")
    assert played.rules == []
    assert played.rounds[0].result["seat-1"] == {"high": "pair", "low": "8-5-3-2-A"}
    assert played.rounds[0].result["seat-2"] == {"high": "three-of-a-kind", "low": "Q-9-8-5-3"}
    assert played.rounds[0].result["winners"] == {"high": ["seat-2"], "low": ["seat-1"]}


def test_nobody_has_a_low_and_the_high_hand_takes_all() -> None:
    hands = seen(seat_1="AS 2S KD KC", seat_2="9C 9D 6H 6D")
    played = holdem(hands + streets("3D", "TC", "KH", "9H", "JC"), "columbus-2016/omaha-hi-lo")
    assert played.rounds[0].result["winners"] == {"high": ["seat-1"], "low": []}


def test_razz_with_straights_that_count_or_not() -> None:
    """001 lines 1410 against 1476: the house's option."""
    third = seen(seat_1="2C 3D 4H", seat_2="AC 2D 3H")
    later = "".join(
        burn() + lay("seat-1", one) + lay("seat-2", other) + BETTING
        for one, other in (("5S", "7S"), ("6C", "8C"), ("KD", "KH"), ("KC", "KS"))
    )
    ignored = play(RAZZ, FELT, CALL + third + later + OVER)
    assert ignored.rounds[0].result["winners"] == {"low": ["seat-1"]}
    assert ignored.rounds[0].result["seat-1"] == {"low": "6-5-4-3-2"}
    house = facts("card_position", "panel", options={"straights-and-flushes": "count"})
    counted = play(RAZZ, house, CALL + third + later + OVER)
    assert counted.rounds[0].result["winners"] == {"low": ["seat-2"]}


def test_mexican_poker_ranks_a_flush_over_a_full_house_and_runs_over_the_missing_ranks() -> None:
    """001 lines 1954-1961."""
    first = seen(seat_1="6C 7C", seat_2="AH AD", seat_3="2S 3S")
    later = "".join(
        burn() + lay("seat-1", a) + lay("seat-2", b) + lay("seat-3", c) + BETTING
        for a, b, c in (("JD", "AS", "6S"), ("QC", "KH", "QS"), ("KC", "KD", "KS"))
    )
    played = holdem(first + later, "california/mexican-poker")
    assert played.rules == []
    hands = {seat: each.get("high") for seat, each in played.rounds[0].result.items() if seat != "winners"}
    assert hands == {"seat-1": "straight", "seat-2": "full-house", "seat-3": "flush"}
    assert played.rounds[0].result["winners"] == {"high": ["seat-3"]}
    assert holdem(seen(seat_1="8C 7C", seat_2="AH AD"), "california/mexican-poker").rules == ["foreign-card"]


@pytest.mark.parametrize(("one", "two", "hand"), [
    ("KC QC JC 7C 6C", "AS AH AD AC 2S", "straight-flush"),  # the highest of them beats four aces
    ("6C 7C JC QC KC", "5D 6D 7D JD QD", "straight-flush"),  # and the next one
    ("AC KC QC JC 7C", "KD QD JD 7D 6D", "royal-flush"),
])  # fmt: skip
def test_a_straight_flush_of_mexican_poker_runs_over_the_missing_ranks(one: str, two: str, hand: str) -> None:
    """001 lines 1953-1954."""
    mine, yours = one.split(), two.split()
    log = seen(seat_1=" ".join(mine[:2]), seat_2=" ".join(yours[:2])) + BETTING
    for a, b in zip(mine[2:], yours[2:], strict=True):
        log += burn() + lay("seat-1", a) + lay("seat-2", b) + BETTING
    played = holdem(log, "california/mexican-poker")
    assert played.rules == []
    assert played.rounds[0].result["seat-1"] == {"high": hand}
    assert played.rounds[0].result["winners"] == {"high": ["seat-1"]}


# --- the bad beat jackpots

TOLEDO, COLUMBUS = "toledo-2020/bad-beat-jackpots", "columbus-2016/bad-beat-jackpot"


def jackpot(game: str, hands: str, *cards: str, **table: object):
    return play(game, facts("card_position", "panel", **table), CALL + hands + streets(*cards) + OVER)


def test_the_documents_worked_example() -> None:
    """000 line 4840: all four hands qualify and share."""
    hands = seen(seat_1="8H 9H", seat_2="AH KH", seat_3="JC JD", seat_4="QC QD")
    played = jackpot(TOLEDO, hands, "TH", "JH", "QH", "JS", "QS")
    assert played.rules == ["bad-beat-jackpot"]
    observed = played.irregularities[0].observed
    assert observed["winner"] == ["seat-2"]
    assert observed["losers"] == ["seat-1", "seat-4", "seat-3"]
    assert observed["shares"] == {"seat-1": 25, "seat-4": 20, "seat-3": 15, "seat-2": 15, "others": 25}


OTHERS = {"seat_3": "2C 6D", "seat_4": "4C 5D"}


@pytest.mark.parametrize(
    ("game", "hands", "cards", "rule"),
    [
        (TOLEDO, "AH KH|JC JD", "TH JH QH JS 3C", "bad-beat-jackpot"),
        (TOLEDO, "AH KH|TC TD", "TH JH QH TS 3C", "mini-bad-beat-jackpot"),  # less than four jacks, more than aces full
        (COLUMBUS, "AH KH|TC TD", "TH JH QH TS 3C", "bad-beat-jackpot"),  # four eights do there: 003 line 2499
        (COLUMBUS, "AH KH|7C 7S", "TH JH QH 7H 7D", None),
        (TOLEDO, "AH KH|JC 2D", "TH JH QH JS JD", "hole-cards-not-used"),  # line 4829
        (TOLEDO, "7C 7S|AC KC", "AS AH KD 7H 7D", "mini-bad-beat-jackpot"),  # lines 4880-4882
        (TOLEDO, "7C 7S|AC 9C", "AS AH 9D 7H 7D", None),  # aces full of nines
        (TOLEDO, "7C 7S|KS KC", "AS AH AD 7H 7D", "hole-cards-not-used"),  # three aces on the board: line 4881
    ],
)
def test_which_hands_make_a_jackpot(game: str, hands: str, cards: str, rule: str | None) -> None:
    winner, loser = hands.split("|")
    dealt = seen(seat_1=winner, seat_2=loser, **OTHERS)
    assert jackpot(game, dealt, *cards.split()).rules == ([rule] if rule else [])


def test_three_players_are_too_few() -> None:
    """000 line 4839."""
    three = seen(seat_1="AH KH", seat_2="JC JD", seat_3="2C 7D")
    assert jackpot(TOLEDO, three, "TH", "JH", "QH", "JS", "3C").rules == ["too-few-players"]


def test_the_jackpot_of_omaha_and_of_stud_on_the_house_s_word() -> None:
    """000 line 4905."""
    omaha = seen(seat_1="AH KH 2C 2S", seat_2="JC JD 4C 4S", seat_3="5C 5S 6C 6S", seat_4="7C 7S 8C 8S")
    played = jackpot(TOLEDO, omaha, "TH", "JH", "QH", "JS", "3C", options={"game": "omaha"})
    assert played.rules == ["bad-beat-jackpot"]
    assert played.irregularities[0].observed["shares"] == {"seat-2": 50, "seat-1": 25, "others": 25}
    stud = seen(
        seat_1="2C 2D 2H 2S 3C 4C 6C", seat_2="5C 5D 5H 5S 7C 8C 9C",
        seat_3="KC KD TC JC 3D 4D 6D", seat_4="QC QD 9D TD 3H 8D 7D",
    )  # fmt: skip
    played = play(TOLEDO, facts("card_position", "panel", options={"game": "seven-card-stud"}), CALL + stud + OVER)
    assert played.rules == ["bad-beat-jackpot"]


def test_a_deck_that_is_not_whole_voids_the_jackpot() -> None:
    """003 line 2475."""
    hand = seen(seat_1="AH KH", seat_2="JC JD", **OTHERS) + streets("TH", "JH", "QH", "JS", "3C")
    table = facts("card_position", "panel", "shuffler")
    counted = "shuffler shuffle_started\nshuffler shuffle_completed cards={}\n"
    good = play(COLUMBUS, table, CALL + hand + OVER + counted.format(52))
    assert good.rules == ["bad-beat-jackpot"]
    bad = play(COLUMBUS, table, CALL + hand + OVER + counted.format(51))
    assert bad.rules == ["bad-beat-jackpot", "deck-count-mismatch", "wrong-card-count-at-jackpot"]


# --- equipment


def test_a_start_in_the_middle_of_a_hand_accuses_nobody() -> None:
    log = TURN + BETTING + RIVER + OVER + CALL + HOLES + burn() + FLOP + REST + OVER
    played = play(HOLDEM, FELT, log)
    assert played.rules == []
    assert [each.partial for each in played.rounds] == [True, False]


def test_a_hand_during_which_the_reader_was_off_line_is_not_judged() -> None:
    gap = "card_position device_offline reason=unplugged\n+3\ncard_position device_online\n"
    played = holdem(HOLES + burn() + FLOP + gap + TURN + BETTING + RIVER)
    assert played.rules == []
    assert played.rounds[0].partial


def test_a_card_that_went_nobody_knows_where_makes_the_hand_doubtful() -> None:
    stray = "card_position card_placed card=null to=null\n"
    assert holdem(HOLES + stray + FLOP + BETTING + TURN).rules == []


def test_without_a_panel_a_cleared_felt_ends_the_hand_and_a_shuffle_bounds_it() -> None:
    table = facts("card_position", "shuffler")
    clear = "".join(lift(seat, "?", "?") for seat in THREE)
    shuffle = "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"
    played = play(HOLDEM, table, shuffle + (HOLES + burn() + FLOP + REST + clear + shuffle) * 2)
    assert played.rules == []
    assert [each.partial for each in played.rounds] == [False, False]


def test_the_other_deck_is_shuffled_while_a_hand_is_played() -> None:
    table = facts("card_position", "shuffler", "panel")
    shuffle = "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"
    played = play(HOLDEM, table, CALL + HOLES + burn() + FLOP + shuffle + REST + OVER)
    assert played.rules == []
    assert len(played.rounds) == 1


def test_a_misdeal_that_is_called_voids_the_hand() -> None:
    played = holdem(HOLES + "panel key_pressed key=misdeal\n" + HOLES + burn(2) + FLOP)
    assert played.rules == []
    assert played.rounds[0].void == "misdeal"


def test_what_a_person_reports_brings_its_remedy() -> None:
    played = holdem(HOLES + "panel key_pressed key=report:seventh-card-exposed\n", RAZZ)
    assert played.rules == ["seventh-card-exposed"]
    assert played.irregularities[0].citation.lines == "1437"


# --- anything at all

GAMES = (HOLDEM, STUD, RAZZ, DRAWMAHA, BADUGI, CHINESE, TOLEDO, "california/mexican-poker")
TYPES = ("card_position", "panel", "shuffler", "seats", "shoe")
VALUES = {
    "card": st.sampled_from(["AS", "KH", "2C", "JK", None, 7, "xx"]),
    "to": st.sampled_from(["seat-1", "seat-2", "seat-3", "community", "burn", "discard", "dealer", None, 3, "seat-99"]),
    "key": st.sampled_from(["no_more_bets", "round_over", "misdeal", "hand_shuffled", "deck_changed", None, 5]),
    "seat": st.sampled_from(["seat-1", "seat-2", None, 4]),
    "cards": st.sampled_from([52, 51, 3, None, "x"]),
}  # fmt: skip
CARDS = st.sampled_from([("card_position", "card_placed"), ("card_position", "card_removed")])
COMMON = ("device_offline", "device_online", "device_fault")
OTHER = st.sampled_from([(kind, event) for kind in TYPES for event in (*EVENTS[kind], *COMMON)])


@st.composite
def observation(draw: st.DrawFn) -> tuple[str, str, dict[str, object]]:
    kind, event = draw(CARDS if draw(st.integers(0, 3)) else OTHER)
    return kind, event, {name: draw(values) for name, values in VALUES.items()}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(GAMES), st.lists(observation(), max_size=60))
def test_no_stream_is_too_strange(game: str, stream: list[tuple[str, str, dict[str, object]]]) -> None:
    table = facts(*TYPES)
    seen_twice = []
    for _ in range(2):
        engine, records = Engine(load_game(game), table), []
        for seq, (device, event, data) in enumerate(stream, start=1):
            records += engine.feed(seq, Observation(seq * 700_000_000, device, event, dict(data)))
        records += engine.finish()
        seen_twice.append(records)
    assert seen_twice[0] == seen_twice[1]


def test_a_card_read_again_where_all_lie_is_no_card_dealt() -> None:
    """In the middle of the deal it is a card twice; but for one that was lifted, if only unread."""
    first, rest = lay("seat-2", "4C"), lay("seat-5", "5C") + lay("seat-2", "6C") + lay("seat-5", "7C")
    again = lift("seat-2", "?") + lay("seat-2", "4C")
    assert holdem(first + again + rest + lay("seat-2", "4C")).rules == []
    assert holdem(first + lay("seat-2", "4C") + lay("seat-5", "5C", "7C")).rules == ["duplicate-card"]
    assert holdem(first + again + rest + lay("seat-2", "8C")).rules == ["wrong-card-count"]
    flop = burn() + board("TH", "JH", "QH")
    assert holdem(first + rest + BETTING + flop + board("JH")).rules == []
    assert holdem(first + rest + BETTING + flop + BETTING + burn() + board("JH")).rules == ["duplicate-card"]


@pytest.mark.parametrize("game", [
    "texas-holdem", "omaha", "omaha-high-low-split-eight-or-better", "pineapple-holdem", "crazy-pineapple-holdem",
    "seven-card-stud", "seven-card-stud-high-low", "razz",
])  # fmt: skip
def test_the_guide_plays_with_one_deck_and_no_joker(game: str) -> None:
    """004 lines 36, 38, 87, 89: "the deck"; no joker is written of."""
    game = f"toledo-poker-guide/{game}"
    cards = 2 if "seven" not in game and "razz" not in game else 3
    first = [("4C", "5C"), ("6C", "7C"), ("8C", "9C")][:cards]
    clean = "".join(lay("seat-2", a) + lay("seat-5", b) for a, b in first)
    assert holdem(clean, game).rules == []
    assert holdem(clean.replace("7C", "4C"), game).rules == ["duplicate-card"]
    assert holdem(clean.replace("7C", "JK"), game).rules == ["foreign-card"]


def test_a_hand_with_a_card_in_somebodys_fingers_is_not_too_short() -> None:
    """It may have been folded and a lift missed; one of which all lie is."""
    deal = laps(3, *THREE) + BETTING + burn()
    fourth = lay("seat-2") + lay("seat-5") + BETTING + burn() + lay("seat-2") + lay("seat-5") + BETTING
    assert holdem(deal + lift("seat-7", "?", "?") + fourth, STUD).rules == []
    assert holdem(deal + lift("seat-5") + lay("seat-5", "?") + fourth, STUD).rules == ["wrong-card-count"]


# --- what a hand comes to where something was out of the ordinary


ACES_KINGS = lay("seat-2", "AS") + lay("seat-5", "KC") + lay("seat-2", "AD") + lay("seat-5", "KD") + BETTING


def test_the_board_run_twice_splits_the_pot() -> None:
    """003 lines 869-871: one is best on the first board, the other on the second, none on both together."""
    first = burn() + board("5H", "6H", "8H") + BETTING + burn() + board("KH") + burn() + board("9S")
    played = holdem(ACES_KINGS + first + burn() + board("AC") + burn() + board("9C"))
    assert played.rules == []
    assert played.rounds[0].result == {
        "seat-2": {"high": "pair", "high/2": "three-of-a-kind"},
        "seat-5": {"high": "three-of-a-kind", "high/2": "pair"},
        "winners": {"high": ["seat-5"], "high/2": ["seat-2"]},
    }
    river_only = holdem(ACES_KINGS + first + burn() + board("AC"))
    assert river_only.rounds[0].result["winners"] == {"high": ["seat-5"], "high/2": ["seat-2"]}
    assert river_only.rounds[0].result["seat-5"] == {"high": "three-of-a-kind", "high/2": "three-of-a-kind"}


def test_a_board_too_long_tells_no_winner() -> None:
    """004: the guide runs nothing twice."""
    game = "toledo-poker-guide/texas-holdem"
    dealt = ACES_KINGS + burn() + FLOP + REST
    assert holdem(dealt, game).rounds[0].result["winners"] == {"high": ["seat-5"]}
    played = holdem(dealt + burn() + board("AC"), game)
    assert (played.rules, played.rounds[0].result["winners"]) == (["wrong-card-count"], {"high": None})


def test_a_misdeal_has_no_winner() -> None:
    exposed = lay("seat-2", "AS") + lay("seat-5", "KS") + "panel key_pressed key=misdeal\n"
    played = holdem(exposed + lift("seat-2", "AS") + lift("seat-5", "KS"))
    assert (played.rules, played.rounds[0].void) == ([], "misdeal")
    assert played.rounds[0].result == {"seat-2": {"high": None}, "seat-5": {"high": None}, "winners": None}


@pytest.mark.parametrize("book", ["columbus-2016", "toledo-poker-guide"])
def test_a_hand_of_pineapple_that_kept_three_cards_tells_nothing(book: str) -> None:
    """003 line 822, 004 line 67: one of the three goes; a reader may have missed it."""
    holes = "".join(
        lay("seat-2", mine) + lay("seat-5", yours) for mine, yours in (("AS", "KD"), ("AD", "KC"), ("AC", "QC"))
    )
    rest = burn() + board("2H", "3H", "9C") + BETTING + burn() + board("KH") + BETTING + burn() + board("JS")
    game, other = f"{book}/pineapple-holdem", lift("seat-5", "QC")
    played = holdem(holes + lift("seat-2", "AC") + other + rest, game)
    assert played.rounds[0].result["winners"] == {"high": ["seat-5"]}
    kept = holdem(holes + other + rest, game)
    assert kept.rounds[0].result["winners"] == {"high": None}
    assert kept.rounds[0].result["seat-2"] == {"high": None}
    assert (played.rules, kept.rules) == ([], [])


def test_a_board_run_twice_makes_no_jackpot_of_both_together() -> None:
    """003 line 2499: four kings on one board, four aces on the other; a jackpot on the second is one."""
    folds = "".join(lift(seat, *cards.split()) for seat, cards in (("seat-3", "2C 6D"), ("seat-4", "4C 5D")))
    holes = seen(seat_1="AS AD", seat_2="KS KD", **OTHERS) + BETTING + folds
    flop = burn() + board("5H", "6S", "7C") + BETTING
    apart = burn() + board("KH") + burn() + board("KC") + burn() + board("AH") + burn() + board("AC")
    assert holdem(holes + flop + apart, COLUMBUS).rules == []
    flop = burn() + board("KH", "KC", "AH") + BETTING
    second = burn() + board("2D") + burn() + board("3D") + burn() + board("2H") + burn() + board("AC")
    assert holdem(holes + flop + second, COLUMBUS).rules == ["bad-beat-jackpot"]
