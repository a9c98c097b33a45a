"""Wheels, dice and shoes as they speak on the wire, with the results that a test chooses, in virtual time."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pitwatch.daemon.captures.capture import Line
from pitwatch.daemon.captures.replaying import Replay, Tape
from pitwatch.daemon.config import config
from pitwatch.devices.protocols import slingshot2
from pitwatch.devices.wheel_pockets import DOUBLE_ZERO
from pitwatch.rules.play.cards import DECK

WHEEL = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[[device]]
id = "wheel"
type = "wheel"
protocol = "slingshot2"
link = "sim:"
"""

DICE = """
[table]
site = "toledo"
id = "CR-01"
game = "toledo-2020/craps"
[[device]]
id = "camera"
type = "dice"
protocol = "ndjson"
link = "sim:"
"""

HEARD = frozenset({"round", "irregularity", "statistic", "statistic_state"})
PLACES = 38


class Heard:
    """What a table said to a capture: the findings, and the round in which each came."""

    def __init__(self, folder: Path, table: str, capture: Iterable[Line]):
        path = folder / "table.toml"
        path.write_text(table)
        self.rounds = 0
        self.found: list[tuple[int, str, str]] = []
        """(rounds before, rule, finding)."""
        self.statistics: dict[str, Any] = {}
        self._all = Replay(config.load(path), Tape(HEARD, self._take))
        self._all.run(((0, line) for line in capture), "wire")

    def _take(self, kind: str, sequence: int, data: Any) -> None:
        if kind == "round":
            self.rounds += 1
        elif kind == "irregularity":
            self.found.append((self.rounds, data.rule.rpartition("/")[2], data.observed.get("finding", "")))
        elif kind == "statistic":
            self.statistics[f"{data.monitor}-{data.key}".rstrip("-")] = data

    def first(self, rule: str) -> int:
        """Rounds until it was suspected; more than any if it was not."""
        return next((rounds for rounds, name, _ in self.found if name == rule), 10**9)


def spins(places: Iterable[int]) -> Iterator[Line]:
    """A Slingshot wheel whose ball comes to rest at these places; the rotor changes its direction with each spin."""
    t, last = 0.0, "0"
    for number, place in enumerate(places):
        pocket, counter, direction = DOUBLE_ZERO[place], number % 256 + 1, number % 2
        for state, won, wait in ((2, last, 9.0), (3, last, 4.0), (4, last, 26.5), (5, pocket, 5.5)):
            if state == 5:
                yield Line(t=t, device="wheel", rx=slingshot2.result_line(pocket).decode())
            yield Line(t=t, device="wheel", rx=slingshot2.status_line(state, counter, won, 0, 160, direction).decode())
            t += wait
        last = pocket


def rolls(faces: Iterable[Sequence[int]]) -> Iterator[Line]:
    """Dice under a camera that tells the throw and the faces."""
    t = 0.0
    for pair in faces:
        for event, data, wait in (
            ("throw_started", {"dice": 2}, 1.0),
            ("end_wall_struck", {"dice": 2}, 1.0),
            ("dice_settled", {"faces": list(pair), "at": ["layout", "layout"]}, 20.0),
        ):
            yield Line(t=t, device="camera", rx=json.dumps({"event": event, "data": data}) + "\n")
            t += wait


def even() -> list[float]:
    return [1.0] * PLACES


def tilted() -> list[float]:
    """10 % more on one side of the rotor, 10 % less on the other."""
    return [1 + 0.1 * math.cos(2 * math.pi * place / PLACES) for place in range(PLACES)]


def worn_fret() -> list[float]:
    """A pocket that holds the ball 30 % too rarely, its neighbour 30 % too often."""
    return [{12: 0.7, 13: 1.3}.get(place, 1.0) for place in range(PLACES)]


def raised(many: int, by: float) -> list[float]:
    return [1 + by if place < many else 1.0 for place in range(PLACES)]


def places(seed: int, many: int, weights: Sequence[float]) -> list[int]:
    return random.Random(seed).choices(range(PLACES), weights, k=many)


def signature(seed: int, many: int) -> Iterator[int]:
    """The ball comes to rest 30 % too often in 8 of 38 distances from its last place, against the rotor."""
    place = 0
    for number, step in enumerate(places(seed, many, raised(8, 0.3))):
        place = (place + (step if number % 2 == 0 else -step)) % PLACES
        yield place


def dice(seed: int, many: int, one: Sequence[float], other: Sequence[float]) -> Iterator[tuple[int, int]]:
    rng = random.Random(seed)
    for _ in range(many):
        yield rng.choices(range(1, 7), one)[0], rng.choices(range(1, 7), other)[0]


def loaded(chance: float) -> list[float]:
    """A six with that chance."""
    return [(1 - chance) / 5] * 5 + [chance]


ALWAYS_SIX = [0.0] * 5 + [1.0]
EVEN_DIE = [1.0] * 6

# -- shoes

SHOE = """
[table]
site = "toledo"
id = "BA-01"
game = "toledo-2020/mini-midi-baccarat"
options = { decks = 8 }
[[device]]
id = "shoe"
type = "shoe"
protocol = "ndjson"
link = "sim:"
[statistics]
shuffle = "perfect"
"""

DEALT = 361
"""Of 416 cards, up to the cut card."""

EIGHT_DECKS = [card for card in DECK for _ in range(8)]


def shoes(orders: Iterable[Sequence[str]]) -> Iterator[Line]:
    """A shoe that tells each card as it leaves, and when it was filled."""
    t = 0.0
    for order in orders:
        told: list[tuple[str, dict[str, Any]]] = [("shoe_started", {"decks": 8})]
        told += [("card_drawn", {"card": card, "to": None}) for card in order]
        for event, data in told:
            yield Line(t=t, device="shoe", rx=json.dumps({"event": event, "data": data}) + "\n")
            t += 5.0


def shuffled(rng: random.Random, cards: Sequence[str]) -> list[str]:
    return rng.sample(cards, len(cards))


def fair_shoes(seed: int, many: int, cards: Sequence[str] = EIGHT_DECKS) -> Iterator[list[str]]:
    rng = random.Random(seed)
    for _ in range(many):
        yield shuffled(rng, cards)[:DEALT]


def short(cards: Sequence[str], missing: Sequence[str]) -> list[str]:
    left = list(cards)
    for card in missing:
        left.remove(card)
    return left


def slugs(seed: int, many: int, length: int = 15) -> Iterator[list[str]]:
    """Each shoe keeps a run of cards of the one before together, at another place; the rest is well shuffled."""
    rng = random.Random(seed)
    before = shuffled(rng, EIGHT_DECKS)
    yield before[:DEALT]
    for _ in range(many - 1):
        at = rng.randrange(DEALT - length)
        slug = before[at : at + length]
        rest = shuffled(rng, short(before, slug))
        to = rng.randrange(DEALT - length)
        before = rest[:to] + slug + rest[to:]
        yield before[:DEALT]


def riffled(seed: int, many: int, times: int) -> Iterator[list[str]]:
    """Each shoe is the one before, riffled so many times."""
    rng = random.Random(seed)
    cards = shuffled(rng, EIGHT_DECKS)
    for _ in range(many):
        yield cards[:DEALT]
        for _ in range(times):
            cut = sum(rng.random() < 0.5 for _ in cards)
            left, right, cards = cards[:cut], cards[cut:], []
            while left or right:
                pile = left if rng.random() * (len(left) + len(right)) < len(left) else right
                cards.append(pile.pop(0))
