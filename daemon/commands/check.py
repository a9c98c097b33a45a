"""`pitwatch check`: tests whether a configuration and its rule book can be used. Opens no port."""

from __future__ import annotations

import argparse
import sys
from shlex import quote

from pitwatch.daemon.common.errors import ConfigError, UsageError
from pitwatch.daemon.config import installed
from pitwatch.daemon.config.table_facts import table_facts
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.doctor.notes import notes
from pitwatch.daemon.service.status import book_folder_of, fingerprints
from pitwatch.rules.book.bookcheck import check_path
from pitwatch.rules.book.coverage import cover

COMMAND = {"name": "check", "turn": 50, "help": "validate a configuration and its rule book"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Validates a table's configuration and its rule book. Editors use docs/schemas/table.toml.json for its keys."
    )
    parser.add_argument(
        "table",
        metavar="TABLE",
        help="configuration of the table, or the name of an installed one: RL-07, toledo/RL-07",
    )


def run(args: argparse.Namespace) -> int:
    try:
        table = installed.load(args.table)
    except ConfigError as error:
        print(*(error, *error.also), sep="\n", file=sys.stderr)
        return 2
    mistakes = [m for file in table.game.files for m in check_path(book_folder_of(table) / file)]
    if mistakes:
        more = f" (and {len(mistakes) - 1} more: pitwatch rules check shows all)" if len(mistakes) > 1 else ""
        raise UsageError(f"{mistakes[0]}{more}")
    prints = fingerprints(table)
    warnings = notes(table)
    covered = [each for each in cover(table.game, table_facts(table)) if each.applies]
    judged = sum(each.judged for each in covered)
    if args.json:
        answer = {
            "ok": True,
            "site": table.table.site,
            "table": table.table.id,
            "game": table.game.path,
            "options": table.game.settle_options(table.table.options),
            "devices": [{"id": d.id, "type": d.type, "protocol": d.protocol, "link": d.link} for d in table.devices],
            "topic": table.topic,
            "journal": str(table.journal),
            "rules": {"judged": judged, "of": len(covered)},
            "fingerprints": prints,
            "warnings": warnings,
        }
        print(encode(answer).decode())
        return 0
    print(f"{table.path}: good")
    print(f"  table    {table.table.site}/{table.table.id}, {table.game.name} by {table.game.path}")
    for name, value in table.game.settle_options(table.table.options).items():
        told = "" if any(key.replace("_", "-") == name for key in table.table.options) else " (the book's default)"
        print(f"  option   {name} = {str(value).lower() if isinstance(value, bool) else value}{told}")
    for device in table.devices:
        lines = f" lines {', '.join(spec.name for spec in device.lines)}" if device.lines else ""
        print(f"  device   {device.id}: {device.type} by {device.protocol} on {device.link}{lines}")
    if table.mqtt is not None:
        print(f"  mqtt     {', then '.join(table.mqtt.urls)}, {table.topic}/#")
    print(f"  journal  {table.journal}, kept {table.keep_days} days")
    print(f"  rules    {judged} of {len(covered)} judged; see pitwatch rules coverage {quote(str(table.path))}")
    print(f"  book     sha256 {prints.book}")
    for warning in warnings:
        print(f"  note     {warning}")
    return 0
