"""Which tables a bench run plays, how many rounds each, and with which faults."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path

import msgspec

from pitwatch import sim_hw
from pitwatch.daemon.bench.faults import playable, wanted
from pitwatch.daemon.bench.scenario import SCENARIOS, Part
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import Config
from pitwatch.daemon.config import config as configuration
from pitwatch.rules.text.did_you_mean import did_you_mean

TABLES = Path(sim_hw.__file__).parent / "tables"

ROUNDS_PER_FAULT = 5


def speed_of(text: str | None) -> float | None:
    """Times real time; None if nothing was said. Raises UsageError."""
    if text is None:
        return None
    try:
        speed = inf if text == "max" else float(text)
    except ValueError:
        speed = 0.0
    if not speed > 0:
        raise UsageError(f"--speed: {text!r} is no speed; a number above 0, or max, is right")
    return speed


def parts_of(args: argparse.Namespace, name: str) -> list[tuple[Config, Part]]:
    """The tables to play with their parts. Raises UsageError."""
    if args.rounds is not None and args.rounds < 1:
        raise UsageError(f"--rounds: {args.rounds} is too few; 1 or more is right")
    if args.fault:
        return [(table, _sized(table, part, args.rounds)) for table, part in _with_faults(args)]
    parts = SCENARIOS[name].parts
    if args.table or not parts:
        parts = tuple(Part(table=str(path), rounds=0, rules=() if name == "clean" else None) for path in paths_of(args))
    return [(table, _sized(table, part, args.rounds)) for table, part in map(_loaded, parts)]


def unplanned_parts(args: argparse.Namespace) -> list[tuple[Config, Part]]:
    """The table that is named, or those of the demo, without a plan: for a panel from the start."""
    names = [args.table] if args.table else [part.table for part in SCENARIOS["demo"].parts]
    return [_loaded(Part(table=name, rounds=0, rules=())) for name in names]


def _loaded(part: Part) -> tuple[Config, Part]:
    path = part.table if part.table.endswith(".toml") else TABLES / f"{part.table}.toml"
    return configuration.load(path), part


def paths_of(args: argparse.Namespace) -> list[Path]:
    """The file that is named, or those of all simulated tables."""
    return [Path(args.table)] if args.table else sorted(TABLES.glob("*.toml"))


def _with_faults(args: argparse.Namespace) -> list[tuple[Config, Part]]:
    """The tables that play the faults that are asked for: the one that is named, or all that can. Raises UsageError."""
    found, refused = [], []
    known: set[str] = set()
    for table in map(configuration.load, paths_of(args)):
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


def _sized(table: Config, part: Part, rounds: int | None) -> Part:
    if rounds is None and part.rounds == 0:
        faults = len(table.game.rules) if part.rules is None else len(part.rules)
        rounds = 100 if part.rules == () else ROUNDS_PER_FAULT * (faults + 1)
    return part if rounds is None else msgspec.structs.replace(part, rounds=rounds)
