"""`pitwatch replay`: a capture judged by the rules of a table, as JSON lines."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from daemon import capture, config
from daemon.messages import encode
from daemon.replaying import Replay, Tape

JUDGED = frozenset({"round", "irregularity"})
EVERYTHING = JUDGED | {"observation", "alert", "device"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints the rounds and irregularities of a capture as JSON lines, as a subscriber would get them."
    )
    parser.add_argument("capture", metavar="CAPTURE", help="JSON Lines of observations and wire lines")
    parser.add_argument("--table", metavar="TABLE.toml", required=True, help="configuration of the captured table")
    parser.add_argument("--all", action="store_true", help="print observations, device states and alerts too")


def run(args: argparse.Namespace) -> int:
    table = config.load(args.table)
    out = sys.stdout.buffer

    def put(kind: str, sequence: int, data: Any) -> None:
        out.write(encode({"type": f"pitwatch.{kind}.v1", "sequence": sequence, "data": data}) + b"\n")

    replay = Replay(table, Tape(EVERYTHING if args.all else JUDGED, put))
    try:
        replay.run(capture.read(args.capture), args.capture)
    finally:
        out.flush()
    return 0
