"""Pai gow against toledo-2020, Section Twelve (lines 2276-2642), and california: the pit log, then the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.pit_log import CALL, OVER, laid, seated, taken
from tests.rules.table import Played, facts, only, play, silent

OHIO = "toledo-2020/pai-gow-poker"
COLUMBUS = "columbus-2016/pai-gow-poker"
FACE_UP = "toledo-2020/face-up-pai-gow-poker"
FORTUNE = "california/fortune-pai-gow-poker"
PLAIN = "california/pai-gow-poker"
TILES = "california/pai-gow-tiles"
ALL = ("shuffler", "card_position", "panel", "seats", "dice", "discard_rack")
SHUFFLED = "shuffler shuffle_started\nshuffler shuffle_completed cards=53\n"
TABLE = ("seat-1", "seat-2", "seat-3", "seat-4", "seat-5", "seat-6", "dealer")
SEATS = (*TABLE[:6], "seat-7")
CARDS = {
    "seat-1": "AS QH JD 9C 7S 4H 2D",
    "seat-2": "KS KH KD 5C 5S 8H 3D",
    "seat-3": "AC 2C 3C 4C 5D 9H JH",
    "seat-4": "TS TH 8C 8D 6H 4S 2S",
    "seat-5": "JS JC 7D 6S 5H 3S 2H",
    "seat-6": "QS QC QD 9D 7H 6C 3H",
    "dealer": "AH KC TC 9S 8S 6D 4D",
}


def packets(*sizes: int | None, to: str = "null") -> str:
    return "".join(f"shuffler packet_dispensed cards={'null' if size is None else size} to={to}\n" for size in sizes)


def to(*positions: str, cards: int = 7) -> str:
    return "".join(packets(cards, to=position) for position in positions)


def felt(*positions: str, **other: str) -> str:
    named = {name.replace("_", "-"): cards for name, cards in other.items()}
    return "".join(
        laid(each, named.get(each, CARDS.get(each, "null null null null null null null"))) for each in positions
    )


def start(number: int, shakes: int = 3) -> str:
    return f"dice shaker_count shakes={shakes}\ndice start_number number={number}\n"


FIRST_AT_FIVE = ("seat-5", "seat-6", "seat-7", "seat-1", "seat-2", "seat-3", "seat-4")
FIRST_AT_SIX = (*FIRST_AT_FIVE[1:], "seat-5")


@pytest.mark.parametrize("calls", ["{dice}" + CALL, CALL + "{dice}"])
@pytest.mark.parametrize("over", [OVER + SHUFFLED, SHUFFLED + OVER, ""])
def test_dice_that_are_shaken_before_the_call(calls: str, over: str) -> None:
    """001 line 3086, in every round: three counted from the bank at seat 3 is seat 5."""
    call = calls.format(dice=start(3))
    log = "seats bank_moved seat=seat-3\n" + SHUFFLED + seated(1, 2, 5) + call + to(*FIRST_AT_FIVE) + over
    devices = ("shuffler", "panel", "seats", "dice")
    assert pai_gow(log + call + to(*FIRST_AT_FIVE) + OVER, *devices, game=FORTUNE).rules == []
    played = pai_gow(log + call + to(*FIRST_AT_SIX) + OVER, *devices, game=FORTUNE)
    assert played.rules == ["packet-order"]
    assert (played.irregularities[0].round, played.irregularities[0].required) == (2, {"first": ["seat-5"]})


def split(position: str, cards: str, front: str) -> str:
    """A hand is taken up and set: two cards in front."""
    behind = " ".join(card for card in cards.split() if card not in front.split())
    return taken(position, cards) + laid(position, behind) + laid(position + "/2", front)


def pai_gow(log: str, *devices: str, game: str = OHIO, **table: Any) -> Played:
    return play(game, facts(*(devices or ALL), **table), log)


ROUND = SHUFFLED + seated(1, 3) + CALL


# --- 2368-2380, 2522: seven packets of seven from the drawn position, four cards left over


def test_a_clean_round_is_a_round_and_nothing_else() -> None:
    log = ROUND + start(8) + packets(*[7] * 7) + felt("dealer", *TABLE[:6]) + "discard_rack cards_counted cards=4\n"
    round_ = silent(pai_gow(log + "dice shaker_count shakes=1\n" + OVER))
    assert round_.cards == {position: cards.split() for position, cards in CARDS.items()}
    assert round_.counts == {}
    assert round_.result["dealer"] == {"hand": "high-card", "house_way": {"low": ["KC", "TC"]}}
    assert round_.result["seat-1"] == {"hand": "high-card", "wagers": {"fortune": None}}
    assert round_.result["seat-2"] == {"hand": "full-house", "wagers": {"fortune": "full-house"}}
    assert round_.result["seat-3"]["hand"] == "straight"


@pytest.mark.parametrize(
    ("devices", "log", "table"),
    [
        (("shuffler",), SHUFFLED + packets(*[7] * 7), {}),
        (("shuffler",), SHUFFLED + packets(*[7] * 7, 4), {}),
        (("shuffler",), SHUFFLED + to("dealer", *TABLE[:6]) + packets(4, to="discard"), {}),
        (("shuffler", "panel"), CALL + packets(*[7] * 7) + OVER, {}),
        (("shuffler", "panel", "dice"), CALL + start(8) + to("dealer", *TABLE[:6]) + OVER, {}),
        (("card_position", "panel"), CALL + felt(*TABLE) + OVER, {}),
        (("card_position",), felt(*TABLE), {}),
        (("card_position", "panel", "seats"), seated(2, 5) + CALL + felt("seat-2", "seat-5", "dealer") + OVER, {}),
        (("shoe", "panel"), CALL + "shoe card_drawn card=null to=null\n" * 53 + OVER, {}),
        (("shuffler", "panel"), CALL + packets(7, 7, 7, 3, 4, 7, 7, 7, 4) + OVER, {}),
    ],
)
def test_clean_at_every_table(devices: tuple[str, ...], log: str, table: dict[str, Any]) -> None:
    assert pai_gow(log, *devices, **table).rules == []


def test_where_no_face_is_seen_packets_are_counted_in_the_order_of_the_deal() -> None:
    log = SHUFFLED + CALL + packets(*[7] * 7) + OVER
    assert only(pai_gow(log, "shuffler", "panel")).counts == dict.fromkeys(TABLE, 7)
    banked = "seats bank_moved seat=seat-3\n" + ROUND + start(8) + packets(*[7] * 6, 6) + OVER
    assert only(pai_gow(banked)).counts == {**dict.fromkeys(TABLE, 7), "seat-2": 6}
    assert only(pai_gow(SHUFFLED + CALL + start(4) + packets(*[7] * 7) + OVER)).counts == {}


@pytest.mark.parametrize("sizes", [(7, 7, 7, 8), (7, 7, 6, 7, 7, 7, 7), (7, 7, 7, 7, 7, 7, 6), (7, 7, 7, 7, 7, 7, 8)])
def test_a_wrong_packet_voids_all_hands(sizes: tuple[int, ...]) -> None:
    played = pai_gow(ROUND + packets(*sizes) + OVER)
    assert played.rules == ["wrong-card-count"]
    assert only(played).void == "wrong-card-count"


def test_what_shuffler_and_felt_both_show_is_told_once() -> None:
    eight = CARDS["seat-2"] + " TD"
    log = ROUND + packets(7, 8, *[7] * 5) + felt(*TABLE, seat_2=eight) + OVER
    assert pai_gow(log).rules == ["wrong-card-count"]


def test_a_short_hand_is_told_when_the_deal_is_over() -> None:
    log = seated(1, 2) + CALL + felt("seat-1", "seat-2", "dealer", seat_2="KS KH KD 5C 5S 8H") + "+11\n" + "panel x\n"
    played = pai_gow(log + OVER, "card_position", "panel", "seats")
    (told,) = played.irregularities
    assert told.observed == {"position": "seat-2", "cards": 6}


def test_a_hand_in_play_that_gets_nothing_is_told_at_the_end() -> None:
    log = seated(1, 2) + CALL + felt("seat-1", "dealer") + OVER
    (told,) = pai_gow(log, "card_position", "panel", "seats").irregularities
    assert told.observed == {"position": "seat-2", "cards": 0}


@pytest.mark.parametrize("left", [3, 5])
@pytest.mark.parametrize(
    "how", ["discard_rack cards_counted cards={}", "shuffler packet_dispensed cards={} to=null",
            "shuffler packet_dispensed cards={} to=discard"],
)  # fmt: skip
def test_other_than_four_cards_left_over(left: int, how: str) -> None:
    played = pai_gow(ROUND + packets(*[7] * 7) + how.format(left) + "\n" + OVER)
    assert played.rules == ["remaining-cards-not-four"]
    assert played.irregularities[0].observed == {"cards": left}


JOKERS = "california/pai-gow-poker-jokers-wild"
RACK = "discard_rack cards_counted cards={}\n"
UNPACKED = ("card_position", "panel", "seats", "discard_rack")
EXPOSED, INSTEAD = taken("seat-3", "JH"), laid("seat-3", "TD")


def all_piles() -> str:
    return felt(*SEATS, seat_7=CARDS["dealer"])


@pytest.mark.parametrize("game", [PLAIN, JOKERS])
@pytest.mark.parametrize("replaced", [
    EXPOSED + laid("discard", "JH") + INSTEAD, EXPOSED + INSTEAD + laid("discard", "JH"), EXPOSED + INSTEAD,
    EXPOSED + laid("discard", "null") + INSTEAD,
])  # fmt: skip
@pytest.mark.parametrize("rest", [
    RACK.format(3), RACK.format(4), laid("discard", "null null null"),
])  # fmt: skip
def test_an_exposed_card_is_replaced_by_the_first_of_those_left_over(game: str, replaced: str, rest: str) -> None:
    """001 lines 2592, 2779: after the deal. The rest goes to the rack, with the card that was exposed or without."""
    log = seated(*range(1, 8)) + CALL + all_piles() + replaced + rest
    round_ = silent(pai_gow(log + "+12\npanel x\n" + OVER, *UNPACKED, game=game))
    assert sorted(round_.cards["seat-3"]) == sorted([*CARDS["seat-3"].replace("JH", "TD").split()])


@pytest.mark.parametrize("game", [PLAIN, JOKERS])
def test_three_cards_are_left_over_and_none_was_replaced(game: str) -> None:
    log = seated(*range(1, 8)) + CALL + all_piles()
    told = ["remaining-cards-not-four"]
    assert pai_gow(log + RACK.format(3) + OVER, *UNPACKED, game=game).rules == told
    assert pai_gow(log + EXPOSED + INSTEAD + RACK.format(2) + OVER, *UNPACKED, game=game).rules == told
    report = "panel key_pressed key=report:single-exposed-card\n"
    said = pai_gow(log + report + RACK.format(3) + OVER, *UNPACKED, game=game)
    assert said.rules == ["single-exposed-card"]
    blind = ("shuffler", "panel", "discard_rack")
    log = SHUFFLED + CALL + packets(*[7] * 7)
    assert pai_gow(log + RACK.format(3) + OVER, *blind, game=game).rules == []
    assert pai_gow(log + RACK.format(5) + OVER, *blind, game=game).rules == ["remaining-cards-not-four"]


def test_an_eighth_card_or_a_second_one_replaced_is_told() -> None:
    log = seated(*range(1, 8)) + CALL + all_piles()
    new = INSTEAD.replace("TD", "7C")
    told = ["wrong-card-count"]
    assert pai_gow(log + new + OVER, *UNPACKED, game=PLAIN).rules == told
    second = taken("seat-1", "JD") + laid("seat-1", "AD")
    assert pai_gow(log + EXPOSED + new + second + OVER, *UNPACKED, game=PLAIN).rules != []
    assert pai_gow(log + EXPOSED + new + OVER, *UNPACKED, game=PLAIN).rules == []
    assert pai_gow(log + EXPOSED + new + laid("seat-3", "JH") + OVER, *UNPACKED, game=PLAIN).rules == told
    assert pai_gow(log + EXPOSED + new + OVER, *UNPACKED, game=FORTUNE).rules == told


def test_cards_collected_later_are_not_those_left_over() -> None:
    silent(pai_gow(ROUND + packets(*[7] * 7) + "+30\n" + "discard_rack cards_counted cards=5\n" + OVER))


def test_after_a_burn_what_is_left_is_not_judged() -> None:
    silent(pai_gow(ROUND + packets(1, to="burn") + packets(*[7] * 7) + "discard_rack cards_counted cards=3\n" + OVER))


def test_after_a_wrong_packet_what_is_left_is_not_told_as_well() -> None:
    log = ROUND + packets(8, *[7] * 6) + "discard_rack cards_counted cards=3\n" + OVER
    assert pai_gow(log).rules == ["wrong-card-count"]


# --- 2375-2389, 2530: where the packets begin and how they go round


@pytest.mark.parametrize("number", [1, 8, 15])
def test_one_eight_and_fifteen_name_the_dealer(number: int) -> None:
    silent(pai_gow(ROUND + start(number) + to("dealer", *TABLE[:6]) + OVER))
    assert pai_gow(ROUND + start(number) + to(*TABLE) + OVER).rules == ["packet-order"]


@pytest.mark.parametrize(
    ("number", "seats"), [(14, ("seat-1", "seat-6")), (9, ("seat-6", "seat-1")), (4, ("seat-4", "seat-3"))]
)
def test_until_the_house_says_how_seats_are_counted_both_ways_are_right(number: int, seats: tuple[str, str]) -> None:
    around = {seat: (*TABLE[at:], *TABLE[:at]) for at, seat in enumerate(TABLE)}
    for seat in seats:
        silent(pai_gow(ROUND + start(number) + to(*around[seat]) + OVER))
    log = ROUND + start(number) + to(*around[seats[0]]) + OVER
    silent(pai_gow(log, options={"seat-count": "counterclockwise"}))
    assert pai_gow(log, options={"seat-count": "clockwise"}).rules == ["packet-order"]
    assert pai_gow(ROUND + start(number) + to(*TABLE[1:], "seat-1") + OVER).rules == ["packet-order"]


def test_the_count_begins_at_a_player_who_banks() -> None:
    bank = "seats bank_moved seat=seat-3\n"
    round_ = bank + ROUND + start(8)
    silent(pai_gow(round_ + to("seat-3", "seat-4", "seat-5", "seat-6", "dealer", "seat-1", "seat-2") + OVER))
    assert pai_gow(round_ + to("dealer", *TABLE[:6]) + OVER).rules == ["packet-order"]


def test_where_players_bank_and_no_sensor_shows_it_the_start_is_not_judged() -> None:
    devices = ("shuffler", "panel", "dice")
    log = CALL + start(8) + to(*TABLE) + OVER
    assert pai_gow(log, *devices).rules == ["packet-order"]
    assert pai_gow(log, *devices, options={"player-bank": True}).rules == []


def test_a_house_that_always_begins_at_the_dealers_left() -> None:
    options = {"first-packet": "dealers-left"}
    silent(pai_gow(ROUND + start(8) + to(*TABLE) + OVER, options=options))
    assert pai_gow(ROUND + start(8) + to("dealer", *TABLE[:6]) + OVER, options=options).rules == ["packet-order"]


def test_without_a_number_any_start_is_right_but_not_any_order() -> None:
    silent(pai_gow(ROUND + to("seat-4", "seat-5", "seat-6", "dealer", "seat-1", "seat-2", "seat-3") + OVER))
    played = pai_gow(ROUND + to("seat-4", "seat-6", "seat-5", "dealer", "seat-1", "seat-2", "seat-3") + OVER)
    assert played.rules == ["packet-order"]
    assert played.irregularities[0].observed == {"position": "seat-5", "after": "seat-6"}


def test_dealt_by_hand_one_card_at_a_time_the_second_lap_begins_again() -> None:
    drawn = "".join(f"shoe card_drawn card=null to={position}\n" for _ in range(7) for position in TABLE)
    silent(pai_gow(CALL + drawn + OVER, "shoe", "panel"))


def test_a_camera_over_the_shaker_is_a_number_too() -> None:
    camera = 'dice dice_settled faces=[2,2,4] at=["bowl","bowl","bowl"]\n'
    assert pai_gow(ROUND + camera + to(*TABLE) + OVER).rules == ["packet-order"]


# --- 2373, 2379: shakes


def test_two_shakes_are_too_few() -> None:
    played = pai_gow(ROUND + start(8, shakes=2) + to("dealer", *TABLE[:6]) + OVER)
    assert played.rules == ["shaker-under-shaken"]
    assert played.irregularities[0].required == {"at_least": 3}


def test_a_shaker_without_a_number_is_judged_when_the_deal_begins() -> None:
    log = CALL + "dice shaker_count shakes=2\n" + packets(*[7] * 7) + OVER
    assert pai_gow(log, "shuffler", "panel", "dice").rules == ["shaker-under-shaken"]


def test_shaken_again_in_time_and_the_closing_shake() -> None:
    again = "dice shaker_count shakes=2\n" + start(8, shakes=1)
    closing = "dice shaker_count shakes=1\n"
    log = ROUND + again + to("dealer", *TABLE[:6]) + closing + OVER
    assert pai_gow(log + CALL + start(8) + to("dealer", *TABLE[:6]) + OVER + closing).rules == []


# --- 2346: wagers


def test_a_wager_that_moves_while_the_cards_are_dealt() -> None:
    moved = "seats seat_left seat=seat-3\n"
    assert pai_gow(ROUND + packets(7, 7) + moved + packets(*[7] * 5) + OVER).rules == ["wager-touched-after-first-card"]
    silent(pai_gow(ROUND + packets(*[7] * 7) + moved + OVER))
    silent(pai_gow(ROUND + moved + packets(*[7] * 7) + OVER))


def test_a_wager_laid_when_only_places_without_one_lack_their_packet() -> None:
    """2346: seven packets are dealt, whoever has a wager."""
    laid = "seats seat_taken seat=seat-6\n"
    places = [f"seat-{seat}" for seat in range(1, 7)]
    dealt = "".join(f"shuffler packet_dispensed cards=7 to={each}\n" for each in ("dealer", *places[:5]))
    last, rest = (f"shuffler packet_dispensed cards={n} to={to}\n" for n, to in ((7, "seat-6"), (4, "discard")))
    rules = pai_gow(ROUND + dealt + laid + last + rest + OVER).rules
    assert [each for each in rules if each != "packet-order"] == ["wager-touched-after-first-card"]
    after = pai_gow(ROUND + dealt + last + laid + rest + OVER).rules
    assert [each for each in after if each != "packet-order"] == []


def test_a_wager_taken_away_before_the_first_card_is_no_hand_that_lacks_its_cards() -> None:
    change = "seats seat_left seat=seat-3\n"
    passed_over = to(*[position for position in TABLE if position != "seat-3"]) + OVER
    silent(pai_gow(ROUND + change + passed_over))
    assert pai_gow(ROUND + passed_over).rules == ["wrong-card-count"]


# --- 2394, 2397: how hands are set


def test_a_foul_hand() -> None:
    foul = split("seat-1", CARDS["seat-1"], "AS QH")
    played = pai_gow(ROUND + felt(*TABLE) + foul + OVER)
    assert played.rules == ["foul-hand"]
    assert played.irregularities[0].observed["low"] == ["AS", "QH"]


def test_a_hand_set_rightly_and_one_that_is_set_again() -> None:
    right = split("seat-1", CARDS["seat-1"], "QH JD")
    first = split("seat-1", CARDS["seat-1"], "AS QH")
    again = taken("seat-1/2", "AS QH") + taken("seat-1", "JD") + laid("seat-1", "AS") + laid("seat-1/2", "QH JD")
    round_ = silent(pai_gow(ROUND + felt(*TABLE) + right + OVER))
    assert round_.result["seat-1"]["low"] == ["QH", "JD"]
    assert round_.cards["seat-1/2"] == ["QH", "JD"]
    silent(pai_gow(ROUND + felt(*TABLE) + first + again + OVER))


def test_a_foul_hand_of_unread_cards_is_not_told() -> None:
    log = (
        ROUND + felt(*TABLE, seat_1="AS null JD 9C 7S 4H 2D") + taken("seat-1", "AS null") + laid("seat-1/2", "AS null")
    )
    silent(pai_gow(log + OVER))


def test_three_cards_in_front() -> None:
    log = SHUFFLED + seated(1, 3) + CALL + felt(*SEATS, **{"seat_7": CARDS["dealer"]})
    three = split("seat-1", CARDS["seat-1"], "QH JD 9C")
    taken_back = "".join(taken(seat, CARDS[seat]) for seat in ("seat-2", "seat-4", "seat-5", "seat-6"))
    taken_back += taken("seat-7", CARDS["dealer"])
    assert pai_gow(log + three + taken_back + OVER, game=PLAIN).rules == ["fouled-count"]


def test_the_player_dealers_hand_is_set_by_the_house_way() -> None:
    bank = "seats bank_moved seat=seat-2\n"
    log = bank + SHUFFLED + seated(1) + CALL + felt("seat-1", "seat-2")
    silent(pai_gow(log + split("seat-2", CARDS["seat-2"], "5C 5S") + OVER, game=FORTUNE))
    played = pai_gow(log + split("seat-2", CARDS["seat-2"], "KS KH") + OVER, game=FORTUNE)
    assert played.rules == ["house-way-not-followed"]
    assert played.irregularities[0].required == {"low": ["5C", "5S"]}
    assert only(played).result["dealer"]["seat"] == "seat-2"


# --- 2718: an ace-high pai gow pushes


def test_an_ace_high_pai_gow_of_the_dealer_pushes() -> None:
    log = ROUND + felt(*TABLE) + OVER
    assert silent(pai_gow(log, game=FACE_UP)).result["dealer"]["push"] is True
    other = ROUND + felt(*TABLE, dealer="AH AD TC 9S 8S 6D 4D") + OVER
    assert silent(pai_gow(other, game=FACE_UP)).result["dealer"]["push"] is False


# --- california: 3086-3087, 2575


def around(first: int) -> tuple[str, ...]:
    return (*SEATS[first - 1 :], *SEATS[: first - 1])


def test_in_california_the_number_is_counted_clockwise_from_the_player_dealer() -> None:
    bank = "seats bank_moved seat=seat-2\n"
    log = bank + SHUFFLED + seated(1, 3, 4, 5, 6, 7) + CALL + packets(*[7] * 7) + start(11)
    silent(pai_gow(log + felt(*around(5)) + OVER, game=FORTUNE))
    assert pai_gow(log + felt(*around(4)) + OVER, game=FORTUNE).rules == ["packet-order"]
    nobody_banks = log.removeprefix(bank)
    assert pai_gow(nobody_banks + felt(*around(4)) + OVER, game=FORTUNE).rules == []


def test_a_pile_at_a_seat_without_a_wager_is_taken_back() -> None:
    log = SHUFFLED + seated(1, 2) + "seats bank_moved seat=seat-2\n" + CALL + felt("seat-1", "seat-2", "seat-3")
    silent(pai_gow(log + taken("seat-3", CARDS["seat-3"]) + OVER, game=FORTUNE))
    played = pai_gow(log + OVER, game=FORTUNE)
    assert played.rules == ["unbet-pile"]
    assert played.irregularities[0].observed == {"position": "seat-3", "cards": 7}
    lying = len((log + OVER).splitlines())
    assert played.irregularities[0].evidence == tuple(range(lying - 7, lying + 1))
    assert pai_gow(log + OVER, game=OHIO).rules == ["wrong-card-count"]  # no hand for the dealer


# --- tiles: 3003, 3013


def test_tiles_are_counted_and_go_counterclockwise() -> None:
    tiles = "null null null null"
    bank = "seats bank_moved seat=seat-2\n"
    log = bank + seated(1, 3) + CALL + "dice start_number number=10\n"
    devices = ("card_position", "panel", "seats", "dice")
    order = ("seat-3", "seat-2", "seat-1", "seat-8", "seat-7", "seat-6", "seat-5", "seat-4")
    silent(pai_gow(log + "".join(laid(seat, tiles) for seat in order) + OVER, *devices, game=TILES))
    wrong = "".join(laid(seat, tiles) for seat in reversed(order))
    assert set(pai_gow(log + wrong + OVER, *devices, game=TILES).rules) == {"packet-order"}
    five = "".join(laid(seat, tiles + " null" * (seat == "seat-1")) for seat in order)
    assert pai_gow(log + five + OVER, *devices, game=TILES).rules == ["wrong-card-count"]


# --- what is not certain is not told


def test_a_start_in_mid_round_is_partial_and_judges_nothing() -> None:
    played = pai_gow(packets(3, 7) + OVER + CALL + packets(*[7] * 7) + OVER, "shuffler", "panel")
    assert played.rules == []
    assert [round_.partial for round_ in played.rounds] == [True, False]


@pytest.mark.parametrize("lost", ["device_offline reason=silent", "edges_lost count=3"])
def test_a_shuffler_that_was_away_leaves_no_wrong_packet(lost: str) -> None:
    log = ROUND + packets(7, 7) + f"shuffler {lost}\n" + packets(2, 7, 7) + OVER
    assert pai_gow(log, "shuffler", "panel").rules == []


def test_packets_of_unknown_size_say_nothing() -> None:
    silent(pai_gow(ROUND + packets(7, None, 3, 7) + OVER))


def test_a_misdeal_that_is_called_voids_the_round_and_ends_the_judging() -> None:
    played = pai_gow(ROUND + packets(7, 7) + "panel key_pressed key=misdeal\n" + packets(3, 8) + OVER)
    assert played.rules == []
    assert only(played).void == "misdeal"


def test_columbus_cites_its_own_general_section() -> None:
    (told,) = pai_gow(ROUND + packets(7, 8), game=COLUMBUS).irregularities
    assert (told.citation.section, told.citation.lines) == ("One", "74")
