"""The progressive meter: 3-Card Poker's jackpot (1828-1869), and the lock-out as Section Two has it (407-421)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pitwatch.rules.book import BOOKS
from tests.rules.pit_log import CALL, OVER, laid
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/three-card-poker"
ALL = ("card_position", "panel", "seats", "progressive", "key_reader")
PEOPLE = {"1:1": "supervisor", "1:2": "dealer", "1:3": "shift-manager"}
LIT = "progressive coin_in seat=seat-1\n"
OUT = "progressive coin_in_cleared seat=seat-1\n"
HIT = "progressive jackpot seat=seat-1 hand=mini-royal-spades\n"
LOCK = "progressive meter_locked\n"
UNLOCK = "progressive meter_unlocked\n"
MINI_ROYAL = "AS KS QS"


def keyed(hand: str, on: bool = True) -> str:
    return f"progressive hand_keyed hand={hand} on={str(on).lower()}\n"


def card(credential: str) -> str:
    return f"key_reader credential_presented credential={credential}\n"


def deal(hand: str, dealer: str = "5H 6D 8C") -> str:
    places = (("seat-1", hand), ("dealer", dealer))
    return "".join(f"card_position card_placed card={c} to={to}\n" for to, cards in places for c in cards.split())


def poker(log: str, *devices: str, game: str = GAME, **table: Any) -> Played:
    seated = "seats seat_taken seat=seat-1\n" if not devices or "seats" in devices else ""
    return play(game, facts(*(devices or ALL), people=PEOPLE, **table), seated + log)


# --- 1832-1845, 1869: a mini royal in spades with a progressive wager


def test_the_cards_show_it_when_the_round_is_over() -> None:
    played = poker(LIT + CALL + deal(MINI_ROYAL) + OVER)
    assert played.rules == ["mini-royal-spades-jackpot"]
    (found,) = played.irregularities
    assert found.category == "jackpot"
    assert found.observed == {"position": "seat-1", "hand": "mini-royal-spades"}
    assert found.citation.lines == "1832-1845, 1869"
    assert played.rounds[0].void is None


@pytest.mark.parametrize(
    "log",
    [
        CALL + deal(MINI_ROYAL) + OVER,  # no progressive wager
        LIT + OUT + CALL + deal(MINI_ROYAL) + OVER,  # taken back
        LIT + CALL + deal("AH KH QH") + OVER,  # not in spades: 500 to 1, not from the meter
        LIT + CALL + deal("KS QS JS") + OVER,  # spades, no mini royal
        LIT + CALL + deal("4S 5S 6S", MINI_ROYAL) + OVER,  # the dealer's
        LIT + CALL + deal("AS KS null") + OVER,
        LIT + CALL + deal(MINI_ROYAL) + "panel key_pressed key=report:dealer-card-exposed\n" + OVER,  # void
    ],
)
def test_the_hands_next_to_it(log: str) -> None:
    assert "mini-royal-spades-jackpot" not in poker(log).rules


def test_a_lamp_that_goes_out_when_the_wager_is_settled() -> None:
    played = poker(LIT + CALL + OUT + deal(MINI_ROYAL) + OVER + CALL + deal(MINI_ROYAL) + OVER)
    assert played.rules == ["mini-royal-spades-jackpot"]
    assert played.irregularities[0].round == 1


@pytest.mark.parametrize(
    "hit",
    [
        HIT,
        "progressive jackpot seat=seat-1 hand=Mini_Royal_Spades\n",
        "progressive jackpot seat=null hand=mini-royal-spades\n",
        "progressive jackpot seat=seat-1 hand=null\n",
    ],
)
def test_the_meter_and_the_cards_tell_of_one_jackpot(hit: str) -> None:
    assert poker(LIT + CALL + deal(MINI_ROYAL) + hit + OVER).rules == ["mini-royal-spades-jackpot"]
    assert poker(LIT + CALL + deal(MINI_ROYAL) + OVER + hit).rules == ["mini-royal-spades-jackpot"]
    assert poker(CALL + hit + hit + OVER, "panel", "progressive").rules == ["mini-royal-spades-jackpot"]


def test_a_jackpot_that_the_meter_pays_no_share_of_is_none() -> None:
    assert poker(CALL + "progressive jackpot seat=seat-1 hand=mini-royal\n" + OVER).rules == []


# --- 1846-1848: a second one on a linked table


def test_second_mini_royal_at_another_table() -> None:
    elsewhere = "progressive jackpot seat=null hand=mini-royal-spades\n"
    both = ["mini-royal-spades-jackpot", "second-mini-royal-spades"]
    assert poker(LIT + CALL + deal(MINI_ROYAL) + HIT + elsewhere + OVER).rules == both
    assert poker(CALL + HIT + OVER + elsewhere, "panel", "progressive").rules == both
    assert poker(CALL + HIT + OVER + CALL + HIT + OVER, "panel", "progressive").rules == [both[0]] * 2


# --- 1843-1844: the button of the winning hand


def test_keyed_hand_not_seen() -> None:
    played = poker(CALL + deal("5S 5D 9C") + keyed("straight") + OVER)
    assert played.rules == ["keyed-hand-not-seen"]
    assert played.irregularities[0].observed == {"keyed": "straight", "hands": {"seat-1": None}}
    assert poker(CALL + deal("5S 5D 9C") + "panel key_pressed key=hand:straight\n" + OVER).rules == played.rules
    assert poker(CALL + deal("5S 5D 9C") + OVER + keyed("straight")).rules == played.rules


@pytest.mark.parametrize(
    "log",
    [
        deal("5S 6C 7C") + keyed("straight") + OVER,
        deal("5S 6C 7C") + OVER + keyed("straight"),
        deal("5S 5D 9C") + keyed("straight") + keyed("straight", on=False) + OVER,
        deal("5S 5D 9C") + "panel key_pressed key=hand:straight\n" * 2 + OVER,
        deal("AH KH QH") + keyed("mini-royal") + OVER,
        deal("5S 5D null") + keyed("straight") + OVER,
        deal("5S 5D 9C") + keyed("grand-slam") + OVER,
    ],
)
def test_hands_keyed_as_they_should_be(log: str) -> None:
    assert poker(CALL + log).rules == []


# --- the lock-out


@pytest.fixture
def blazing(tmp_path: Path) -> str:
    """Three-card poker in a house whose meter is locked out until the jackpot is verified, as Section Two, 407-419."""
    for name in ("book.toml", "general.toml", "three-card-poker.toml"):
        (tmp_path / name).write_text((BOOKS / "toledo-2020" / name).read_text())
    game = tmp_path / "three-card-poker.toml"
    rules = {
        "wager-while-locked-out": '["progressive.meter_locked"]',
        "jackpot-without-lockout": '["progressive.jackpot | progressive.coin_in", "progressive.meter_locked"]',
        "unlocked-without-key-card": '["progressive.meter_unlocked", "key_reader.credential_presented"]',
    }
    for rule, needs in rules.items():
        game.write_text(
            game.read_text()
            + f"""
            [[irregularity]]
            id = "{rule}"
            says = "{rule}"
            needs = {needs}
            category = "jackpot"
            severity = "warning"
            disposition = "lock-out"
            instruction = "The meter stays locked out and nobody wagers until the jackpot is verified."
            section = "Two"
            lines = "408"
            """
        )
    return f"{tmp_path}/three-card-poker"


JACKPOT = "mini-royal-spades-jackpot"
WON = LIT + CALL + deal(MINI_ROYAL) + HIT + LOCK + OVER


def test_a_jackpot_verified_as_it_should_be(blazing: str) -> None:
    log = WON + card("1:1") + UNLOCK + LIT + CALL + deal("5S 5D 9C") + OVER
    assert poker(log, game=blazing).rules == [JACKPOT]


def test_a_jackpot_verified_before_the_round_is_over(blazing: str) -> None:
    """As where no panel ends it: the cards, judged at its end, tell of the same jackpot and not of an open meter."""
    verified = LOCK + card("1:1") + UNLOCK + OVER
    won = LIT + CALL + deal(MINI_ROYAL)
    assert poker(won + HIT + verified, game=blazing).rules == [JACKPOT]
    assert poker(won + verified, game=blazing).rules == [JACKPOT]
    assert poker(won + HIT + verified + won + OVER, game=blazing).rules == [JACKPOT] * 2 + ["jackpot-without-lockout"]
    elsewhere = "progressive jackpot seat=null hand=mini-royal-spades\n"
    assert poker(won + HIT + LOCK + card("1:1") + UNLOCK + elsewhere + LOCK + OVER, game=blazing).rules == [JACKPOT] * 2
    before = WON + CALL + card("1:1") + UNLOCK + deal(MINI_ROYAL) + OVER
    told = [JACKPOT, "wager-while-locked-out", JACKPOT, "jackpot-without-lockout"]
    assert poker(before, game=blazing).rules == told


def test_the_second_of_two_jackpots_stays_the_second_when_the_meter_is_open_again() -> None:
    """Blackjack, 421: the first is registered and verified; the cards tell of the other at the round's end."""
    table = facts("shoe", "panel", "progressive", "key_reader", people=PEOPLE)
    lit = "".join(f"progressive coin_in seat=seat-{seat}\n" for seat in (1, 2))
    places = ("seat-1", "seat-2", "dealer")
    cards = "".join(
        f"shoe card_drawn card={card} to={to}\n"
        for dealt in ("7D 7D 7D", "7D 7D KC")
        for card, to in zip(dealt.split(), places, strict=True)
    )
    hit = "progressive jackpot seat=seat-1 hand=3-suited-7s\n"
    log = "shoe shoe_started decks=6\n" + lit + CALL + cards + hit + LOCK + card("1:1") + UNLOCK + OVER
    played = play("toledo-2020/blackjack", table, log)
    jackpots = [
        (each.rule.rpartition("/")[2], each.observed.get("position"), each.required) for each in played.irregularities
    ]
    assert jackpots == [
        ("multiple-jackpots-same-round", None, {"pay_in_order": ["seat-2", "seat-1"]}),
        ("progressive-jackpot-hand", "seat-1", {"hand": "verified"}),
        ("second-jackpot-hand", "seat-2", {"original_jackpot": "seat-1"}),
    ]


@pytest.mark.parametrize("wager", [LIT, "seats seat_taken seat=seat-2\n", CALL, deal("5S 5D 9C", "5H 6H 8C")])
def test_wager_while_locked_out(wager: str, blazing: str) -> None:
    played = poker(WON + wager, game=blazing)
    assert played.rules == [JACKPOT, "wager-while-locked-out"]
    assert poker(WON + card("1:1") + UNLOCK + wager, game=blazing).rules == [JACKPOT]


def test_the_wagers_of_one_round_are_one_breach(blazing: str) -> None:
    again = LIT + CALL + deal("5S 5D 9C") + OVER
    assert poker(WON + again, game=blazing).rules == [JACKPOT, "wager-while-locked-out"]
    assert poker(WON + again * 2, game=blazing).rules == [JACKPOT] + ["wager-while-locked-out"] * 2


def test_chips_moved_in_the_winning_round_are_no_new_wager(blazing: str) -> None:
    log = LIT + CALL + deal(MINI_ROYAL) + HIT + LOCK + "seats seat_taken seat=seat-1\n" + OVER
    assert poker(log, game=blazing).rules == [JACKPOT]


@pytest.mark.parametrize(
    ("cards", "shown", "evidence"),
    [
        ([], "none", ()),
        (["1:2"], "dealer", (13,)),
        (["9:9"], "unknown", (13,)),
        (["1:2", "9:9", "1:2"], "dealer and unknown", (14, 15)),
    ],
)
def test_unlocked_without_key_card(cards: list[str], shown: str, evidence: tuple[int, ...], blazing: str) -> None:
    played = poker(WON + "".join(map(card, cards)) + UNLOCK, game=blazing)
    assert played.rules == [JACKPOT, "unlocked-without-key-card"]
    breach = played.irregularities[-1]
    assert (breach.observed, breach.required) == ({"key_card": shown}, {"key_card": "supervisor or above"})
    lock = 11
    assert breach.evidence == (lock, *evidence, 13 + len(cards))


def test_a_key_card_that_was_not_read_may_have_been_a_supervisors(blazing: str) -> None:
    assert poker(WON + card("null") + UNLOCK, game=blazing).rules == [JACKPOT]


@pytest.mark.parametrize("credential", ["1:1", "1:3"])
def test_unlocked_by_a_supervisor_or_above(credential: str, blazing: str) -> None:
    assert poker(WON + card(credential) + UNLOCK, game=blazing).rules == [JACKPOT]


def test_a_card_shown_for_the_lock_out_before_unlocks_nothing_now(blazing: str) -> None:
    log = WON + card("1:1") + UNLOCK + CALL + deal("5S 5D 9C") + LOCK + UNLOCK + OVER
    assert poker(log, game=blazing).rules == [JACKPOT, "unlocked-without-key-card"]


def test_a_key_reader_that_was_away_may_have_been_shown_a_card(blazing: str) -> None:
    gap = "key_reader device_offline reason=silent\nkey_reader device_online\n"
    assert poker(WON + gap + UNLOCK, game=blazing).rules == [JACKPOT]


def test_an_open_meter_found_at_the_start_was_not_unlocked(blazing: str) -> None:
    assert poker(UNLOCK + CALL + deal("5S 5D 9C") + OVER, game=blazing).rules == []


def test_jackpot_without_lockout(blazing: str) -> None:
    hit = LIT + CALL + deal(MINI_ROYAL) + HIT
    assert poker(hit + OVER, game=blazing).rules == [JACKPOT, "jackpot-without-lockout"]
    assert poker(hit + LOCK + OVER, game=blazing).rules == [JACKPOT]
    assert poker(LIT + CALL + deal("5S 5D 9C") + OVER, game=blazing).rules == []


def test_a_jackpot_registered_after_the_round_is_owed_its_lock_before_the_next(blazing: str) -> None:
    after = CALL + OVER + HIT
    assert poker(
        after + LOCK + card("1:1") + UNLOCK + CALL, "panel", "progressive", "key_reader", game=blazing
    ).rules == [JACKPOT]
    assert poker(after + CALL, "panel", "progressive", "key_reader", game=blazing).rules == [
        JACKPOT,
        "jackpot-without-lockout",
    ]


def test_without_the_devices_nothing_is_judged(blazing: str) -> None:
    assert poker(CALL + deal(MINI_ROYAL) + OVER, "card_position", "panel", game=blazing).rules == []


def test_a_second_hand_off_the_meter_need_not_be_the_same_hand() -> None:
    """Blackjack, 421: three suited sevens and three of one color are both paid from the meter."""
    table = facts("shoe", "panel", "progressive")
    hits = "progressive jackpot seat=seat-1 hand=3-suited-7s\nprogressive jackpot seat=seat-2 hand=3-same-color-7s\n"
    played = play("toledo-2020/blackjack", table, "shoe shoe_started decks=6\n" + CALL + hits + LOCK + OVER)
    assert played.rules == ["progressive-jackpot-hand", "second-jackpot-hand"]


NEXUS = "toledo-2020/ultimate-texas-holdem"


@pytest.mark.parametrize("hit", ["seat=seat-1 hand=royal-flush", "seat=seat-1", ""])
def test_what_the_meter_registers_needs_no_cards(hit: str) -> None:
    """2230: it stays locked out, and the shift manager is told, whoever saw the hand."""
    log = CALL + f"progressive jackpot {hit}\n"
    told = ["progressive-jackpot-hand", "jackpot-without-lockout"]
    assert poker(log + LOCK + OVER, "panel", "progressive", game=NEXUS).rules == told[:1]
    assert poker(log + OVER + CALL, "panel", "progressive", game=NEXUS).rules == told


@pytest.mark.parametrize("hit", ["seat=seat-1 hand=royal-flush", "seat=seat-1", ""])
def test_the_cards_of_a_hand_that_the_meter_registered_are_no_second_one(hit: str) -> None:
    board, hand, dealer = laid("community", "QS JS TS 4D 4C"), laid("seat-1", "AS KS"), laid("dealer", "2C 7D")
    log = LIT + CALL + board + hand + dealer + f"progressive jackpot {hit}\n" + LOCK + OVER
    assert poker(log, game=NEXUS).rules == ["progressive-jackpot-hand"]
