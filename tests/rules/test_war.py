"""Casino War against california (lines 5563-5718) and columbus-2016, Section Sixteen: the pit log, then the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.pit_log import CALL, OVER, laid, seated, taken
from tests.rules.table import Played, facts, play, silent

CALIFORNIA = "california/casino-war"
COLUMBUS = "columbus-2016/casino-war"
ALL = ("shoe", "panel", "seats")


def drawn(*cards: str) -> str:
    """ "KS 1" to seat-1, "KS d" to the dealer, "KS b" burned, "KS ?" nobody knows where."""
    places = {"d": "dealer", "b": "burn", "?": "null"}
    pairs = [card.split() for card in cards]
    return "".join(f"shoe card_drawn card={card} to={places.get(to, 'seat-' + to)}\n" for card, to in pairs)


def burned(cards: int) -> str:
    return drawn(*["2H b"] * cards)


def war(log: str, *devices: str, game: str = CALIFORNIA, **table: Any) -> Played:
    return play(game, facts(*(devices or ALL), **table), log)


ROUND = seated(1, 3) + CALL
DEAL = drawn("KS 1", "9H 3", "9C d")


# --- 5620-5644: the deal, the war, what it comes to


def test_a_clean_round_without_a_war() -> None:
    assert silent(war(ROUND + drawn("KS 1", "4H 3", "9C d") + OVER)).result == {
        "dealer": {"card": "9C"},
        "seat-1": {"card": "KS", "against_dealer": "higher"},
        "seat-3": {"card": "4H", "against_dealer": "lower"},
    }


def test_a_war() -> None:
    round_ = silent(war(ROUND + DEAL + burned(3) + drawn("AH 3", "QD d") + OVER))
    assert round_.cards["seat-3"] == ["9H", "AH"]
    assert round_.result["seat-3"] == {
        "card": "9H", "war": "AH", "against_dealer": "tie", "war_against_dealer": "higher", "tie": "basic"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("mine", "dealers", "tie"),
    [
        ("9C AH", "9C QD", "suited"),
        ("9H QS", "9C QD", "double"),
        ("9H 9S", "9C 9D", "four-of-a-kind"),
        ("9H AH", "9C QD", "basic"),
    ],
)
def test_what_a_tie_bet_wins(mine: str, dealers: str, tie: str) -> None:
    (one, two), (first, second) = mine.split(), dealers.split()
    log = seated(3) + CALL + drawn(f"{one} 3", f"{first} d") + burned(3) + drawn(f"{two} 3", f"{second} d") + OVER
    assert silent(war(log)).result["seat-3"]["tie"] == tie


@pytest.mark.parametrize("spared", [1, 3])
def test_a_war_card_that_comes_too_early(spared: int) -> None:
    played = war(ROUND + DEAL + burned(3 - spared) + drawn("AH 3", "QD d") + OVER)
    assert played.rules == ["missing-war-burn"]
    assert played.irregularities[0].required == {"burned": 3}


def test_before_the_dealers_war_card_columbus_burns_again_and_california_does_not_say() -> None:
    once = ROUND + DEAL + burned(3) + drawn("AH 3", "QD d") + OVER
    assert war(once, game=COLUMBUS).rules[:1] == ["missing-war-burn"]
    twice = ROUND + DEAL + burned(3) + drawn("AH 3") + burned(3) + drawn("QD d") + OVER
    silent(war(twice, game=COLUMBUS))
    silent(war(twice))
    assert war(once, options={"war-burns": "twice"}).rules == ["missing-war-burn"]


def test_who_ties_may_surrender() -> None:
    silent(war(ROUND + DEAL + OVER))


@pytest.mark.parametrize(
    ("log", "position"),
    [
        (drawn("KS 1", "4D 1", "9H 3", "9C d"), "seat-1"),
        (drawn("KS 1", "9C d"), "seat-3"),
        (drawn("KS 1", "9H 3"), "dealer"),
        (drawn("KS 1", "4H 3", "9C d", "4S 1"), "seat-1"),
        (drawn("KS 1", "4H 3", "9C d", "4S d"), "dealer"),
        (drawn("KS 1", "9H 3", "9C d") + burned(3) + drawn("AH 3"), "dealer"),
        (drawn("KS 1", "9H 3", "9C d") + burned(3) + drawn("AH 3", "2S 3", "4S d"), "seat-3"),
    ],
)
def test_a_wrong_number_of_cards_voids_the_round_in_columbus(log: str, position: str) -> None:
    played = war(ROUND + log + OVER, game=COLUMBUS)
    assert "wrong-card-count" in played.rules
    assert [each.observed["position"] for each in played.irregularities if "count" in each.rule] == [position]
    assert played.rounds[0].void == "wrong-card-count"


@pytest.mark.parametrize("deal", [("9H 3", "KS 1", "9C d"), ("KS 1", "9C d", "4H 3"), ("9C d", "KS 1", "4H 3")])
def test_a_wrong_order(deal: tuple[str, ...]) -> None:
    assert set(war(ROUND + drawn(*deal) + OVER).rules) == {"wrong-initial-sequence"}


def test_a_dealers_war_card_before_the_players_is_a_wrong_order_and_no_card_too_many() -> None:
    """2583, 5636."""
    early = ROUND + DEAL + burned(3) + drawn("QD d") + burned(3)
    for game in (COLUMBUS, CALIFORNIA):
        played = war(early + drawn("AH 3") + OVER, game=game)
        assert played.rules == ["wrong-initial-sequence"]
        assert played.rounds[0].void is None
        assert war(early + OVER, game=game).rules == ["wrong-card-count"]


@pytest.mark.parametrize("game", [COLUMBUS, CALIFORNIA])
@pytest.mark.parametrize(("first", "then"), [("seat-3", "seat-1"), ("dealer", "seat-1")])
def test_a_first_card_laid_at_the_wrong_place_and_moved_counts_where_it_lies(first: str, then: str, game: str) -> None:
    moved = laid(first, "9C") + taken(first, "9C") + laid(then, "9C")
    rest = laid("seat-3", "KD") + laid("dealer", "8C")
    (round_,) = war(ROUND + moved + rest + OVER, "card_position", "panel", "seats", game=game).rounds
    assert (round_.irregularities, round_.void) == ((), None)
    assert round_.cards == {"seat-1": ["9C"], "seat-3": ["KD"], "dealer": ["8C"]}
    two = laid("seat-1", "9C") + laid("seat-1", "KD") + laid("seat-3", "2S") + laid("dealer", "8C")
    assert war(ROUND + two + OVER, "card_position", "panel", "seats", game=game).rules == ["wrong-card-count"]


def test_a_player_who_banks_gets_the_dealers_card_at_the_seat() -> None:
    bank = "seats bank_moved seat=seat-2\n"
    round_ = silent(war(bank + ROUND + drawn("KS 1", "4H 3", "9C 2") + OVER))
    assert round_.result["dealer"] == {"card": "9C"}


# --- 5613-5615: burns and the cutting card


def test_the_first_card_of_a_shoe_is_burned() -> None:
    shoe = "shoe shoe_started decks=6\n"
    silent(war(shoe + burned(1) + ROUND + drawn("KS 1", "4H 3", "9C d") + OVER))
    silent(war(shoe + drawn("2H ?") + ROUND + drawn("KS 1", "4H 3", "9C d") + OVER))
    assert war(shoe + ROUND + drawn("KS 1", "4H 3", "9C d") + OVER).rules == ["burn-count-wrong"]


@pytest.mark.parametrize("burn", ["2H ?", "2H b"])
def test_a_shoe_that_tells_no_places_deals_round_the_table_after_the_burn(burn: str) -> None:
    """Whether or not it knows a burn from a card of the deal."""
    shoe = "shoe shoe_started decks=6\n" + drawn(burn)
    result = silent(war(shoe + ROUND + drawn("KS ?", "4H ?", "9C ?") + OVER)).result
    assert {hand: shown["card"] for hand, shown in result.items()} == {"dealer": "9C", "seat-1": "KS", "seat-3": "4H"}
    assert war(shoe + ROUND + drawn("KS ?", "4H ?") + OVER).rules == ["wrong-card-count"]


def test_the_cutting_card_ends_the_shoe_with_its_round() -> None:
    cut = "shoe cut_card_drawn\n"
    rest = drawn("4H 3", "9C d") + OVER
    assert war(ROUND + drawn("KS 1") + cut + rest).rules == ["cut-card-mid-round"]
    again = CALL + drawn("KS 1") + rest
    assert war(ROUND + drawn("KS 1") + cut + rest + again).rules == ["cut-card-mid-round", "dealt-past-cut-card"]


# --- 5606: no more bets


def test_a_wager_that_moves_while_the_cards_are_dealt() -> None:
    moved = "seats seat_left seat=seat-3\n"
    assert war(ROUND + drawn("KS 1") + moved + drawn("4H 3", "9C d") + OVER).rules == ["late-bet-change"]
    (told,) = war(ROUND + moved + drawn("KS 1", "9C d") + OVER).irregularities
    assert (told.rule.rpartition("/")[2], told.observed["while"]) == ("late-bet-change", "no card was dealt yet")
    back = "seats seat_taken seat=seat-3\n"
    assert war(ROUND + drawn("KS 1") + moved + back + drawn("4H 3", "9C d") + OVER).rules == ["late-bet-change"]
    silent(war(ROUND + drawn("KS 1", "4H 3", "9C d") + moved + OVER))


# --- however the table is equipped


def felt(*cards: str) -> str:
    """Drawn by a shoe that does not know where, then laid."""
    log = ""
    for card, to in (each.split() for each in cards):
        log += f"shoe card_drawn card={card} to=null\n"
        log += f"card_position card_placed card={card} to={'dealer' if to == 'd' else 'seat-' + to}\n"
    return log


def test_a_felt_beside_a_shoe_shows_burns_too() -> None:
    devices = ("shoe", "card_position", "panel", "seats")
    burn = "shoe card_drawn card=2H to=null\n"
    deal = ROUND + felt("KS 1", "9H 3", "9C d")
    silent(war(deal + burn * 3 + felt("AH 3", "QD d") + OVER, *devices))
    assert war(deal + burn + felt("AH 3", "QD d") + OVER, *devices).rules == ["missing-war-burn"]


def test_without_a_shoe_no_burn_is_missed() -> None:
    log = ROUND + "".join(
        f"card_position card_placed card={card} to={to}\n"
        for card, to in [("KS", "seat-1"), ("9H", "seat-3"), ("9C", "dealer"), ("AH", "seat-3"), ("QD", "dealer")]
    )
    silent(war(log + OVER, "card_position", "panel", "seats"))


def test_without_a_panel_the_next_deal_closes_the_round() -> None:
    log = "shoe shoe_started decks=6\n" + burned(1) + drawn("KS 1", "4H 3", "9C d") * 2 + DEAL + burned(3)
    played = war(log + drawn("AH 3", "QD d", "KS 1", "4H 3", "9C d"), "shoe")
    assert played.rules == []
    assert [round_.partial for round_ in played.rounds] == [False] * 4


def test_a_shoe_that_does_not_know_where_its_cards_go_deals_round_the_table() -> None:
    log = ROUND + drawn("KS ?", "4H ?", "9C ?") + OVER
    assert silent(war(log)).result["seat-3"] == {"card": "4H", "against_dealer": "lower"}


def test_unread_cards_and_a_start_in_mid_round_prove_nothing() -> None:
    silent(war(ROUND + drawn("null 1", "null 3", "9C d") + burned(3) + drawn("AH 3", "QD d") + OVER))
    played = war(drawn("KS 1", "KS 1", "9C d") + OVER)
    assert played.rules == []
    assert played.rounds[0].partial


def test_a_shoe_that_was_away_leaves_no_wrong_count() -> None:
    assert war(ROUND + drawn("KS 1") + "shoe device_offline reason=silent\n" + OVER).rules == []


def test_the_stream_that_ends_in_mid_deal_proves_nothing() -> None:
    played = war(ROUND + drawn("KS 1"))
    assert played.rules == []
    assert played.rounds[0].partial


# --- a face that was not read, and no panel to say where a round ends

PLAIN = ("KS 1", "4H 3", "9C d")


@pytest.mark.parametrize("unread", range(3))
def test_an_unread_face_may_hide_a_war_and_accuses_nobody(unread: int) -> None:
    blotted = [f"null {card[-1]}" if at == unread else card for at, card in enumerate(PLAIN)]
    log = "shoe shoe_started decks=6\n" + drawn("2H b") + drawn(*blotted) + drawn(*PLAIN) * 2
    played = war(log, "shoe", game=COLUMBUS)
    assert played.rules == []
    assert [each.result["seat-1"]["card"] for each in played.rounds[1:]] == ["KS", "KS"]
    assert not played.rounds[-1].partial
    doubtful = [each for each in played.rounds if each.partial]
    assert all("missing-war-burn" in each.not_observable for each in doubtful)
    assert len(doubtful) == (0 if unread == 1 else 2)  # seat-1's king settles it where only seat-3's card is unread


def test_the_burn_shows_the_war_that_an_unread_face_hides() -> None:
    log = "shoe shoe_started decks=6\n" + drawn("2H b", "KS 1", "null 3", "9C d") + burned(3) + drawn("AH 3")
    played = war(log + burned(3) + drawn("QD d") + drawn(*PLAIN), "shoe", game=COLUMBUS)
    assert played.rules == []
    assert played.rounds[0].cards["seat-3"] == [None, "AH"]


# --- no panel: who tied may surrender, and the next card may be the next round's


def test_without_a_panel_a_card_after_a_tie_and_no_burn_may_be_the_next_deal() -> None:
    log = "shoe shoe_started decks=6\n" + drawn("2H b", *PLAIN) + drawn("9H 1", "4H 3", "9C d") + drawn(*PLAIN) * 2
    played = war(log, "shoe", game=COLUMBUS)
    assert played.rules == []
    assert [each.partial for each in played.rounds] == [False, True, True, False]
    assert "missing-war-burn" in (played.rounds[1].not_observable or ())


def test_without_a_panel_one_card_burned_may_come_before_the_next_deal() -> None:
    log = "shoe shoe_started decks=6\n" + drawn("2H b") + drawn("JH 1", "8H 2", "JD d") + burned(1)
    assert war(log + drawn("TH 1", "JH 2", "3C d") + drawn(*PLAIN), "shoe", game=COLUMBUS).rules == []


def test_a_first_card_that_was_not_lifted_shows_the_war() -> None:
    log = "shoe shoe_started decks=6\n" + drawn("2H b")
    for card, to in [("KS", "seat-1"), ("9H", "seat-3"), ("9C", "dealer"), ("AH", "seat-3"), ("QD", "dealer")]:
        log += f"shoe card_drawn card={card} to={to}\ncard_position card_placed card={card} to={to}\n"
    assert war(log, "shoe", "card_position", game=COLUMBUS).rules[:1] == ["missing-war-burn"]


def test_after_a_misdeal_nothing_is_judged_until_the_next_round() -> None:
    misdeal = "panel key_pressed key=misdeal\n"
    again = drawn("9H 3", "KS 1", "9C d", "4C 1", "5C 1")
    played = war(ROUND + drawn("KS 1") + misdeal + again + OVER, game=COLUMBUS)
    assert played.rules == []
    assert played.rounds[0].void == "misdeal"
    twice = ROUND + drawn("KS 1") + misdeal + again + OVER + CALL + again + OVER
    told = war(twice, game=COLUMBUS)
    assert told.rules
    assert {each.round for each in told.irregularities} == {2}
    assert war(misdeal + ROUND + again + OVER, game=COLUMBUS).rules  # none to be misdealt


READER = ("card_position",)


def test_the_card_taken_off_last_that_is_read_once_more_opens_no_round() -> None:
    """The reader loses it as it goes: within a quarter of a second, at the same place, the same face or none."""
    deal = laid("seat-1", "KS") + laid("dealer", "9C")
    start = "card_position card_placed card=2H to=seat-1\ncard_position card_placed card=3H to=dealer\n"
    start += taken("dealer", "3H") + taken("seat-1", "2H")
    cleared = start + deal + taken("dealer", "9C") + taken("seat-1", "KS")

    def rounds(after: str) -> int:
        return len(play(COLUMBUS, facts(*READER), cleared + after).rounds)

    usual = rounds("")
    for again in ("KS", "null"):
        seen = f"-0.8\ncard_position card_placed card={again} to=seat-1\n"
        assert rounds(seen + "-0.9\n" + taken("seat-1", again)) == usual
    for another in (
        "-0.8\n" + laid("seat-1", "QS"), "-0.8\n" + laid("seat-2", "KS"), "+1\n" + laid("seat-1", "KS"),
    ):  # fmt: skip
        assert rounds(another) == usual + 1
    at_last = "-0.75\n" + laid("seat-1", "KS")
    assert rounds(at_last) == usual
    assert rounds("-0.74\n" + laid("seat-1", "KS")) == usual + 1
    opened = play(COLUMBUS, facts(*READER), cleared + "-0.9\n" + laid("seat-2", "QS") + "-0.9\n" + laid("seat-1", "KS"))
    assert opened.rounds[-1].cards == {"seat-2": ["QS"], "seat-1": ["KS"]}
    shoe = "-0.95\nshoe card_drawn card=KS to=null\n-0.95\n" + laid("seat-1", "KS")
    drawn_anew = play(COLUMBUS, facts("shoe", *READER), cleared + shoe)
    assert drawn_anew.rounds[-1].cards == {"seat-1": ["KS"]}


def test_a_card_laid_at_the_wrong_place_leaves_that_hand() -> None:
    """While the first cards are dealt it moves to where it belongs; later another deck may hold the same."""
    wrong = laid("seat-1", "KS") + taken("seat-1", "KS") + laid("seat-3", "KS") + laid("dealer", "9C")
    moved = play(COLUMBUS, facts(*FELT), seated(3) + CALL + wrong + OVER)
    assert moved.rules == []
    assert moved.rounds[0].cards == {"seat-3": ["KS"], "dealer": ["9C"]}
    assert moved.rounds[0].result["seat-3"]["against_dealer"] == "higher"
    house = laid("seat-3", "KS") + laid("dealer", "4C") + taken("dealer", "4C") + laid("seat-1", "4C")
    early = play(COLUMBUS, facts(*FELT), seated(1, 3) + CALL + house + laid("dealer", "9C") + OVER)
    assert early.rounds[0].cards["dealer"] == ["9C"]
    assert early.rounds[0].cards["seat-1"] == ["4C"]
    later = (
        laid("seat-1", "KS")
        + laid("seat-3", "KD")
        + laid("dealer", "9C")
        + taken("seat-1", "KS")
        + laid("seat-3", "KS")
    )
    assert play(COLUMBUS, facts(*FELT), seated(1, 3) + CALL + later + OVER).rules == ["wrong-card-count"]
    unread = laid("seat-1", "KS") + taken("seat-1", "KS") + laid("seat-3", "null") + laid("dealer", "9C")
    kept = play(COLUMBUS, facts(*FELT), seated(1, 3) + CALL + unread + OVER)
    assert kept.rounds[0].cards["seat-1"] == ["KS"]


def test_a_card_that_left_its_hand_for_another_does_not_come_back() -> None:
    """The king that seat-1 gets then is of another deck; nobody judges an order of which a card was moved."""
    moved = laid("seat-1", "KS") + taken("seat-1", "KS") + laid("seat-3", "KS")
    played = play(
        COLUMBUS, facts(*FELT), seated(1, 3) + CALL + moved + laid("seat-1", "KS") + laid("dealer", "9C") + OVER
    )
    assert played.rounds[0].cards == {"seat-3": ["KS"], "seat-1": ["KS"], "dealer": ["9C"]}
    late = (
        laid("seat-1", "KS")
        + laid("seat-3", "4H")
        + taken("seat-1", "KS")
        + laid("seat-2", "KS")
        + laid("dealer", "9C")
    )
    assert play(COLUMBUS, facts(*FELT), seated(2, 3) + CALL + late + OVER).rules == []
    in_place = laid("seat-3", "4H") + laid("seat-2", "KS") + laid("dealer", "9C")
    assert play(COLUMBUS, facts(*FELT), seated(2, 3) + CALL + in_place + OVER).rules != []


BARE = "shoe shoe_started decks=6\n" + drawn("2H b")
TIE = drawn("9H 1", "4H 3", "9C d")


@pytest.mark.parametrize(
    ("log", "rules", "rounds"),
    [
        (drawn(*PLAIN) + drawn("8C d") + drawn(*PLAIN), ["wrong-card-count"], 2),  # the house's card opens no round
        (TIE + burned(3) + drawn("AH 1") + burned(3) + drawn("QD d") + drawn("9S 1", "4S 3", "9D d"), [], 2),
        (TIE + drawn("4S 3", "KD d"), [], 2),  # seat-3 was not at war
        (drawn("9H 1", "9S 3", "9C d") + burned(3) + drawn("AH 1", "KH 3") + drawn("2D 1"), ["wrong-card-count"], 1),
    ],
)
def test_with_nobody_to_say_so_the_cards_tell_the_next_round(log: str, rules: list[str], rounds: int) -> None:
    played = war(BARE + log, "shoe", game=COLUMBUS)
    assert (played.rules, len(played.rounds)) == (rules, rounds)
    assert not played.rounds[-1].partial


@pytest.mark.parametrize(
    ("hands", "lifted", "rounds"),
    [
        ("KS 9C", "", 2),  # the king is not at war: its seat's next card is the next round's
        ("9S 9C", "", 1),  # it may be, and gets its war card
        ("9S 4S 9C", "", 1),
        ("9S 4S 9C", "seat-2", 2),  # all but one were seen to be lifted
    ],
)
def test_cards_taken_from_the_felt_tell_the_next_round(hands: str, lifted: str, rounds: int) -> None:
    *first, house = hands.split()
    seats = [f"seat-{n}" for n in range(1, len(first) + 1)]
    log = "".join(laid(seat, card) for seat, card in zip(seats, first, strict=True)) + laid("dealer", house)
    log += taken("seat-1", first[0]) + (taken(lifted, first[1]) if lifted else "")
    played = play(COLUMBUS, facts(*READER), log + laid("seat-1", "2S") + laid("dealer", "8D"))
    assert (played.rules, len(played.rounds)) == ([], rounds)


FELT = ("card_position", "panel", "seats")


@pytest.mark.parametrize("game", [CALIFORNIA, COLUMBUS])
@pytest.mark.parametrize("devices", [FELT, ("card_position", "seats")])
@pytest.mark.parametrize("back", ["KS", "null"])
@pytest.mark.parametrize("away", ["KS", "null"])
def test_a_card_lifted_and_laid_back_is_no_second_one(away: str, back: str, devices: Any, game: str) -> None:
    """Read or unread, before all have theirs and after."""
    looked = taken("seat-1", away) + laid("seat-1", back)
    first, rest = laid("seat-1", "KS"), laid("seat-3", "4H") + laid("dealer", "9C")
    start = seated(1, 3) + "panel key_pressed key=no_more_bets\n"
    for log in (first + looked + rest, first + rest + looked):
        collected = taken("seat-1", "KS") + taken("seat-3", "4H") + taken("dealer", "9C")
        again = laid("seat-1", "2S") + laid("seat-3", "5H") + laid("dealer", "9D")
        over = OVER + CALL if "panel" in devices else ""
        played = play(game, facts(*devices), start + log + collected + over + again + OVER)
        assert played.rules == []
        assert len(played.rounds) == 2


def test_a_new_dealer_burns_on_a_dead_game_too() -> None:
    """001 line 5613: before dealing any cards, whether or not there was play."""
    change, opened = "panel key_pressed key=dealer_change\n", "shoe shoe_started decks=6\n" + burned(1)
    played = (
        ROUND + drawn("KS 1", "4H 3", "9C d") + OVER + "".join(f"seats seat_left seat=seat-{seat}\n" for seat in (1, 3))
    )
    assert war(opened + played + change + played).rules == ["relief-dealer-no-burn"]
    assert war(opened + played + change + burned(1) + played).rules == []
    assert war(opened + played + "+900\n" + change + burned(1) + played).rules == []
    assert war(change + opened + played).rules == []  # the burn of the shoe


@pytest.mark.parametrize(("before", "between", "broken"), [(3, 0, []), (0, 3, []), (0, 0, ["missing-war-burn"])])
def test_cards_burned_before_an_early_war_card_of_the_house_are_burned(
    before: int, between: int, broken: list[str]
) -> None:
    """001 line 5636: three cards before the war deal, whoever gets the first of it."""
    log = ROUND + DEAL + burned(before) + drawn("QD d") + burned(between) + drawn("AH 3") + OVER
    assert sorted(war(log).rules) == sorted(["wrong-initial-sequence", *broken])
