"""`pitwatch replay`: judges a capture by the rules of a table and prints the results as JSON lines."""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from typing import Any

import msgspec

from pitwatch.daemon.captures import capture, hand_histories, rehearing
from pitwatch.daemon.captures.replaying import Replay, Tape
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import config
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.service.status import fingerprints
from pitwatch.rules.text.one_line import one_line

COMMAND = {"name": "replay", "turn": 30, "help": "judge a capture"}

WHAT = {"book": "rule book", "game": "book of its game", "configuration": "configuration", "program": "program"}
JUDGED = frozenset({"round", "irregularity"})
EVERYTHING = JUDGED | {"observation", "alert", "device", "statistic"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints the rounds and irregularities of a capture as JSON lines, as a subscriber would receive them. "
        "Exit code 2 if the capture holds no line."
    )
    parser.add_argument(
        "capture",
        metavar="CAPTURE",
        help="JSON Lines of observations and wire lines, or an export of the journal (- is standard input); "
        "or a poker hand history: .phh, .phhs or a .json of PokerGFX",
    )
    parser.add_argument("--table", metavar="TABLE.toml", required=True, help="configuration of the captured table")
    parser.add_argument(
        "--all", action="store_true", help="print also observations, device states, alerts and statistics"
    )


def run(args: argparse.Namespace) -> int:
    table = config.load(args.table)
    out = sys.stdout.buffer

    def put(kind: str, sequence: int, data: Any) -> None:
        out.write(encode({"type": f"pitwatch.{kind}.v1", "sequence": sequence, "data": data}) + b"\n")

    tape = Tape(EVERYTHING if args.all else JUDGED, put)
    try:
        with capture.opened(args.capture) as file:
            if hand_histories.is_one(args.capture):
                replay = Replay(table, tape)
                replay.run(hand_histories.capture(args.capture, file.read(), table), args.capture)
                _played(replay, args.capture)
                return 0
            first = file.readline()
            if rehearing.is_export(first):
                _heard_again(table, tape, args.capture, rehearing.Rehearing(args.capture, first, file))
            else:
                replay = Replay(table, tape)
                replay.run(capture.lines(args.capture, chain([first], file)), args.capture)
                _played(replay, args.capture)
    finally:
        out.flush()
    return 0


def _played(replay: Replay, path: str) -> None:
    """Raises UsageError if nothing was there to be judged."""
    if not replay.lines:
        name = "standard input" if path == capture.STANDARD_INPUT else path
        raise UsageError(f"{name}: holds no line, so nothing was judged; a capture of `record` or an export is right")


def _heard_again(table: config.Config, tape: Tape, path: str, export: rehearing.Rehearing) -> None:
    """Each stretch of wire data is judged as a separate table, which aligns again; the sequence continues."""
    heard = 0
    for stretch in export.stretches():
        heard += 1
        Replay(table, tape).run(stretch, path)
    here = msgspec.structs.asdict(fingerprints(table))
    for what, mine in here.items():
        for other in sorted(export.judged_by.get(what, set()) - {mine}):
            which = f"another {WHAT[what]} (SHA-256 {one_line(other[:12])}…, here {mine[:12]}…)"
            print(f"{path}: the table judged by {which}; verdicts may differ", file=sys.stderr)
    if not heard:
        raise UsageError(
            f"{path}: the export has no wire records, which come within a minute after an irregularity; export more"
        )
