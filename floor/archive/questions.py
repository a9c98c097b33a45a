"""Queries of the archive. Each answer is a list of rows, in order. Changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from pitwatch.floor.archive import aside, gaps
from pitwatch.floor.archive.row import COLUMNS, MOST_TEXT, iso
from pitwatch.floor.archive.store import OF_TABLE, Store
from pitwatch.floor.archive.troubles import STANDING
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pace.dealers import turns
from pitwatch.rules.text.one_line import one_line

Answer = list[dict[str, Any]]
NO_PACE = PaceSection()


class Asked:
    """What a question is confined to: `begin` and `end` in UTC, a table as SITE/TABLE; None for all."""

    def __init__(self, begin: datetime | None = None, end: datetime | None = None, table: str | None = None):
        site, _, table_id = (table or "").partition("/")
        self.begin, self.end, self.table = begin, end, table
        self.values: dict[str, Any] = {}
        parts = ["1 = 1"]
        for value, name, sql in (
            (iso(begin) if begin else None, "begin", "events.at >= :begin"),
            (iso(end) if end else None, "end", "events.at < :end"),
            (site or None, "site", "events.site = :site"),
            (table_id or None, "table_id", "events.table_id = :table_id"),
        ):
            if value is not None:
                parts.append(sql)
                self.values[name] = value
        self.where = " AND ".join(parts)


async def tables(store: Store) -> list[str]:
    """SITE/TABLE of every table that the archive has anything of."""
    kept = " UNION ".join(f"SELECT site, table_id FROM {name}" for name in ("event_tables", "latest", "put_aside"))
    found = await store.ask(f"{kept} ORDER BY 1, 2")
    return [f"{row['site']}/{row['table_id']}" for row in found]


async def rounds(store: Store, asked: Asked) -> Answer:
    """Rounds by hour and table: how many, how many of them partly seen, how many void."""
    return await store.ask(
        f"""SELECT site, table_id, {store.hour} AS hour, count(*) AS rounds,
            sum(CASE WHEN partial THEN 1 ELSE 0 END) AS partial, count(void) AS void
        FROM events WHERE kind = 'round' AND {asked.where}
        GROUP BY site, table_id, {store.hour} ORDER BY site, table_id, hour""",
        **asked.values,
    )


async def irregularities(store: Store, asked: Asked, pace: PaceSection = NO_PACE) -> Answer:
    """Irregularities by table, dealer and rule. A dealer's turn begins with the panel's `dealer_change` or another
    dealer's credential; before the first one that the archive has, it begins with null. `dealer`: the credential's
    digest, null while no credential of `pace.dealers` tells."""
    found = await store.ask(
        f"""SELECT site, table_id, name, severity, at FROM events WHERE kind = 'irregularity' AND {asked.where}
        ORDER BY site, table_id, at""",
        **asked.values,
    )
    says = await sentences(store, asked)
    dealt = await turns(store, pace, asked.begin, asked.end, asked.table)
    counted: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in found:
        turn = dealt.at(row["site"], row["table_id"], row["at"])
        since, dealer = (turn.since, turn.dealer) if turn else (None, None)
        key = (row["site"], row["table_id"], since or "", dealer or "", row["name"], row["severity"] or "")
        one = counted.setdefault(
            key,
            {
                "says": says.get(row["name"]), "rule": row["name"], "site": row["site"], "table_id": row["table_id"],
                "dealer_since": since, "dealer": dealer, "severity": row["severity"], "times": 0, "first": row["at"],
                "last": row["at"],
            },
        )  # fmt: skip
        one["times"] += 1
        one["last"] = row["at"]
    return [counted[key] for key in sorted(counted)]


async def sentences(store: Store, asked: Asked) -> dict[str, str]:
    """The sentence of each rule that was broken; rules of records without one are left out."""
    found = await store.ask(
        f"""SELECT name, max(payload) AS payload FROM events WHERE kind = 'irregularity' AND {asked.where}
        AND payload LIKE :says GROUP BY name""",
        **asked.values,
        says='%"says":%',
    )
    read = {row["name"]: _data(row["payload"]) for row in found}
    return {
        name: one_line(data["says"], MOST_TEXT)
        for name, data in read.items()
        if isinstance(data, dict) and isinstance(data.get("says"), str) and data["says"]
    }


async def downtime(store: Store, asked: Asked) -> Answer:
    """How long each device was off line or faulty, and each table lost; an end of null still lasts. `earlier`: it began
    before `since`, nobody knows when."""
    found = await store.ask(
        f"""SELECT site, table_id, device, name AS state, at, earlier FROM events
        WHERE kind IN ('device', 'status') AND {asked.where}
        ORDER BY site, table_id, device, at, coalesce(sequence, 0), id""",
        **asked.values,
    )
    out: Answer = []
    down: dict[str, Any] | None = None
    for row in found:
        here = (row["site"], row["table_id"], row["device"])
        if down is not None and here != (down["site"], down["table_id"], down["device"]):
            down = None
        bad = row["state"] in ("offline", "fault", "lost")
        if down is not None and (not bad or row["state"] != down["state"]):
            down["until"], down["seconds"] = row["at"], round(_seconds(down["since"], row["at"]), 3)
            down = None
        if bad and down is None:
            down = {**{k: row[k] for k in ("site", "table_id", "device", "state")}, "since": row["at"]}
            down |= {"until": None, "seconds": None, "earlier": bool(row["earlier"])}
            out.append(down)
    return out


async def jackpots(store: Store, asked: Asked) -> Answer:
    """Jackpots whose meter has not been unlocked since."""
    found = await store.ask(
        f"""SELECT site, table_id, device, at, sequence, payload FROM events
        WHERE kind = 'observation' AND name = 'jackpot' AND {asked.where} AND NOT EXISTS (
            SELECT 1 FROM events AS later WHERE later.kind = 'observation' AND later.name = 'meter_unlocked'
            AND later.site = events.site AND later.table_id = events.table_id AND later.device = events.device
            AND later.sequence > events.sequence)
        ORDER BY site, table_id, sequence""",
        **asked.values,
    )
    return [
        {k: v for k, v in row.items() if k != "payload"} | {k: meter(row["payload"]).get(k) for k in ("seat", "hand")}
        for row in found
    ]


async def around(store: Store, when: datetime, seconds: float = 60.0, table: str | None = None) -> Answer:
    """Everything within so many seconds of a moment, with its data."""
    span = timedelta(seconds=seconds)
    asked = Asked(when - span, when + span + timedelta(microseconds=1), table)
    found = await store.ask(
        f"""SELECT at, site, table_id, sequence, kind, subtopic, id, payload FROM events WHERE {asked.where}
        ORDER BY at, site, table_id, coalesce(sequence, 0), id""",
        **asked.values,
    )
    return [{k: v for k, v in row.items() if k != "payload"} | {"data": _data(row["payload"])} for row in found]


async def missing(store: Store, asked: Asked) -> Answer:
    """Gaps in the tables' sequences; `reason` why one is not filled, null for one that has yet to be asked for. Then
    what was put aside, by table and kind of trouble, and where a table contradicts what it published before: `first`
    and `last` are null."""
    gone = {(row["site"], row["table_id"], row["first"]): row for row in await store.ask(gaps.GONE)}
    why = {(row["site"], row["table_id"]): row["reason"] for row in await store.ask(gaps.UNANSWERED)}
    there = [gap._asdict() | {"reason": why.get((gap.site, gap.table_id))} for gap in await gaps.gaps(store)]
    rows = sorted([*gone.values(), *there], key=lambda row: (row["site"], row["table_id"], row["first"]))
    for row in await store.ask(aside.BY_TABLE):
        told = f"put aside, {row['trouble']}: {row['messages']}, the last at {row['last_at']}; {row['reason']}"
        rows.append({"site": row["site"], "table_id": row["table_id"], "first": None, "last": None, "reason": told})
    for row in await store.ask(STANDING):
        told = f"CRITICAL, {row['kind']} since {row['at']}: {row['told']}"
        rows.append({"site": row["site"], "table_id": row["table_id"], "first": None, "last": None, "reason": told})
    site, table_id = asked.values.get("site"), asked.values.get("table_id")
    return [row for row in rows if site in (None, row["site"]) and table_id in (None, row["table_id"])]


async def troubles(store: Store, asked: Asked) -> Answer:
    """Where a table contradicts what it has published before, or what the house has approved: what was heard before,
    what it said, and when that was over; null while it stands."""
    where = asked.where.replace("events.", "troubles.")
    found = await store.ask(
        f"""SELECT site, table_id, kind, at, over_at, told, heard, said FROM troubles WHERE {where}
        ORDER BY site, table_id, at, kind, subject""",
        **asked.values,
    )
    return [row | {name: msgspec.json.decode(row[name]) for name in ("heard", "said")} for row in found]


async def removed(store: Store, asked: Asked) -> Answer:
    """What was removed by `[archive] keep`, and by which rule: of a run and a kind so many records from `first` to
    `last`, by each pass that was made in the period."""
    where = asked.where.replace("events.at", "x.at").replace("events.", "t.")
    return await store.ask(
        f"""SELECT t.site, t.table_id, x.kind, x.records, x.first, x.last, b.boot, x.began, x.ended, x.at, x.rule
        FROM removed AS x JOIN event_tables AS t ON t.table_ref = x.table_ref
        JOIN event_boots AS b ON b.boot_ref = x.boot_ref WHERE {where}
        ORDER BY t.site, t.table_id, x.at, x.kind, x.first""",
        **asked.values,
    )


async def events(store: Store, asked: Asked, after: tuple[int, str], most: int) -> Answer:
    """Whole events of one table that have a number, a page at a time: by number and id, from `after` on."""
    return await store.ask(
        f"""SELECT {", ".join(COLUMNS)} FROM events WHERE {asked.where} AND {OF_TABLE}
        AND sequence >= :after AND (sequence > :after OR id > :id) ORDER BY sequence, id LIMIT {int(most)}""",
        **asked.values,
        after=after[0],
        id=after[1],
    )


async def states(store: Store, asked: Asked) -> Answer:
    """Whole events of one table that have no number, by time."""
    return await store.ask(
        f"""SELECT {", ".join(COLUMNS)} FROM events WHERE {asked.where} AND {OF_TABLE} AND sequence IS NULL
        ORDER BY at, id""",
        **asked.values,
    )


def _data(payload: str) -> Any:
    """None for a message that cannot be read, which an archive of an older Pitwatch may have."""
    try:
        return msgspec.json.decode(payload)["data"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
        return None


def meter(payload: str) -> dict[str, Any]:
    """What a jackpot's observation says of it; empty if that is no object."""
    said = _data(payload)
    inner = said.get("data") if isinstance(said, dict) else None
    return inner if isinstance(inner, dict) else {}


def _seconds(since: str, until: str) -> float:
    began, ended = (datetime.fromisoformat(each).astimezone(UTC) for each in (since, until))
    return (ended - began).total_seconds()
