"""Exports a period of the journal as JSON Lines, with a signature file beside it. Reads the journal only.

The first line identifies the file and the start of the chain; every other line is a record with its hash.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.journal import judged_by
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.right_time import RightTimes
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.store import Store


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line of an export. `hash_before`: of the record before the first, in hexadecimal. `judged_by`: what the
    table judged by as the period began, as far as known: SHA-256 by their names in `Fingerprints`."""

    begins_after: int
    hash_before: str
    judged_by: dict[str, str] = {}


def fields(record: Record) -> dict[str, object]:
    """A record as one line of JSON has it; the body stays the text that was hashed."""
    return {**msgspec.structs.asdict(record), "body": record.body.decode()}


def bound(text: str, option: str) -> int | datetime:
    """A sequence, or a time of ISO 8601 (UTC if it names no zone). Raises UsageError."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f'{option} "{text}" is neither a sequence nor a time; 1200 or 2026-11-28T01:30:00Z is right'
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def span(store: Store, first: int | datetime | None, last: int | datetime | None) -> tuple[int, int]:
    """First and last sequence of a period: between them nothing is left out, as long as the store is held. Records from
    before the clock was set count with the time that they got by it. Raises UsageError if nothing is there."""
    low, high = store.pruned + 1, store.last
    if isinstance(first, int):
        low = max(low, first)
    if isinstance(last, int):
        high = min(high, last)
    if isinstance(first, datetime) or isinstance(last, datetime):
        times = RightTimes(store.of_kind("system"))
        since = _ns(first) if isinstance(first, datetime) else None
        until = _ns(last) if isinstance(last, datetime) else None
        within = [
            record.seq
            for record, _ in _until(store, low, high)
            if (since is None or times.of(record) >= since) and (until is None or times.of(record) <= until)
        ]
        low, high = (within[0], within[-1]) if within else (1, 0)
    if low > high:
        if store.last <= store.pruned:
            raise UsageError(f"{store.path}: there is no record yet")
        times = RightTimes(store.of_kind("system"))
        begin, end = (_when(store, seq, times) for seq in (store.pruned + 1, store.last))
        raise UsageError(f"{store.path}: no record of that period; there are {begin} to {end}")
    return low, high


def _when(store: Store, seq: int, times: RightTimes) -> str:
    (record,) = store.read(seq - 1, 1)
    return f"{seq} ({times.shown(record)})"


def _ns(moment: datetime) -> int:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000


def write(store: Store, out: BinaryIO, first: int, last: int) -> int:
    """Write records `first` to `last`; returns how many."""
    before = store.hash_before
    if first > store.pruned + 1:
        before = next(store.records(first - 2))[1]
    known = store.newest_before(first, judged_by.TOPIC)
    prints = judged_by.prints_of(known.body) if known is not None else {}
    out.write(encode(Header(begins_after=first - 1, hash_before=before.hex(), judged_by=prints)) + b"\n")
    count = 0
    for record, hash_ in _until(store, first, last):
        out.write(encode({**fields(record), "hash": hash_.hex()}) + b"\n")
        count += 1
    return count


def _until(store: Store, first: int, last: int) -> Iterator[tuple[Record, bytes]]:
    for record, hash_ in store.records(first - 1):
        if record.seq > last:
            return
        yield record, hash_


def write_signed(store: Store, path: Path, signer: Signer, first: int, last: int) -> tuple[int, Path, Path]:
    """Write a file, its signature as `.sig` and the public key as `.pub`; returns the count of records and both paths.

    Raises UsageError: nothing is written over.
    """
    signature, public = path.with_name(path.name + ".sig"), path.with_name(path.name + ".pub")
    for file in (path, signature, public):
        if os.path.exists(file):
            raise UsageError(f"{file}: exists already; evidence is not written over, name another file")
    if not signer.exists:
        raise UsageError(
            f"{signer.path}: no such key, so nothing can be signed here; export at the board, or without "
            "--out. If the key is in a token, name TABLE.toml instead of the journal"
        )
    signer.prepare()
    mine: list[Path] = []  # not those of another export that has begun under this name meanwhile
    try:
        with _new(path, mine) as out:
            count = write(store, out, first, last)
            out.flush()
            os.fsync(out.fileno())
        for file, content in ((signature, signer.sign_file(path)), (public, signer.public_path.read_bytes())):
            with _new(file, mine) as out:
                out.write(content)
    except BaseException as error:  # an interrupt too
        for file in mine:  # part of them is not evidence, and blocks the next attempt
            with contextlib.suppress(OSError):
                file.unlink()
        if isinstance(error, OSError):
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
        raise
    return count, signature, public


def _new(path: Path, mine: list[Path]) -> BinaryIO:
    out = path.open("xb")
    mine.append(path)
    return out
