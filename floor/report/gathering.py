"""What a report holds, as plain values: times local with the zone, texts from tables in one printable line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from pitwatch.daemon.contract import wording
from pitwatch.daemon.contract.messages import RequestData
from pitwatch.devices.vocabulary import is_pocket
from pitwatch.devices.wheel_pockets import ORDERS
from pitwatch.floor.archive import questions
from pitwatch.floor.archive.fairness import fairness
from pitwatch.floor.archive.questions import Answer, Asked
from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Store
from pitwatch.floor.archive.troubles import STANDING
from pitwatch.floor.pace import cells
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pace.question import cells as paced
from pitwatch.rules.text.one_line import one_line

MOST_TEXT = 1_000
"""Characters of one text from a table."""


class _Citation(msgspec.Struct):
    section: str = ""
    lines: str = ""
    title: str = ""


class _Irregularity(msgspec.Struct):
    rule: str
    severity: str
    says: str = ""
    round: int | None = None
    observed: dict[str, Any] = {}
    required: dict[str, Any] = {}
    disposition: str = ""
    instruction: str = ""
    citation: _Citation = msgspec.field(default_factory=_Citation)


class _IrregularityEvent(msgspec.Struct):
    data: _Irregularity


class _RequestEvent(msgspec.Struct):
    data: RequestData


class _Round(msgspec.Struct):
    result: dict[str, Any] = {}
    partial: bool = False


class _RoundEvent(msgspec.Struct):
    data: _Round


class _Statistic(msgspec.Struct):
    counts: list[int] = []


class _StatisticEvent(msgspec.Struct):
    data: _Statistic


def line(text: object) -> str:
    """One printable line."""
    return one_line("" if text is None else str(text), MOST_TEXT)


class Gathering:
    """Confined to `asked`, whose begin and end are given, and to a shift if one is named."""

    def __init__(self, store: Store, asked: Asked, house: PaceSection, shift: str | None, now: datetime | None = None):
        self._store, self._asked, self._house, self._shift = store, asked, house, shift
        self._now = now or datetime.now(UTC)

    async def report(self) -> dict[str, Any]:
        """Everything. Raises StoreError."""
        begin, end = self._asked.begin, self._asked.end
        assert begin is not None
        assert end is not None
        irregularities = await self._irregularities()
        time = await paced(self._store, self._asked, self._house, self._now)
        if self._shift is not None:
            time.sums = {cell: sums for cell, sums in time.sums.items() if cell.shift == self._shift}
        return {
            "made": self.local(iso(self._now)),
            "begin": self.local(iso(begin)),
            "end": self.local(iso(end)),
            "shift": self._shift,
            "table": self._asked.table,
            "irregularities": irregularities,
            "open": await self._open(irregularities),
            "downtime": [
                self._named(row, "device", "state")
                | {"since": self._since(row), "until": self.local(row["until"]), "seconds": row["seconds"]}
                for row in await questions.downtime(self._store, self._asked)
                if self._within(row["since"])
            ],
            "pace": cells.rows(time, ("table", "game")),
            "pace_by_hour": cells.rows(time, ("hour",)),
            "jackpots": await self._jackpots(),
            "fairness": [
                self._named(row, "monitor", "level")
                | {name: row[name] for name in ("n", "e", "look")}
                | {"suspicion": line(row["suspicion"]) if row["look"] and row["suspicion"] else None}
                for row in await fairness(self._store, self._asked)
            ],
            "outcomes": await self._outcomes(),
        }

    def local(self, at: str | None) -> str | None:
        """`2027-01-15 03:04:05-05:00`."""
        if at is None:
            return None
        return self._house.local(datetime.fromisoformat(at)).isoformat(sep=" ", timespec="seconds")

    def _since(self, row: dict[str, Any]) -> str:
        return f"before {self.local(row['since'])}" if row["earlier"] else f"{self.local(row['since'])}"

    def _within(self, at: str) -> bool:
        return self._shift is None or self._house.shift(datetime.fromisoformat(at)) == self._shift

    def _named(self, row: dict[str, Any], *names: str) -> dict[str, Any]:
        table = f"{row['site']}/{row['table_id']}"
        return {"table": table} | {name: None if row[name] is None else line(row[name]) for name in names}

    async def _rows(self, kind: str, sql: str = "") -> Answer:
        found = await self._store.ask(
            f"""SELECT site, table_id, sequence, at, synced, payload FROM events
            WHERE kind = '{kind}' AND {self._asked.where} {sql}
            ORDER BY at, site, table_id, coalesce(sequence, 0), id""",
            **self._asked.values,
        )
        return [row for row in found if self._within(row["at"])]

    async def _irregularities(self) -> list[dict[str, Any]]:
        by_record: dict[tuple[Any, ...], dict[str, Any]] = {}
        out = []
        for row in await self._rows("irregularity"):
            try:
                said = msgspec.json.decode(row["payload"], type=_IrregularityEvent).data
            except (msgspec.DecodeError, RecursionError):
                said = _Irregularity(rule="not readable", severity="critical")
            cited = said.citation
            told = {
                "says": line(said.says),
                "rule": line(said.rule),
                "severity": line(said.severity),
                "table": f"{row['site']}/{row['table_id']}",
                "at": self.local(row["at"]),
                "clock_set": bool(row["synced"]),
                "round": said.round,
                "sequence": row["sequence"],
                "observed": line(wording.fields(said.observed)),
                "required": line(wording.fields(said.required)),
                "disposition": line(said.disposition),
                "instruction": line(said.instruction),
                "written_in": line(f"Section {cited.section}, lines {cited.lines}: {cited.title}"),
                "acknowledged": [],
            }
            by_record[row["site"], row["table_id"], row["sequence"]] = told
            out.append(told)
        for row in await self._acknowledgements():
            data = self._request(row)
            if data is None or data.verb != "acknowledge" or not data.accepted:
                continue
            named = by_record.get((row["site"], row["table_id"], data.arguments.get("sequence")))
            if named is not None:
                client = line(data.client) if isinstance(data.client, str) else None
                note = line(data.arguments.get("note"))
                named["acknowledged"].append(
                    {"at": self.local(row["at"]), "by": line(data.by), "client": client, "note": note}
                )
        return out

    async def _acknowledgements(self) -> Answer:
        """Since the period began, also after its end: who has the next shift may acknowledge."""
        later = Asked(self._asked.begin, None, self._asked.table)
        return await self._store.ask(
            f"SELECT site, table_id, at, payload FROM events WHERE kind = 'request' AND {later.where} ORDER BY at, id",
            **later.values,
        )

    @staticmethod
    def _request(row: dict[str, Any]) -> RequestData | None:
        try:
            return msgspec.json.decode(row["payload"], type=_RequestEvent).data
        except (msgspec.DecodeError, RecursionError):
            return None

    async def _open(self, irregularities: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """What nobody has acknowledged, conditions that last, and contradictions that stand."""
        out = [
            {
                "table": each["table"],
                "since": each["at"],
                "what": f"{wording.named(each['rule'], each['says'])}: not acknowledged",
            }
            for each in irregularities
            if not each["acknowledged"]
        ]
        here = Asked(None, None, self._asked.table)
        found = await self._store.ask(
            f"""SELECT site, table_id, name, max(CASE WHEN raised AND at < :before THEN at END) AS up,
                max(CASE WHEN NOT raised THEN at END) AS down
            FROM events WHERE kind = 'alert' AND {here.where} GROUP BY site, table_id, name""",
            **here.values,
            before=self._asked.values["end"],
        )
        lasting = [row for row in found if row["up"] and (row["down"] is None or row["down"] < row["up"])]
        lasting.sort(key=lambda row: (row["up"], row["site"], row["table_id"], row["name"]))
        out += [self._named(row) | {"since": self.local(row["up"]), "what": line(row["name"])} for row in lasting]
        for row in await self._store.ask(STANDING):
            if self._asked.table in (None, f"{row['site']}/{row['table_id']}"):
                what = line(f"{row['kind']}: {row['told']}")
                out.append(self._named(row) | {"since": self.local(row["at"]), "what": what})
        return out

    async def _jackpots(self) -> list[dict[str, Any]]:
        found = await questions.jackpots(self._store, self._asked)
        locked = {(row["site"], row["table_id"], row["sequence"]) for row in found}
        out = []
        for row in await self._rows("observation", "AND name = 'jackpot'"):
            data = questions.meter(row["payload"])
            told = {name: line(data[name]) if data.get(name) else None for name in ("seat", "hand")}
            there = (row["site"], row["table_id"], row["sequence"]) in locked
            out.append(self._named(row) | {"at": self.local(row["at"]), **told, "meter_locked": there})
        return out

    async def _outcomes(self) -> dict[str, dict[str, dict[str, int]]]:
        """Of rounds that were seen whole: how often each pocket and each face came, by table."""
        counted: dict[str, dict[str, Counter[str]]] = {}
        for row in await self._rows("round", "AND NOT partial"):
            try:
                result = msgspec.json.decode(row["payload"], type=_RoundEvent).data.result
            except (msgspec.DecodeError, RecursionError):
                continue
            table = counted.setdefault(f"{row['site']}/{row['table_id']}", {})
            for what, values, right in _seen(result):
                kept = [str(value) for value in values if right(value)]
                table.setdefault(what, Counter()).update(kept)
        out: dict[str, dict[str, dict[str, int]]] = {}
        for name, kinds in counted.items():
            if kinds["pockets"]:
                order = ORDERS["double-zero" if await self._double_zero(name, kinds["pockets"]) else "single-zero"]
                out[name] = {"pockets": {pocket: kinds["pockets"][pocket] for pocket in order}}
            elif kinds["faces"]:
                out[name] = {"faces": {str(face): kinds["faces"][str(face)] for face in range(1, 7)}}
        return out

    async def _double_zero(self, table: str, counts: Counter[str]) -> bool:
        """By the number of places of the wheel's monitor; without one, by whether 00 came."""
        asked = Asked(None, None, table)
        found = await self._store.ask(
            f"""SELECT payload FROM events WHERE kind = 'statistic' AND name = 'pocket' AND {asked.where}
            ORDER BY at DESC LIMIT 1""",
            **asked.values,
        )
        try:
            places = len(msgspec.json.decode(found[0]["payload"], type=_StatisticEvent).data.counts) if found else 0
        except (msgspec.DecodeError, RecursionError):
            places = 0
        return "00" in counts or places == len(ORDERS["double-zero"])


def _seen(result: dict[str, Any]) -> list[tuple[str, list[Any], Callable[[Any], bool]]]:
    faces = result.get("faces")
    found: list[tuple[str, list[Any], Callable[[Any], bool]]] = [("pockets", [result.get("pocket")], is_pocket)]
    found.append(("faces", faces if isinstance(faces, list) else [], lambda face: type(face) is int and 1 <= face <= 6))
    return found
