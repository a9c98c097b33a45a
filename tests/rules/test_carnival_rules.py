"""What the games against the dealer add to 3-Card Poker: boards, burns, banks, late wagers, fresh decks, jackpots.

Each test names the line that it is about; the play next to it stays silent.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.pit_log import CALL, OVER, laid, seated, taken
from tests.rules.table import Played, facts, play

SHUFFLED = "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"
ALL = ("shuffler", "card_position", "panel", "seats", "progressive", "key_reader", "discard_rack")
PEOPLE = {"1:1": "supervisor", "1:2": "assistant-table-games-manager", "1:3": "dealer"}

HOLDEM = "toledo-2020/ultimate-texas-holdem"
STUD = "toledo-2020/mississippi-stud"
RIDE = "toledo-2020/let-it-ride"
CRAZY = "toledo-2020/crazy-4-poker"
BANKED = "california/three-card-poker"
BANKED_HOLDEM = "california/ultimate-texas-holdem"


def packet(cards: int, to: str = "null") -> str:
    return f"shuffler packet_dispensed cards={cards} to={to}\n"


def turned(cards: str) -> str:
    return "".join(taken("community", card) + laid("community", card) for card in cards.split())


def felt(hands: dict[str, str]) -> str:
    return "".join(laid(to, cards) for to, cards in hands.items())


def poker(game: str, log: str, *devices: str, **table: Any) -> Played:
    return play(game, facts(*(devices or ALL), people=PEOPLE, **table), log)


def hand(played: Played, position: str, of: int = 0) -> Any:
    return played.rounds[of].result[position]


# --- a board


BOARD = "KH QH JS 4D 4C"
TWO = {"community": BOARD, "seat-1": "AH TH", "dealer": "9C 8D"}


def test_the_best_five_of_two_and_the_board() -> None:
    """2092, 2139-2171."""
    played = poker(HOLDEM, seated(1) + CALL + felt(TWO) + turned("KH QH JS") + turned("4D 4C") + OVER)
    assert played.rules == []
    assert hand(played, "seat-1") == {
        "hand": "straight", "against_dealer": "higher", "wagers": {
            "blind": "straight", "trips": "straight", "progressive": "straight",
        },
    }  # fmt: skip
    assert hand(played, "dealer") == {"hand": "pair", "qualifies": True}


def test_without_a_pair_the_dealer_does_not_qualify() -> None:
    board = {**TWO, "community": "KH QH JS 4D 2C", "seat-1": "AH 9H"}
    assert hand(poker(HOLDEM, seated(1) + CALL + felt(board) + OVER), "dealer")["qualifies"] is False


def test_a_board_that_was_not_all_turned_names_no_hand() -> None:
    """A reader that sees no card face down, and everybody has folded after the flop."""
    dealt = felt({"seat-1": "AH TH", "dealer": "9C 8D"}) + "+15\n" + laid("community", "KH QH JS")
    played = poker(HOLDEM, seated(1) + CALL + dealt + OVER)
    assert played.rules == []
    assert hand(played, "seat-1")["hand"] is None


@pytest.mark.parametrize(
    ("turns", "progressive"),
    [
        (turned("KH QH JH") + turned("4D 4C"), "royal-flush"),
        (turned("4D 4C KH") + turned("QH JH"), None),  # turn and river do not count (2222)
        ("", None),  # nobody saw them turned: the first three as they were laid
    ],
)
def test_the_progressive_counts_the_flop(turns: str, progressive: str | None) -> None:
    log = seated(1) + CALL + felt({"community": "4D 4C KH QH JH", "seat-1": "AH TH", "dealer": "9C 8D"}) + turns + OVER
    played = poker(HOLDEM, log, "card_position", "panel", "seats")
    assert hand(played, "seat-1")["wagers"].get("progressive") == progressive


def test_community_cards_come_first() -> None:
    """2194; 1818 with a shuffler, but 1819 by hand the other way round."""
    late = packet(2, "seat-1") + packet(5, "community") + packet(2, "dealer")
    played = poker(HOLDEM, seated(1) + CALL + late + OVER, "shuffler", "panel", "seats")
    assert played.rules == ["packet-order"]
    assert played.irregularities[0].observed == {"position": "community", "after": "seat-1"}
    assert played.irregularities[0].required == {"order": "community, hands"}  # of the dealer's own nothing is said
    columbus = "columbus-2016/mississippi-stud"
    late = packet(2, "seat-1") + packet(3, "community")
    assert poker(columbus, seated(1) + CALL + late + OVER, "shuffler", "panel", "seats").rules == ["packet-order"]
    by_hand = felt({"seat-1": "AH TH", "community": "4D 4C KH"})
    assert poker(columbus, seated(1) + CALL + by_hand + OVER, "card_position", "panel", "seats").rules == []


@pytest.mark.parametrize(
    ("game", "log", "cards", "required"),
    [
        (HOLDEM, packet(4) + packet(2) * 2, 4, 5),
        (HOLDEM, packet(6) + packet(2) * 2, 6, 5),
        (STUD, packet(2) + packet(2), 2, 3),
        (STUD, packet(4) + packet(2), 4, 3),
        (RIDE, packet(3) + packet(4), 4, 3),
    ],
)
def test_the_board_has_its_number_of_cards(game: str, log: str, cards: int, required: int) -> None:
    """2267, 3216, 3393: the community cards are taken to be counted too."""
    played = poker(game, seated(1) + CALL + log + OVER, "shuffler", "panel", "seats")
    assert played.rules == ["wrong-card-count"]
    assert played.irregularities[0].observed == {"position": "community", "cards": cards}
    assert played.irregularities[0].required == {"cards": required}


def test_cards_for_a_dealer_who_has_no_hand_are_the_board() -> None:
    """3323: 'the dealer receives three community cards'."""
    played = poker(RIDE, seated(1) + CALL + packet(3, "seat-1") + packet(3, "dealer") + OVER)
    assert played.rules == []
    assert played.rounds[0].counts == {"seat-1": 3, "community": 3}


# --- 3323: one of the dealer's three cards is burned


DEALT = felt({"seat-1": "AS KS QS", "community": "JS TS 4D"})


@pytest.mark.parametrize(
    ("burn", "name"),
    [
        (taken("community", "4D") + laid("burn", "4D"), "royal-flush"),
        (laid("burn", "4D"), "royal-flush"),
        (taken("community", "4D") + "+30\n", "royal-flush"),  # gone alone, long before the others
        (taken("community", "JS") + laid("burn", "JS"), "high-card"),
        ("", None),  # nobody saw which
    ],
)
def test_the_burned_card_does_not_count(burn: str, name: str | None) -> None:
    collected = "".join(taken("community", card) for card in ("JS", "TS", "4D") if card not in burn)
    played = poker(RIDE, seated(1) + CALL + DEALT + burn + collected + OVER)
    assert played.rules == []
    assert hand(played, "seat-1")["hand"] == name
    assert hand(played, "seat-1")["wagers"]["3-card-bonus"] == "straight-flush"  # the patron's own three (3278)


def test_a_misdeal_ends_with_its_round() -> None:
    """Nothing more is judged of that one; the next is judged as ever."""
    wrong = seated(1) + CALL + felt({"seat-1": "AC KC QC 2D", "dealer": "9C 8D 4H"})
    called = seated(1) + CALL + felt({"seat-1": "AC KC"}) + "panel key_pressed key=misdeal\n"
    redealt = felt({"seat-1": "AD KD QD 2C", "dealer": "9D 8C 4S"}) + OVER
    played = poker("toledo-2020/three-card-poker", called + redealt + wrong + OVER)
    assert played.rules == ["wrong-card-count"]
    assert [(each.void, len(each.irregularities)) for each in played.rounds] == [
        ("misdeal", 0),
        ("wrong-card-count", 1),
    ]
    assert poker("toledo-2020/three-card-poker", called + redealt).rules == []


UNREAD = laid("community", "null null null")
THREE_READ = laid("community", "JS TS 4D")
GONE = taken("community", "null")


def shown(*cards: str) -> str:
    return "".join(GONE + laid("community", card) for card in cards)


@pytest.mark.parametrize("game", [RIDE, "columbus-2016/let-it-ride"])
@pytest.mark.parametrize(
    ("board", "name"),
    [
        (UNREAD + GONE + laid("burn", "null") + shown("JS", "TS"), "royal-flush"),
        (UNREAD + GONE + laid("burn", "4D") + shown("JS", "TS"), "royal-flush"),
        (UNREAD + laid("burn", "4D") + shown("JS", "TS"), "royal-flush"),
        (UNREAD + GONE + laid("discard", "null") + shown("JS", "TS"), "royal-flush"),
        (UNREAD + GONE + "+6\n" + shown("JS", "TS"), "royal-flush"),
        (UNREAD + GONE + laid("burn", "null") + laid("community", "JS TS"), "royal-flush"),
        (THREE_READ + GONE + laid("burn", "null") + turned("JS") + turned("TS"), "royal-flush"),
        (UNREAD + GONE + laid("burn", "null") + shown("JS"), None),  # the second card was never read
        (UNREAD + shown("JS", "TS", "4D"), None),  # nobody saw which of three was burned
        (THREE_READ + turned("JS") + "+6\n", None),
    ],
)
def test_the_burned_card_was_not_read(game: str, board: str, name: str | None) -> None:
    """000 line 3323, 003 line 2000: the bottom card is burned face down; the two that count are turned."""
    hands = laid("seat-1", "AS KS QS") + board
    played = poker(game, seated(1) + CALL + hands + "+6\n" + taken("seat-1", "AS KS QS") + OVER)
    assert played.rules == []
    assert hand(played, "seat-1")["hand"] == name
    assert (name is None) == (
        None in played.rounds[0].cards["community"] or len(played.rounds[0].cards["community"]) == 3
    )


# --- what hands and wagers come to


@pytest.mark.parametrize(
    ("game", "hands", "wagers"),
    [
        (CRAZY, {"seat-1": "AC AD AH AS 9C", "dealer": "KD QD 4C 3C 9S"},
         {"super-bonus": "four-aces", "queens-up": "four-of-a-kind", "progressive": "four-of-a-kind"}),
        (CRAZY, {"seat-1": "QC QD 4H 6S 9C", "dealer": "KD JD 4C 3C 9S"}, {"queens-up": "queens-or-better"}),
        (CRAZY, {"seat-1": "JC JD 4H 6S 9C", "dealer": "KD TD 4C 3C 9S"}, {}),
        ("toledo-2020/three-card-prime", {"seat-1": "AH KH QH", "dealer": "9D 8D 2H", "community": "2C"},
         {"prime": "six-of-a-color", "pair-bonus": "mini-royal", "progressive": "mini-royal"}),
        ("toledo-2020/three-card-prime", {"seat-1": "AH AD 9H", "dealer": "KC KD KH"},
         {"prime": "three-of-a-color", "pair-bonus": "pair", "all-six": "full-house"}),
        ("toledo-2020/four-card-prime", {"seat-1": "9C 9D 9H 4S 2C", "dealer": "KC KD KH 4C 3D 2D"},
         {"bad-beat": "three-of-a-kind", "aces-baby": "three-of-a-kind", "progressive": "three-of-a-kind"}),
        ("toledo-2020/cajun-stud", {"seat-1": "AC KC", "community": "4D 6H 9S"}, {"pocket": "ace-face-suited"}),
        ("toledo-2020/cajun-stud", {"seat-1": "5C 7C", "community": "4D 2H 8S"}, {"lo-ball": "eight-high"}),
        ("toledo-2020/cajun-stud", {"seat-1": "6C 7C", "community": "6D 3H 3S"},
         {"ante-and-streets": "two-pair", "board": "pair"}),
        ("toledo-2020/criss-cross-poker", {"seat-1": "9C 9D", "community": "9H 4S 5S 5D 4D"},
         {"across": "full-house", "down": "two-pair", "5-card-bonus": "two-pair"}),
        ("toledo-2020/high-card-flush", {"seat-1": "2C 3C 4C 9C KC AD KD", "dealer": "9H 8H 2H AC AS KS QD"},
         {"flush": "five-card-flush", "straight-flush": "three-card-straight-flush"}),
        ("toledo-2020/dj-wild-stud-poker", {"seat-1": "2C 2D 2H KS 7D", "dealer": "9C 9D 9H KH 3D"},
         {"blind": "four-of-a-kind", "trips": "natural-three-of-a-kind", "two-way-bad-beat": "three-of-a-kind",
          "progressive": "three-of-a-kind"}),
        ("toledo-2020/dj-wild-stud-poker", {"seat-1": "2C KC KH KS KD", "dealer": "9C 9D JK KH 3D"},
         {"blind": "five-of-a-kind", "trips": "wild-five-of-a-kind", "two-way-bad-beat": "three-of-a-kind",
          "progressive": "four-of-a-kind"}),
        ("california/six-card-poker-two-way-bad-beat", {"seat-1": "AC AD 4H 6S 9C 2D", "dealer": "AH AS 4C 3C 9S TD"},
         {"aces-up": "pair-of-aces", "two-way-bad-beat": "pair-of-aces"}),
        ("california/three-card-poker", {"seat-1": "AC KC QC", "dealer": "AH 4C 3C"}, {"pair-plus": "mini-royal"}),
    ],
)  # fmt: skip
def test_what_wins(game: str, hands: dict[str, str], wagers: dict[str, str]) -> None:
    played = poker(game, CALL + felt(hands) + OVER, "card_position", "panel", seats=("seat-1",))
    assert hand(played, "seat-1")["wagers"] == wagers


def test_four_deuces_and_a_joker_are_in_the_deck() -> None:
    """3409; a second joker is not."""
    log = CALL + felt({"seat-1": "2C 2D 2H 2S JK", "dealer": "9C 9D 9H KH 3D"})
    game = "toledo-2020/dj-wild-stud-poker"
    assert hand(poker(game, seated(1) + log + OVER), "seat-1")["wagers"]["blind"] == "five-wilds"
    second = CALL + felt({"seat-1": "2C 2D 2H 2S JK", "dealer": "9C 9D 9H KH JK"})
    assert poker(game, seated(1) + second + OVER).rules == ["duplicate-card"]
    assert poker(CRAZY, seated(1) + log + OVER).rules == ["foreign-card"]


def test_the_dealer_of_four_card_prime_takes_six_cards_last() -> None:
    """4506."""
    game, devices = "toledo-2020/four-card-prime", ("shuffler", "panel", "seats")
    assert poker(game, seated(1) + CALL + packet(5, "seat-1") + packet(6, "dealer") + OVER, *devices).rules == []
    first = packet(6, "dealer") + packet(5, "seat-1")
    assert poker(game, seated(1) + CALL + first + OVER, *devices).rules == ["packet-order"]
    five = packet(5, "seat-1") + packet(5, "dealer")
    assert poker(game, seated(1) + CALL + five + OVER, *devices).rules == ["wrong-card-count"]


@pytest.mark.parametrize("bonus", [0, 1, 2])
def test_the_bonus_card_may_be_missing_but_is_one(bonus: int) -> None:
    """4327, 4507."""
    log = packet(3, "seat-1") + packet(3, "dealer") + (packet(bonus, "community") if bonus else "")
    played = poker("toledo-2020/three-card-prime", seated(1) + CALL + log + OVER, "shuffler", "panel", "seats")
    assert played.rules == (["wrong-card-count"] if bonus > 1 else [])


# --- california: the bank, two decks, no more bets


def test_the_deal_begins_at_the_left_of_who_banks() -> None:
    """4442: clockwise from there, the player-dealer last, whose cards lie at the seat."""
    bank = seated(1, 2, 5) + "seats bank_moved seat=seat-4\n" + CALL
    right = felt({"seat-5": "9C 9D 4C", "seat-1": "KD JD 2C", "seat-2": "5H 6H 8S", "seat-4": "QD QH 3S"})
    played = poker(BANKED, bank + right + OVER)
    assert played.rules == []
    assert list(played.rounds[0].result) == ["seat-1", "seat-2", "seat-5", "dealer"]
    assert hand(played, "dealer")["hand"] == "pair"
    from_the_left = felt({"seat-1": "9C 9D 4C", "seat-2": "KD JD 2C", "seat-5": "5H 6H 8S", "seat-4": "QD QH 3S"})
    assert poker(BANKED, bank + from_the_left + OVER).rules == ["packet-order"]
    bank_first = felt({"seat-4": "QD QH 3S", "seat-5": "9C 9D 4C", "seat-1": "KD JD 2C", "seat-2": "5H 6H 8S"})
    assert poker(BANKED, bank + bank_first + OVER).rules == ["packet-order"]


def test_the_bank_that_moves_before_the_first_card_is_dealt_from_at_once() -> None:
    moved = "seats bank_moved seat=seat-4\n" + SHUFFLED + seated(1, 2, 4, 5) + CALL + "seats bank_moved seat=seat-1\n"
    devices = ("shuffler", "panel", "seats")
    places = ("seat-2", "seat-4", "seat-5", "dealer")
    right = "".join(packet(3, each) for each in places)
    assert poker(BANKED, moved + right + OVER, *devices).rules == []
    assert poker(BANKED, moved + packet(3) * 4 + OVER, *devices).rules == []
    assert poker(BANKED, moved + packet(3) * 3 + packet(4) + OVER, *devices).rules == ["wrong-card-count"]
    wrong = "".join(packet(3, each) for each in ("seat-5", *places[:2], "dealer"))
    assert poker(BANKED, moved + wrong + OVER, *devices).rules == ["packet-order"]


@pytest.mark.parametrize(
    ("order", "rules"),
    [
        ("125", []),
        ("251", []),
        ("512", []),
        ("152", ["packet-order"]),
        ("215", ["packet-order"]),
        ("521", ["packet-order"]),
    ],
)
def test_where_nobody_knows_who_banks_the_hands_go_round_from_anywhere(order: str, rules: list[str]) -> None:
    """4442: clockwise from the left of the player-dealer, wherever that one sits."""
    cards = {"1": "9C 9D 4C", "5": "5H 6H 8S", "2": "KD JD 2C"}
    hands = {f"seat-{seat}": cards[seat] for seat in order} | {"dealer": "QD QH 3S"}
    log = seated(1, 2, 5) + CALL + felt(hands) + OVER
    assert poker(BANKED, log, "card_position", "panel", "seats").rules == rules


def test_where_nobody_knows_who_banks_the_bank_s_place_in_the_order_shows() -> None:
    devices = ("card_position", "panel", "seats")
    first = {"dealer": "QD QH 3S", "seat-1": "9C 9D 4C", "seat-2": "KD JD 2C", "seat-5": "5H 6H 8S"}
    assert poker(BANKED, seated(1, 2, 5) + CALL + felt(first) + OVER, *devices).rules == ["packet-order"]


def test_where_nobody_knows_who_banks_the_seat_served_last_may_be_the_dealer_s() -> None:
    """4255-4266: from the dealer's left, and then the player-dealer, wherever that one sits."""
    devices = ("card_position", "panel")
    hands = {"seat-2": "9C 9D", "seat-5": "5H 6H", "seat-1": "KD JD"}
    board = {"community": "8D 9H JH 3S 7C"}
    log = CALL + felt(hands | board) + OVER
    assert poker(BANKED_HOLDEM, log, *devices).rules == []
    for after in ({"seat-6": "QD QH"}, {"dealer": "QD QH"}):
        assert poker(BANKED_HOLDEM, CALL + felt(hands | after | board) + OVER, *devices).rules == ["packet-order"]


def test_where_nobody_knows_who_banks_a_hand_without_a_wager_may_be_the_dealer_s() -> None:
    devices = ("card_position", "panel", "seats")
    wagers, board = seated(2, 5) + CALL, {"community": "8D 9H JH 3S 7C"}
    hands = {"seat-2": "9C 9D", "seat-5": "5H 6H", "seat-1": "KD JD"}
    assert poker(BANKED_HOLDEM, wagers + felt(hands | board) + OVER, *devices).rules == []
    assert poker(BANKED_HOLDEM, wagers + felt(hands | {"seat-5": "5H"} | board) + OVER, *devices).rules == [
        "wrong-card-count"
    ]
    with_dealer = {"seat-2": "9C 9D", "seat-5": "5H 6H", "seat-6": "KD JD", "dealer": "QD QH"} | board
    assert poker(BANKED_HOLDEM, wagers + felt(with_dealer) + OVER, *devices).rules == ["unbet-pile"]


def test_where_nobody_knows_who_banks_the_dealer_s_packet_shows_that_no_seat_has_it() -> None:
    """4265: packets alone, and the machine says for whom they are."""
    devices = ("shuffler", "panel", "seats")
    wagers, board = seated(2, 5) + CALL, packet(5, "community") + OVER
    three = packet(2, "seat-1") + packet(2, "seat-2") + packet(2, "seat-5")
    assert poker(BANKED_HOLDEM, wagers + three + packet(2, "dealer") + board, *devices).rules == ["unbet-pile"]
    assert poker(BANKED_HOLDEM, wagers + three + board, *devices).rules == []  # one of them may be the player-dealer's
    two = packet(2, "seat-2") + packet(2, "seat-5") + packet(2, "dealer")
    assert poker(BANKED_HOLDEM, wagers + two + board, *devices).rules == []


def test_where_nobody_knows_who_banks_a_packet_whose_place_is_only_counted_off_shows_nothing() -> None:
    """The third packet is the dealer's by its turn; it lies before the seat that banks."""
    wagers = seated(2, 5) + CALL
    hands = {"seat-2": "9C 9D", "seat-5": "5H 6H", "seat-1": "KD JD", "community": "8D 9H JH 3S 7C"}
    counted = packet(2) + packet(2) + packet(2) + packet(5)
    assert poker(BANKED_HOLDEM, wagers + counted + felt(hands) + OVER, *ALL).rules == []


def test_where_nobody_knows_who_banks_a_board_that_is_whole_stays_whole() -> None:
    """A card of it that lay there unread is turned; it is no sixth."""
    hands = {"seat-2": "9C 9D", "seat-5": "5H 6H", "seat-1": "KD JD"}
    board = laid("community", "8D 9H null 3S 7C")
    turn = "card_position card_removed card=null to=community\n" + laid("community", "JH")
    log = CALL + felt(hands) + board + "{}" + OVER
    devices = ("card_position", "panel")
    assert poker(BANKED_HOLDEM, log.format(turn), *devices).rules == []
    assert poker(BANKED_HOLDEM, log.format(laid("community", "JH")), *devices).rules == []
    assert poker(BANKED_HOLDEM, log.format(laid("community", "JH 2C")), *devices).rules == ["wrong-card-count"]


DEAL_TWO = packet(3, "seat-1") + "{}" + packet(3, "seat-2") + packet(3, "dealer")


@pytest.mark.parametrize(
    ("late", "rules"),
    [
        ("seats seat_taken seat=seat-3\n", ["late-bet-change"]),
        ("seats seat_left seat=seat-2\n", ["late-bet-change"]),
        ("seats seat_taken seat=seat-2\n", []),  # it lay there when the call was made
        ("seats seat_left seat=seat-3\n", []),
    ],
)
def test_a_wager_that_changes_while_the_cards_are_dealt(late: str, rules: list[str]) -> None:
    """4431."""
    devices = ("shuffler", "panel", "seats")
    log = SHUFFLED + seated(1, 2) + CALL + DEAL_TWO.format(late) + OVER
    assert poker(BANKED, log, *devices).rules == rules
    before = poker(BANKED, SHUFFLED + seated(1, 2) + CALL + late + DEAL_TWO.format("") + OVER, *devices)
    assert before.rules == rules
    assert [each.observed["while"] for each in before.irregularities] == ["no card was dealt yet"] * len(rules)
    assert poker(BANKED, SHUFFLED + seated(1, 2) + CALL + DEAL_TWO.format("") + late + OVER, *devices).rules == []
    assert poker("toledo-2020/three-card-poker", log, *devices).rules == []  # nothing of it is said there


ROUND = CALL + packet(3, "seat-1") + packet(3, "dealer") + OVER


@pytest.mark.parametrize(
    ("between", "rules"),
    [
        ("", ["deal-before-shuffle-complete"]),
        ("shuffler shuffle_started\n", ["deal-before-shuffle-complete"]),
        (SHUFFLED, []),
        ("panel key_pressed key=hand_shuffled\n", []),
        ("shuffler device_offline reason=silent\nshuffler device_online\n", []),
    ],
)
def test_each_round_is_dealt_from_a_deck_that_was_shuffled(between: str, rules: list[str]) -> None:
    """4440."""
    log = seated(1) + SHUFFLED + ROUND + between + ROUND
    assert poker(BANKED, log, "shuffler", "panel", "seats").rules == rules


def test_a_start_between_shuffle_and_deal_accuses_nobody() -> None:
    assert poker(BANKED, seated(1) + ROUND, "shuffler", "panel", "seats").rules == []


def test_cards_of_both_decks_in_the_rack() -> None:
    """4412."""
    full = "discard_rack emptied\n" + CALL + felt({"seat-1": "9C 9D 4C", "dealer": "KD JD 2C"}) + OVER
    counted = "discard_rack cards_counted cards=46\ndiscard_rack cards_counted cards=6\n"
    assert poker(BANKED, full + counted, "card_position", "panel", "discard_rack").rules == []
    more = counted + "discard_rack cards_counted cards=40\ndiscard_rack cards_counted cards=6\n"
    assert poker(BANKED, full + more, "card_position", "panel", "discard_rack").rules == ["two-decks-in-discard-rack"]


def test_a_shuffler_that_fails_voids_the_hand_where_the_document_says_so() -> None:
    """8390."""
    game = "california/mississippi-stud"
    jam = seated(1) + SHUFFLED + CALL + packet(3) + "shuffler jammed\n" + OVER
    played = poker(game, jam, "shuffler", "panel", "seats")
    assert played.rules == ["shuffler-fault-during-deal"]
    assert played.rounds[0].void == "shuffler-fault-during-deal"
    idle = seated(1) + SHUFFLED + CALL + packet(3) + packet(2) + "shuffler shuffle_started\nshuffler jammed\n" + OVER
    played = poker(game, idle, "shuffler", "panel", "seats")
    assert (played.rules, played.rounds[0].void) == (["shuffler-fault-during-shuffle"], None)
    assert poker(BANKED, jam, "shuffler", "panel", "seats").rules == []  # nothing of it is said there


def test_a_shuffler_that_has_delivered_all_cards_may_fail_where_only_the_delivery_is_named() -> None:
    """8390, 8425, 8433."""
    game, jam, stop = "california/mississippi-stud", "shuffler jammed\n", "shuffler stopped\n"

    def told(log: str) -> list[str]:
        return poker(game, SHUFFLED + CALL + log + OVER, "shuffler", "card_position", "panel", "seats").rules

    dealt = packet(3, "community") + packet(2, "seat-1") + packet(2, "seat-2")
    shown = "card_position card_placed card=JH to=community\n"
    turned = "+20\n" + shown
    for failing in (jam, stop):
        assert told(dealt + failing) == ["shuffler-fault-during-deal"]  # nobody knows whether a seat is still to come
        assert told(dealt + "shuffler cards_removed\n" + failing) == []
        assert told(dealt + packet(45, "discard") + failing) == []
        assert told(dealt + turned + failing) == []
        assert told(dealt + shown + failing) == ["shuffler-fault-during-deal"]  # read as it was laid
        assert told(packet(3, "community") + "shuffler cards_removed\n" + packet(2, "seat-1") + failing) == [
            "shuffler-fault-during-deal"
        ]
    assert told(dealt + turned + "shuffler shuffle_started\n" + jam) == ["shuffler-fault-during-shuffle"]


# --- four of a kind or higher is verified (1995, 2175, …)


QUADS = seated(1) + CALL + felt({"seat-1": "9C 9D 9H 9S 4C", "dealer": "KD JD 2C 3C 5D"})
SHOWN = "key_reader credential_presented credential=1:1\n"


@pytest.mark.parametrize(
    ("option", "log", "rules"),
    [
        ("key-card", QUADS + OVER, ["premium-hand-unverified"]),
        ("key-card", QUADS + "key_reader credential_presented credential=1:3\n" + OVER, ["premium-hand-unverified"]),
        ("key-card", QUADS + SHOWN + OVER, []),
        ("panel-key", QUADS + SHOWN + OVER, ["premium-hand-unverified"]),
        ("panel-key", QUADS + "panel key_pressed key=supervisor\n" + OVER, []),
        ("unseen", QUADS + OVER, []),
        ("key-card", QUADS.replace("9S", "8S") + OVER, []),
        ("key-card", QUADS + "panel key_pressed key=misdeal\n" + OVER, []),
    ],
)
def test_a_high_hand_is_verified_where_the_house_shows_it(option: str, log: str, rules: list[str]) -> None:
    assert poker(CRAZY, log, options={"verification": option}).rules == rules


# --- hands that come off the meter (2043-2071)


def jackpot_round(first: str = "AS KS QS JS TS", second: str = "9C 9D 4H 6S 2C") -> str:
    lit = "progressive coin_in seat=seat-1\nprogressive coin_in seat=seat-2\n"
    return seated(1, 2) + lit + CALL + felt({"seat-1": first, "seat-2": second, "dealer": "KD JD 2D 3C 5D"})


LOCK, UNLOCK = "progressive meter_locked\n", "progressive meter_unlocked\n"
MANAGER = "key_reader credential_presented credential=1:2\n"


@pytest.mark.parametrize(
    ("log", "rules"),
    [
        (jackpot_round() + LOCK + OVER + MANAGER + UNLOCK, ["progressive-jackpot-hand"]),
        (jackpot_round("KS QS JS TS 9S") + LOCK + OVER + MANAGER + UNLOCK, ["progressive-jackpot-hand"]),
        (jackpot_round("9S 9D 9H 9C 4C", "8C 8D 4H 6S 2C") + OVER, []),  # from the tray (2042)
        (jackpot_round() + OVER, ["progressive-jackpot-hand", "jackpot-without-lockout"]),
        (jackpot_round() + LOCK + OVER + SHOWN + UNLOCK, ["progressive-jackpot-hand", "unlocked-without-key-card"]),
        (jackpot_round() + LOCK + OVER + "progressive coin_in seat=seat-3\n" + MANAGER + UNLOCK,
         ["progressive-jackpot-hand", "wager-while-locked-out"]),
        (jackpot_round(second="9H 8H 7H 6H 5H") + LOCK + OVER + MANAGER + UNLOCK,
         ["progressive-jackpot-hand", "second-jackpot-hand", "multiple-jackpots-same-round"]),
        (jackpot_round("AD KC 8S JS TS") + "progressive hand_keyed hand=royal-flush on=true\n" + OVER,
         ["keyed-hand-not-seen"]),
        (jackpot_round("AD KC 8S JS TS") + "progressive hand_keyed hand=royal-flush on=true\n"
         + "progressive hand_keyed hand=royal-flush on=false\n" + OVER, []),
    ],
)  # fmt: skip
def test_jackpots(log: str, rules: list[str]) -> None:
    assert poker(CRAZY, log).rules == rules


def test_a_supervisors_card_is_told_where_an_assistant_manager_is_asked_for() -> None:
    played = poker(CRAZY, jackpot_round() + LOCK + OVER + SHOWN + UNLOCK)
    observed, required = {"key_card": "supervisor"}, {"key_card": "assistant-table-games-manager or above"}
    assert (played.irregularities[-1].observed, played.irregularities[-1].required) == (observed, required)


def test_who_is_paid_first() -> None:
    played = poker(CRAZY, jackpot_round(second="9H 8H 7H 6H 5H") + LOCK + OVER)
    assert played.irregularities[-1].required == {"pay_in_order": ["seat-2", "seat-1"]}


def test_the_original_jackpot_goes_to_the_hand_that_was_keyed_first() -> None:
    """2047; of what was not keyed, to who is paid first (2071)."""
    hands = jackpot_round(second="9H 8H 7H 6H 5H") + LOCK
    keys = [f"progressive hand_keyed hand={hand} on=true\n" for hand in ("royal-flush", "straight-flush")]

    def second(keyed: str) -> tuple[dict[str, Any], dict[str, Any]]:
        (found,) = (each for each in poker(CRAZY, hands + keyed + OVER).irregularities if "second" in each.rule)
        return found.observed, found.required

    royal = {"position": "seat-1", "hand": "royal-flush"}, {"original_jackpot": "seat-2"}
    straight = {"position": "seat-2", "hand": "straight-flush"}, {"original_jackpot": "seat-1"}
    assert second("".join(keys)) == straight
    assert second("".join(reversed(keys))) == royal
    assert second("") == royal


def test_no_key_card_belongs_to_the_galaxy_meter() -> None:
    """4535-4542: nothing is said of one."""
    log = jackpot_round() + laid("dealer", "7C") + LOCK + OVER + UNLOCK
    assert poker("toledo-2020/four-card-prime", log).rules == ["progressive-jackpot-hand"]
