"""`pitwatch watch`: surveillance's view over all tables of a floor."""

from __future__ import annotations

import argparse
import asyncio
import sys

from daemon.errors import UsageError
from daemon.logs import log_to_stderr
from floor.options import add_broker_options, floor_config


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Shows all tables of a floor and what wants eyes; docs/watch.md has the keys."
    add_broker_options(parser)
    parser.add_argument("--by", metavar="NAME", default="", help="who acknowledges; asked for if not given")
    parser.add_argument("--silent", action="store_true", help="begin with the bell off")
    parser.add_argument("--json", action="store_true", help="no screen: one line of JSON for each change")


def run(args: argparse.Namespace) -> int:
    config = floor_config(args)
    if args.json:
        from floor.watch.plain import follow

        log_to_stderr(True)
        asyncio.run(follow(config, _write))
        return 0
    if len(args.by) > 64:
        raise UsageError("--by: a name of 64 characters at most is right")
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on the last
        raise UsageError("watch needs a terminal; --json writes lines for a script")
    try:
        from floor.watch.app import WatchApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        raise UsageError("watch needs Textual for its screen: pip install 'pitwatch[watch]'") from None
    WatchApp(config, by=args.by, bell=not args.silent).run()
    return 0


def _write(line: str) -> None:
    print(line, flush=True)
