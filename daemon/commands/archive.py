"""`pitwatch archive`: stores what a floor publishes in a database, and queries it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import platform
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pitwatch.daemon.common.arguments import seconds
from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import NAME, is_table
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.service.logs import log_on_stderr
from pitwatch.floor.config import DATABASE, DATABASES, default, load
from pitwatch.floor.options import add_broker_options, floor_config

if TYPE_CHECKING:
    from pitwatch.floor.archive.questions import Asked
    from pitwatch.floor.archive.store import Store
    from pitwatch.floor.config import FloorConfig

COMMAND = {"name": "archive", "turn": 110, "help": "store what a floor publishes, and query it"}

DIMENSIONS = ("table", "game", "dealer", "hour", "shift")
"""By which `pace` may add up."""

MOST_NAMED = 20
"""Tables that a complaint names."""

QUESTIONS = {
    "rounds": "rounds by hour and table",
    "irregularities": "irregularities by table, dealer and rule",
    "downtime": "how long devices were off line or faulty, and tables lost",
    "jackpots": "jackpots whose meter is still locked",
    "fairness": "monitors of wheels, dice and shoes by E, and which of them to look at",
    "pace": "rounds an hour, seats, seconds by phase, downtime, by table, game, dealer, hour or shift",
    "gaps": "missing records and open troubles; exit code 1 if there are any",
    "stamps": "which records existed before which time; exit code 1 if the authority does not stamp now",
    "holds": "records that are kept past keep_days by request: who asked, why, and how it ended",
    "removed": "what was removed by [archive] keep: how many records of which kind, when, by which rule",
    "troubles": "contradictions of a table with what it published before, or the house approved",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Stores what a floor publishes, and queries it (docs/archive.md)."
    actions = parser.add_subparsers(
        dest="action", metavar="run|around|report|export|verify|" + "|".join(QUESTIONS), required=True
    )
    run_ = actions.add_parser("run", help="store what is published from now on, and request missing records")
    run_.add_argument("--name", metavar="NAME", help="name of this instance, unique to it (default: the host's name)")
    run_.add_argument("--group", metavar="NAME", help="instances of one group share the messages between them")
    about = [actions.add_parser(name, help=told) for name, told in QUESTIONS.items()]
    for action in about:
        if action.prog.endswith(" pace"):
            action.add_argument(
                "--by", metavar="NAMES", default="table,game", help=f"any of {','.join(DIMENSIONS)} (table,game)"
            )
    report = actions.add_parser("report", help="one document of a period: irregularities, downtime, pace, fairness")
    report.add_argument("--shift", metavar="NAME", help="only this shift of [pace] in FLOOR.toml")
    report.add_argument("--out", metavar="FILE", help="ends in .html, .csv or .json (default: HTML on standard output)")
    about.append(report)
    around = actions.add_parser("around", help="everything within a minute of a given second")
    around.add_argument("when", metavar="WHEN", help="UTC, such as 2026-11-28T01:30:00Z")
    around.add_argument("--seconds", metavar="N", type=seconds, default=60.0, help="seconds before and after (60)")
    export = actions.add_parser("export", help="write events to a file")
    export.add_argument("out", metavar="FILE", help="ends in .csv or .parquet")
    verify = actions.add_parser(
        "verify", help="compare the archive of a table with its journal; exit code 1 if they differ"
    )
    verify.add_argument("table", metavar="SITE/TABLE", help="the table to verify")
    verify.add_argument(
        "journal", metavar="JOURNAL", nargs="?", help="a journal, or an export of one (default: verify signatures only)"
    )
    verify.add_argument("--floor", metavar="FLOOR.toml", help="a floor's configuration: [archive], approved keys")
    for action in (*about, export):
        action.add_argument("--from", dest="begin", metavar="WHEN", help="UTC, such as 2026-11-28T01:30:00Z")
        action.add_argument("--to", dest="end", metavar="WHEN", help="end of the period, in the same form")
    for action in (*about, around, export):
        action.add_argument("--table", metavar="SITE/TABLE", help="only this table")
        action.add_argument("floor", metavar="FLOOR.toml", nargs="?", help="a floor's configuration, for its [archive]")
    add_broker_options(run_)
    for action in (run_, *about, around, export, verify):
        action.add_argument(
            "--database", metavar="URL", help=f"{DATABASES} (default: that of FLOOR.toml, else {DATABASE})"
        )
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from pitwatch.floor.archive.database import existing, store_at
    from pitwatch.floor.archive.store import StoreError

    storing = args.action == "run"
    if not storing and args.table is not None and not is_table(args.table):
        raise UsageError(f'--table "{args.table}" is no table; SITE/TABLE of letters, digits, - and _ is right')
    config = floor_config(args) if storing else load(args.floor) if args.floor else default()
    changes = {"database": args.database, "group": getattr(args, "group", None)}
    section = msgspec.structs.replace(config.archive, **{k: v for k, v in changes.items() if v is not None})
    if section.group and not NAME.match(section.group):
        raise UsageError(f'--group "{section.group}" is no name; letters, digits, - and _ are right')
    store = store_at(section.database) if storing else existing(section.database)
    if storing:
        name = args.name or f"pitwatch-archive-{platform.node() or os.getpid()}"
        with log_on_stderr(args.json):
            return asyncio.run(_archive(msgspec.structs.replace(config, archive=section), store, name))
    try:
        return asyncio.run(_answer(args, store, config))
    except StoreError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None


async def _archive(config: Any, store: Store, name: str) -> int:
    from pitwatch.floor.archive.archiver import Archiver
    from pitwatch.floor.bookmarks import Bookmarks
    from pitwatch.floor.metrics.archive import ArchiveFigures
    from pitwatch.floor.metrics.serving import served

    task = asyncio.current_task()
    assert task is not None
    cancel_when_told(task)
    bookmarks = Bookmarks(config.video)
    archiver = Archiver(config, store, name, bookmarks.send)
    bookmarks.start()
    try:
        with contextlib.suppress(asyncio.CancelledError):
            async with served(config.metrics.archive, ArchiveFigures(archiver, store).gather):
                await archiver.run()
    finally:
        bookmarks.stop()
    return 0


async def _answer(args: argparse.Namespace, store: Store, config: FloorConfig) -> int:
    from pitwatch.floor.archive import exporting, questions
    from pitwatch.floor.archive.fairness import fairness
    from pitwatch.floor.archive.holds import holds
    from pitwatch.floor.evidence import stamps
    from pitwatch.floor.pace.question import pace

    await store.open()
    try:
        if args.table is not None and args.table not in (there := await questions.tables(store)):
            raise UsageError(f"--table {args.table}: the archive has no record of it; {_there_are(there)}")
        if args.action == "verify":
            return await _verify(args, store, config)
        if args.action == "around":
            return _show(args, await questions.around(store, _when(args.when, "WHEN"), args.seconds, args.table))
        begin = _when(args.begin, "--from") if args.begin else None
        asked = questions.Asked(begin, _when(args.end, "--to") if args.end else None, args.table)
        if args.action == "report":
            return await _report(args, store, asked, config)
        if args.action == "pace":
            return _show(args, await pace(store, asked, config.pace, _dimensions(args.by)))
        if args.action == "irregularities":
            return _show(args, await questions.irregularities(store, asked, config.pace))
        if args.action == "export":
            writers = {".csv": exporting.to_csv, ".parquet": exporting.to_parquet}
            path = Path(args.out)
            if path.suffix not in writers:
                raise UsageError(f"{path}: the name must end in {' or '.join(writers)}")
            count = await writers[path.suffix](store, asked, path)
            return _show(args, [{"file": str(path), "events": count}])
        ask: Callable[..., Awaitable[questions.Answer]] = {
            "rounds": questions.rounds,
            "downtime": questions.downtime,
            "jackpots": questions.jackpots,
            "fairness": fairness,
            "gaps": questions.missing,
            "stamps": stamps.listed,
            "holds": holds,
            "removed": questions.removed,
            "troubles": questions.troubles,
        }[args.action]
        found = await ask(store, asked)
        if args.action == "downtime" and not args.json:
            for row in found:
                row["since"] = f"before {row['since']}" if row.pop("earlier") else row["since"]
        _show(args, found)
        return 1 if found and (args.action == "gaps" or found[-1].get("trouble")) else 0
    finally:
        await store.close()


async def _report(args: argparse.Namespace, store: Store, asked: Asked, config: FloorConfig) -> int:
    from pitwatch.floor.report import writing
    from pitwatch.floor.report.gathering import Gathering
    from pitwatch.floor.report.handing_out import hand_out, writer_for

    if asked.begin is None or asked.end is None:
        raise UsageError("report needs --from and --to; such as --from 2026-11-28T03:00:00Z --to 2026-11-28T11:00:00Z")
    if args.shift is not None and args.shift not in config.pace.shifts:
        there = ", ".join(config.pace.shifts) or "none"
        raise UsageError(f'--shift "{args.shift}" is no shift; [pace] shifts of FLOOR.toml has {there}')
    write = writer_for(args.out, args.json, writing.to_html, writing.to_csv, writing.to_json)
    report = await Gathering(store, asked, config.pace, args.shift).report()
    hand_out(write(report), args.out)
    if not args.out:
        return 0
    counts = {name: len(report[name]) for name in ("irregularities", "open")}
    return _show(args, [{"file": args.out, **counts}])


async def _verify(args: argparse.Namespace, store: Store, config: FloorConfig) -> int:
    from pitwatch.floor.archive.row import iso
    from pitwatch.floor.archive.verifying import Fault, Journal, hold
    from pitwatch.floor.evidence import stamps

    journal = Journal(Path(args.journal)) if args.journal else None
    found = await hold(store, args.table, journal, config.approved.of(args.table, "key"))
    faults = found.faults
    stamped: dict[str, Any] = {}
    if config.timestamp.ca:
        made = await stamps.of_table(store, args.table, _content(config.timestamp.ca))
        faults = [*faults, *(Fault(sequence, "", "stamp", told) for sequence, told in made.faults)]
        last = made.genuine[-1] if made.genuine else None
        stamped = {"stamps": len(made.genuine), "stamped_up_to": last.head.head.sequence if last else None}
        stamped["existed_before"] = iso(last.at) if last else None
    if faults:
        _show(args, [each._asdict() for each in faults])
        return 1
    against = {"journal": args.journal, "records": found.held} if journal is not None else {}
    more = {"older": found.before, "of_other_boards": found.others} if journal is not None else {}
    if found.removed:
        more["removed"] = found.removed
    return _show(args, [{"table": args.table, **against, "checkpoints": found.checkpoints, **more, **stamped}])


def _content(path: str) -> bytes:
    return Path(path).read_bytes()


def _there_are(tables: list[str]) -> str:
    if not tables:
        return "nor of any other table yet"
    more = f" and {len(tables) - MOST_NAMED} more" if len(tables) > MOST_NAMED else ""
    return f"there are {', '.join(tables[:MOST_NAMED])}{more}"


def _dimensions(text: str) -> list[str]:
    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in DIMENSIONS:
            raise UsageError(f'--by "{name}" is none of {", ".join(DIMENSIONS)}')
    return names


def _when(text: str, what: str) -> datetime:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{what}: {text!r} is no time; such as 2026-11-28T01:30:00Z is right") from None
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)


def _show(args: argparse.Namespace, rows: list[dict[str, Any]]) -> int:
    """One JSON line a row, or a table for people."""
    if args.json:
        for row in rows:
            print(encode(row).decode())
        return 0
    if not rows:
        print("nothing")
        return 0
    lines = [[_text(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(list(rows[0]), *lines, strict=True)]
    for line in (list(rows[0]), *lines):
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
    sys.stdout.flush()
    return 0


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return encode(value).decode() if isinstance(value, dict | list) else str(value)
