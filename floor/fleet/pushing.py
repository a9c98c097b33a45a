"""A folder of tables, as `pitwatch provision` lays it out, as bundles for their boards. Reads files only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import is_table
from pitwatch.daemon.upkeep.bundle import FILE, MOST_BYTES, Bundle


def bundles(folder: Path, wanted: Sequence[str]) -> list[Bundle]:
    """The files of each table: FOLDER/SITE/TABLE.toml, FOLDER/SITE/TABLE/, or both. `wanted`: only these tables.
    Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: is no folder; the one with SITE/TABLE.toml and SITE/TABLE/ is right")
    there = sorted(
        {
            f"{path.parent.name}/{path.name.removesuffix('.toml')}"
            for path in folder.glob("*/*")
            if path.is_dir() or path.suffix == ".toml"
        }
    )
    named = [table for table in there if is_table(table)]
    for table in wanted:
        if table not in named:
            raise UsageError(f"{folder}: has no files of {table[:80]}; {table[:80]}.toml or {table[:80]}/ is right")
    if not named:
        raise UsageError(f"{folder}: has no files of a table; SITE/TABLE.toml or SITE/TABLE/ is right")
    return [_bundle(folder, table) for table in named if not wanted or table in wanted]


def _bundle(folder: Path, table: str) -> Bundle:
    configuration, files = folder / f"{table}.toml", folder / table
    found: dict[str, bytes] = {}
    if files.is_dir():
        for entry in sorted(os.scandir(files), key=lambda entry: entry.name):
            if not entry.is_file() or not FILE.match(entry.name):
                raise UsageError(f"{entry.path}: only files with plain names can be sent; move it away")
            found[entry.name] = _content(Path(entry.path))
    bundle = Bundle(
        table=table, configuration=_content(configuration) if configuration.is_file() else None, files=found
    )
    if fault := bundle.fault():
        raise UsageError(f"{files}: {fault}")
    return bundle


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)
