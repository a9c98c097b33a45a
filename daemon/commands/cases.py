"""`pitwatch cases`: lists and changes the cases of a floor, writes the log of a day, and verifies the record."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import is_table
from pitwatch.daemon.contract.messages import encode
from pitwatch.floor.config import DATABASE, DATABASES, default, load
from pitwatch.rules.text.one_line import one_line

if TYPE_CHECKING:
    from pitwatch.floor.archive.store import Store
    from pitwatch.floor.cases import Case, CaseStore, Change, Identity
    from pitwatch.floor.config import FloorConfig

SEVERITIES = ("notice", "warning", "alert", "critical")

COMMAND = {"name": "cases", "turn": 115, "help": "what was done about irregularities, alerts and jackpots, and by whom"}

CHANGES = {
    "see": "say that you have seen a case",
    "take": "take a case in hand",
    "note": "add a note",
    "correct": "correct an entry; the entry stays",
    "link": "link a case to another",
    "tick": "say that an item of a checklist is done",
    "close": "close a case with a disposition",
    "reopen": "open a closed case again",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The cases of a floor (docs/cases.md). Changes are made in the name of the client certificate of FLOOR.toml, "
        "else of the system account."
    )
    names = "|".join(("list", "show", "open", *CHANGES, "log", "verify"))
    actions = parser.add_subparsers(dest="action", metavar=names, required=True)
    list_ = actions.add_parser("list", help="cases that are not closed, the newest last")
    list_.add_argument("--all", action="store_true", help="closed cases too")
    list_.add_argument("--table", metavar="SITE/TABLE", help="only this table")
    made = {"list": list_, "show": actions.add_parser("show", help="one case with all entries")}
    for name, told in CHANGES.items():
        made[name] = actions.add_parser(name, help=told)
    made["open"] = open_ = actions.add_parser("open", help="open a case of what you saw, and no device")
    open_.add_argument("text", metavar="TITLE", help="what it is, in one line")
    open_.add_argument("--table", metavar="SITE/TABLE", help="at this table")
    open_.add_argument("--severity", default="notice", choices=SEVERITIES, help="(notice)")
    open_.add_argument("--at", metavar="WHEN", help="when it was, such as 2026-11-28T01:30:00Z (default: now)")
    for name in ("show", *CHANGES):
        made[name].add_argument("case", metavar="CASE", type=int, help="its number")
    made["note"].add_argument("text", metavar="TEXT", help="what you note; - reads it from standard input")
    made["correct"].add_argument("entry", metavar="ENTRY", type=int, help="number of the entry, as show prints it")
    made["correct"].add_argument("text", metavar="TEXT", help="what it should say; of a tick: why it was a mistake")
    made["link"].add_argument("other", metavar="OTHER", type=int, help="number of the other case")
    made["tick"].add_argument("item", metavar="ITEM", help="the item, or its number in the list that show prints")
    made["close"].add_argument("disposition", metavar="DISPOSITION", help="one of [cases] dispositions in FLOOR.toml")
    made["reopen"].add_argument("text", metavar="TEXT", help="why")
    for name in ("see", "tick", "close"):
        made[name].add_argument("--text", metavar="TEXT", default="", help="words that stand with it")
    for name in ("take", "close", "reopen"):
        made[name].add_argument(
            "--seen", metavar="ENTRY", type=int, help="newest entry that you have seen (default: your own newest)"
        )
    made["log"] = log = actions.add_parser("log", help="the surveillance log of a gaming day")
    log.add_argument("day", metavar="DAY", nargs="?", help="such as 2026-11-28 (default: the present gaming day)")
    log.add_argument("--out", metavar="FILE", help="ends in .html, .csv or .json (default: HTML on standard output)")
    log.add_argument("--table", metavar="SITE/TABLE", help="only this table")
    made["verify"] = verify = actions.add_parser(
        "verify", help="verify entries, chain and signed heads; exit code 1 if one is not right"
    )
    verify.add_argument(
        "--key", metavar="FILE", action="append", default=[], help="public key that signs (default: beside [cases] key)"
    )
    verify.add_argument(
        "--head", metavar="FILE", action="append", default=[], help="a signed head that was kept elsewhere"
    )
    for action in made.values():
        action.add_argument("--floor", metavar="FLOOR.toml", help="a floor's configuration: [archive], [cases], [mqtt]")
        action.add_argument(
            "--database", metavar="URL", help=f"{DATABASES} (default: that of FLOOR.toml, else {DATABASE})"
        )
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from pitwatch.floor.archive.database import existing
    from pitwatch.floor.archive.store import StoreError
    from pitwatch.floor.cases.refusal import ConflictError, RefusedChangeError

    table = getattr(args, "table", None)
    if table is not None and not is_table(table):
        raise UsageError(f'--table "{table}" is no table; SITE/TABLE of letters, digits, - and _ is right')
    config = load(args.floor) if args.floor else default()
    store = existing(args.database or config.archive.database)
    try:
        return asyncio.run(_run(args, store, config))
    except ConflictError as error:
        raise UsageError(f"{error}: pitwatch cases show {args.case}, and then --seen ENTRY") from None
    except (StoreError, RefusedChangeError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None


async def _run(args: argparse.Namespace, store: Store, config: FloorConfig) -> int:
    from pitwatch.floor.cases import CaseStore

    await store.open()
    try:
        cases = CaseStore(store)
        if args.action == "list":
            return await _list(args, cases)
        if args.action == "log":
            return await _log(args, store, config)
        if args.action == "verify":
            return await _verify(args, store, config)
        if args.action == "open":
            return await _open(args, cases, config)
        case = await cases.case(args.case)
        if case is None:
            raise UsageError(f"there is no case {args.case}; pitwatch cases list --all shows them")
        if args.action == "show":
            return _show(args, case, await cases.entries(args.case))
        return await _change(args, cases, case, config)
    finally:
        await store.close()


async def _list(args: argparse.Namespace, cases: CaseStore) -> int:
    from pitwatch.floor.cases.day_log import plain

    found = await (cases.all_cases() if args.all else cases.open_cases())
    shown = [case for case in found if args.table in (None, case.table)]
    if args.json:
        for case in shown:
            print(encode(plain(case)).decode())
        return 0
    for case in shown:
        who = f" of {case.holder}" if case.state == "in hand" else f", {case.disposition}" if not case.is_open else ""
        print(f"{case.case:>6}  {case.opened_at[:19]}Z  {case.severity:<8}  {case.table:<20}  {case.state}{who}")
        print(f"        {one_line(case.title)}{f'; {case.standing}' if case.standing else ''}")
    if not shown:
        print("no case is open" if not args.all else "there is no case")
    return 0


def _show(args: argparse.Namespace, case: Case, entries: list[Change]) -> int:
    import msgspec

    from pitwatch.floor.cases.day_log import plain
    from pitwatch.floor.cases.wording import told

    if args.json:
        print(encode(plain(case) | {"entries": msgspec.to_builtins(entries)}).decode())
        return 0
    who = f" of {case.holder}" if case.state == "in hand" else f", {case.disposition}" if not case.is_open else ""
    print(f"case {case.case}: {one_line(case.title)}")
    print(f"{case.kind}, {case.severity}, {case.table}; {case.state}{who} since {case.since}")
    if case.standing:
        print(case.standing)
    if case.links:
        print(f"linked to {', '.join(map(str, case.links))}")
    for number, item in enumerate(case.checklist, 1):
        done = f"done {item.done.at[:19]}Z by {item.done.by}" if item.done else "open"
        print(f"  {number}. {item.item}: {done}")
    for entry in entries:
        lines = [one_line(line) for line in told(entry).split("\n")]
        by = f"{entry.by}" if entry.by.kind == "system" else f"{entry.by.name} ({entry.by.kind})"
        print(f"{entry.number:>7}  {entry.at[:19]}Z  {by}: {lines[0]}")
        for line in lines[1:]:
            print(f"{'':30}{line}")
    sys.stdout.flush()
    return 0


async def _open(args: argparse.Namespace, cases: CaseStore, config: FloorConfig) -> int:
    from pitwatch.floor.archive.row import iso
    from pitwatch.floor.cases import Change, EventRef
    from pitwatch.floor.cases.door import identity

    try:
        at = datetime.fromisoformat(args.at) if args.at else datetime.now(UTC)
    except ValueError:
        raise UsageError(f"--at: {args.at!r} is no time; such as 2026-11-28T01:30:00Z is right") from None
    about = EventRef(what="reported", at=iso(at.replace(tzinfo=at.tzinfo or UTC)))
    by = await asyncio.to_thread(identity, config.mqtt)
    change = Change(
        kind="open", case_kind="report", title=args.text, table=args.table or "", severity=args.severity, event=about
    )
    return _told(args, await cases.append(change, by), by)


async def _change(args: argparse.Namespace, cases: CaseStore, case: Case, config: FloorConfig) -> int:
    from pitwatch.floor.cases.door import identity

    by = await asyncio.to_thread(identity, config.mqtt)
    return _told(args, await cases.append(_made(args, case, await _seen(args, cases, by), config), by), by)


def _told(args: argparse.Namespace, made: Change, by: Identity) -> int:
    import msgspec

    from pitwatch.floor.cases.wording import told

    said = f"case {made.case}, entry {made.number}: {by} {told(made)}"
    print(encode(msgspec.to_builtins(made)).decode() if args.json else said)
    return 0


async def _seen(args: argparse.Namespace, cases: CaseStore, by: Identity) -> int:
    """What its author has seen: his own newest entry at least, and the one that opened the case."""
    if getattr(args, "seen", None) is not None:
        return int(args.seen)
    entries = await cases.entries(args.case)
    return max(entry.number for entry in entries if entry.by == by or entry.kind == "open")


def _made(args: argparse.Namespace, case: Case, seen: int, config: FloorConfig) -> Change:
    from pitwatch.floor.cases import Change

    text = getattr(args, "text", "")
    if args.action == "note" and text == "-":
        text = sys.stdin.read().strip()
    change = Change(kind=args.action, case=args.case, seen=seen, text=text)
    values: dict[str, Any] = {}
    match args.action:
        case "correct":
            values = {"corrects": args.entry}
        case "link":
            values = {"other": args.other}
        case "tick":
            items = [each.item for each in case.checklist]
            number = int(args.item) if args.item.isascii() and args.item.isdigit() else 0
            values = {"item": items[number - 1] if 0 < number <= len(items) else args.item}
        case "close":
            if args.disposition not in config.cases.dispositions:
                there = "; ".join(config.cases.dispositions)
                raise UsageError(f'"{args.disposition}" is no disposition of this house; there are: {there}')
            values = {"disposition": args.disposition}
        case _:
            pass
    import msgspec

    return msgspec.structs.replace(change, **values)


async def _log(args: argparse.Namespace, store: Store, config: FloorConfig) -> int:
    from pitwatch.floor.cases import writing
    from pitwatch.floor.cases.day_log import day_log, day_of
    from pitwatch.floor.report.handing_out import hand_out, writer_for

    begins = config.cases.day_begins
    try:
        day = date.fromisoformat(args.day) if args.day else day_of(datetime.now(UTC), begins, config.pace)
    except ValueError:
        raise UsageError(f"{args.day!r} is no day; such as 2026-11-28 is right") from None
    write = writer_for(args.out, args.json, writing.to_html, writing.to_csv, writing.to_json)
    log = await day_log(store, day, begins, config.pace, args.table)
    hand_out(write(log), args.out)
    if not args.out:
        return 0
    counts = {"file": args.out, "entries": len(log["entries"]), "open": len(log["open"])}
    print(encode(counts).decode() if args.json else f"{args.out}: {counts['entries']} entries")
    return 0


async def _verify(args: argparse.Namespace, store: Store, config: FloorConfig) -> int:
    from pitwatch.daemon.journal.signing import public_key
    from pitwatch.floor.cases.heads import memory_of, remembered
    from pitwatch.floor.cases.verifying import verify

    own = Path(config.cases.key) if config.cases.key else None
    files = [Path(each) for each in args.key]
    if not files and own is not None and own.with_suffix(".pub").exists():
        files = [own.with_suffix(".pub")]
    kept = [Path(each) for each in args.head]
    for path in kept:
        if not path.exists():
            raise UsageError(f"{path}: no such file; a signed head of the cases is right")
    if own is not None:
        kept.append(memory_of(own))
    heads = [head for path in kept if (head := remembered(path)) is not None]
    found = await verify(store, [public_key(each) for each in files], heads)
    told = {name: value for name, value in found._asdict().items() if name != "faults"}
    if args.json:
        for fault in found.faults:
            print(encode(fault._asdict()).decode())
        print(encode(told | {"faults": len(found.faults)}).decode())
        return 1 if found.faults else 0
    for fault in found.faults:
        print(f"fault  entry {fault.number}, {fault.what}: {fault.told}")
    if found.entries > found.signed_up_to:
        print(
            f"open   entries {found.signed_up_to + 1} to {found.entries} are not covered by a genuine signed head yet"
        )
    if not files:
        print("open   no key was given (--key), so the heads prove only that one key signed them")
    state = "NOT right" if found.faults else "right"
    print(f"{found.entries} entries of {found.cases} cases, {found.heads} genuine heads: {state}")
    return 1 if found.faults else 0
