"""`pitwatch doctor`: tests what a table needs and says how to fix each fault. Exit code 1 if there is a fault."""

from __future__ import annotations

import argparse
import asyncio

from pitwatch.daemon.common.arguments import seconds
from pitwatch.daemon.config import config, installed
from pitwatch.daemon.contract.messages import encode

COMMAND = {"name": "doctor", "turn": 60, "help": "test lines, ports, broker, clock, disk and permissions"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Tests clock, disk, files, broker, ports and lines, and says how to fix each fault."
    parser.add_argument(
        "table",
        metavar="TABLE",
        help="configuration of the table, or the name of an installed one: RL-07, toledo/RL-07",
    )
    parser.add_argument(
        "--listen",
        type=seconds,
        default=2.0,
        metavar="SECONDS",
        help="listen to the devices for this long (2); at least 5.5 to a silent box on the network",
    )


def run(args: argparse.Namespace) -> int:
    return asyncio.run(_examine(installed.load(args.table), args.listen, args.json))


async def _examine(table: config.Config, listen: float, as_json: bool) -> int:
    from pitwatch.daemon.doctor import findings
    from pitwatch.daemon.wiring.nodes import Hardware
    from pitwatch.hal.system_clock import SystemClock

    clock = SystemClock()
    bad = 0
    async for finding in findings(table, Hardware(clock), clock, listen):
        bad += not finding.well
        if as_json:
            print(encode(finding).decode(), flush=True)
        else:
            print(f"{'ok ' if finding.well else 'BAD'}  {finding.what}: {finding.seen}", flush=True)
            if finding.fix:
                print(f"     {finding.fix}", flush=True)
    return 1 if bad else 0
