"""The archive's events as CSV or Parquet, a page at a time, because a year of a floor does not fit into memory."""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive.questions import Answer, Asked, events, states, tables
from pitwatch.floor.archive.row import COLUMNS, FLAGS
from pitwatch.floor.archive.store import Store

PAGE = 10_000


async def pages(store: Store, asked: Asked) -> AsyncIterator[Answer]:
    """All events in question, by table and number; those of a table that have no number at its end."""
    for table in [asked.table] if asked.table else await tables(store):
        here = Asked(asked.begin, asked.end, table)
        after = (-1, "")
        while page := await events(store, here, after, PAGE):
            after = (page[-1]["sequence"], page[-1]["id"])
            yield _with_flags(page)
        if page := await states(store, here):
            yield _with_flags(page)


def _with_flags(page: Answer) -> Answer:
    for row in page:
        for name in FLAGS:
            row[name] = None if row[name] is None else bool(row[name])
    return page


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Where to write what becomes the file at `path` once it is whole: a half of it would look like all."""
    part = path.with_name(path.name + ".part")
    try:
        yield part
        os.replace(part, path)
    except BaseException:  # an interrupt too
        with contextlib.suppress(OSError):
            part.unlink()
        raise


async def to_csv(store: Store, asked: Asked, path: Path) -> int:
    """Write a file with a head line; returns how many events. Raises OSError."""
    count = 0
    with _whole(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        async for page in pages(store, asked):
            writer.writerows(page)
            count += len(page)
    return count


async def to_parquet(store: Store, asked: Asked, path: Path) -> int:
    """Write a file, times as UTC timestamps; returns how many events. Raises OSError, UsageError without pyarrow."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise UsageError("Parquet needs pyarrow; in Pitwatch's clone: .venv/bin/pip install -e '.[archive]'") from None
    from datetime import datetime

    kinds: dict[str, Any] = {"sequence": pa.int64(), "monotonic_ns": pa.int64(), "at": pa.timestamp("us", "UTC")}
    kinds |= {name: pa.bool_() for name in FLAGS}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    count = 0
    with _whole(path) as part, parquet.ParquetWriter(part, schema) as writer:
        async for page in pages(store, asked):
            rows = [{**row, "at": datetime.fromisoformat(row["at"])} for row in page]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(page)
    return count
