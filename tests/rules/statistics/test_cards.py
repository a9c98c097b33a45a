"""Cards: golden values, and the mean over all orders of toy decks."""

import itertools
import math

import pytest

from pitwatch.rules.statistics.composition import CHANGES, Composition
from pitwatch.rules.statistics.restarting import Restarting
from pitwatch.rules.statistics.shuffle_order import ShuffleOrder
from pitwatch.rules.statistics.whole_deck import (
    cyclic_descents,
    ln_e_riffles,
    ln_e_shelves,
    rising_sequences,
    valleys,
)
from tests.rules.statistics import golden
from tests.rules.statistics.golden import shuffled, stream


def test_a_composition_with_four_cards_missing():
    cards = [rank for rank in range(13) for _ in range(32)]
    for _ in range(4):
        cards.remove(4)
    monitor = Composition([32] * 13)
    for seed, (ln_e, r) in zip((11, 12, 13), golden.COMPOSITION, strict=True):
        for rank in shuffled(cards, seed)[:361]:
            monitor.draw(rank)
        assert monitor.end_shoe() == pytest.approx(r, rel=1e-9)
        assert monitor.ln_e() == pytest.approx(ln_e, abs=1e-9)


def test_missing_fives_are_told_after_some_shoes():
    cards = [rank for rank in range(13) for _ in range(32)]
    for _ in range(8):
        cards.remove(4)
    monitor = Composition([32] * 13)
    for seed in range(101, 113):
        for rank in shuffled(cards, seed)[:361]:
            monitor.draw(rank)
        monitor.end_shoe()
    assert monitor.told()[0] == 4
    assert monitor.told()[1] < 0
    assert monitor.r > 1e6


def test_a_composition_never_gains_on_average():
    whole = [3, 2, 4]
    chances: dict = {(): 1.0}
    for _ in range(6):  # every way to draw six of nine
        nexts: dict = {}
        for drawn, chance in chances.items():
            left = [have - drawn.count(kind) for kind, have in enumerate(whole)]
            for kind, each in enumerate(left):
                if each:
                    nexts[*drawn, kind] = nexts.get((*drawn, kind), 0) + chance * each / sum(left)
        chances = nexts
    mean = []
    for drawn, chance in chances.items():
        monitor = Composition(whole)
        for kind in drawn:
            monitor.draw(kind)
        r = monitor.end_shoe()
        assert r == pytest.approx(math.exp(monitor.ln_e()))
        mean.append(chance * r)
    assert 0.5 < math.fsum(mean) <= 1 + 1e-12


def test_all_cards_seen_kill_the_bets_on_missing_ones():
    monitor = Composition([32] * 13)
    for rank in range(13):
        for _ in range(32):
            monitor.draw(rank)
    monitor.end_shoe()
    assert [math.isinf(log) for log in monitor.ln_es] == [change < 0 for _ in range(13) for change in CHANGES]


def test_a_shoe_with_a_card_too_many_says_nothing_of_what_is_missing():
    monitor = Composition([1, 1])
    for kind in (0, 0):
        monitor.draw(kind)
    assert (monitor.end_shoe(), monitor.shoes, monitor.drawn) == (0, 0, [0, 0])


def order(before, cards, whole=(8,) * 52):
    monitor = ShuffleOrder(whole, before)
    return [monitor.see(card) for card in cards], monitor.by_bet()


def eight_decks():
    return [kind for kind in range(52) for _ in range(8)]


def before_and_fresh():
    return shuffled(eight_decks(), 21), shuffled(eight_decks(), 22)


def seen(cards):
    return cards[:361] + [None] * 55


def test_the_order_of_a_clean_shoe():
    before, fresh = before_and_fresh()
    logs, bets = order(seen(before), fresh[:361])
    assert [logs[n - 1] for n in golden.ORDER_AT] == pytest.approx(golden.ORDER_CLEAN, abs=1e-9)
    assert bets == pytest.approx(golden.ORDER_CLEAN_BETS, abs=1e-9)


def test_a_slug_of_fifteen():
    before, fresh = before_and_fresh()
    slug = before[50:65]
    for card in slug:
        fresh.remove(card)
    logs, bets = order(seen(before), (fresh[:100] + slug + fresh[100:])[:361])
    assert [logs[n - 1] for n in golden.ORDER_AT] == pytest.approx(golden.ORDER_SLUG, abs=1e-9)
    assert bets == pytest.approx(golden.ORDER_SLUG_BETS, abs=1e-9)


def test_cards_that_were_not_seen_before():
    whole, before, cards, expected = golden.ORDER_EDGE
    assert order(before, cards, whole)[0] == pytest.approx(expected, abs=1e-9)


def test_an_order_never_gains_on_average():
    whole, cards = [2, 2, 2], [0, 0, 1, 1, 2, 2]
    for before in ([0, 1, 2, 0, 1, 2], [0, 0, 1, None, 2, None]):
        es = [math.exp(order(before, each, whole)[0][-1]) for each in itertools.permutations(cards)]
        assert 0.9 < math.fsum(es) / len(es) <= 1 + 1e-12


def test_a_card_too_many_says_nothing_of_order():
    monitor = ShuffleOrder([1, 1], [0, 1])
    assert monitor.see(0) is not None
    assert monitor.see(0) is None
    with pytest.raises(ValueError, match="earlier shoe"):
        ShuffleOrder([1], [])


@pytest.mark.parametrize(("rising", "descents", "lows", "riffles", "shelves"), golden.WHOLE_DECKS)
def test_whole_decks(rising, descents, lows, riffles, shelves):
    assert ln_e_riffles(52, rising, descents) == pytest.approx(riffles, abs=1e-9)
    assert ln_e_shelves(52, lows) == pytest.approx(shelves, abs=1e-9)


@pytest.mark.parametrize("cards", [4, 5, 6])
def test_over_all_orders_the_mean_of_a_whole_deck_is_1(cards):
    decks = list(itertools.permutations(range(cards)))
    riffles = [math.exp(ln_e_riffles(cards, rising_sequences(deck), cyclic_descents(deck))) for deck in decks]
    shelves = [math.exp(ln_e_shelves(cards, valleys(deck))) for deck in decks]
    assert math.fsum(riffles) / len(decks) == pytest.approx(1, abs=1e-12)
    assert math.fsum(shelves) / len(decks) == pytest.approx(1, abs=1e-12)


def test_what_is_counted_of_a_deck():
    perfect_riffle = (0, 4, 1, 5, 2, 6, 3, 7)
    assert rising_sequences(perfect_riffle) == 2
    assert rising_sequences(range(8)) == 1
    assert cyclic_descents((*range(3, 8), 0, 1, 2)) == 1
    assert valleys((0, 2, 3, 1)) == 0
    assert valleys((1, 0, 2, 3)) == 1


def shelved(cards, shelves, seed):
    """One pass through a machine that takes cards from the bottom and lays each on or under what a shelf holds."""
    values, stacks = stream(seed), [[] for _ in range(shelves)]
    for card in reversed(range(cards)):
        drawn = next(values) % (2 * shelves)
        stacks[drawn // 2].insert(0 if drawn % 2 else len(stacks[drawn // 2]), card)
    return [card for stack in stacks for card in stack]


def test_a_machine_of_ten_shelves_is_detected_and_a_shuffle_is_not():
    logs = sorted(ln_e_shelves(52, valleys(shelved(52, 10, seed))) for seed in range(1, 40))
    assert logs[len(logs) // 2] > 8
    assert logs[0] > 0
    assert max(ln_e_shelves(52, valleys(shuffled(range(52), seed))) for seed in range(1, 40)) < 3


def test_r_of_shoe_after_shoe():
    monitor = Restarting()
    assert [monitor.take(log) for log in golden.RESTARTING[0]] == pytest.approx(golden.RESTARTING[1], rel=1e-9)
