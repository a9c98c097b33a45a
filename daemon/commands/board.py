"""`pitwatch board`: carries out on this board what `pitwatch fleet` orders over ssh."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import Iterator

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import NAME, is_table
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.upkeep import bundle, putting, versions
from pitwatch.daemon.upkeep.answer import Answer, TableNow
from pitwatch.daemon.upkeep.table import installed_tables, look

COMMAND = {"name": "board", "turn": 128, "help": "carry out on this board what `pitwatch fleet` orders"}

ORDERS = {
    "state": "version of the package, and the services of the tables",
    "put": "read a table's new files on standard input, check them, and put them in use; the old are kept",
    "revert": "put a table's configuration before the last one in use again",
    "upgrade": "install another version of the package",
    "rollback": "install the version before the last upgrade again",
    "look": "what a table's journal says of its run",
    "serve": "the order in SSH_ORIGINAL_COMMAND, and no other command: for authorized_keys",
}
PATIENCE_S = 120.0
LONGEST_S = 3600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Carries out what `pitwatch fleet` orders over ssh, as root (docs/fleet.md). Prints one line of JSON; exit "
        "code 1 if the order was not carried out."
    )
    orders = parser.add_subparsers(dest="order", metavar="|".join(ORDERS), required=True)
    for name, told in ORDERS.items():
        order = orders.add_parser(name, help=told)
        if name in ("put", "revert"):
            order.add_argument("table", metavar="SITE/TABLE", help="the table")
        if name == "look":
            order.add_argument("table", metavar="NAME", help="the name of the table's service")
        if name in ("upgrade", "rollback"):
            told = "as `apt-cache policy pitwatch` lists it" if name == "upgrade" else "that is installed and is left"
            order.add_argument("version", metavar="VERSION", help=told)
        if name in ("put", "revert", "upgrade", "rollback"):
            order.add_argument(
                "patience", metavar="SECONDS", nargs="?", type=_patience, default=PATIENCE_S,
                help=f"wait so long for a table to be watched as before ({PATIENCE_S:.0f})",
            )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    if args.order == "serve":
        return _serve()
    if args.order == "look":
        print(encode(look(_name(args.table))).decode())
        return 0
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # what was begun is ended, whether the floor still listens or not
    try:
        with _alone():
            answer = _obey(args)
    except (UsageError, OSError) as error:
        answer = Answer(result="broken" if isinstance(error, OSError) else "refused", reason=str(error))
    with contextlib.suppress(BrokenPipeError):
        print(encode(answer).decode(), flush=True)
    return 0 if answer.result == "done" else 1


def _serve() -> int:
    """Raises UsageError for anything that is not an order."""
    words = os.environ.get("SSH_ORIGINAL_COMMAND", "").split()
    if words[:2] != ["pitwatch", "board"] or len(words) < 3 or words[2] not in ORDERS or words[2] in ("serve", "look"):
        raise UsageError("this key is for the orders of `pitwatch fleet` only")
    parser = argparse.ArgumentParser(prog="pitwatch board")
    add_arguments(parser)
    return run(parser.parse_args(words[2:]))


def _obey(args: argparse.Namespace) -> Answer:
    if args.order in ("put", "revert") and not is_table(args.table):
        raise UsageError(f'"{args.table}" is no table; SITE/TABLE of letters, digits, - and _ is right')
    if args.order == "state":
        return _state()
    if args.order == "put":
        try:
            sent = bundle.read(sys.stdin.buffer.read(bundle.MOST_BUNDLE + 1)[: bundle.MOST_BUNDLE])
        except ValueError as error:
            raise UsageError(f"the files: {error}") from None
        if sent.table != args.table:
            raise UsageError(f"the files are of {sent.table}, not of {args.table}")
        return putting.put(sent, args.patience)
    if args.order == "revert":
        return putting.revert(args.table, args.patience)
    if not versions.VERSION.match(args.version):
        raise UsageError(f'"{args.version}" is no version of a package')
    change = versions.upgrade if args.order == "upgrade" else versions.rollback
    return change(args.version, args.patience)


def _state() -> Answer:
    tables = {
        table.name: TableNow(service=table.service(), kept=putting.is_kept(table)) for table in installed_tables()
    }
    return Answer(result="done", package=versions.version_now(), previous=versions.previous_version(), tables=tables)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One order at a time. Raises UsageError."""
    lock = os.open(putting.fleet_folder() / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UsageError("another order is being carried out on this board; try again when it has ended") from None
    finally:
        os.close(lock)


def _patience(text: str) -> float:
    seconds = float(text) if text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit() else -1.0
    if not 0 <= seconds <= LONGEST_S:
        raise argparse.ArgumentTypeError(f"'{text}' is no time; 0 to {LONGEST_S:.0f} seconds are right")
    return seconds


def _name(text: str) -> str:
    if not NAME.match(text):
        raise UsageError(f'"{text}" is no name of a table\'s service')
    return text
