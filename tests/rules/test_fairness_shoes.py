"""The monitors of a shoe: what survives a restart, what begins them anew, and the custom of shuffles by hand."""

from __future__ import annotations

import random

import msgspec
import pytest

from pitwatch.rules.fairness.which_order import BASELINE, WhichOrder
from pitwatch.rules.play.cards import DECK
from pitwatch.rules.records import NOTHING_KEPT, Kept, Statistic, StatisticState
from pitwatch.rules.table import StatisticsFacts
from tests.rules.fairness_tables import Table

CARDS = [card for card in DECK for _ in range(8)]
PERFECT = StatisticsFacts(by_hand=False)


class ShoeTable(Table):
    def __init__(self, after: Table | None = None, kept: Kept = NOTHING_KEPT, **more: object):
        table = {"statistics": PERFECT, "options": {"decks": 8}} | more
        super().__init__("toledo-2020/mini-midi-baccarat", "shoe", "panel", after=after, kept=kept, **table)

    def shoe(self, cards: list[str]) -> None:
        self.see("shoe", "shoe_started", decks=8)
        for card in cards:
            self.see("shoe", "card_drawn", card=card, to=None)


def fair(seed: int, many: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [rng.sample(CARDS, len(CARDS))[:361] for _ in range(many)]


@pytest.mark.parametrize("clean", [True, False])
def test_a_restart_between_shoes_goes_on_with_the_same_bits(clean: bool) -> None:
    whole, parts = ShoeTable(), ShoeTable()
    for number, cards in enumerate([*fair(1, 6), []]):
        whole.shoe(cards)
        parts.shoe(cards)
        if number in (2, 4):  # the next one has begun, which is what ends this one
            parts.see("shoe", "shoe_started", decks=8)
            if clean:
                parts.stop()
            parts = ShoeTable(parts)
    for monitor in ("composition", "order", "unread"):
        assert whole.newest(monitor) == parts.newest(monitor)
        one, other = (
            [each for each in table.of(StatisticState) if each.monitor == monitor] for table in (whole, parts)
        )
        assert one == other
    assert whole.newest("composition").n == 6


def test_a_shoe_in_which_the_table_was_started_anew_does_not_count() -> None:
    table = ShoeTable()
    table.shoe(fair(2, 1)[0])
    table = ShoeTable(table)
    for card in fair(3, 1)[0]:
        table.see("shoe", "card_drawn", card=card, to=None)
    table.see("shoe", "shoe_started", decks=8)
    assert [each for each in table.of(Statistic) if each.monitor != "pace"] == []


def test_new_cards_begin_both_anew() -> None:
    table = ShoeTable()
    for cards in [*fair(4, 3), []]:
        table.shoe(cards)
    assert (table.newest("composition").n, table.newest("order").n) == (3, 2)
    table.see("panel", "key_pressed", key="deck_changed")
    for monitor in ("composition", "order"):
        assert (table.newest(monitor).n, table.newest(monitor).epoch, table.newest(monitor).r) == (0, 2, 0)
    for cards in [*fair(5, 2), []]:
        table.shoe(cards)
    assert (table.newest("composition").n, table.newest("order").n) == (2, 1)


@pytest.mark.parametrize(
    "spoilt",
    [
        {"equipment": "6 decks of 52 cards"},
        {"numbers": "AAAA"},
        {"recent": "AAA"},
        {"counts": ()},
        {"level": 7},
    ],
)
def test_a_state_that_is_of_something_else_is_not_gone_on_with(spoilt: dict) -> None:
    table = ShoeTable()
    for cards in [*fair(6, 3), []]:
        table.shoe(cards)
    again = ShoeTable(kept=Kept(tuple(msgspec.structs.replace(each, **spoilt) for each in table.left().states)))
    for cards in [*fair(7, 2), []]:
        again.shoe(cards)
    assert (again.newest("composition").n, again.newest("order").n) == (2, 1)


def test_another_number_of_decks_in_the_shoe_does_not_count() -> None:
    table = ShoeTable()
    table.shoe(fair(8, 1)[0])
    table.see("shoe", "shoe_started", decks=6)
    first = len(table.of(Statistic))
    table.see("shoe", "card_drawn", card="5C", to=None)
    table.shoe([])
    assert len(table.of(Statistic)) == first


DEAL = 45


def played(order: WhichOrder, shoes: list[list[str]]) -> None:
    for number, cards in enumerate(shoes, start=1):
        order.start()
        for card in cards[:DEAL]:
            order.draw(card)
        order.end(number)


def by_hand(rng: random.Random, many: int, riffles: int) -> list[list[str]]:
    """One deck, each time riffled so often."""
    cards, shoes = rng.sample(DECK, 52), []
    for _ in range(many):
        shoes.append(list(cards))
        for _ in range(riffles):
            at = sum(rng.random() < 0.5 for _ in cards)
            left, right, cards = cards[:at], cards[at:], []
            while left or right:
                cards.append((left if rng.random() * (len(left) + len(right)) < len(left) else right).pop(0))
    return shoes


def monitor() -> WhichOrder:
    return WhichOrder(dict.fromkeys(DECK, 1), 1e6, by_hand=True)


def test_the_custom_of_the_hands_is_learnt_and_what_is_far_beyond_it_is_found() -> None:
    rng, order = random.Random(9), monitor()
    played(order, by_hand(rng, BASELINE + 1, 5))
    assert (order.report().n, order.level) == (0, 0)
    played(order, by_hand(rng, 300, 5))
    assert order.level == 0
    assert order.report().n == 300
    kept = order.kept("one deck")
    again = monitor()
    again.restore(kept)
    assert again.kept("one deck") == kept
    for each in (order, again):
        played(each, by_hand(random.Random(10), 60, 1))
    assert order.level >= 2
    assert again.report() == order.report()


def test_a_custom_that_always_keeps_the_order_leaves_nothing_to_tell() -> None:
    order = WhichOrder({card: 8 for card in DECK}, 1e6, by_hand=True)
    deck = CARDS[:]
    for number in range(BASELINE + 4):
        order.start()
        for card in deck[:220]:
            order.draw(card)
        order.end(number)
    assert (order.report().n, order.report().r, order.level) == (0, 0.0, 0)
