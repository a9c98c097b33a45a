"""The period and the table that a page is asked for, in the house's time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from pitwatch.daemon.config.sections import is_table
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.web.visit import Visit

MOST_DAYS = 100


class Period(NamedTuple):
    """`begin` and `end` as a form has them, in the house's time; `table` is empty for all; `why` it cannot be asked."""

    begin: str
    end: str
    table: str
    asked: Asked
    why: str


def period_of(visit: Visit, hours: float = 24.0) -> Period:
    """What the address says; without it, the last so many hours."""
    house = visit.parts.house.pace
    now = datetime.now(UTC)
    begin, end, why = now - timedelta(hours=hours), now + timedelta(minutes=1), ""
    try:
        begin = _moment(visit.query("from"), house) or begin
        end = _moment(visit.query("to"), house) or end
    except ValueError:
        why = "A time is written as 2026-11-28T06:00. The last day is shown instead."
    if not begin < end <= begin + timedelta(days=MOST_DAYS):
        begin, end = now - timedelta(hours=hours), now
        why = f"The period must begin before it ends, and have {MOST_DAYS} days at most. The last day is shown instead."
    table = visit.query("table")
    if table and not is_table(table):
        table, why = "", "A table is written as SITE/TABLE. All are shown instead."
    shown = [house.local(each).strftime("%Y-%m-%dT%H:%M") for each in (begin, end)]
    return Period(shown[0], shown[1], table, Asked(begin, end, table or None), why)


def _moment(text: str, house: PaceSection) -> datetime | None:
    """UTC of a time as a form sends it, which is the house's. Raises ValueError."""
    if not text:
        return None
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        at = at.replace(tzinfo=house.local(at.replace(tzinfo=UTC)).tzinfo)
    return at.astimezone(UTC)
