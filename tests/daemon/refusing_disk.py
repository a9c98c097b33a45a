"""A disk that takes nothing, as whoever writes the journal's file meets it. For tests only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import pytest

from pitwatch.daemon.journal import writing
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import Store


class RefusingDisk:
    """Refuses every write with this error, as long as `refuses`; is tried again fifty times a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: str):
        self.refuses = True
        write = Store.write

        def maybe(store: Store, records: Sequence[Record], delivered: int) -> None:
            if self.refuses:
                raise sqlite3.OperationalError(error)
            write(store, records, delivered)

        monkeypatch.setattr(Store, "write", maybe)
        monkeypatch.setattr(writing, "RETRY_AFTER", 0.02)
