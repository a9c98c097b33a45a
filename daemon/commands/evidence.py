"""`pitwatch evidence`: puts one irregularity with its proofs into a package, and verifies such a package."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pitwatch.daemon.common.arguments import count
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import is_table
from pitwatch.daemon.contract.messages import encode

if TYPE_CHECKING:
    from pitwatch.daemon.config import Config
    from pitwatch.daemon.evidence.verifying_heads import Trust
    from pitwatch.floor.archive.store import Store
    from pitwatch.floor.config import FloorConfig
    from pitwatch.floor.evidence.collecting import Collected

COMMAND = {"name": "evidence", "turn": 85, "help": "package one irregularity with its proofs, or verify a package"}

VERIFY = "verify"
PUBLIC = re.compile(r"[A-Za-z0-9+/]{59}=")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Makes a package of one irregularity with its proofs, or verifies one (docs/evidence.md)."
    parser.usage = (
        "pitwatch evidence TABLE.toml|JOURNAL|SITE/TABLE SEQUENCE [options]\n"
        "       pitwatch evidence verify PACKAGE --key KEY [options]"
    )
    parser.add_argument(
        "what", metavar="TABLE", help="TABLE.toml or a journal, on the board; SITE/TABLE at the archive; or: verify"
    )
    parser.add_argument(
        "which", metavar="SEQUENCE", help="number of the irregularity's record; or the package to verify"
    )
    parser.add_argument(
        "--journal", metavar="PATH", help="the journal or a copy of it, or the TABLE.toml that names it"
    )
    parser.add_argument("--floor", metavar="FLOOR.toml", help="a floor's configuration: its archive and time stamps")
    parser.add_argument("--database", metavar="URL", help="the archive's database, instead of that of FLOOR.toml")
    parser.add_argument("--table", metavar="TABLE.toml", help="the table's configuration, to judge the wire data again")
    parser.add_argument(
        "--clip", metavar="FILE", help="a video clip that is handed over beside the package: its SHA-256"
    )
    parser.add_argument("--by", metavar="NAME", help="who makes the package (default: the account's name)")
    parser.add_argument("--sign-with", metavar="FILE", help="the key that signs the package (default: the board's)")
    parser.add_argument("--custody", metavar="FILE", help="the log of packages made (default: JOURNAL.custody)")
    parser.add_argument("--out", metavar="FOLDER", default=".", help="where the folder and the zip are written (here)")
    parser.add_argument(
        "--key",
        metavar="KEY",
        action="append",
        default=[],
        help="verify: a public key of the house: a PEM file, `key` of `status`, or a witness's key; repeat for more",
    )
    parser.add_argument("--ca", metavar="FILE", help="verify: the certificates that vouch for the time-stamp authority")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    return _verify(args) if args.what == VERIFY else _make(args)


def _make(args: argparse.Namespace) -> int:
    from pitwatch.daemon.evidence import custody, making, package

    for option, given in (("--key", args.key), ("--ca", args.ca)):
        if given:
            raise UsageError(f"{option} is for verify; a package is signed with --sign-with")
    try:
        sequence = count(args.which)
    except argparse.ArgumentTypeError:
        raise UsageError(f"SEQUENCE {args.which!r} is no number of a record; such as 411 is right") from None
    on_board = args.what.endswith(".toml") or Path(args.what).is_file() or not is_table(args.what)
    if on_board and args.journal:
        raise UsageError(f"--journal: {args.what} names the journal already; give SITE/TABLE instead, or leave it out")
    named = args.what if on_board else args.journal
    if not (named or args.floor or args.database):
        raise UsageError(
            f"{args.what}: needs an archive (--floor FLOOR.toml or --database URL), a journal (--journal PATH), or both"
        )
    config, path = _journal(named, args.table)
    table = "" if on_board else args.what
    floor, collected = _collected(args, table, sequence) if args.floor or args.database else (None, None)
    material = _material(path, config, table, sequence, collected)
    clip = _clip(args.clip) if args.clip else None
    made = custody.entry(material.subject.table, sequence, args.by, ["pitwatch", *args.arguments], datetime.now(UTC))
    log = Path(args.custody) if args.custody else custody.log_of(path) if path is not None else None
    before = custody.earlier(log, made.table, sequence) if log is not None else []
    if floor is not None:
        before += asyncio.run(_earlier(floor, made.table, sequence))
    entries = [*sorted({encode(each): each for each in before}.values(), key=lambda each: each.at), made]
    material = msgspec.structs.replace(material, custody=entries, clip=clip)
    files = package.sealed(making.make(material), _signer(args, path, floor, config))
    recorded = msgspec.structs.replace(made, manifest=package.digest_of(files))
    if log is not None:
        custody.append(log, recorded)
    if floor is not None:
        asyncio.run(_record(floor, recorded))
    name = f"{made.table.replace('/', '-')}-{sequence}"
    folder, file = package.write(Path(args.out), name, files)
    if args.json:
        answer = {"package": str(file), "folder": str(folder), "files": len(files), "manifest": recorded.manifest}
        print(encode(answer).decode())
    else:
        print(f"{file}: {len(files)} files; SHA-256 of the manifest {recorded.manifest}")
    return 0


def _journal(named: str | None, table: str | None) -> tuple[Config | None, Path | None]:
    """The table's configuration and its journal, as far as they are named. Raises UsageError."""
    from pitwatch.daemon.commands.journal import journal_at
    from pitwatch.daemon.config import config

    other = config.load(table) if table else None
    if named is None:
        return other, None
    if named.endswith(".toml"):
        return other or config.load(named), journal_at(Path(named))
    return other, journal_at(Path(named))


def _material(path: Path | None, config: Config | None, table: str, sequence: int, collected: Collected | None) -> Any:
    from pitwatch.daemon.evidence import making, proofs, subject
    from pitwatch.daemon.evidence.gathering import gather
    from pitwatch.daemon.journal.store import Store

    seen = collected.seen if collected is not None else []
    heads = collected.heads if collected is not None else []
    camera = collected.camera if collected is not None else None
    if config is not None:
        camera = making.Camera(config.video.camera or None, config.video.preroll_s, config.video.postroll_s)
    if path is None:
        assert collected is not None
        return making.Material(subject=collected.subject, custody=[], seen=seen, camera=camera)
    try:
        store = Store(path, read_only=True)
        try:
            store.hold()
            found = gather(store, sequence)
            own = proofs.heads_of(store, 0)
            keys = {each.key for each in own}  # others may have published heads in the table's name
            heads = [each for each in (*heads, *own) if each.size >= sequence and (each.key in keys or not keys)]
            proven = proofs.prove(store, [each for each, _ in found.records().values()], heads)
        finally:
            store.close()
    except sqlite3.Error as error:
        raise UsageError(f"{path}: cannot be read: {error}; `pitwatch journal verify` says where") from None
    if table and found.table and found.table != table:
        raise UsageError(f"{path}: is the journal of {found.table}, and not of {table}")
    if collected is not None and (found.irregularity.boot, found.irregularity.t_ns) != (
        collected.boot,
        collected.subject.monotonic_ns,
    ):
        raise UsageError(
            f"{path}: record {sequence} is another than the archive received under this number; "
            "pitwatch archive verify shows where they differ"
        )
    about = subject.of_journal(found)
    if not about.table:
        if not table:
            raise UsageError(f"{path}: does not say of which table it is; give SITE/TABLE and --journal")
        about = msgspec.structs.replace(about, table=table)
    return making.Material(
        subject=about, custody=[], journal=found, proven=proven, seen=seen, config=config, camera=camera
    )


def _signer(args: argparse.Namespace, path: Path | None, floor: FloorConfig | None, config: Config | None) -> Any:
    from pitwatch.daemon.journal.checkpoints import key_path
    from pitwatch.daemon.journal.keys import signer_of
    from pitwatch.daemon.journal.signing import Signer

    if args.sign_with:
        return Signer(Path(args.sign_with))
    if floor is not None:
        return Signer(Path(floor.evidence.key))
    assert path is not None
    if config is not None and config.token is not None:
        return signer_of(path, config.token)
    key = key_path(path)
    if not key.exists():
        raise UsageError(f"{key}: no such key, so the package cannot be signed; name another with --sign-with")
    return Signer(key)


def _clip(path: str) -> Any:
    from pitwatch.daemon.evidence.making import Clip
    from pitwatch.daemon.evidence.verifying import digest

    try:
        return Clip(Path(path).name, *digest(Path(path)))
    except OSError as error:
        raise UsageError(f"--clip {path}: cannot be read: {error.strerror}") from None


def _collected(args: argparse.Namespace, table: str, sequence: int) -> tuple[FloorConfig, Collected]:
    """What the archive has. Raises UsageError."""
    from pitwatch.floor.config import default, load

    if not table:
        raise UsageError("--floor: give SITE/TABLE first, and the journal, if there is one, with --journal")
    floor = load(args.floor) if args.floor else default()
    if args.database:
        archive = msgspec.structs.replace(floor.archive, database=args.database)
        floor = msgspec.structs.replace(floor, archive=archive)
    return floor, asyncio.run(_collect(floor, table, sequence))


async def _collect(floor: FloorConfig, table: str, sequence: int) -> Collected:
    from pitwatch.floor.evidence.collecting import collect

    ca = _content(floor.timestamp.ca) if floor.timestamp.ca else None
    async with _archive(floor) as store:
        return await collect(store, table, sequence, ca)


async def _earlier(floor: FloorConfig, table: str, sequence: int) -> list[Any]:
    from pitwatch.floor.evidence.custody import earlier

    async with _archive(floor) as store:
        return await earlier(store, table, sequence)


async def _record(floor: FloorConfig, made: Any) -> None:
    from pitwatch.floor.evidence.custody import record

    async with _archive(floor) as store:
        await record(store, made)


@contextlib.asynccontextmanager
async def _archive(floor: FloorConfig) -> AsyncIterator[Store]:
    """The archive's database, open. Raises UsageError."""
    from pitwatch.floor.archive.database import existing
    from pitwatch.floor.archive.store import StoreError

    store = existing(floor.archive.database)
    try:
        await store.open()
        try:
            yield store
        finally:
            await store.close()
    except StoreError as error:
        raise UsageError(str(error)) from None


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _verify(args: argparse.Namespace) -> int:
    from pitwatch.daemon.evidence.verifying import lines_of, verify

    verdict = verify(Path(args.which), _trust(args))
    if args.json:
        print(encode({"ok": verdict.ok, **msgspec.structs.asdict(verdict)}).decode())
    else:
        for line in lines_of(verdict):
            print(line)
    return 0 if verdict.ok else 1


def _trust(args: argparse.Namespace) -> Trust:
    """Raises UsageError."""
    from pitwatch.daemon.config import config
    from pitwatch.daemon.evidence.verifying_heads import Trust
    from pitwatch.daemon.journal.signing import public_key
    from pitwatch.daemon.tlog.note import COSIGNATURE, Key, NoteError

    keys: set[str] = set()
    witnesses = []
    for given in args.key:
        if PUBLIC.fullmatch(given):
            keys.add(given)
        elif given.count("+") >= 2 and not Path(given).exists():
            try:
                key = Key.parse(given)
            except NoteError as error:
                raise UsageError(f"--key {given}: {error}") from None
            if key.type == COSIGNATURE:
                witnesses.append(key)
            else:
                keys.add(key.der)
        elif Path(given).exists():
            keys.add(public_key(Path(given)))
        else:
            raise UsageError(
                f"--key {given}: neither a PEM file, nor a public key as `status` shows, nor a witness's key"
            )
    return Trust(
        keys=frozenset(keys),
        witnesses=tuple(witnesses),
        ca=_content(args.ca) if args.ca else None,
        config=config.load(args.table) if args.table else None,
    )
