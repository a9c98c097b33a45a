"""`pitwatch journal`: shows, verifies and exports the evidence on disk, and lists holds.

Reads only; a running daemon keeps writing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sqlite3
import sys
import time
from pathlib import Path

import msgspec
from msgspec import UNSET

from pitwatch.daemon.common.arguments import count
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import config, installed
from pitwatch.daemon.contract.messages import RetentionData, WireData, encode, utc
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.exporting import fields
from pitwatch.daemon.journal.holding import lock_file
from pitwatch.daemon.journal.reading import has_traces, hides_records
from pitwatch.daemon.journal.store import Store, StoreError

COMMAND = {"name": "journal", "turn": 80, "help": "show, verify and export the evidence"}

FOLLOW_EVERY = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Shows, verifies or exports a table's journal."
    actions = parser.add_subparsers(dest="action", metavar="tail|verify|export|holds", required=True)
    tail = actions.add_parser("tail", help="print the newest records")
    tail.add_argument("-n", type=count, default=20, metavar="COUNT", help="number of records (20)")
    tail.add_argument("-f", "--follow", action="store_true", help="also print new records as they are written")
    verify = actions.add_parser(
        "verify", help="detect altered, removed or inserted records; exit code 1 if there are any"
    )
    verify.add_argument(
        "--key", metavar="KEY", help="accept signatures of this public key only: a PEM file, or `key` of `status`"
    )
    verify.add_argument(
        "--checkpoint",
        action="append",
        default=[],
        metavar="FILE",
        help="checkpoint messages kept by a subscriber, one a line",
    )
    export = actions.add_parser(
        "export", help="write every record with its hash as JSON lines, for independent verification"
    )
    export.add_argument(
        "--from", dest="first", metavar="WHEN", help="a time such as 2026-11-28T01:30:00Z, or a sequence"
    )
    export.add_argument("--to", dest="last", metavar="WHEN", help="end of the period, in the same form")
    export.add_argument(
        "--out", metavar="FILE", help="write FILE, and beside it the signature FILE.sig and the key FILE.pub"
    )
    holds = actions.add_parser("holds", help="list the holds: records kept past keep_days by request")
    for action in (tail, verify, export, holds):
        action.add_argument(
            "path",
            metavar="PATH",
            help="the journal's file, the TABLE.toml that names it, or an installed table's name",
        )
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    path = journal_at(Path(args.path))
    if args.action == "verify":
        return _verify(path, args)
    try:
        if args.action == "tail":
            return _tail(path, args)
        if args.action == "holds":
            return _holds(path, args)
        with contextlib.closing(Store(path, read_only=True)) as store:
            store.hold()  # or retention takes away meanwhile what the export says it begins with
            return _export(store, args)
    except sqlite3.Error as error:
        raise UsageError(f"{path}: cannot be read: {error}; `pitwatch journal verify` says where") from None


def journal_at(path: Path) -> Path:
    """The journal's file, which may have been named by the table's file or name, and of which all records can be read.
    Raises UsageError."""
    path = _journal(path)
    if not path.name:
        raise UsageError(f"{path}: no such journal")
    if hides_records(path):
        raise UsageError(
            f"{path}-wal: holds newer records, which cannot be read on a disk or in a folder that takes no writing; "
            "copy both files to one that does"
        )
    return path


def _journal(path: Path) -> Path:
    if path.suffix == ".toml":
        journal = config.load(path).journal
    elif not path.exists() and installed.find(str(path)) is not None:
        journal = installed.load(str(path)).journal
    else:
        return path
    if not journal.is_file():
        raise UsageError(
            f"{journal.absolute()}: no such journal; name its file, or say where it is: by journal.path in {path}, or "
            "as the daemon finds it, in STATE_DIRECTORY or else the folder in which `run` was started"
        )
    return journal


def _tail(path: Path, args: argparse.Namespace) -> int:
    store, file = Store(path, read_only=True), _file(path)
    try:
        after = max(store.last - args.n, 0)
        while True:
            for record in store.read(after, 1_000):
                sys.stdout.write(_line(record, args.json) + "\n")
                after = record.seq
            sys.stdout.flush()
            if not args.follow:
                return 0
            time.sleep(FOLLOW_EVERY)
            if (there := _file(path)) not in (file, None):  # the daemon set it aside, and continues in another
                with contextlib.suppress(StoreError):  # which it makes just now
                    other = Store(path, read_only=True)
                    store.close()
                    store, file = other, there
    finally:
        store.close()


def _file(path: Path) -> int | None:
    """Which file bears the name now, if one does."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _line(record: Record, as_json: bool) -> str:
    if as_json:
        return encode(fields(record)).decode()
    unsynced = "" if record.synced else "?"
    return f"{record.seq:>8}  {utc(record.wall_ns)}{unsynced}  {record.subtopic}  {_body(record)}"


def _body(record: Record) -> str:
    """What it says; of the wires, which are thousands of characters, how much came when."""
    text = record.body.decode()
    if record.kind != "wire":
        return text
    try:
        wires = msgspec.json.decode(record.body, type=WireData)
    except msgspec.DecodeError:
        return text
    return f"{len(wires.lines)} lines from {wires.begin:.3f} to {wires.end:.3f} s; --json shows them"


def _holds(path: Path, args: argparse.Namespace) -> int:
    from pitwatch.daemon.journal.held import HOLD, standing

    with contextlib.closing(Store(path, read_only=True)) as store:
        found = [each for record in store.retained() if record.kind == HOLD for each in standing(record)]
    for each in found:
        if args.json:
            print(encode(each).decode())
            continue
        client = f" ({each.client})" if each.client is not UNSET else ""
        said = json.dumps(each.reason, ensure_ascii=False)
        print(f"{each.hold:>8}  {each.time}  records {each.first} to {each.last}  {each.by}{client}  {said}")
    if not found and not args.json:
        print("no hold stands")
    return 0


def _verify(path: Path, args: argparse.Namespace) -> int:
    from pitwatch.daemon.journal import kept
    from pitwatch.daemon.journal.checkpoints import key_path
    from pitwatch.daemon.journal.signing import Signer
    from pitwatch.daemon.journal.verifying import verify

    key = Signer(key_path(path)).public
    if args.key:
        key = args.key if re.fullmatch(r"[A-Za-z0-9+/]{59}=", args.key) else _in_file(args.key)
    verdict = verify(path, key, [each for file in args.checkpoint for each in kept.read(Path(file))])
    if verdict.fault is not None and not _has_served(path):
        raise UsageError(f"{path}: no journal; the file that `run` writes, pitwatch-TABLE.db, is right")
    fault = None
    if not verdict.last:
        fault = f"holds no record, which no journal is without; beside a copy belongs {path.name}-wal as it was"
    elif args.key and not verdict.signed:
        fault = f"record {verdict.first} to {verdict.last}: nothing here is signed with that key"
    if verdict.fault is None and fault:
        verdict = msgspec.structs.replace(verdict, fault=fault)
    if args.json:
        print(encode({"ok": verdict.fault is None, **msgspec.structs.asdict(verdict)}).decode())
    elif verdict.fault is not None:
        print(f"{path}: {verdict.fault}")
    else:
        print(f"{path}: records {verdict.first} to {verdict.last} are complete and unaltered")
        if verdict.signed:
            print(f"  signed up to {verdict.signed} in {verdict.checkpoints} checkpoints, key {verdict.key}")
        else:
            print("  not signed")
        if verdict.notes:
            print(f"  the tree over them has the root that {verdict.notes} of the notes sign")
        if verdict.first > 1:
            print(f"  records up to {verdict.first - 1} are no longer there: {_why(verdict.cut)}")
        for line in verdict.not_compared:
            print(f"  {line}")
    return 0 if verdict.fault is None else 1


def _in_file(key: str) -> str:
    from pitwatch.daemon.journal.signing import public_key

    if not Path(key).exists():
        raise UsageError(
            f"--key {key}: neither a public key (60 characters of base64, as `status` shows) nor a PEM file"
        )
    return public_key(Path(key))


def _has_served(path: Path) -> bool:
    """Whether this is or was a journal, however damaged: a daemon has held it, or its beginning names what is in it.
    Raises UsageError."""
    try:
        return lock_file(path).exists() or has_traces(path)
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be read: {error.strerror}") from None


GONE = {
    "age": "retention took them",
    "room": "they were removed to make room while the clock was not set",
    "set_aside": "their file was damaged and set aside",
    "key": "they went before the board had a key",
}


def _why(cut: RetentionData | None) -> str:
    if cut is None:
        return "nothing says why, on a board that signs nothing"
    said = GONE.get(cut.reason, cut.reason) + (f" as {cut.file}" if cut.file else "")
    return f"{said}, {'signed' if cut.signature else 'NOT signed'} at {cut.time}"


def _export(store: Store, args: argparse.Namespace) -> int:
    from pitwatch.daemon.journal import exporting
    from pitwatch.daemon.journal.keys import signer_of

    first = exporting.bound(args.first, "--from") if args.first else None
    last = exporting.bound(args.last, "--to") if args.last else None
    low, high = exporting.span(store, first, last)
    if args.out is None:
        exporting.write(store, sys.stdout.buffer, low, high)
        sys.stdout.buffer.flush()
        return 0
    given = Path(args.path)
    signer = signer_of(store.path, config.load(given).token if given.suffix == ".toml" else None)
    count, signature, public = exporting.write_signed(store, Path(args.out), signer, low, high)
    if args.json:
        answer = {"export": args.out, "signature": str(signature), "key": str(public), "first": low, "last": high}
        print(encode(answer).decode())
    else:
        print(f"{args.out}: {count} records, {low} to {high}; signature {signature}, public key {public}")
    return 0
