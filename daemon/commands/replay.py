"""`pitwatch replay`: a capture judged by the rules of a table, as JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import chain
from typing import Any

from daemon import capture, config, rehearing
from daemon.errors import UsageError
from daemon.messages import encode
from daemon.replaying import Replay, Tape

JUDGED = frozenset({"round", "irregularity"})
EVERYTHING = JUDGED | {"observation", "alert", "device"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints the rounds and irregularities of a capture as JSON lines, as a subscriber would get them."
    )
    parser.add_argument(
        "capture",
        metavar="CAPTURE",
        help="JSON Lines of observations and wire lines, or an export of the journal; - is standard input",
    )
    parser.add_argument("--table", metavar="TABLE.toml", required=True, help="configuration of the captured table")
    parser.add_argument("--all", action="store_true", help="print observations, device states and alerts too")


def run(args: argparse.Namespace) -> int:
    table = config.load(args.table)
    out = sys.stdout.buffer

    def put(kind: str, sequence: int, data: Any) -> None:
        out.write(encode({"type": f"pitwatch.{kind}.v1", "sequence": sequence, "data": data}) + b"\n")

    tape = Tape(EVERYTHING if args.all else JUDGED, put)
    try:
        with capture.opened(args.capture) as file:
            first = file.readline()
            if rehearing.is_export(first):
                _heard_again(table, tape, args.capture, file)
            else:
                Replay(table, tape).run(capture.lines(args.capture, chain([first], file)), args.capture)
    finally:
        out.flush()
    return 0


def _heard_again(table: config.Config, tape: Tape, path: str, records: Iterable[bytes]) -> None:
    """Each stretch of wires is a table of its own that aligns anew; the sequence goes on."""
    heard = 0
    for stretch in rehearing.stretches(path, records):
        heard += 1
        Replay(table, tape).run(stretch, path)
    if not heard:
        raise UsageError(
            f"{path}: an export without wire records, which follow an irregularity within a minute; export more of it"
        )
