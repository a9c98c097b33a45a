"""Wire events through the real devices and the real rules, all in virtual time."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pitwatch import sim_hw
from pitwatch.devices import registry
from pitwatch.devices.base import Device
from pitwatch.devices.observation import Observation
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.game import Game
from pitwatch.rules.records import Irregularity, Record, Round
from pitwatch.rules.watchers.deck import whole_set
from pitwatch.sim_hw import SimDeviceSpec, WireEvent
from pitwatch.sim_hw.table import facts

TABLES = Path(sim_hw.__file__).parent / "tables"
OWN_KEYS = ("id", "type", "link", "protocol", "lines")


class BenchTable:
    """A table of sim_hw/tables, at which another `game` of its family may be played with the house's `options`.

    What the table's file chose holds for the other game too as far as its book allows it.
    """

    def __init__(self, name: str, game: str = "", options: Mapping[str, Any] | None = None):
        self.path = TABLES / f"{name}.toml"
        config = tomllib.loads(self.path.read_text())
        self.game = load_game(game or config["table"]["game"])
        chosen: dict[str, Any] = config["table"].get("options", {})
        if game and game != config["table"]["game"]:
            chosen = {option: value for option, value in chosen.items() if _allows(self.game, option, value)}
        self.options = chosen | dict(options or {})
        self.seats = tuple(config["table"].get("seats", ()))
        self.people = {credential: person["role"] for credential, person in config.get("people", {}).items()}
        self.devices = [
            SimDeviceSpec(
                device["id"],
                device["type"],
                device["protocol"],
                {key: value for key, value in device.items() if key not in OWN_KEYS} | self._counts(device),
                tuple(device.get("lines", ())),
            )
            for device in config["device"]
        ]

    def _counts(self, device: Mapping[str, Any]) -> dict[str, int]:
        """A machine that counts the cards is set up for those of the game."""
        cards = whole_set(self.game, self.game.settle_options(self.options))
        return {"cards": cards} if cards is not None and "cards" in device else {}

    def events(self, rounds: int, seed: int, plan: Any = ()) -> Iterable[WireEvent]:
        return sim_hw.simulate(
            self.game, self.devices, self.options,
            rounds=rounds, seed=seed, plan=plan, people=self.people, seats=self.seats,
        )  # fmt: skip

    def provokable(self) -> tuple[str, ...]:
        return sim_hw.provokable(self.game, self.devices, self.options, self.people)

    def plan(self, rounds: int, seed: int, rules: Sequence[str] | None = None) -> list[sim_hw.Planned]:
        return sim_hw.make_plan(self.game, self.devices, rounds, seed, rules, self.options, self.people)

    def run(self, rounds: int, seed: int, plan: Any = ()) -> Heard:
        return hear(self, self.events(rounds, seed, plan))


def _allows(game: Game, option: str, value: Any) -> bool:
    try:
        game.settle_options({option: value})
    except ValueError:
        return False
    return True


class Heard:
    """What came of a simulation."""

    def __init__(self) -> None:
        self.observations: list[Observation] = []
        self.records: list[Record] = []

    @property
    def rounds(self) -> list[Round]:
        return [record for record in self.records if isinstance(record, Round)]

    @property
    def irregularities(self) -> list[Irregularity]:
        return [record for record in self.records if isinstance(record, Irregularity)]

    @property
    def rules(self) -> Counter[str]:
        return Counter(each.rule.rpartition("/")[2] for each in self.irregularities)


def hear(table: BenchTable, events: Iterable[WireEvent]) -> Heard:
    heard = Heard()
    engine = Engine(table.game, facts(table.devices, table.options, table.people, table.seats))
    devices: dict[str, Device] = {}
    for spec in table.devices:
        device = registry.find(spec.type, spec.protocol)(spec.id, dict(spec.settings))
        devices[spec.id] = device
        _take(heard, engine, [device.saw(0, "device_online")])
        if spec.lines:
            _take(heard, engine, device.initial(dict.fromkeys(spec.lines, 0), 0))
    t = 0
    for event in events:
        assert event.t_ns >= t
        t = event.t_ns
        _tick(heard, engine, devices, t)
        device = devices[event.device]
        if event.rx is not None:
            _take(heard, engine, device.feed(event.rx, t))
        else:
            assert event.line is not None
            _take(heard, engine, device.edge(event.line, event.level, t))
    _tick(heard, engine, devices, t + 2_000_000_000)
    return heard


def _tick(heard: Heard, engine: Engine, devices: Mapping[str, Device], t: int) -> None:
    while True:
        due = [(device.deadline, device.id) for device in devices.values() if device.deadline is not None]
        at, who = min(due, default=(t + 1, ""))
        if at > t:
            break
        _take(heard, engine, devices[who].tick(at))
    heard.records += engine.tick(t)


def _take(heard: Heard, engine: Engine, observations: Iterable[Observation]) -> None:
    for observation in observations:
        heard.observations.append(observation)
        heard.records += engine.feed(len(heard.observations), observation)
