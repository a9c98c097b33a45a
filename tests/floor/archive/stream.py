"""A floor's messages made by hand, and what an archive holds. For tests only."""

from __future__ import annotations

import json
from typing import Any

from pitwatch.floor.archive.row import COLUMNS, FLAGS
from pitwatch.floor.archive.store import Store
from pitwatch.floor.message import Message, read_message

WALL = 1_800_000_000
"""Seconds since 1970 at second 0 of the boards' clocks: 2027-01-15T08:00:00Z."""


def event(
    kind: str, subtopic: str, data: dict[str, Any], t: float, sequence: int | None, table: str = "toledo/RL-07",
    boot: str = "b1", synced: bool = True, retained: bool = False,
) -> Message:  # fmt: skip
    """A message as a table would send it `t` seconds after its board was switched on."""
    from pitwatch.daemon.contract.messages import utc

    name = table.rpartition("/")[2]
    told: dict[str, Any] = {
        "specversion": "1.0",
        "id": f"{name}/{boot}/{sequence if sequence is not None else f'{kind}-{t}'}",
        "source": f"/{table}",
        "type": f"pitwatch.{kind}.v1",
        "time": utc(int((t + (WALL if synced else 0)) * 1_000_000_000)),
        "datacontenttype": "application/json",
        "bootid": boot,
        "monotonic": str(int(t * 1_000_000_000)),
        "clocksynced": synced,
    }
    if sequence is not None:
        told["sequence"] = sequence
    payload = json.dumps({**told, "data": data}).encode()
    return read_message("pitwatch/1", f"pitwatch/1/{table}/{subtopic}", payload, retained)


def seen(device: str, name: str, t: float, sequence: int, table: str = "toledo/RL-07", **fields: Any) -> Message:
    data = {"t": t, "device": device, "event": name, "data": fields}
    return event("observation", f"observation/{device}", data, t, sequence, table)


def irregular(rule: str, t: float, sequence: int, table: str = "toledo/RL-07") -> Message:
    data = {"rule": rule, "category": "procedure", "severity": "warning", "round": 1}
    return event("irregularity", "irregularity/warning", data, t, sequence, table)


def closed(number: int, t: float, sequence: int, table: str = "toledo/RL-07", **more: Any) -> Message:
    data = {"round": number, "game": "toledo-2020/roulette", "partial": False, "void": None} | more
    return event("round", "round", data, t, sequence, table)


def device(name: str, state: str, t: float, sequence: int) -> Message:
    return event("device", f"device/{name}", {"device": name, "state": state, "since": t}, t, sequence)


async def dump(store: Store) -> list[tuple[Any, ...]]:
    """All that two archives of the same floor must have in common."""
    rows = await store.ask(f"SELECT {', '.join(COLUMNS)} FROM events ORDER BY site, table_id, sequence, id")
    return [tuple(bool(v) if k in FLAGS and v is not None else v for k, v in row.items()) for row in rows]
