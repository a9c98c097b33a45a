"""3-Card Poker against Section Nine (lines 1759-1913) and Section One (83-87): the pit log, then the verdict."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pitwatch.rules.play.cards import DECK
from tests.rules.pit_log import CALL, OVER, laid, seated, taken
from tests.rules.table import Played, facts, only, play, silent

GAME = "toledo-2020/three-card-poker"
ALL = ("shuffler", "card_position", "panel", "seats")
SHUFFLED = """
    shuffler shuffle_started
    shuffler shuffle_completed cards=52
"""
HANDS = {"seat-1": "AS KS QS", "seat-3": "5D 5C TH", "dealer": "QD 7H 2C"}


def packet(cards: int | None = 3, to: str = "null") -> str:
    return f"shuffler packet_dispensed cards={'null' if cards is None else cards} to={to}\n"


def packets(*sizes: int) -> str:
    return "".join(packet(size) for size in sizes)


def felt(hands: dict[str, str]) -> str:
    return "".join(laid(to, cards) for to, cards in hands.items())


def laps(hands: dict[str, str]) -> str:
    """One card at a time, round and round."""
    return "".join(laid(to, cards.split()[lap]) for lap in range(3) for to, cards in hands.items())


def poker(log: str, *devices: str, **table: Any) -> Played:
    return play(GAME, facts(*(devices or ALL), **table), log)


ROUND = SHUFFLED + seated(1, 3) + CALL
WHOLE = ROUND + packets(3, 3, 3) + felt(HANDS) + OVER


# --- 1912: dealt in packets; 1771-1824, 1876-1890: what the hands come to


def test_a_clean_round_is_a_round_and_nothing_else() -> None:
    round_ = silent(poker(ROUND + packets(3, 3, 3) + felt(HANDS) + OVER))
    assert round_.cards == {to: cards.split() for to, cards in HANDS.items()}
    assert round_.counts == {}
    assert round_.result == {
        "seat-1": {
            "hand": "straight-flush",
            "against_dealer": "higher",
            "wagers": {
                "pair-plus": "straight-flush",
                "ante-bonus": "straight-flush",
                "progressive": "mini-royal-spades",
            },
        },
        "seat-3": {"hand": "pair", "against_dealer": "higher", "wagers": {"pair-plus": "pair"}},
        "dealer": {"hand": "high-card", "qualifies": True},
    }


def test_dealer_below_queen_high_does_not_qualify() -> None:
    round_ = silent(poker(ROUND + felt({**HANDS, "dealer": "JD 9H 8C"}) + OVER))
    assert round_.result["dealer"] == {"hand": "high-card", "qualifies": False}


@pytest.mark.parametrize(
    ("hand", "dealer", "bonus"),
    [
        ("9S 8S 7S", "6S 5S 2D", "straight-flush"),
        ("9S 9D 9C", "9H 5S 2D", "four-of-a-kind"),
        ("9S 9D 2C", "9H 2S 2D", "full-house"),
        ("9S 8S 7S", "2S 2D 2C", "three-of-a-kind"),
        ("9S 9D 7S", "2S 2D 3C", None),
    ],
)
def test_six_card_bonus_counts_the_dealers_cards(hand: str, dealer: str, bonus: str | None) -> None:
    result = silent(poker(ROUND + felt({**HANDS, "seat-1": hand, "dealer": dealer}) + OVER)).result
    assert result["seat-1"]["wagers"].get("six-card-bonus") == bonus


def test_faces_that_nobody_saw_are_null() -> None:
    round_ = silent(poker(ROUND + packets(3, 3, 3) + OVER, "shuffler", "panel", "seats"))
    assert round_.cards == {}
    assert round_.counts == {"seat-1": 3, "seat-3": 3, "dealer": 3}
    assert round_.result["seat-3"] == {"hand": None, "against_dealer": None, "wagers": None}
    assert round_.result["dealer"] == {"hand": None, "qualifies": None}


def test_a_hand_with_an_unread_card_is_null_and_the_others_are_not() -> None:
    result = silent(poker(ROUND + felt({**HANDS, "dealer": "QD null 2C"}) + OVER)).result
    assert result["dealer"] == {"hand": None, "qualifies": None}
    assert result["seat-3"] == {
        "hand": "pair", "against_dealer": None, "wagers": {"pair-plus": "pair", "six-card-bonus": None}
    }  # fmt: skip


# --- the same round, however the table is equipped


@pytest.mark.parametrize(
    ("devices", "log", "table"),
    [
        (("shuffler",), SHUFFLED + packets(3, 3, 3), {}),
        (("shuffler",), SHUFFLED + packets(3, 3, 3), {"seats": ("seat-1", "seat-3")}),
        (("shuffler",), SHUFFLED + packet(3, "seat-2") + packet(3, "dealer"), {}),
        (("shuffler", "panel"), SHUFFLED + CALL + packets(3, 3, 3) + OVER, {}),
        (("shuffler", "panel"), SHUFFLED + packets(3) + CALL + packets(3, 3) + OVER, {}),
        (("shuffler", "seats"), SHUFFLED + seated(1, 3) + packets(3, 3, 3), {}),
        (("shuffler", "card_position"), SHUFFLED + packets(3, 3, 3) + felt(HANDS), {}),
        (("card_position", "panel"), CALL + felt(HANDS) + OVER, {}),
        (("card_position", "panel", "seats"), seated(1, 3) + CALL + felt(HANDS) + OVER, {}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_clean_at_every_table(devices: tuple[str, ...], log: str, table: dict[str, Any]) -> None:
    silent(poker(log, *devices, **table))


def test_without_a_panel_the_next_shuffle_closes_the_round() -> None:
    log = SHUFFLED + packets(3, 3, 3)
    played = poker(log * 3, "shuffler", seats=("seat-1", "seat-3"))
    assert played.rules == []
    assert [(r.round, r.partial) for r in played.rounds] == [(1, False), (2, False), (3, False)]


def test_with_a_panel_the_idle_deck_may_be_shuffled_in_mid_round() -> None:
    silent(poker(ROUND + packets(3) + SHUFFLED + packets(3, 3) + felt(HANDS) + OVER))


def test_a_panel_that_nobody_touches_bounds_nothing() -> None:
    played = poker((SHUFFLED + packets(3, 3, 3)) * 3, "shuffler", "panel", seats=("seat-1", "seat-3"))
    assert played.rules == []
    assert len(played.rounds) == 3


def test_by_hand_from_a_shoe_that_does_not_know_where_its_cards_go() -> None:
    """1913: one card at a time, round and round; the order of the deal tells where each went."""
    order = "AS 5D QD KS 5C 7H QS TH 2C"
    log = "shoe shoe_started decks=1\n" + seated(1, 3) + CALL
    log += "".join(f"shoe card_drawn card={card} to=null\n" for card in order.split()) + OVER
    round_ = silent(poker(log, "shoe", "panel", "seats"))
    assert round_.cards == {to: cards.split() for to, cards in HANDS.items()}


def test_a_reader_alone_sees_the_round_end_when_the_felt_is_cleared() -> None:
    table = felt(HANDS) + "".join(taken(to, cards) for to, cards in HANDS.items())
    played = poker(CALL + OVER + table * 2, "card_position", "panel")
    assert played.rules == []
    assert [len(r.cards) for r in played.rounds] == [0, 3, 3]


# --- 85: an incorrect number of cards


@pytest.mark.parametrize(
    ("deal", "position", "cards"),
    [
        (packets(4, 3, 3), "seat-1", 4),
        (packets(3, 4, 3), "seat-3", 4),
        (packets(3, 3, 4), "dealer", 4),
        (packets(2, 3, 3), "seat-1", 2),
        (packets(3, 3, 2), "dealer", 2),
        (packets(3, 3), "dealer", 0),
        (packet(4, "seat-1") + packet(3, "seat-3") + packet(3, "dealer"), "seat-1", 4),
        (packet(3, "seat-1") + packet(3, "seat-3") * 2 + packet(3, "dealer"), "seat-3", 6),
        (packet(3, "seat-1") + packet(2, "seat-3") + packet(3, "dealer"), "seat-3", 2),
        (packet(3, "seat-1") + packet(3, "dealer"), "seat-3", 0),
        (felt({**HANDS, "seat-1": "AS KS QS JS"}), "seat-1", 4),
        (felt({**HANDS, "seat-3": "5D 5C"}), "seat-3", 2),
        (felt({**HANDS, "dealer": "QD 7H null null"}), "dealer", 4),
        (felt({"seat-1": "AS KS QS", "dealer": "QD 7H 2C"}), "seat-3", 0),
    ],
)
def test_wrong_card_count(deal: str, position: str, cards: int) -> None:
    played = poker(ROUND + deal + OVER)
    (found,) = played.irregularities
    assert found.rule == f"{GAME}/wrong-card-count"
    assert (found.observed, found.required) == ({"position": position, "cards": cards}, {"cards": 3})
    assert (found.disposition, found.citation.lines, found.citation.section) == ("all-hands-void", "85", "One")
    assert only(played).void == "wrong-card-count"


@pytest.mark.parametrize(
    ("sizes", "hands"),
    [
        ((4, 3, 3), {**HANDS, "seat-1": "AS KS QS JS"}),
        ((3, 2, 3), {**HANDS, "seat-3": "5D 5C"}),
        ((3, 3, 4), {**HANDS, "dealer": "QD 7H 2C 3C"}),
    ],
)
def test_what_shuffler_and_felt_both_show_is_told_once(sizes: tuple[int, ...], hands: dict[str, str]) -> None:
    played = poker(ROUND + packets(*sizes) + felt(hands) + "+15\n" + OVER)
    assert played.rules == ["wrong-card-count"]


def test_two_wrong_hands_are_told_one_by_one() -> None:
    log = ROUND + packet(4, "seat-1") + packet(4, "seat-3") + packet(3, "dealer") + OVER
    assert poker(log).rules == ["wrong-card-count"] * 2


@pytest.mark.parametrize("sizes", [(3, 4, 3), (3, 2, 3), (3, 3, 3, 1)])
def test_a_wrong_packet_where_nobody_knows_the_hands(sizes: tuple[int, ...]) -> None:
    assert poker(SHUFFLED + CALL + packets(*sizes) + OVER, "shuffler", "panel").rules == ["wrong-card-count"]


def test_one_packet_more_than_hands() -> None:
    assert poker(ROUND + packets(3, 3, 3, 3) + OVER).rules == ["wrong-card-count"]


def test_what_a_packet_lacked_may_come_after_it() -> None:
    silent(poker(ROUND + packets(3, 2, 1, 3) + OVER, "shuffler", "panel", "seats"))
    silent(poker(SHUFFLED + CALL + packets(3, 2, 1, 3) + OVER, "shuffler", "panel"))
    silent(poker(ROUND + packet(2, "seat-1") + packet(1, "seat-1") + packet(3, "seat-3") + packet(3, "dealer") + OVER))


def test_a_short_hand_is_told_when_the_deal_is_over_not_when_the_round_is() -> None:
    log = ROUND + packets(3, 2, 3) + "+11\npanel key_pressed key=supervisor\n+60\n" + OVER
    played = poker(log, "shuffler", "panel", "seats")
    kinds = [type(record).__name__ for record in played.records]
    assert [kind for kind in kinds if not kind.startswith("Statistic")] == ["Irregularity", "Round"]
    assert played.irregularities[0].evidence[-1] < 10


def test_a_late_packet_is_no_short_hand() -> None:
    silent(poker(ROUND + packets(3, 3, 2) + "+30\n" + packets(1) + OVER, "shuffler", "panel", "seats"))


def test_a_round_in_which_nothing_was_dealt_is_not_judged() -> None:
    silent_rounds = poker(ROUND + OVER + CALL + packets(3, 3, 3) + OVER)
    assert silent_rounds.rules == []
    assert len(silent_rounds.rounds) == 2


def test_cards_burned_and_discarded_are_nobodys() -> None:
    """1908: cards may be burned at any time."""
    silent(poker(ROUND + packet(1, "burn") + packets(3, 3, 3) + felt(HANDS) + laid("discard", "4C") + OVER))


def test_a_second_hand_of_a_patron_is_a_hand() -> None:
    hands = {"seat-1": "AS KS QS", "seat-3": "5D 5C TH", "seat-3/2": "6D 6C 9C", "dealer": "QD 7H 2C"}
    round_ = silent(poker(ROUND + felt(hands) + OVER))
    assert round_.cards["seat-3/2"] == ["6D", "6C", "9C"]
    assert poker(ROUND + felt({**hands, "seat-3/2": "6D 6C 9C 2D"}) + OVER).rules == ["wrong-card-count"]


# --- cards that move on the felt


def test_patrons_look_at_their_cards() -> None:
    looks = taken("seat-1", "AS KS QS") + laid("seat-1", "KS AS QS") + taken("seat-3", "5D") + laid("seat-3", "null")
    round_ = silent(poker(ROUND + packets(3, 3, 3) + felt(HANDS) + looks + OVER))
    assert round_.cards["seat-1"] == ["AS", "KS", "QS"]


def test_a_card_that_went_to_the_wrong_position_and_back_is_one_card() -> None:
    log = laid("seat-1", "AS KS") + laid("seat-3", "QS") + taken("seat-3", "QS") + laid("seat-1", "QS")
    round_ = silent(poker(ROUND + log + felt({"seat-3": HANDS["seat-3"], "dealer": HANDS["dealer"]}) + OVER))
    assert round_.cards == {to: cards.split() for to, cards in HANDS.items()}


def test_face_down_cards_that_are_read_when_they_are_turned() -> None:
    turned = taken("dealer", "null null null") + laid("dealer", HANDS["dealer"])
    round_ = silent(poker(ROUND + felt({**HANDS, "dealer": "null null null"}) + turned + OVER))
    assert round_.cards["dealer"] == HANDS["dealer"].split()
    unlifted = silent(
        poker(ROUND + felt({**HANDS, "dealer": "null null null"}) + laid("dealer", HANDS["dealer"]) + OVER)
    )
    assert unlifted.cards["dealer"] == HANDS["dealer"].split()


def test_folded_hands_leave_the_felt_and_stay_in_the_record() -> None:
    folded = taken("seat-3", HANDS["seat-3"]) + laid("discard", HANDS["seat-3"])
    assert silent(poker(ROUND + felt(HANDS) + folded + OVER)).cards["seat-3"] == HANDS["seat-3"].split()


# --- 1912-1913: from the dealer's left to the right, to whoever has a wager


def test_packet_order() -> None:
    played = poker(ROUND + packet(3, "seat-3") + packet(3, "seat-1") + packet(3, "dealer") + OVER)
    assert played.rules == ["packet-order"]
    assert played.irregularities[0].severity == "notice"
    assert only(played).void is None
    assert poker(ROUND + felt({each: HANDS[each] for each in ("seat-3", "seat-1", "dealer")}) + OVER).rules == [
        "packet-order"
    ]


def test_where_the_dealers_hand_comes_is_not_stated() -> None:
    silent(poker(ROUND + packet(3, "dealer") + packet(3, "seat-1") + packet(3, "seat-3") + OVER))


def test_by_hand_the_second_lap_begins_at_the_left_again() -> None:
    silent(poker(ROUND + laps(HANDS) + OVER))


def test_a_pile_for_nobody() -> None:
    log = ROUND + "".join(packet(3, to) for to in ("seat-1", "seat-2", "seat-3", "dealer")) + OVER
    played = poker(log)
    assert played.rules == ["unbet-pile"]
    silent(poker(log, "shuffler", "panel"))  # without seat sensors whoever is dealt cards is in play


def test_a_card_that_went_astray_to_a_seat_without_a_wager() -> None:
    """Dealt by hand, and moved at once to where it belongs; left there it is told, and so is a whole hand."""
    devices = ("card_position", "panel", "seats")
    laps = [laid(to, cards.split()[lap]) for lap in range(3) for to, cards in HANDS.items()]
    astray = laid("seat-2", HANDS["seat-3"].split()[0])
    moved = astray + taken("seat-2", HANDS["seat-3"].split()[0])
    silent(poker(ROUND + laps[0] + moved + "".join(laps[1:]) + OVER, *devices))
    assert poker(ROUND + "".join(laps) + laid("seat-2", "9C") + OVER, *devices).rules == ["unbet-pile"]
    assert poker(ROUND + "".join(laps) + laid("seat-2", "9C JC KC") + OVER, *devices).rules == ["unbet-pile"]


# --- 87, 71: the shuffler


@pytest.mark.parametrize("fault", ["jammed", "stopped"])
def test_a_fault_while_the_round_is_dealt_voids_it(fault: str) -> None:
    played = poker(ROUND + packets(3) + f"shuffler {fault}\n+60\n" + OVER)
    assert played.rules == ["shuffler-fault-during-deal"]
    assert only(played).void == "shuffler-fault-during-deal"


def test_what_is_dealt_after_the_fault_is_not_judged_as_that_round() -> None:
    again = "shuffler jam_cleared\npanel key_pressed key=cards_verified\n" + SHUFFLED + packets(3, 3, 3) + felt(HANDS)
    assert poker(ROUND + packets(3, 3) + "shuffler jammed\n" + again + OVER).rules == ["shuffler-fault-during-deal"]


def test_a_fault_while_the_idle_deck_is_shuffled_voids_nothing() -> None:
    log = ROUND + packets(3, 3, 3) + "shuffler shuffle_started\nshuffler jammed\n" + OVER
    played = poker(log)
    assert played.rules == ["shuffler-fault-during-shuffle"]
    assert only(played).void is None


@pytest.mark.parametrize("before", ["", "shuffler shuffle_started\nshuffler shuffle_completed cards=52\n"])
def test_a_shuffler_that_stops_when_it_has_nothing_to_do_is_at_rest(before: str) -> None:
    """71: stops shuffling during a shuffle; 87: stops dealing cards."""
    silent(poker(ROUND + packets(3, 3, 3) + before + "shuffler stopped\n" + felt(HANDS) + OVER))
    assert poker(WHOLE + "shuffler stopped\n" + WHOLE).rules == []


@pytest.mark.parametrize("dealt", [(), (3,), (3, 3), (3, 3, 2)])
def test_a_shuffler_that_stops_before_the_last_card_voids_the_round(dealt: tuple[int, ...]) -> None:
    played = poker(ROUND + packets(*dealt) + "shuffler stopped\n+60\n" + OVER)
    assert played.rules == ["shuffler-fault-during-deal"]


WITH_PLACES = packet(3, "seat-1") + packet(3, "seat-3")


@pytest.mark.parametrize(
    ("dealt", "at_rest"),
    [
        (WITH_PLACES + packet(3, "dealer"), True),
        (WITH_PLACES + packet(3, "dealer") + packet(43, "discard"), True),
        (packets(3, 3, 3) + packet(43), True),
        (WITH_PLACES, False),
        (WITH_PLACES + packet(2, "dealer"), False),
        (packet(3, "seat-1") + packet(2, "seat-3") + packet(3, "dealer"), False),
        (packets(3, 3, 3), False),
    ],
)
def test_a_shuffler_that_stops_where_nobody_sees_the_wagers(dealt: str, at_rest: bool) -> None:
    """Columbus 76, 1003: the dealer is served last."""
    rules = [] if at_rest else ["shuffler-fault-during-deal"]
    for game in (GAME, "columbus-2016/three-card-poker"):
        assert (
            play(game, facts("shuffler", "panel"), SHUFFLED + CALL + dealt + "shuffler stopped\n" + OVER).rules == rules
        )


# --- a round whose end no key told, and the next


AGAIN = {"seat-1": "2S 3D 9H", "seat-3": "AS 7D 2C", "dealer": "QS 8C 4H"}


def gone(hands: dict[str, str]) -> str:
    return "".join(taken(to, cards) for to, cards in hands.items())


@pytest.mark.parametrize("game", [GAME, "columbus-2016/three-card-poker"])
def test_both_keys_forgotten_and_the_cards_dealt_anew(game: str) -> None:
    table = facts("card_position", "panel")
    hand_shuffled = "" if game != GAME else "panel key_pressed key=hand_shuffled\n"
    first = hand_shuffled + CALL + laps(HANDS) + gone(HANDS)
    played = play(game, table, first + "+25\n" + laps(AGAIN) + OVER + hand_shuffled + CALL + laps(HANDS) + OVER)
    assert played.rules == []
    assert [(r.void, r.partial) for r in played.rounds] == [(None, False)] * 3
    assert played.rounds[1].cards == {to: cards.split() for to, cards in AGAIN.items()}


def test_cards_that_are_all_taken_up_for_a_moment_are_the_same_round() -> None:
    table = facts("card_position", "panel")
    looked = CALL + laps(HANDS) + gone(HANDS) + felt(HANDS) + OVER
    silent(play(GAME, table, "panel key_pressed key=hand_shuffled\n" + looked))
    more = CALL + laps(HANDS) + gone(HANDS) + laid("seat-1", "2S") + OVER
    assert play(GAME, table, "panel key_pressed key=hand_shuffled\n" + more).rules == ["wrong-card-count"]


@pytest.mark.parametrize("to", ["null", "seat-1"])
def test_both_keys_forgotten_and_a_shuffle_between_the_deals(to: str) -> None:
    deal = packets(3, 3, 3) if to == "null" else WITH_PLACES + packet(3, "dealer")
    devices = ("shuffler", "panel", "seats") if to == "null" else ("shuffler", "panel")
    start = ROUND if to == "null" else SHUFFLED + CALL
    played = play(GAME, facts(*devices), start + deal + "+60\n" + SHUFFLED + deal + OVER)
    assert played.rules == []
    assert [r.void for r in played.rounds] == [None, None]
    one_more = play(GAME, facts(*devices), start + deal + packet(3, to) + OVER)
    assert one_more.rules == ["wrong-card-count"]


def test_the_other_deck_is_shuffled_while_a_round_is_played() -> None:
    log = ROUND + packets(3, 3, 3) + felt(HANDS) + SHUFFLED + packet(43, "discard") + OVER
    silent(poker(log))
    halfway = ROUND + packets(3, 3) + SHUFFLED + packets(3) + felt(HANDS) + OVER
    silent(poker(halfway))
    too_many = ROUND + packets(3, 3, 3) + felt(HANDS) + SHUFFLED + packets(3) + OVER
    assert poker(too_many).rules == ["wrong-card-count"], "the cards of the round still lie there"


def test_a_jam_is_a_fault_at_any_time() -> None:
    """71 and 87 qualify stopping, not jamming: after the last packet the round is still in play."""
    after = poker(ROUND + packets(3, 3, 3) + "shuffler stopped\nshuffler jammed\n" + felt(HANDS) + OVER)
    assert (after.rules, only(after).void) == (["shuffler-fault-during-deal"], "shuffler-fault-during-deal")
    idle = poker(WHOLE + "shuffler jammed\nshuffler jam_cleared\n" + WHOLE)
    assert idle.rules == ["shuffler-fault-during-shuffle"]
    stops = poker(WHOLE + "shuffler shuffle_started\nshuffler stopped\n" + WHOLE)
    assert stops.rules == ["shuffler-fault-during-shuffle"]


# --- 86 and whatever else only a person sees


def test_a_dealers_card_exposed_is_reported_at_the_panel() -> None:
    played = poker(ROUND + packets(3, 3) + "panel key_pressed key=report:dealer-card-exposed\n" + OVER)
    assert played.rules == ["dealer-card-exposed"]
    assert only(played).void == "dealer-card-exposed"


@pytest.mark.parametrize(
    ("change", "dealt"),
    [
        ("seats seat_left seat=seat-3\n", ("seat-1", "dealer")),
        ("seats seat_left seat=seat-3\nseats seat_taken seat=seat-3\n", ("seat-1", "seat-3", "dealer")),
        ("seats seat_taken seat=seat-2\n", ("seat-1", "seat-2", "seat-3", "dealer")),
        ("seats seat_taken seat=seat-2\n", ("seat-1", "seat-3", "dealer")),
    ],
)
@pytest.mark.parametrize("told", [True, False])
def test_wagers_may_change_until_the_first_card(change: str, dealt: tuple[str, ...], told: bool) -> None:
    """1787: they are laid before the deal; that "no more bets" ends them is not said."""
    log = ROUND + change + "".join(packet(3, to if told else "null") for to in dealt) + OVER
    silent(poker(log, "shuffler", "panel", "seats"))


def test_a_misdeal_that_is_called_voids_the_round_and_ends_the_judging() -> None:
    played = poker(ROUND + packets(3, 3) + "panel key_pressed key=misdeal\n" + packets(3, 3, 3) + OVER)
    assert played.rules == []
    assert only(played).void == "misdeal"


# --- what was not seen is not judged


def test_a_start_in_mid_round_is_partial_and_judges_nothing_until_the_next_round() -> None:
    played = poker(packets(4, 3) + OVER + seated(1, 3) + CALL + packets(3, 4, 3) + OVER, "shuffler", "panel", "seats")
    assert [(r.partial, r.void) for r in played.rounds] == [(True, None), (False, "wrong-card-count")]


def test_a_start_in_mid_deal_ends_with_the_next_call() -> None:
    log = packets(3) + CALL + packets(3, 3, 3) + OVER
    played = poker(log, "shuffler", "panel", seats=("seat-1", "seat-3"))
    assert played.rules == []
    assert [r.partial for r in played.rounds] == [True, False]


@pytest.mark.parametrize("lost", ["device_offline reason=silent", "edges_lost count=3"])
def test_a_shuffler_that_was_away_leaves_no_short_hand(lost: str) -> None:
    gap = f"shuffler {lost}\nshuffler device_online\n+20\n"
    played = poker(ROUND + packets(3) + gap + packets(3) + "+20\n" + OVER, "shuffler", "panel", "seats")
    assert played.rules == []
    (round_,) = played.rounds
    assert round_.partial
    assert "toledo-2020/three-card-poker/wrong-card-count" not in round_.irregularities
    assert isinstance(round_.not_observable, tuple)
    assert "wrong-card-count" in round_.not_observable


def test_a_reader_that_was_away_leaves_no_short_hand() -> None:
    log = ROUND + laid("seat-1", "AS KS QS") + "card_position device_offline reason=silent\n"
    log += "card_position device_online\n" + laid("dealer", "QD 7H 2C") + SHUFFLED + "+20\n" + OVER
    assert poker(log, "card_position", "shuffler", "panel", "seats").rules == []


def test_a_reader_with_a_fault_leaves_no_short_hand() -> None:
    log = ROUND + felt({**HANDS, "seat-3": "5D 5C"}) + "card_position device_fault reason=stuck line=seat-3\n" + OVER
    assert poker(log).rules == ["equipment-malfunction"]


def test_packets_of_unknown_size_say_nothing() -> None:
    played = poker(ROUND + packet(None) * 3 + OVER, "shuffler", "panel", "seats")
    assert played.rules == []


# --- many rounds


def clean_round(rng: random.Random, devices: tuple[str, ...]) -> str:
    """A round as it should be, seen by whatever devices there are: hands looked at, turned, folded, collected."""
    seats = sorted(rng.sample(range(1, 8), rng.randint(1, 7)))
    deck = rng.sample(DECK, 52)
    hands = {to: [deck.pop() for _ in range(3)] for to in (*(f"seat-{seat}" for seat in seats), "dealer")}
    log = "+20\n"
    if "seats" in devices:
        log += "".join(f"seats seat_left seat=seat-{seat}\n" for seat in range(1, 8)) + seated(*seats)
    if "shuffler" in devices:
        log += SHUFFLED
    if "panel" in devices:
        log += CALL
    for to, cards in hands.items():
        if "shuffler" in devices:
            log += packet(3)
        if "card_position" in devices:
            log += laid(
                to,
                " ".join(rng.choice([card, card, "null"]) for card in cards) if rng.random() < 0.1 else " ".join(cards),
            )
    if "card_position" in devices:
        for to in rng.sample(list(hands), len(hands)):
            if rng.random() < 0.5:
                log += taken(to, " ".join(hands[to])) + laid(to, " ".join(rng.sample(hands[to], 3)))
        log += "+15\n" + "".join(taken(to, " ".join(cards)) for to, cards in hands.items())
    return log + (OVER if "panel" in devices else "")


@pytest.mark.parametrize(
    "devices",
    [
        ("shuffler",),
        ("shuffler", "panel"),
        ("shuffler", "seats"),
        ("card_position", "panel"),
        ("shuffler", "card_position"),
        ("shuffler", "card_position", "seats"),
        ("shuffler", "card_position", "panel", "seats"),
    ],
    ids=" ".join,
)
def test_three_hundred_clean_rounds(devices: tuple[str, ...]) -> None:
    rng = random.Random(" ".join(devices))
    log = "".join(clean_round(rng, devices) for _ in range(300))
    played = poker(log, *devices)
    assert played.rules == []
    assert len(played.rounds) == 300
    assert not any(each.partial for each in played.rounds)


# --- the rest of the deck


@pytest.mark.parametrize("to", ["null", "discard"])
def test_the_rest_of_the_deck_is_nobodys_hand(to: str) -> None:
    """A machine empties itself once all have their cards, or early: 43 cards are no patron's (85 counts hands)."""
    known = packet(3, "seat-1") + packet(3, "seat-3") + packet(3, "dealer")
    for dealt in (packets(3, 3, 3), known):
        assert silent(poker(ROUND + dealt + packet(43, to) + OVER, "shuffler", "panel", "seats")).void is None
    nobody = SHUFFLED + CALL + packets(3, 3, 3) + packet(43, to) + OVER
    assert poker(nobody, "shuffler", "panel").rules == []
    early = poker(
        ROUND + packet(3, "seat-1") + packet(3, "seat-3") + packet(46, to) + OVER, "shuffler", "panel", "seats"
    )
    assert [each.observed for each in early.irregularities] == [{"position": "dealer", "cards": 0}]


@pytest.mark.parametrize("cards", [1, 3, 4])
def test_cards_too_many_are_not_the_rest(cards: int) -> None:
    assert poker(ROUND + packets(3, 3, 3, cards) + OVER, "shuffler", "panel", "seats").rules == ["wrong-card-count"]


@pytest.mark.parametrize(
    ("dealt", "rules"),
    [
        (packet(3, "seat-1") + packet(2, "seat-3") + packet(3, "dealer"), ["wrong-card-count"]),
        (packet(3, "seat-1") + packet(2, "seat-3"), []),
        (packet(3, "seat-1") + packet(2, "seat-3") + packet(1, "seat-3") + packet(3, "dealer"), []),
        (packet(3, "seat-1") + packet(3, "seat-3"), []),
    ],
)
def test_a_deal_that_is_called_off_over_a_short_packet(dealt: str, rules: list[str]) -> None:
    """85, 1912: the next position was served, so the packet before it was short. Else the crew knows why."""
    table = facts("shuffler", "panel")
    called_off = SHUFFLED + CALL + dealt + "panel key_pressed key=misdeal\n"
    played = play(GAME, table, called_off + SHUFFLED + CALL + packet(3, "seat-1") + packet(3, "dealer") + OVER)
    assert played.rules == rules
    assert [r.void for r in played.rounds] == [rules[0] if rules else "misdeal", None]
