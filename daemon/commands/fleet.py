"""`pitwatch fleet`: lists the boards of a floor, and changes configuration, certificates and version on them."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwatch.daemon.common.arguments import seconds
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.pages import Page
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.service.logs import log_on_stderr
from pitwatch.floor.config import FloorConfig, load

if TYPE_CHECKING:
    from pitwatch.floor.feed import Feed
    from pitwatch.floor.fleet.config import Board
    from pitwatch.floor.fleet.heard import Heard
    from pitwatch.floor.fleet.upgrading import Told

COMMAND = {"name": "fleet", "turn": 127, "help": "list the boards of a floor, configure and upgrade them"}

LISTEN_S = 5.0
"""Seconds in which a broker gives what it has retained; RabbitMQ gives it within 30."""
CONNECT_S = 15.0
SOAK_S = 600.0
PUT_S = 400.0
"""Seconds that a board has for an order beside its patience."""
ACTIONS = {
    "list": "state, version, book, key, certificate, clock, disk, temperature and last word of each table",
    "push": "put configurations and certificates on the boards: checked there first, the old kept",
    "revert": "put the configuration before the last push in use again",
    "upgrade": "install a version ring by ring; stops by itself when a table is worse than before",
    "rollback": "on boards that have a version, install the one before it again",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lists the boards of [fleet] in FLOOR.toml and gives them orders over ssh (docs/fleet.md). Exit code 1: "
        "something needs a look, or an order was not carried out on every board."
    )
    actions = parser.add_subparsers(dest="action", metavar="|".join(ACTIONS), required=True)
    each = {name: actions.add_parser(name, help=told) for name, told in ACTIONS.items()}
    for action in each.values():
        action.add_argument("floor", metavar="FLOOR.toml", help="a floor's configuration, with [mqtt] and [fleet]")
        action.add_argument("--json", action="store_true", help="print JSON lines")
    each["push"].add_argument(
        "folder", metavar="FOLDER", help="with SITE/TABLE.toml and SITE/TABLE/, such as tables/ of `pitwatch provision`"
    )
    for name in ("push", "revert"):
        each[name].add_argument(
            "--table", metavar="SITE/TABLE", action="append", default=[], required=name == "revert",
            help="only this table; repeat for others",
        )  # fmt: skip
    each["upgrade"].add_argument(
        "version", metavar="VERSION", help="as `apt-cache policy pitwatch` lists it on a board"
    )
    each["upgrade"].add_argument(
        "--rings", metavar="N,N,all", default="1,10,all", help="boards in each ring (1,10,all)"
    )
    each["upgrade"].add_argument(
        "--soak", metavar="SECONDS", type=seconds, default=SOAK_S, help=f"look at each ring so long ({SOAK_S:.0f})"
    )
    each["upgrade"].add_argument("--plan", action="store_true", help="print the rings and change nothing")
    each["rollback"].add_argument("version", metavar="VERSION", help="boards that have this version now go back")
    for name in ("upgrade", "rollback"):
        each[name].add_argument("--board", metavar="NAME", action="append", default=[], help="only this board; repeat")
        each[name].add_argument("--without", metavar="NAME", action="append", default=[], help="not this board; repeat")
    for name in ("list", "upgrade"):
        each[name].add_argument(
            "--listen", metavar="SECONDS", type=seconds, default=LISTEN_S,
            help=f"listen so long for what the broker has retained ({LISTEN_S:.0f}); 35 for RabbitMQ",
        )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    config = load(args.floor)
    if args.action != "list" and not config.fleet.boards:
        raise UsageError(f"{args.floor}: fleet.boards: missing; [fleet.boards.NAME] names each board")
    with log_on_stderr(args.json):
        return asyncio.run(_ACTIONS[args.action](args, config))


async def _list(args: argparse.Namespace, config: FloorConfig) -> int:
    from pitwatch.floor.fleet import listing

    async with _hearing(config, args.listen) as (heard, _):
        pass
    rows = listing.rows(config.fleet, heard, config.approved, time.time(), await _troubles(config))
    if args.json:
        for row in rows:
            print(encode(listing.as_json(row, heard.tables.get(row.table))).decode())
    else:
        page = Page()
        page.columns(
            [[name.replace("_", " ").upper() for name in listing.Row._fields[:-1]], *(row[:-1] for row in rows)], 0
        )
        looks = [row for row in rows if row.look]
        if looks:
            page.heading(f"TO LOOK AT {len(looks)} of {len(rows)}")
            for row in looks:
                page.field(row.table, "; ".join(row.look), column=24)
        print(page)
    return 1 if any(row.look for row in rows) else 0


async def _push(args: argparse.Namespace, config: FloorConfig) -> int:
    from pitwatch.daemon.upkeep.bundle import encode as encoded
    from pitwatch.floor.fleet.pushing import bundles
    from pitwatch.floor.fleet.selecting import board_of

    found = bundles(Path(args.folder), args.table)
    boards = [board_of(config.fleet, bundle.table) for bundle in found]
    return await _one_by_one(
        args,
        config,
        [("put", bundle.table, board, encoded(bundle)) for bundle, board in zip(found, boards, strict=True)],
    )


async def _revert(args: argparse.Namespace, config: FloorConfig) -> int:
    from pitwatch.floor.fleet.selecting import board_of

    return await _one_by_one(
        args, config, [("revert", table, board_of(config.fleet, table), b"") for table in args.table]
    )


async def _one_by_one(
    args: argparse.Namespace, config: FloorConfig, orders: list[tuple[str, str, Board, bytes]]
) -> int:
    """A table after the other; a mistake that is in all of them is met at the first, and no other is touched."""
    from pitwatch.floor.fleet.ssh import UnreachableError, order

    missed = 0
    for number, (verb, table, board, sent) in enumerate(orders):
        patience = config.fleet.patience_s
        try:
            answer = await order(config.fleet, board, (verb, table, str(patience)), PUT_S + 2 * patience, sent)
        except UnreachableError as error:
            missed += 1
            _say(args, {"event": "not_reached", "table": table, "board": board.name, "reason": str(error)},
                 f"{table} on {board.name}: not reached: {error}")  # fmt: skip
            continue
        what = {"event": answer.result, "table": table, "board": board.name, "reason": answer.reason}
        named = "the old one was put back" if answer.result == "put_back" else answer.result
        _say(args, what, f"{table} on {board.name}: {named}{': ' if answer.reason else ''}{answer.reason}")
        if answer.result != "done":
            left = len(orders) - number - 1
            if left:
                _say(args, {"event": "stopped", "untouched": [each[1] for each in orders[number + 1 :]]},
                     f"STOPPED: {left} tables were not touched")  # fmt: skip
            return 1
    return 1 if missed else 0


async def _upgrade(args: argparse.Namespace, config: FloorConfig) -> int:
    from pitwatch.floor.fleet import selecting
    from pitwatch.floor.fleet.rings import read_rings
    from pitwatch.floor.fleet.upgrading import Upgrade

    _is_version(args.version)
    try:
        rings = read_rings(args.rings)
    except ValueError as error:
        raise UsageError(f"--rings {error}") from None
    boards = selecting.boards(config.fleet, args.board, args.without)
    async with _hearing(config, args.listen) as (heard, feed):
        upgrade = Upgrade(config.fleet, heard, lambda what, text: _say(args, what, text), lambda: feed.connected)
        done = await upgrade.run(boards, args.version, rings, args.soak, args.plan)
    return 0 if done or args.plan else 1


async def _rollback(args: argparse.Namespace, config: FloorConfig) -> int:
    from pitwatch.floor.fleet import selecting
    from pitwatch.floor.fleet.upgrading import APT_S, STATE_S, ask_all, giving

    _is_version(args.version)
    give, patience = giving(config.fleet), config.fleet.patience_s
    boards = selecting.boards(config.fleet, args.board, args.without)
    states = await ask_all(boards, ("state",), STATE_S, give)
    due = [told.board for told in states if told.done and told.answer and told.answer.package == args.version]
    missed = [told for told in states if not told.done]
    told = await ask_all(due, ("rollback", args.version, str(patience)), APT_S + 2 * patience, give)
    for each in (*missed, *told):
        text = f"{each.board.name}: {_outcome(each)}{_version(each)}{': ' if each.reason else ''}{each.reason}"
        _say(args, {"event": _outcome(each), "board": each.board.name, "reason": each.reason}, text)
    if not due:
        _say(args, {"event": "nothing"}, f"no board that was reached has {args.version}")
    return 0 if due and not missed and all(each.done for each in told) else 1


def _is_version(text: str) -> None:
    """It becomes a word of a command on the board. Raises UsageError."""
    from pitwatch.daemon.upkeep.versions import VERSION

    if not VERSION.match(text):
        raise UsageError(f'"{text[:80]}" is no version of a package')


def _outcome(told: Told) -> str:
    return told.answer.result if told.answer is not None else "not_reached"


def _version(told: Told) -> str:
    from pitwatch.floor.fleet.clean_text import clean

    return f", has {clean(told.answer.package)[:60]}" if told.answer is not None and told.answer.package else ""


@contextlib.asynccontextmanager
async def _hearing(config: FloorConfig, listen_s: float) -> AsyncIterator[tuple[Heard, Feed]]:
    """What the tables publish: before the block for so many seconds, then for as long as it lasts. Raises UsageError
    without a broker."""
    from pitwatch.floor.feed import Feed
    from pitwatch.floor.fleet.heard import TOPICS, Heard

    heard = Heard()
    mqtt = config.mqtt
    feed = Feed(mqtt.addresses, mqtt, mqtt.prefix, lambda message: heard.take(message, time.time()), TOPICS)
    feed.on_unreadable = lambda message: heard.refuse(message.table)
    hearing = asyncio.create_task(feed.run())
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_S):
                while not feed.connected:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        await asyncio.sleep(listen_s if feed.connected else 0)
        if not feed.connected:
            raise UsageError(feed.trouble or "no broker answers")
        yield heard, feed
    finally:
        hearing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await hearing


async def _troubles(config: FloorConfig) -> dict[str, int]:
    """How many troubles of each table stand in the archive, if FLOOR.toml names one. Raises UsageError."""
    if not config.names_archive:
        return {}
    from pitwatch.floor.archive.database import existing
    from pitwatch.floor.archive.store import StoreError
    from pitwatch.floor.archive.troubles import STANDING

    store = existing(config.archive.database)
    try:
        await store.open()
        found: dict[str, int] = {}
        for row in await store.ask(STANDING):
            table = f"{row['site']}/{row['table_id']}"
            found[table] = found.get(table, 0) + 1
        return found
    except StoreError as error:
        raise UsageError(str(error)) from None
    finally:
        await store.close()


def _say(args: argparse.Namespace, what: dict[str, Any], text: str) -> None:
    print(encode(what).decode() if args.json else text, flush=True)


_ACTIONS = {"list": _list, "push": _push, "revert": _revert, "upgrade": _upgrade, "rollback": _rollback}
