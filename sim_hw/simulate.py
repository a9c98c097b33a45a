"""The simulation of a table: a dealer, a plan of faults, and what comes out of it on the wires."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pitwatch.sim_hw.dealers
from pitwatch.devices.declared import declared
from pitwatch.rules.game import Game
from pitwatch.sim_hw.dealers.dealer import Dealer
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable, judged
from pitwatch.sim_hw.wire import WireEvent

GAP = 4
"""Rounds between two planned faults: the consequences of one are over before the next."""


class CannotSimulateError(Exception):
    """The table lacks what the game is played with; one line that says what it needs."""


@dataclass(frozen=True)
class Planned:
    """In round `round_index` (from 0) the dealer breaks `rule`. `expects`: every rule that this breaks."""

    round_index: int
    rule: str
    expects: tuple[str, ...]


def dealers(family: str) -> list[tuple[str, str, str]]:
    """Who plays a family: what the table must have, module, class. Each module of `dealers` says so itself on one line,
    `PLAYS = {"family": ["what the table must have", "Class"]}`. Whoever plays from lines alone comes last."""
    found = [
        (need, module, name)
        for module, plays in declared(pitwatch.sim_hw.dealers, "PLAYS").items()
        for each, (need, name) in plays.items()
        if each == family
    ]
    return sorted(found, key=lambda each: (each[0].endswith("/lines"), each))


def dealer_of(game: Game, table: SimTable) -> type[Dealer]:
    """Who plays the game at the table. Raises CannotSimulateError."""
    choices = dealers(game.family)
    for need, module, name in choices:
        if table.has(need):
            found: type[Dealer] = getattr(import_module(module), name)
            return found
    if not choices:
        raise CannotSimulateError(f"{game.path}: nobody plays it; a game whose family has a simulated dealer is right")
    needs = " or ".join(need for need, _, _ in choices)
    raise CannotSimulateError(f"{game.path}: to be simulated the table needs {needs}")


def table_of(
    game: Game,
    devices: Sequence[SimDeviceSpec],
    options: Mapping[str, Any],
    people: Mapping[str, str] | None,
    seats: Sequence[str],
) -> SimTable:
    """The table as a simulation takes it. Raises ValueError for an option that the game does not declare."""
    return SimTable(game, tuple(devices), game.settle_options(dict(options)), people or {}, tuple(seats))


def provokable(
    game: Game,
    devices: Sequence[SimDeviceSpec],
    options: Mapping[str, Any] | None = None,
    people: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The rules that a simulated dealer can break at this table and its devices can judge, sorted.

    `people`: credential to role; a fault that somebody's key card belongs to is left out where nobody holds one.
    """
    table = table_of(game, devices, options or {}, people, ())
    dealer = dealer_of(game, table)
    visible = judged(game, devices, options)
    return tuple(
        sorted(
            rule
            for rule, fault in dealer.faults(table).items()
            if rule in visible and all(table.has(need) for need in fault.needs)
        )
    )


def make_plan(
    game: Game,
    devices: Sequence[SimDeviceSpec],
    rounds: int,
    seed: int,
    rules: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    people: Mapping[str, str] | None = None,
) -> list[Planned]:
    """Faults at random rounds: each of `rules` (default: all provokable) as far as `rounds` has room for them.

    Raises ValueError for a rule that cannot be provoked at this table.
    """
    possible = provokable(game, devices, options, people)
    for rule in rules or ():
        if rule not in possible:
            raise ValueError(f"{rule}: cannot be provoked at this table; {', '.join(possible)} can")
    rng = random.Random(seed)
    wanted = list(rules if rules is not None else possible)
    rng.shuffle(wanted)
    slots = list(range(1, rounds - 1, GAP)) or list(range(rounds))
    chosen = sorted(rng.sample(slots, min(len(slots), len(wanted))))
    table = table_of(game, devices, options or {}, people, ())
    faults = dealer_of(game, table).faults(table)
    return [Planned(index, rule, (*faults[rule].brings, rule)) for index, rule in zip(chosen, wanted, strict=False)]


def simulate(
    game: Game,
    devices: Sequence[SimDeviceSpec],
    options: Mapping[str, Any],
    *,
    rounds: int,
    seed: int,
    plan: Mapping[int, str] | Sequence[Planned] = (),
    people: Mapping[str, str] | None = None,
    seats: Sequence[str] = (),
) -> Iterator[WireEvent]:
    """What the devices of a table put on their wires in `rounds` rounds, in order of time; the same for the same seed.

    Time starts at 1 s with every line at rest. `people`: credential to role. Raises CannotSimulateError, and ValueError
    for an option that the game does not declare.
    """
    table = table_of(game, devices, options, people, seats)
    faults = dict(plan) if isinstance(plan, Mapping) else {each.round_index: each.rule for each in plan}
    scene = Scene(seed)
    dealer = dealer_of(game, table)(scene, table)
    dealer.begin()
    for index in range(rounds):
        dealer.play(faults.get(index))
        yield from scene.due()
    dealer.finish()
    yield from scene.due(everything=True)
