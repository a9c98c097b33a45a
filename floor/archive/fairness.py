"""Which monitors of the floor to look at: the newest E of each, chosen so that few are chosen by chance."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from pitwatch.floor.archive.questions import Answer, Asked
from pitwatch.floor.archive.store import Store
from pitwatch.rules.statistics.many import e_bh

SHARE = 0.1
"""Of the monitors that are chosen, at most this share is chosen by chance, on average."""

LARGEST = 690.0
"""ln of the largest E that is written out; everything above is chosen anyway."""


class _Data(msgspec.Struct):
    monitor: str
    epoch: int
    n: int
    ln_e: float
    level: str
    told: dict[str, Any] | None = None


class _Statistic(msgspec.Struct):
    data: _Data


async def fairness(store: Store, asked: Asked) -> Answer:
    """The newest report of each monitor of each table, largest E first. `look`: it is among those to look at (e-BH over
    all that were asked for: Wang & Ramdas, arXiv:2009.02824). `suspicion` means nothing where `look` is false. Pace
    is a matter of people, no equipment to look at: `archive pace`."""
    later = asked.where.replace("events.", "later.")
    found = await store.ask(
        f"""SELECT site, table_id, name, at, payload FROM events
        WHERE kind = 'statistic' AND name <> 'pace' AND {asked.where} AND at = (
            SELECT max(later.at) FROM events AS later WHERE later.kind = 'statistic' AND later.name = events.name
            AND later.site = events.site AND later.table_id = events.table_id AND {later})
        ORDER BY site, table_id, name, id""",
        **asked.values,
    )
    newest = {(row["site"], row["table_id"], row["name"]): row for row in found}
    rows = []
    for row in newest.values():
        try:
            data = msgspec.json.decode(row["payload"], type=_Statistic).data
        except msgspec.DecodeError:  # of no Pitwatch: nothing to rank
            continue
        if not math.isnan(data.ln_e):
            rows.append((math.exp(min(data.ln_e, LARGEST)), row, data))
    rows.sort(key=lambda each: (-each[0], each[1]["site"], each[1]["table_id"], each[1]["name"]))
    look = set(e_bh([e for e, _, _ in rows], SHARE))
    return [
        {
            "site": row["site"],
            "table_id": row["table_id"],
            "monitor": row["name"],
            "n": data.n,
            "e": float(f"{e:.3g}"),
            "level": data.level,
            "look": place in look,
            "suspicion": _suspicion(data),
            "epoch": data.epoch,
            "at": row["at"],
        }
        for place, (e, row, data) in enumerate(rows)
    ]


def _suspicion(data: _Data) -> str | None:
    """Kind, cells and lift of what has gained most; None for cards, of which nothing is published."""
    told = data.told
    if told is None:
        return None
    cells, lift = told.get("cells"), told.get("lift")
    if not isinstance(cells, list) or not cells or not isinstance(lift, int | float):
        return None
    where = f"{cells[0]}" if len(cells) == 1 else f"{cells[0]} to {cells[-1]}"
    return f"{told.get('kind')} {where}, {lift:+.0%}"
