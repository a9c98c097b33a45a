"""`pitwatch run`: runs the daemon of one table until it is stopped."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from pathlib import Path

from pitwatch.daemon.common.ending import when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import config
from pitwatch.daemon.doctor.sight import unseen
from pitwatch.daemon.service.logs import log_on_stderr

COMMAND = {"name": "run", "turn": 10, "help": "watch a table"}

log = logging.getLogger("pitwatch")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Watches a table until SIGTERM, SIGINT or SIGHUP. The log on standard error says `ready` when play is judged, "
        "and names each irregularity without cards."
    )
    parser.add_argument("table", metavar="TABLE.toml", help="configuration of the table")
    parser.add_argument("--json", action="store_true", help="log as JSON lines")


def run(args: argparse.Namespace) -> int:
    table = config.load(args.table)
    table.brokers  # noqa: B018  without a broker there is nobody to report to
    with log_on_stderr(args.json):
        for told in (*table.passed_over, *unseen(table)):
            log.warning("%s", told)
        asyncio.run(_watch(table))
    return 0


async def _watch(table: config.Config) -> None:
    import aiomqtt  # noqa: F401  loaded while nothing is watched yet, or it would hold up what comes first

    from pitwatch.daemon.service.app import Daemon
    from pitwatch.daemon.service.last_words import LastWords
    from pitwatch.daemon.service.sdnotify import Notifier
    from pitwatch.daemon.wiring.nodes import Hardware
    from pitwatch.hal.system_clock import SystemClock

    told = asyncio.Event()
    when_told(told.set)
    clock = SystemClock()
    try:
        daemon = Daemon(table, clock, Hardware(clock), Notifier(), LastWords(Path(f"{table.journal}.last-words")))
    except ValueError as error:
        raise UsageError(f"{table.path}: {error}") from None
    await daemon.start()
    # The journal's thread shall not wait 5 ms for its turn, nor the loop for a sweep over what never goes away.
    sys.setswitchinterval(0.001)
    gc.freeze()
    await told.wait()
    await daemon.stop()
