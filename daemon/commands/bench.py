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
from collections.abc import AsyncIterator, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwatch.daemon.bench.broker import embedded_broker
from pitwatch.daemon.bench.choosing import ROUNDS_PER_FAULT, parts_of, paths_of, speed_of, unplanned_parts
from pitwatch.daemon.bench.faults import listed, listing
from pitwatch.daemon.bench.scenario import SCENARIOS
from pitwatch.daemon.bench.subscriber import Show, Subscriber
from pitwatch.daemon.bench.table import BenchTable, on_the_bench, topic
from pitwatch.daemon.bench.view import LiveView, compare, summary
from pitwatch.daemon.captures.capture import Writer
from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.new_file import new_file
from pitwatch.daemon.config import config as configuration
from pitwatch.daemon.config.broker_url import parse_broker_url

if TYPE_CHECKING:
    from pitwatch.daemon.bench.panel.panel import Panel

COMMAND = {"name": "bench", "turn": 20, "help": "play a simulated table under the real daemon"}

DELIVERED_WITHIN = 60.0
"""Seconds in which the subscriber must have everything after the last round."""

PANEL_SPEED = 4.0
"""Times real time, of a panel without a plan: quick enough to watch, slow enough to act."""
WATCHED_SPEED = 12.0
"""Of a plan that would be played as fast as possible if nobody watched."""


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
    parser.add_argument(
        "--panel",
        action="store_true",
        help="print the link of a page in the browser, on this machine only: it shows the table, what is on its wires "
        "and what is reported, and you throw, spin, jam and pull plugs there until Ctrl-C; a plan is played first",
    )
    parser.add_argument(
        "--show", action="store_true", help="print the link of the same page while the plan is played, and end with it"
    )
    parser.add_argument("--observations", action="store_true", help="show every observation too")


def run(args: argparse.Namespace) -> int:
    if args.list:
        return _list(args)
    try:
        return asyncio.run(_bench(args))
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM


async def _bench(args: argparse.Namespace) -> int:
    _heed_signals()
    if args.fault and args.scenario:
        raise UsageError("--fault and --scenario: give one of them; --fault plays its rules alone")
    name = args.scenario or ("faults" if args.table or args.fault else "demo")
    if name not in SCENARIOS:
        raise UsageError(f"--scenario: no scenario {name!r}; {', '.join(SCENARIOS)} are there")
    planned = not args.panel or bool(args.scenario or args.fault or args.rounds)
    parts = parts_of(args, name) if planned else unplanned_parts(args)
    if args.capture and len(parts) > 1:
        raise UsageError(f"--capture: a capture is of one table, and {len(parts)} are played; name a TABLE.toml")
    speed = speed_of(args.speed) or (SCENARIOS[name].speed if planned else PANEL_SPEED)
    with (
        new_file(args.capture) if args.capture else contextlib.nullcontext() as capture,
        tempfile.TemporaryDirectory(prefix="pitwatch-bench-") as folder,
    ):
        panel = _panel(Path(folder)) if args.panel or args.show else None
        if panel is not None and speed == inf and args.speed is None:
            speed = WATCHED_SPEED
        async with _broker(args.broker) as (url, broker):
            tables: list[BenchTable] = []
            for number, (config, part) in enumerate(parts):
                table, seed = on_the_bench(config, url, Path(folder), number), args.seed + number
                if panel is not None:
                    tables.append(panel.table(table, part, seed, capture))
                else:
                    tables.append(BenchTable(table, part, seed, Writer(capture) if capture is not None else None))
            if not args.json:
                print(f"{broker} at {url}; to see the floor: {_program()} watch --broker {url}")
                if shutil.which("mosquitto_sub"):
                    print(f"to listen: mosquitto_sub -p {url.rpartition(':')[2]} -t '{topic(tables)}/#'")
            subscriber = Subscriber(_shown(args, panel), {table.daemon.boot for table in tables})
            async with (
                subscriber.listening(url, topic(tables)),
                contextlib.AsyncExitStack() as stack,
            ):
                started: list[BenchTable] = []
                stack.push_async_callback(_put_away, started)
                for each in tables:
                    await each.daemon.start()
                    started.append(each)
                if panel is not None:
                    _say_address(await stack.enter_async_context(panel.serving()), args)
                if planned:
                    began = time.monotonic()
                    events = await asyncio.gather(*(each.play(speed) for each in tables))
                    await _delivered(tables, subscriber)
                    took = time.monotonic() - began
                if panel is not None and args.panel:
                    code = _summarise(tables, subscriber, sum(events), took, args.json) if planned else 0
                    await panel.stay(speed, playing=not planned)
                    return code
            return _summarise(tables, subscriber, sum(events), took, args.json)


async def _put_away(tables: list[BenchTable]) -> None:
    """All at once: whoever ends the bench does not wait for one after the other."""
    await asyncio.gather(*(table.put_away() for table in tables))


def _panel(folder: Path) -> Panel:
    """Raises UsageError if what it needs is not installed."""
    try:
        from pitwatch.daemon.bench.panel.panel import Panel
    except ImportError as error:
        raise UsageError(
            f"the panel needs {error.name}: install pitwatch with the extra bench "
            "(in the clone: make install, or .venv/bin/pip install -e '.[bench]')"
        ) from None
    return Panel(folder)


def _say_address(address: str, args: argparse.Namespace) -> None:
    if args.json:
        _print_json({"panel": address})
    else:
        print(f"watch it: {address}" + ("   (Ctrl-C ends it)" if args.panel else ""), flush=True)


def _shown(args: argparse.Namespace, panel: Panel | None) -> Show:
    """Whoever is shown what the subscriber receives."""
    shown: list[Show] = [_as_json if args.json else LiveView(args.observations).show]
    if panel is not None:
        shown.append(panel.show)

    def show(table: str, kind: str, data: dict[str, Any]) -> None:
        for each in shown:
            each(table, kind, data)

    return show


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


def _list(args: argparse.Namespace) -> int:
    tables = [listed(configuration.load(path)) for path in paths_of(args)]
    if args.json:
        for table in tables:
            _print_json(table)
    else:
        print(listing(tables))
    return 0


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


async def _delivered(tables: Sequence[BenchTable], subscriber: Subscriber) -> None:
    """Wait until the subscriber has every record, or time is up (the summary then lists what is missing)."""
    deadline = time.monotonic() + DELIVERED_WITHIN
    while time.monotonic() < deadline:
        if all(subscriber.received(table.id) >= table.daemon.journal.last for table in tables):
            return
        await asyncio.sleep(0.02)


def _summarise(tables: Sequence[BenchTable], subscriber: Subscriber, events: int, seconds: float, as_json: bool) -> int:
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
