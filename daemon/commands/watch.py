"""`pitwatch watch`: shows surveillance all tables of a floor."""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.service.logs import log_on_stderr, log_only_to
from pitwatch.floor.options import add_broker_options, floor_config

if TYPE_CHECKING:
    from pitwatch.floor.config import FloorConfig
    from pitwatch.floor.watch.app import WatchApp

COMMAND = {"name": "watch", "turn": 120, "help": "show all tables of a floor"}

UNITS = {"m": 60, "h": 3_600, "d": 86_400}
MOST_BACK = 7 * 86_400
"""Seconds; what is older is the archive's business."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Shows all tables of a floor and what needs attention, first what is open in the archive that FLOOR.toml names;"
        " docs/watch.md lists the keys."
    )
    add_broker_options(parser)
    parser.add_argument(
        "--by", metavar="NAME", default="", help="name of the person who acknowledges; the view asks if it is not given"
    )
    parser.add_argument("--silent", action="store_true", help="start with the bell off")
    parser.add_argument(
        "--since",
        metavar="WHEN",
        help="request earlier records from the tables: 2h, 30m or 2026-11-28T06:00",
    )
    parser.add_argument("--json", action="store_true", help="no screen: one line of JSON for each change")


def run(args: argparse.Namespace) -> int:
    config = floor_config(args)
    since = None if args.since is None else _since(args.since, time.time())
    if args.json:
        with log_on_stderr(as_json=True):
            asyncio.run(_follow(config, since))
        return 0
    if len(args.by) > 64:
        raise UsageError("--by: a name of 64 characters at most is right")
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on the last
        raise UsageError("watch needs a terminal; --json writes lines for a script")
    try:
        from pitwatch.floor.watch.app import WatchApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        raise UsageError(
            "watch needs Textual for its screen; in Pitwatch's clone: .venv/bin/pip install -e '.[watch]'"
        ) from None
    ask = None
    if config.names_archive:
        from pitwatch.floor.archive.open_now import asking

        ask = asking(config.archive.database, config.mqtt.prefix)
    with log_only_to(logging.NullHandler()):  # the screen says it
        asyncio.run(_show(WatchApp(config, by=args.by, bell=not args.silent, since=since, ask=ask), config))
    return 0


async def _show(app: WatchApp, config: FloorConfig) -> None:
    from pitwatch.floor.metrics.serving import served
    from pitwatch.floor.metrics.watching import WatchFigures

    async with served(config.metrics.watch, WatchFigures(app.floor).gather):
        await app.run_async()


async def _follow(config: FloorConfig, since: float | None) -> None:
    from pitwatch.floor.metrics.serving import served
    from pitwatch.floor.metrics.watching import WatchFigures
    from pitwatch.floor.watch.model import Floor
    from pitwatch.floor.watch.plain import follow

    floor = Floor()
    async with served(config.metrics.watch, WatchFigures(floor).gather):
        await follow(config, _write, since, floor)


def _since(text: str, now: float) -> float:
    """Seconds since 1970; a time without a zone is this machine's, as on the screen. Raises UsageError."""
    try:
        ago = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
        since = now - int(ago[1]) * UNITS[ago[2]] if ago else datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--since: {text!r} is no time; 2h, 30m or 2026-11-28T06:00 are right") from None
    if since > now:
        raise UsageError(f"--since: {text} is yet to come")
    if now - since > MOST_BACK:
        raise UsageError(f"--since: {text} is more than a week back; pitwatch archive has what is older")
    return since


def _write(line: str) -> None:
    print(line, flush=True)
