"""A document as people ask for it on the command line: its form by the name of the file, else by `--json`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import write_beside

Writer = Callable[[Any], bytes]


def writer_for(out: str | None, as_json: bool, html: Writer, csv: Writer, json: Writer) -> Writer:
    """Raises UsageError for a name of no known form."""
    writers: Mapping[str, Writer] = {".html": html, ".csv": csv, ".json": json}
    suffix = Path(out).suffix if out else ".json" if as_json else ".html"
    if suffix not in writers:
        raise UsageError(f"{out}: the name must end in .html, .csv or .json")
    return writers[suffix]


def hand_out(document: bytes, out: str | None) -> None:
    """Into the file, whole, or to standard output. Raises OSError."""
    if out:
        os.replace(write_beside(Path(out), document, 0o644), out)
    else:
        sys.stdout.write(document.decode())
        sys.stdout.flush()
