"""`pitwatch notify`: notifies people of new cases, beside the archive."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode, utc
from pitwatch.daemon.service.logs import log_on_stderr
from pitwatch.floor.config import DATABASES, load

if TYPE_CHECKING:
    from pitwatch.floor.archive.store import Store
    from pitwatch.floor.config import FloorConfig

COMMAND = {"name": "notify", "turn": 117, "help": "notify people of new cases: mail, webhook, ntfy, syslog, program"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Notifies people of new cases as [notify] of FLOOR.toml says (docs/notify.md)."
    actions = parser.add_subparsers(dest="action", metavar="run|test|status", required=True)
    run_ = actions.add_parser("run", help="notify of what happens from now on, and of what nobody takes")
    run_.add_argument("--name", metavar="NAME", help="name of this instance, unique to it (default: the host's name)")
    test = actions.add_parser("test", help="send a test notice to each receiver; exit code 1 if one does not take it")
    test.add_argument("--to", metavar="NAME", help="only to this receiver")
    status = actions.add_parser("status", help="notices that wait or were given up; exit code 1 if any was given up")
    for action in (run_, test, status):
        action.add_argument("floor", metavar="FLOOR.toml", help="a floor's configuration, with [notify] and [archive]")
        action.add_argument("--json", action="store_true", help="print JSON")
    for action in (run_, status):
        action.add_argument("--database", metavar="URL", help=f"{DATABASES} (default: that of FLOOR.toml)")


def run(args: argparse.Namespace) -> int:
    from pitwatch.floor.archive.database import existing, store_at
    from pitwatch.floor.archive.store import StoreError

    config = load(args.floor)
    if not config.notify.to:
        raise UsageError(f"{args.floor}: has no [notify] with receivers, so nobody is notified")
    if args.action == "test":
        return _test(args, config)
    database = args.database or config.archive.database
    if args.action == "status":
        try:
            return asyncio.run(_status(args, existing(database)))
        except StoreError as error:
            raise UsageError(str(error)) from None
    name = args.name or f"pitwatch-notify-{platform.node() or 'host'}"
    with log_on_stderr(args.json):
        return asyncio.run(_run(config, store_at(database), name))


async def _run(config: FloorConfig, store: Store, name: str) -> int:
    from pitwatch.floor.notify.notifier import Notifier

    task = asyncio.current_task()
    assert task is not None
    cancel_when_told(task)
    with contextlib.suppress(asyncio.CancelledError):
        await Notifier(store, config.notify, config.pace, name).run()
    return 0


def _test(args: argparse.Namespace, config: FloorConfig) -> int:
    from pitwatch.floor.notify.notice import Notice
    from pitwatch.floor.notify.ways import way_of
    from pitwatch.floor.outward import OutwardError

    receivers = [to for to in config.notify.to if args.to in (None, to.name)]
    if not receivers:
        there = ", ".join(to.name for to in config.notify.to)
        raise UsageError(f'--to "{args.to}" is no receiver; there are {there}')
    now = datetime.now(UTC)
    notice = Notice(
        id=f"pitwatch-test-{os.getpid()}-{int(now.timestamp())}",
        reason="test",
        case=0,
        kind="test",
        severity="notice",
        table="SITE/TABLE",
        title="A test of Pitwatch's notification",
        at=utc(int(now.timestamp() * 1_000_000_000)),
    )
    failed = 0
    for to in receivers:
        try:
            way_of(to, config.notify.timeout_s).send(notice)
            why = ""
        except OutwardError as error:
            why, failed = str(error), failed + 1
        if args.json:
            print(encode({"receiver": to.name, "way": to.way, "ok": not why, "reason": why}).decode())
        else:
            print(f"{'FAILS' if why else 'sent':<6} {to.name} ({to.way}){f': {why}' if why else ''}", flush=True)
    return 1 if failed else 0


async def _status(args: argparse.Namespace, store: Store) -> int:
    from pitwatch.floor.notify.outbox import status

    await store.open()
    try:
        rows = await status(store)
    finally:
        await store.close()
    for row in rows:
        if args.json:
            print(encode(row).decode())
        else:
            why = f"; the last reason: {row['reason']}" if row["reason"] else ""
            print(f"{row['receiver']}: {row['waiting']} waiting, {row['given_up']} given up{why}")
    if not rows and not args.json:
        print("nothing waits")
    return 1 if any(row["given_up"] for row in rows) else 0
