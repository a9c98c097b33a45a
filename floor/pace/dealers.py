"""Who deals at a table: turns that begin with the panel's `dealer_change`, or with another dealer's credential."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Store
from pitwatch.floor.pace.config import PaceSection

BEFORE = timedelta(days=7)
"""So long before a period a credential is looked for that was presented last."""


class Turn(NamedTuple):
    """From `at` on; it began at `since`. `dealer`: the credential's digest; None while no credential tells."""

    at: str
    since: str
    dealer: str | None


class _Presented(msgspec.Struct):
    credential: str


class _Observation(msgspec.Struct):
    data: _Presented


class _Event(msgspec.Struct):
    data: _Observation


class Turns:
    """Turns by table, in order. Times are texts as the store gives them."""

    def __init__(self, pace: PaceSection):
        self._pace = pace
        self._by_table: dict[tuple[str, str], list[Turn]] = {}

    def at(self, site: str, table_id: str, at: str) -> Turn | None:
        """Who deals at a moment; None before the first turn that is known."""
        turns = self._by_table.get((site, table_id), [])
        place = bisect_right(turns, at, key=lambda each: each.at)
        return turns[place - 1] if place else None

    def take(self, row: dict[str, Any]) -> None:
        """A key or a credential, in the order of time."""
        turns = self._by_table.setdefault((row["site"], row["table_id"]), [])
        if row["payload"] is None:
            turns.append(Turn(row["at"], row["at"], None))
            return
        try:
            credential = msgspec.json.decode(row["payload"], type=_Event).data.data.credential
        except msgspec.DecodeError:  # of a reader that could not read it
            return
        dealer, last = self._pace.dealer(credential), turns[-1] if turns else None
        if dealer is None or (last is not None and last.dealer == dealer):
            return
        unnamed = last is not None and last.dealer is None
        turns.append(Turn(row["at"], last.since if last is not None and unnamed else row["at"], dealer))


async def turns(
    store: Store, pace: PaceSection, begin: datetime | None, end: datetime | None, table: str | None = None
) -> Turns:
    """Of a period, with who dealt at its beginning."""
    site, _, table_id = (table or "").partition("/")
    where, values = "", {}
    for name, value, sql in (
        ("end", iso(end) if end else None, "at < :end"),
        ("site", site or None, "site = :site"),
        ("table_id", table_id or None, "table_id = :table_id"),
    ):
        if value is not None:
            where += f" AND {sql}"
            values[name] = value
    key = f"kind = 'observation' AND name = 'key_pressed:dealer_change'{where}"
    card = f"kind = 'observation' AND name = 'credential_presented'{where}"
    if begin is None:
        keys = f"SELECT site, table_id, at, NULL AS payload FROM events WHERE {key}"
    else:
        values |= {"begin": iso(begin), "before": iso(begin - BEFORE)}
        keys = f"""SELECT site, table_id, at, NULL AS payload FROM events WHERE {key} AND at >= :begin
            UNION ALL SELECT site, table_id, max(at), NULL FROM events WHERE {key} AND at < :begin
            GROUP BY site, table_id"""
        card += " AND at >= :before"
    found = await store.ask(
        f"""SELECT * FROM ({keys} UNION ALL SELECT site, table_id, at, payload FROM events WHERE {card}) AS told
        ORDER BY site, table_id, at, CASE WHEN payload IS NULL THEN 0 ELSE 1 END""",
        **values,
    )
    out = Turns(pace)
    for row in found:
        out.take(row)
    return out
