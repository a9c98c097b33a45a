"""Devices of a blackjack table that are away for a while and miss something: clean play stays silent all the same."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from pitwatch.devices.observation import Observation
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Irregularity
from pitwatch.sim_hw.table import facts
from tests.sim_hw.tablerun import BenchTable

ROUNDS, SEEDS = 50, 6
AT_A_TIME = 0.01
"""How often, of all observations, one is the last before a device is away."""
LONGEST = 12
"""Observations of others while it is away."""
AWAY = ("felt", "shoe", "panel", "seats", "peek")

PLAYED = [
    ("blackjack", "toledo-2020/blackjack"),
    ("blackjack", "columbus-2016/blackjack-switch"),
    ("blackjack", "california/2-way-winner"),
    ("blackjack-shoe", "toledo-2020/double-deck-blackjack"),
    ("blackjack-shoe", "toledo-2020/zappit-blackjack"),
    ("blackjack-player-dealer", "california/shaq-jack-21st-century-blackjack"),
]


def with_outages(observations: Sequence[Observation], devices: Sequence[str], seed: int) -> Iterator[Observation]:
    rng = random.Random(seed)
    away, left = "", 0
    for observation in observations:
        if not away and rng.random() < AT_A_TIME:
            away, left = rng.choice(devices), rng.randrange(1, LONGEST)
            yield Observation(observation.t, away, "device_offline", {"reason": "unplugged"})
        if observation.device == away:
            continue
        yield observation
        left -= 1
        if away and left <= 0:
            yield Observation(observation.t, away, "device_online", {})
            away = ""


@pytest.mark.parametrize(("name", "game"), PLAYED)
def test_clean_play_stays_silent_with_devices_away(name: str, game: str) -> None:
    table = BenchTable(name, game)
    devices = [each.id for each in table.devices if each.id in AWAY]
    heard = table.run(ROUNDS, seed=4)
    for seed in range(SEEDS):
        engine = Engine(table.game, facts(table.devices, table.options, table.people, table.seats))
        found: Counter[str] = Counter()
        for seq, observation in enumerate(with_outages(heard.observations, devices, seed), start=1):
            found.update(each.rule for each in engine.feed(seq, observation) if isinstance(each, Irregularity))
        assert found == Counter(), f"seed {seed}"
