"""`pitwatch new`: asks what a table needs, finds the devices at the board's ports, writes TABLE.toml and tests it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pitwatch.daemon.commands import check, doctor
from pitwatch.daemon.common.arguments import seconds
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode

if TYPE_CHECKING:
    from pitwatch.daemon.newtable.asking import Asker

COMMAND = {"name": "new", "turn": 48, "help": "make a table's configuration by questions"}

KNOWN = ("site", "id", "game", "options", "provisioned", "broker", "rounds_an_hour", "found", "device")
"""Keys of a file of answers."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Asks for the game, listens at the board's ports, says which rules each device lets the table judge, writes the"
        " configuration, then runs check and doctor. Nothing is sent to a port unless you say that a card reader is"
        " there. Ctrl-C before the last question leaves no file."
    )
    parser.add_argument("table", metavar="TABLE.toml", help="the file to write; it must not exist")
    parser.add_argument(
        "--answers",
        metavar="FILE",
        help=f"take the answers from a TOML file instead of the terminal; its keys are {', '.join(KNOWN)}",
    )
    parser.add_argument(
        "--listen",
        type=seconds,
        default=2.0,
        metavar="SECONDS",
        help="listen at each port this long at each speed, and in doctor (2)",
    )


def run(args: argparse.Namespace) -> int:
    from pitwatch.daemon.newtable.asking import Answers, Terminal
    from pitwatch.daemon.newtable.file import refuse_existing

    path = Path(args.table)
    refuse_existing(path)
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent}: no such folder; create it first")
    asker: Asker
    if args.answers:
        asker = Answers(Path(args.answers), KNOWN, _to_stderr if args.json else print)
    elif args.json or not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at; answer with --answers FILE (pitwatch new --help)")
    else:
        asker = Terminal()
    try:
        judged, of, devices = _make(asker, path, args.listen)
    except KeyboardInterrupt:
        print("\nnothing was written", file=sys.stderr)
        raise
    if args.json:
        answer = {"file": str(path), "devices": devices, "rules": {"judged": judged, "of": of}}
        print(encode(answer).decode(), flush=True)
    else:
        print(f"{path} is written.\n\npitwatch check {path}", flush=True)
    code = check.run(argparse.Namespace(table=str(path), json=args.json))
    if code == 0:
        if not args.json:
            print(f"\npitwatch doctor {path}", flush=True)
        code = doctor.run(argparse.Namespace(table=str(path), listen=args.listen, json=args.json))
    return code


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _make(asker: Asker, path: Path, listen: float) -> tuple[int, int, list[str]]:
    """Ask, and write the file. Rules judged, of how many, and the devices' ids."""
    from pitwatch.daemon.newtable.asking import Answers
    from pitwatch.daemon.newtable.devices import Devices
    from pitwatch.daemon.newtable.file import text_of, write_new
    from pitwatch.daemon.newtable.listening import listen as hear
    from pitwatch.daemon.newtable.listening import speeds
    from pitwatch.daemon.newtable.plugs import plugs
    from pitwatch.daemon.newtable.table import ask_table
    from pitwatch.hal.system_clock import SystemClock

    draft, game = ask_table(asker, path)
    devices = Devices(asker, draft, game, path)
    asker.say()
    devices.introduce()
    found = plugs()
    serial = [plug for plug in found if plug.kind == "serial"]
    asker.say()
    asker.say(f"Plugged in: {', '.join(plug.name for plug in found) or 'nothing that Pitwatch knows'}")
    if serial:
        asker.say(f"Listening at {len(serial)} serial ports, up to {listen * len(speeds()):g} s; nothing is sent …")
    heard = asyncio.run(hear(serial, SystemClock(), listen))
    if isinstance(asker, Answers):
        devices.given(heard)
    else:
        devices.ask(heard, [plug for plug in found if plug.kind != "serial"])
    judged, of = devices.sum_up()
    if not asker.yes("write", f"Write {path}", True):
        raise UsageError("nothing was written")
    write_new(path, text_of(draft))
    return judged, of, [device["id"] for device in draft.devices]
