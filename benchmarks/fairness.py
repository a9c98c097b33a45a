"""What the monitors of wheels, dice and shoes cost: processor time of the rules a round with them, beside that without.

`round_delay` is the part that the record of a round waits for; the rest is done after it is out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from time import process_time

from benchmarks.figure import Figure, median
from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.devices.wheel_pockets import DOUBLE_ZERO
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.play.cards import DECK
from pitwatch.rules.table import DeviceFacts, StatisticsFacts, TableFacts

SECOND = 1_000_000_000
TARGET = 600.0
"""Rounds an hour: these rounds are some seconds apart."""

BASELINE = "the same rounds without monitors"

Seen = tuple[str, str, dict[str, object]]
Play = Callable[[random.Random, int], Iterator[list[Seen]]]


def _spins(rng: random.Random, rounds: int) -> Iterator[list[Seen]]:
    for number in range(rounds):
        rotor, ball = ("cw", "ccw") if number % 2 else ("ccw", "cw")
        yield [
            ("wheel", "rotor", {"rpm": 16.0, "direction": rotor}),
            ("wheel", "ball_launched", {"direction": ball}),
            ("wheel", "ball_settled", {"pocket": rng.choice(DOUBLE_ZERO)}),
        ]


def _rolls(rng: random.Random, rounds: int) -> Iterator[list[Seen]]:
    for _ in range(rounds):
        yield [
            ("dice", "throw_started", {"dice": 2}),
            ("dice", "end_wall_struck", {"dice": 2}),
            ("dice", "dice_settled", {"faces": [rng.randint(1, 6), rng.randint(1, 6)], "at": ["layout", "layout"]}),
        ]


def _coups(rng: random.Random, rounds: int) -> Iterator[list[Seen]]:
    """Five cards a round, 72 rounds a shoe."""
    cards: list[str] = []
    for _ in range(rounds):
        seen: list[Seen] = []
        if len(cards) < 60:
            cards = rng.sample([card for card in DECK for _ in range(8)], 416)
            seen.append(("shoe", "shoe_started", {"decks": 8}))
        seen += [("shoe", "card_drawn", {"card": cards.pop(), "to": None}) for _ in range(5)]
        yield seen


TABLES: dict[str, tuple[str, Play]] = {
    "wheel": ("toledo-2020/roulette", _spins),
    "dice": ("toledo-2020/craps", _rolls),
    "shoe": ("toledo-2020/mini-midi-baccarat", _coups),
}


def _played(table: str, rounds: int, watch: bool) -> tuple[float, float]:
    """Milliseconds of processor a round: of all, and of what comes before the last record of the round is out."""
    path, play = TABLES[table]
    device = DeviceFacts(table, table, frozenset(EVENTS[table]))
    engine = Engine(
        load_game(path), TableFacts(devices=(device,), statistics=StatisticsFacts(watch=watch, target=TARGET))
    )
    whole = until_record = 0.0
    seq = t = 0
    for round_ in list(play(random.Random(1), rounds)):
        for device_id, event, data in round_:
            seq += 1
            t += SECOND
            observation = Observation(t, device_id, event, data)
            began = process_time()
            engine.feed(seq, observation)
            fed = process_time()
            engine.tick(t)
            whole += process_time() - began
            until_record += fed - began
    return whole / rounds * 1e3, until_record / rounds * 1e3


def figures(runs: int, rounds: int) -> list[Figure]:
    """Medians of so many runs, with and without monitors in turn."""
    found = []
    for table in TABLES:
        measured: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for _ in range(runs):
            for watch in (True, False):
                measured[watch].append(_played(table, rounds, watch))
        columns = {watch: [median(each) for each in zip(*values, strict=True)] for watch, values in measured.items()}
        names = (f"fairness_{table}_round", f"fairness_{table}_round_delay")
        found += [Figure(name, columns[True][at], "ms", BASELINE, columns[False][at]) for at, name in enumerate(names)]
    return found
