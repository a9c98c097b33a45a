"""Shoes at the wire: cards that are missing, cards that keep their order, and that nothing of an open shoe leaves."""

from __future__ import annotations

import itertools
import json
import random

import msgspec

from pitwatch.daemon.contract.messages import withhold_state
from tests.fairness.wires import (
    DEALT,
    EIGHT_DECKS,
    SHOE,
    Heard,
    fair_shoes,
    riffled,
    shoes,
    short,
    shuffled,
    slugs,
)

FIVES = [f"5{suit}" for suit in "CDHS"]
COMPOSITION, ORDER = "composition-suspected", "shuffle-order-suspected"


def heard(folder, orders, table=SHOE):
    return Heard(folder, table, shoes(orders))


def suspected(told):
    return [rule for _, rule, _ in told.found if rule in (COMPOSITION, ORDER)]


def test_four_fives_that_are_missing_are_found(tmp_path):
    told = heard(tmp_path, fair_shoes(1, 27, short(EIGHT_DECKS, FIVES)))
    assert suspected(told)[0] == COMPOSITION
    finding = next(finding for _, rule, finding in told.found if rule == COMPOSITION)
    assert finding.startswith("rank 5 came ")
    assert " missing" in finding
    assert ORDER not in suspected(told)


def test_a_kept_slug_is_found(tmp_path):
    assert set(suspected(heard(tmp_path, slugs(2, 6)))) == {ORDER}


def test_three_riffles_are_found_in_the_next_shoe(tmp_path):
    told = heard(tmp_path, itertools.chain(riffled(3, 2, 3), [[]]))
    assert suspected(told) == [ORDER]
    assert told.statistics["order"].n == 1


def test_two_sets_in_turn_are_told_apart(tmp_path):
    one, other = riffled(4, 3, 3), fair_shoes(5, 3)
    turns = [shoe for both in zip(one, other, strict=True) for shoe in both]
    assert ORDER in suspected(heard(tmp_path, turns))


def test_fair_shoes_stay_silent(tmp_path):
    told = heard(tmp_path, fair_shoes(6, 15))
    assert suspected(told) == []
    assert (told.statistics["composition"].n, told.statistics["order"].n) == (14, 13)


def test_an_ordinary_shuffle_by_hand_is_no_matter_unless_the_house_says_so(tmp_path):
    by_hand = SHOE.replace('shuffle = "perfect"', "")
    assert suspected(heard(tmp_path, riffled(7, 6, 3), by_hand)) == []


def test_a_shoe_that_began_unseen_or_was_away_does_not_count(tmp_path):
    orders = list(fair_shoes(8, 4))
    lines = list(shoes(orders))
    unseen = Heard(tmp_path, SHOE, lines[1:])
    assert unseen.statistics["composition"].n == 2
    away = lines[: DEALT + 50]
    gone = msgspec.structs.replace(away[-1], event="device_offline", rx=msgspec.UNSET, data={"reason": "unplugged"})
    back = msgspec.structs.replace(gone, event="device_online", data={})
    told = Heard(tmp_path, SHOE, [*away, gone, back, *lines[DEALT + 50 :]])
    assert (told.statistics["composition"].n, told.statistics["order"].n) == (2, 1)


class Published(Heard):
    """All that a table publishes of its monitors, as it leaves the board."""

    def __init__(self, *args):
        self.payloads = []
        super().__init__(*args)

    def _take(self, kind, sequence, data):
        super()._take(kind, sequence, data)
        body = msgspec.json.encode(data)
        if kind == "statistic_state":
            self.payloads.append(withhold_state(body))
        elif kind != "round":
            self.payloads.append(body)


def monitors_only(payloads):
    """Of the cards. The pace adds up what the rounds' own records say, while the shoe is open too."""
    told = [payload for payload in payloads if b'"monitor"' in payload or b"-suspected" in payload]
    return [payload for payload in told if b'"monitor":"pace"' not in payload]


def test_the_pace_says_nothing_of_cards(tmp_path):
    payloads = Published(tmp_path, SHOE, shoes(fair_shoes(12, 2))).payloads
    paces = [json.loads(each) for each in payloads if b'"monitor":"pace"' in each]
    assert paces
    for each in paces:
        assert not {"counts", "numbers", "recent"} & each.keys()
        assert each["told"] is None
        assert each["n"] == 0
        for stretch in ("hour", "turn", "opening"):
            assert all(isinstance(value, int | float | None) for value in each["pace"][stretch].values())


def test_nothing_of_an_open_shoe_is_published(tmp_path):
    """Whatever lies in the open shoe, and however far it is dealt, what was published of the monitors is the same."""
    before = list(riffled(9, 3, 3))
    rng, seen = random.Random(10), []
    for many in (0, 1, 200, 300, DEALT):
        for cards in (short(EIGHT_DECKS, FIVES * 4), EIGHT_DECKS, before[-1]):
            opened = (cards if cards is before[-1] else shuffled(rng, cards))[:many]
            seen.append(monitors_only(Published(tmp_path, SHOE, shoes([*before, opened])).payloads))
    assert seen[0]
    assert all(each == seen[0] for each in seen)
    for payload in seen[0]:
        told = json.loads(payload)
        assert not {"counts", "numbers", "recent"} & told.keys()
        assert told.get("told") is None


def test_cards_that_were_not_read_do_no_harm(tmp_path):
    orders = [[None if place % 7 == 3 else each for place, each in enumerate(shoe)] for shoe in fair_shoes(11, 4)]
    told = heard(tmp_path, orders)
    assert suspected(told) == []
    assert told.statistics["composition"].n == 3


def with_unread(seed, many, chance):
    rng = random.Random(seed)
    return [[None if rng.random() < chance else card for card in shoe] for shoe in fair_shoes(seed, many)]


def test_a_reader_that_fails_is_a_notice_to_the_technician_again_and_again(tmp_path):
    told = heard(tmp_path, with_unread(12, 14, 0.04))
    drifts = [finding for _, rule, finding in told.found if rule == "pace-drift"]
    assert len(drifts) >= 2
    assert drifts[0].startswith("the shoe's reader did not read ")
    assert suspected(told) == []
    assert told.statistics["unread"].epoch == len(drifts) + 1


def test_a_reader_that_misses_a_card_now_and_then_is_none(tmp_path):
    told = heard(tmp_path, with_unread(13, 14, 0.002))
    assert [rule for _, rule, _ in told.found if rule == "pace-drift"] == []
    assert told.statistics["unread"].n == 13
