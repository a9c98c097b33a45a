"""`pitwatch bench`: simulated tables under the real daemon, a real broker and a real subscriber."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from pitwatch import sim_hw
from pitwatch.daemon.bench.broker import embedded_broker
from pitwatch.daemon.bench.faults import listed, listing, playable, roles, sim_devices, wanted
from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.bench.keeping import Keeping
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.bench.scenario import SCENARIOS, Part
from pitwatch.daemon.bench.subscriber import Subscriber
from pitwatch.daemon.bench.view import LiveView, compare, summary
from pitwatch.daemon.captures.capture import Writer
from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.new_file import new_file
from pitwatch.daemon.config import Config
from pitwatch.daemon.config import config as configuration
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract.asked import VERBS
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock
from pitwatch.rules.text.did_you_mean import did_you_mean

COMMAND = {"name": "bench", "turn": 20, "help": "play a simulated table under the real daemon"}

TABLES = Path(sim_hw.__file__).parent / "tables"
DELIVERED_WITHIN = 60.0
"""Seconds in which the subscriber must have everything after the last round."""

ROUNDS_PER_FAULT = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "; ".join(f"{name}: {scenario.says}" for name, scenario in SCENARIOS.items())
    parser.description = "Plays simulated tables and compares planned faults with reported irregularities."
    parser.add_argument("table", metavar="TABLE.toml", nargs="?", help="your own table; its links are simulated")
    parser.add_argument("--scenario", metavar="NAME", help=f"{told} (default: faults with a table, else demo)")
    rounds = f"{ROUNDS_PER_FAULT} for each rule, 100 if nothing is planned"
    parser.add_argument(
        "--rounds", metavar="N", type=int, help=f"rounds at each table; some faults take one more (default: {rounds})"
    )
    parser.add_argument("--speed", metavar="X|max", help="times real time, or max (default: max; demo: 12)")
    parser.add_argument(
        "--seed", metavar="N", type=int, default=1, help="the same seed plays the same rounds (default: 1)"
    )
    parser.add_argument(
        "--broker",
        metavar="URL",
        help="publish to this broker, not to an embedded one; never use a floor's: your table keeps its name",
    )
    parser.add_argument(
        "--fault",
        metavar="RULE",
        action="append",
        default=[],
        help="provoke this rule's fault and no other; repeat for further rules (without TABLE.toml: at every simulated "
        "table that can play them)",
    )
    parser.add_argument("--list", action="store_true", help="print the faults that can be played, and play nothing")
    parser.add_argument(
        "--capture", metavar="OUT", help="keep what was played as a capture for `replay`; OUT must not exist yet"
    )
    parser.add_argument("--observations", action="store_true", help="show every observation too")


def run(args: argparse.Namespace) -> int:
    if args.list:
        return _list(args)
    try:
        return asyncio.run(_bench(args))
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM


class _Table:
    """One simulated table of the run."""

    def __init__(self, table: Config, part: Part, seed: int, capture: BinaryIO | None):
        self.config = table
        self.asked = part.rounds
        self.devices = sim_devices(table)
        options = dict(table.table.options)
        people = roles(table)
        try:
            self.plan = sim_hw.make_plan(table.game, self.devices, part.rounds, seed, part.rules, options, people)
            self.events: Iterable[Any] = sim_hw.simulate(
                table.game,
                self.devices,
                options,
                rounds=part.rounds,
                seed=seed,
                plan=self.plan,
                people=people,
                seats=table.table.seats,
            )
        except (ValueError, sim_hw.CannotSimulateError) as error:
            raise UsageError(f"{table.path}: {error}") from None
        self.clock = SimClock()
        self.hardware = BenchHardware(self.clock, table.devices)
        opener = Keeping(self.hardware, Writer(capture), self.clock.now) if capture is not None else self.hardware
        self.daemon = Daemon(table, self.clock, opener)
        self.planned = Counter(rule for each in self.plan for rule in each.expects)
        self.not_played = (
            sorted(sim_hw.judged(table.game, self.devices, options) - self.planned.keys()) if part.rules is None else []
        )
        """Rules that its devices can judge and no simulated dealer breaks, or that the rounds had no room for."""

    @property
    def id(self) -> str:
        return self.config.table.id

    async def put_away(self) -> None:
        await self.daemon.stop()
        self.hardware.close()


async def _bench(args: argparse.Namespace) -> int:
    _heed_signals()
    if args.fault and args.scenario:
        raise UsageError("--fault and --scenario: give one of them; --fault plays its rules alone")
    name = args.scenario or ("faults" if args.table or args.fault else "demo")
    if name not in SCENARIOS:
        raise UsageError(f"--scenario: no scenario {name!r}; {', '.join(SCENARIOS)} are there")
    parts = _parts(args, name)
    if args.capture and len(parts) > 1:
        raise UsageError(f"--capture: a capture is of one table, and {len(parts)} are played; name a TABLE.toml")
    speed = _speed(args.speed) or SCENARIOS[name].speed
    show = _as_json if args.json else LiveView(args.observations).show
    with (
        new_file(args.capture) if args.capture else contextlib.nullcontext() as capture,
        tempfile.TemporaryDirectory(prefix="pitwatch-bench-") as folder,
    ):
        async with _broker(args.broker) as (url, broker):
            tables = [
                _Table(_on_the_bench(table, url, Path(folder), number), part, args.seed + number, capture)
                for number, (table, part) in enumerate(parts)
            ]
            if not args.json:
                print(f"{broker} at {url}; to see the floor: {_program()} watch --broker {url}")
                if shutil.which("mosquitto_sub"):
                    print(f"to listen: mosquitto_sub -p {url.rpartition(':')[2]} -t '{_topic(tables)}/#'")
            began = time.monotonic()
            subscriber = Subscriber(show, {table.daemon.boot for table in tables})
            async with (
                subscriber.listening(url, _topic(tables)),
                contextlib.AsyncExitStack() as stack,
            ):
                for table in tables:
                    await table.daemon.start()
                    stack.push_async_callback(table.put_away)
                events = await asyncio.gather(
                    *(play(table.events, table.hardware, table.daemon.journal, speed) for table in tables)
                )
                await _delivered(tables, subscriber)
            return _summarise(tables, subscriber, sum(events), time.monotonic() - began, args.json)


def _heed_signals() -> None:
    """Stop on SIGTERM, or if the terminal is closed, so that the broker stops too; errors that follow from it are not
    reported."""
    me, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert me is not None
    loop.set_exception_handler(
        lambda loop, context: None if me.cancelling() else loop.default_exception_handler(context)
    )
    cancel_when_told(me, (signal.SIGTERM, signal.SIGHUP))


def _program() -> str:
    """The command that runs pitwatch for this user."""
    given = sys.argv[0]
    return given if Path(given).name == "pitwatch" and shutil.which("pitwatch") != given else "pitwatch"


def _speed(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        speed = inf if text == "max" else float(text)
    except ValueError:
        speed = 0.0
    if not speed > 0:
        raise UsageError(f"--speed: {text!r} is no speed; a number above 0, or max, is right")
    return speed


def _parts(args: argparse.Namespace, name: str) -> list[tuple[Config, Part]]:
    """The tables to play with their parts."""
    if args.rounds is not None and args.rounds < 1:
        raise UsageError(f"--rounds: {args.rounds} is too few; 1 or more is right")
    if args.fault:
        return [(table, _sized(table, part, args.rounds)) for table, part in _with_faults(args)]
    parts = SCENARIOS[name].parts
    if args.table or not parts:
        paths = _paths(args)
        parts = tuple(Part(table=str(path), rounds=0, rules=() if name == "clean" else None) for path in paths)
    loaded = [
        (configuration.load(part.table if part.table.endswith(".toml") else TABLES / f"{part.table}.toml"), part)
        for part in parts
    ]
    return [(table, _sized(table, part, args.rounds)) for table, part in loaded]


def _paths(args: argparse.Namespace) -> list[Path]:
    return [Path(args.table)] if args.table else sorted(TABLES.glob("*.toml"))


def _with_faults(args: argparse.Namespace) -> list[tuple[Config, Part]]:
    """The tables that play the faults that are asked for: the one that is named, or all that can. Raises UsageError."""
    found, refused = [], []
    known: set[str] = set()
    for table in map(configuration.load, _paths(args)):
        try:
            rules = wanted(table, args.fault)
        except UsageError as error:
            refused.append(error)
            known.update(playable(table))
            continue
        found.append((table, Part(table=str(table.path), rounds=0, rules=rules)))
    if found:
        return found
    if args.table:
        raise refused[0]
    for rule in args.fault:
        if rule not in known:
            hint = did_you_mean(rule, sorted(known), "--list shows the faults of each")
            raise UsageError(f"--fault {rule}: no simulated table can play it; {hint}")
    raise UsageError("--fault: no simulated table can play all of them; name one fault, or a TABLE.toml")


def _list(args: argparse.Namespace) -> int:
    tables = [listed(configuration.load(path)) for path in _paths(args)]
    if args.json:
        for table in tables:
            _print_json(table)
    else:
        print(listing(tables))
    return 0


def _sized(table: Config, part: Part, rounds: int | None) -> Part:
    if rounds is None and part.rounds == 0:
        faults = len(table.game.rules) if part.rules is None else len(part.rules)
        rounds = 100 if part.rules == () else ROUNDS_PER_FAULT * (faults + 1)
    return part if rounds is None else msgspec.structs.replace(part, rounds=rounds)


def _on_the_bench(table: Config, url: str, folder: Path, number: int) -> Config:
    """The table as configured, but publishing to the bench's broker, with simulated links and a journal of this run."""
    devices = tuple(msgspec.structs.replace(device, link="sim:") for device in table.devices)
    prefix = table.mqtt.prefix if table.mqtt else "pitwatch/1"
    return msgspec.structs.replace(
        table,
        mqtt=MqttSection(url=url, prefix=prefix, requests=list(VERBS)),
        journal=folder / f"{number}-{table.table.id}.db",
        devices=devices,
    )


def _topic(tables: list[_Table]) -> str:
    prefixes = {table.config.topic.rsplit("/", 2)[0] for table in tables}
    return prefixes.pop() if len(prefixes) == 1 else "pitwatch"


@contextlib.asynccontextmanager
async def _broker(url: str | None) -> AsyncIterator[tuple[str, str]]:
    if url is not None:
        try:
            parse_broker_url(url)
        except ValueError as error:
            raise UsageError(f"--broker: {error}") from None
        yield url, "yours"
        return
    async with embedded_broker() as running:
        yield running


async def _delivered(tables: list[_Table], subscriber: Subscriber) -> None:
    """Wait until the subscriber has every record, or time is up (the summary then lists what is missing)."""
    deadline = time.monotonic() + DELIVERED_WITHIN
    while time.monotonic() < deadline:
        if all(subscriber.received(table.id) >= table.daemon.journal.last for table in tables):
            return
        await asyncio.sleep(0.02)


def _summarise(tables: list[_Table], subscriber: Subscriber, events: int, seconds: float, as_json: bool) -> int:
    rows = [row for table in tables for row in compare(table.id, table.planned, subscriber.reported[table.id])]
    lost = sum(table.daemon.journal.last - subscriber.received(table.id) for table in tables)
    idle = [table.id for table in tables if not subscriber.rounds[table.id]]
    good = lost == 0 and not idle and all(planned == reported for _, _, planned, reported in rows)
    rounds, virtual = sum(subscriber.rounds.values()), max(table.clock.now() for table in tables) / 1e9
    if as_json:
        fields = ("table", "rule", "planned", "reported")
        _print_json({"summary": [dict(zip(fields, row, strict=True)) for row in rows], "rounds": rounds, "ok": good,
                     "missing": lost, "duplicates": subscriber.duplicates, "seconds": round(seconds, 2)})  # fmt: skip
        return 0 if good else 1
    where = "at the table" if len(tables) == 1 else f"at each of {len(tables)} tables"
    asked = sum(table.asked for table in tables)
    more = f" ({asked} asked for; a fault may take another)" if rounds > asked else ""
    verdict = "Planned and reported differ."
    if good:
        verdict = "Everything that was planned was reported, and nothing else."
    elif idle:
        verdict = "That was no trial."
    totals = [
        f"{rounds} rounds{more}, {virtual / 60:.1f} minutes of play {where} in {seconds:.1f} s; "
        f"{events} wire events, {subscriber.messages} messages, {subscriber.duplicates} of them twice, {lost} missing.",
        *(
            f"Judged at {table.id}, not planned here: {', '.join(table.not_played)}."
            for table in tables
            if table.not_played
        ),
        *(f"No round was seen at {table}: its devices cannot show one; see `rules coverage`." for table in idle),
        verdict,
    ]
    print("\n" + summary(rows, totals))
    return 0 if good else 1


def _as_json(table: str, kind: str, data: dict[str, Any]) -> None:
    if kind in ("round", "irregularity"):
        _print_json({"type": f"pitwatch.{kind}.v1", "table": table, "data": data})


def _print_json(data: Any) -> None:
    print(json.dumps(data), flush=True)
