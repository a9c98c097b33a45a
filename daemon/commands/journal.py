"""`pitwatch journal`: the evidence on disk. Reads only; a running daemon goes on writing meanwhile."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import msgspec

from daemon import config
from daemon.chain import Record
from daemon.messages import encode, utc
from daemon.store import Store

FOLLOW_EVERY = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Shows, verifies or exports a table's journal."
    actions = parser.add_subparsers(dest="action", metavar="tail|verify|export", required=True)
    tail = actions.add_parser("tail", help="the newest records")
    tail.add_argument("-n", type=int, default=20, metavar="COUNT", help="how many (20)")
    tail.add_argument("-f", "--follow", action="store_true", help="go on with what is written from now on")
    verify = actions.add_parser("verify", help="whether nothing was altered, removed or put in; exit code 1 if so")
    export = actions.add_parser(
        "export", help="every record with its hash as JSON lines, for whoever checks by himself"
    )
    for action in (tail, verify, export):
        action.add_argument("path", metavar="PATH", help="the journal's file, or the TABLE.toml that names it")
        action.add_argument("--json", action="store_true", help="answer in JSON")


def run(args: argparse.Namespace) -> int:
    path = Path(args.path)
    store = Store(config.load(path).journal if path.suffix == ".toml" else path, read_only=True)
    try:
        if args.action == "tail":
            return _tail(store, args)
        if args.action == "verify":
            return _verify(store, args.json)
        return _export(store)
    finally:
        store.close()


def _tail(store: Store, args: argparse.Namespace) -> int:
    after = max(store.last - args.n, 0)
    while True:
        for record in store.read(after, 1_000):
            sys.stdout.write(_line(record, args.json) + "\n")
            after = record.seq
        sys.stdout.flush()
        if not args.follow:
            return 0
        time.sleep(FOLLOW_EVERY)


def _line(record: Record, as_json: bool) -> str:
    if as_json:
        return encode(_fields(record)).decode()
    unsynced = "" if record.synced else "?"
    return f"{record.seq:>8}  {utc(record.wall_ns)}{unsynced}  {record.subtopic}  {record.body.decode()}"


def _fields(record: Record) -> dict[str, object]:
    fields = msgspec.structs.asdict(record)
    return {**fields, "body": record.body.decode()}


def _verify(store: Store, as_json: bool) -> int:
    fault = store.fault()
    first, last = store.pruned + 1, store.last
    if as_json:
        print(encode({"ok": fault is None, "fault": fault, "first": first, "last": last}).decode())
    elif fault is None:
        print(f"{store.path}: records {first} to {last} are complete and unaltered" if last >= first else "no records")
    else:
        print(f"{store.path}: {fault}")
    return 0 if fault is None else 1


def _export(store: Store) -> int:
    out = sys.stdout.buffer
    out.write(encode({"begins_after": store.pruned, "hash_before": store.hash_before.hex()}) + b"\n")
    for record, hash_ in store.records():
        out.write(encode({**_fields(record), "hash": hash_.hex()}) + b"\n")
    out.flush()
    return 0
