"""`archive pace`: the rows of the archive that tell something of pace, table by table, into cells."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pitwatch.floor.archive.questions import Answer, Asked, tables
from pitwatch.floor.archive.store import Store
from pitwatch.floor.pace.cells import Cells, rows
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pace.dealers import turns
from pitwatch.floor.pace.table import SEEN, WITH_DATA, TableTime

BEFORE = timedelta(hours=12)
"""So long before the period is read too: who sits there, when the last round closed, what was jammed."""


async def pace(
    store: Store, asked: Asked, house: PaceSection, by: Sequence[str], now: datetime | None = None
) -> Answer:
    """One row for each value of `by` (fields of cells.Cell)."""
    return rows(await cells(store, asked, house, now), by)


async def cells(store: Store, asked: Asked, house: PaceSection, now: datetime | None = None) -> Cells:
    """All cells of what was asked; the time after `now` does not count."""
    made = Cells(house)
    dealt = await turns(store, house, asked.begin, asked.end, asked.table)
    begin, end = (each.timestamp() if each else None for each in (asked.begin, asked.end))
    if end is not None:
        end = min(end, (now or datetime.now(UTC)).timestamp())
    seen, data = (", ".join(f"'{name}'" for name in names) for names in (SEEN, WITH_DATA))
    for table in [asked.table] if asked.table else await tables(store):
        here = Asked(asked.begin - BEFORE if asked.begin else None, asked.end, table)
        found = await store.ask(
            f"""SELECT at, boot, kind, name, monotonic_ns, raised,
                CASE WHEN kind = 'round' OR name IN ({data}) THEN payload END AS payload
            FROM events WHERE {here.where} AND (kind IN ('round', 'irregularity') OR (kind = 'alert' AND name LIKE :jam)
                OR (kind = 'observation' AND name IN ({seen})))
            ORDER BY at, coalesce(sequence, 0), id""",
            **here.values,
            jam="%-jam",
        )
        time = TableTime(made, house, dealt, table, begin, end)
        for row in found:
            time.take(row)
        time.over(end)
    return made
