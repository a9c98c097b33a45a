"""A stub that does not hold the last card for everybody: the way out that the document names says nothing more, and a
hand that stays without its card is told."""

from __future__ import annotations

import random

import pytest

from pitwatch.rules.play.cards import DECK
from pitwatch.rules.records import Round
from tests.rules.table import Played
from tests.rules.test_poker_room import BETTING, EIGHT, RAZZ, STUD, board, burn, holdem, laps, lay, stud_to_sixth

SHORT_GAMES = (STUD, "columbus-2016/razz", "california/seven-card-stud", "toledo-poker-guide/seven-card-stud", RAZZ)
SHUFFLED = "panel key_pressed key=hand_shuffled\n"
SEVEN = EIGHT[:7]


class Hand:
    """A hand of stud dealt face up to `seats`, six cards each after three burns."""

    def __init__(self, seats: tuple[str, ...]):
        self.seats = seats
        self.stub = list(DECK)
        random.Random(3).shuffle(self.stub)
        self.log = self._each(3) + BETTING
        self.burned: list[str] = []
        for _ in range(3):
            self.burned.append(self.stub.pop())
            self.log += burn() + self._each(1) + BETTING

    def _each(self, cards: int, seats: tuple[str, ...] | None = None) -> str:
        return "".join(lay(seat, self.stub.pop()) for _ in range(cards) for seat in seats or self.seats)

    def last(self, *seats: str) -> str:
        return self._each(1, seats)

    def scramble(self) -> None:
        self.stub += self.burned
        random.Random(5).shuffle(self.stub)

    def burn(self) -> str:
        self.stub.pop()
        return burn()


def only(played: Played) -> Round:
    (hand,) = played.rounds
    assert (hand.partial, hand.void) == (False, None)
    return hand


def winners(played: Played) -> list[str] | None:
    return next(iter(only(played).result["winners"].values()))


@pytest.mark.parametrize("game", SHORT_GAMES)
@pytest.mark.parametrize("key", ["", SHUFFLED])
def test_seven_players_and_the_burn_cards_are_shuffled_into_the_stub(game: str, key: str) -> None:
    """003 line 719, 001 lines 1438-1441, 1652, 004 line 90: seven cards are left for a burn and seven hands."""
    hand = Hand(SEVEN)
    hand.scramble()
    played = holdem(hand.log + key + hand.burn() + hand.last(*SEVEN), game)
    assert played.rules == (["stub-short"] if game == RAZZ else [])
    assert winners(played)


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_seven_players_and_exactly_seven_cards(game: str) -> None:
    """001 line 1441: no burn then; 003 line 719: there are enough to give each one."""
    hand = Hand(SEVEN)
    played = holdem(hand.log + hand.last(*SEVEN), game)
    assert played.rules == (["stub-short"] if game == RAZZ else [])
    assert winners(played)


@pytest.mark.parametrize("game", SHORT_GAMES)
@pytest.mark.parametrize("dealt", [5, 6])
def test_the_last_players_stay_without_a_seventh_card(game: str, dealt: int) -> None:
    """The dealer burns from the short stub and deals until it is empty."""
    hand = Hand(SEVEN)
    played = holdem(hand.log + hand.burn() + hand.last(*SEVEN[:dealt]), game)
    assert [rule for rule in played.rules if rule != "stub-short"] == ["wrong-card-count"] * (7 - dealt)
    assert [each.observed["position"] for each in played.irregularities if each.observed.get("position")] == list(
        SEVEN[dealt:]
    )


def test_a_hand_of_razz_with_six_cards_is_dead_at_the_showdown() -> None:
    """001 line 1476: "Any other number of cards constitutes a dead hand." The best of the others wins."""
    hand = Hand(SEVEN[:3])
    whole = only(holdem(hand.log + hand.burn() + hand.last(*SEVEN[:3]), RAZZ)).result
    best = whole["winners"]["low"][0]
    hand = Hand(SEVEN[:3])
    hand.burn()
    cards = {seat: hand.last(seat) for seat in SEVEN[:3]}
    log = hand.log + burn() + "".join(dealt for seat, dealt in cards.items() if seat != best)
    played = holdem(log, RAZZ)
    assert played.rules == ["wrong-card-count"]
    result = only(played).result
    assert result[best] == {"dead": True}
    assert result["winners"]["low"] not in ([], [best])
    assert {seat: result[seat] for seat in SEVEN[:3] if seat != best} == {
        seat: whole[seat] for seat in SEVEN[:3] if seat != best
    }
    unstated = only(holdem(log, STUD)).result
    assert unstated["winners"] == {"high": None}
    late = holdem(log + "+12\n" + cards[best], RAZZ)
    assert only(late).result["winners"] == whole["winners"]


def test_a_common_card_is_the_last_card_of_all() -> None:
    """003 line 719, 001 lines 1442-1449: eight players, one card left."""
    for game in (STUD, RAZZ):
        log = stud_to_sixth(*EIGHT) + SHUFFLED + burn() + board("5C")
        assert holdem(log, game).rules == ["stub-short", "stub-plus-burns-short"]
        assert holdem(stud_to_sixth(*EIGHT) + burn() + board("5C"), game).rules == ["stub-short"]
    some = stud_to_sixth(*EIGHT) + SHUFFLED + burn() + laps(1, *EIGHT[:3]) + burn() + board("5C")
    assert holdem(some, "california/seven-card-stud").rules == ["stub-short", "stub-plus-burns-short"]


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_five_cards_are_dealt_and_the_burns_give_the_last_two(game: str) -> None:
    """001 lines 1652, 1785: all but the last are dealt, that one is mixed with the burns, and the deal goes on."""
    hand = Hand(SEVEN)
    five = hand.log + hand.burn() + hand.last(*SEVEN[:5]) + SHUFFLED
    hand.scramble()
    played = holdem(five + "+15\n" + hand.burn() + hand.last(*SEVEN[5:]), game)
    assert played.rules == ["stub-short"]
    assert only(played).void is None
    left_out = holdem(five + "+15\n", game)
    assert left_out.rules == ["stub-short", "wrong-card-count", "wrong-card-count"]


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_the_burns_need_serve_only_who_has_no_card_yet(game: str) -> None:
    """001 line 1652: a common card comes only where cards are fewer than players without one."""
    hand = Hand(EIGHT)
    lifts = "".join(line.replace("placed", "removed") for line in hand.log.splitlines(True) if "to=seat-8" in line)
    hand.log += lifts + "".join(
        line.replace("placed", "removed") for line in hand.log.splitlines(True) if "to=seat-7" in line
    )
    hand.stub.append("QC")  # the last card
    two = hand.log + lay("seat-1") + SHUFFLED + "+15\n" + burn() + "".join(lay(seat) for seat in EIGHT[1:4])
    played = holdem(two, game)
    assert played.rules.count("stub-plus-burns-short") == 1
    folded = "".join(
        line.replace("placed", "removed")
        for line in hand.log.splitlines(True)
        if any(f"to={seat}" in line for seat in ("seat-5", "seat-6")) and "placed" in line
    )
    enough = hand.log + folded + lay("seat-1") + SHUFFLED + "+15\n" + "".join(lay(seat) for seat in EIGHT[1:4])
    assert holdem(enough, game).rules == ["stub-short"]


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_the_common_card_plays_in_every_hand(game: str) -> None:
    """003 lines 719-720, 001 lines 1442-1449, 1652, 004 line 90."""
    hands = (
        "5D 3S 2C 9H AD JS", "2S AC QH TS 2H 8D", "5H 9D 7C KD 3H QD", "4C 4H AH 6C 5C 3C",
        "TD 7S JD 6S QC 4S", "8C 6H 5S 4D 2D TH", "KS QS AS JH JC 9S", "3D 6D 7D 7H TC KC",
    )  # fmt: skip
    rows = list(zip(*(cards.split() for cards in hands), strict=True))
    laid = ["".join(lay(seat, card) for seat, card in zip(EIGHT, row, strict=True)) for row in rows]
    log = "".join(laid[:3]) + "".join(BETTING + burn() + row for row in laid[3:]) + BETTING + SHUFFLED + "+15\n"
    played = holdem(log + burn() + board("8H"), game)
    assert played.rules == ["stub-short", "stub-plus-burns-short"]
    assert winners(played) == (["seat-4"] if "razz" in game else ["seat-2"])
    assert only(holdem(log + burn() + board("?"), game)).result["seat-2"] == dict.fromkeys(
        only(played).result["seat-2"]
    )
