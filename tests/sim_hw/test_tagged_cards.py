"""Hold'em with tagged cards: a PN532 under every seat, printed cards read at the board and the burn. The lists that the
board would be handed give the same verdicts as a felt that reads print."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pitwatch.devices.protocols import pn532
from pitwatch.rules.watchers.deck import whole_set
from pitwatch.sim_hw import SimDeviceSpec
from tests.sim_hw.tablerun import BenchTable

ROUNDS = 60


def tagged(game: str = "columbus-2016/texas-holdem") -> BenchTable:
    table = BenchTable("poker-room", game)
    felt = next(device for device in table.devices if device.type == "card_position")
    channels = dict(felt.settings["channels"])
    seats = [place for place in channels.values() if place.startswith("seat-")]
    printed = {channel: place for channel, place in channels.items() if place not in seats}
    ranks, suits = "A23456789TJQK", "CDHS"
    deck = {
        f"04A1{number:010X}": rank + suit for number, (rank, suit) in enumerate((r, s) for s in suits for r in ranks)
    }
    readers = [
        SimDeviceSpec(f"tags-{place}", "card_position", "pn532", {"place": place, "deck": deck}) for place in seats
    ]
    others = [device for device in table.devices if device.type != "card_position"]
    table.devices = [*others, replace(felt, settings={**felt.settings, "channels": printed}), *readers]
    return table


def test_clean_hands_are_silent_and_their_cards_are_read() -> None:
    table = tagged()
    assert whole_set(table.game, table.game.settle_options(table.options)) == 52
    heard = table.run(ROUNDS, seed=1)
    assert heard.rules == Counter()
    assert len(heard.rounds) == ROUNDS
    assert not [each for each in heard.rounds if each.partial or each.void]
    assert not [each for each in heard.observations if each.event in ("device_fault", "bytes_discarded")]
    laid = [each for each in heard.observations if each.event == "card_placed" and "tag" in each.data]
    assert len(laid) > 4 * ROUNDS
    assert not [each for each in laid if each.data["card"] is None or each.data.get("foreign")]
    for each in heard.rounds:
        assert all(len(cards) == 2 for place, cards in each.cards.items() if place.startswith("seat-"))


def test_what_a_felt_that_reads_print_shows_is_shown_by_tags_too() -> None:
    printed, table = set(BenchTable("poker-room").provokable()), tagged()
    assert set(table.provokable()) == printed
    for rule in sorted(printed):
        plan = table.plan(4, 3, [rule])
        assert table.run(4, 3, plan).rules == Counter(plan[0].expects), rule


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_wire(seed: int) -> None:
    assert list(tagged().events(5, seed)) == list(tagged().events(5, seed))


def test_a_reader_is_handed_whole_lists_of_two_tags_at_most() -> None:
    for event in tagged().events(10, 4):
        if event.device.startswith("tags-"):
            (answer,) = pn532.Framer().feed(event.rx)
            assert len(pn532.tags(answer.data)) <= pn532.MOST_TAGS
