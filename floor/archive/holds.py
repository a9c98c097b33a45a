"""Holds of a floor's tables as their `hold` records say: which records are kept past `keep_days`, who asked and why,
and how it ended. Changes nothing."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.contract.messages import HoldsData
from pitwatch.floor.archive.questions import Answer, Asked
from pitwatch.floor.archive.store import Store


class _Told(msgspec.Struct):
    data: HoldsData


async def holds(store: Store, asked: Asked) -> Answer:
    """Every hold that was made or ended in the period, and those that stood then; `ended` is null while one stands,
    `how` is `released` by request or `ended` by the table."""
    found = await store.ask(
        f"""SELECT site, table_id, sequence, at, payload FROM events WHERE kind = 'hold' AND {asked.where}
        ORDER BY site, table_id, sequence""",
        **asked.values,
    )
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    for event in found:
        try:
            told = msgspec.json.decode(event["payload"], type=_Told).data
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # a forgery or a later form; the event itself is kept as it came
        table = (event["site"], event["table_id"])
        for each in told.holds:  # also those of which the archive lacks the beginning
            rows.setdefault(
                (*table, each.hold),
                {
                    "site": event["site"],
                    "table_id": event["table_id"],
                    "hold": each.hold,
                    "first": each.first,
                    "last": each.last,
                    "irregularity": each.irregularity,
                    "since": each.time,
                    "client": _client(each.client),
                    "by": each.by,
                    "reason": each.reason,
                    "ended": None,
                    "how": None,
                    "ended_client": None,
                    "ended_by": None,
                    "ended_reason": None,
                },
            )
        over = rows.get((*table, told.hold))
        if told.change in ("released", "ended") and over is not None:
            over |= {
                "ended": event["at"],
                "how": told.change,
                "ended_client": _client(told.client),
                "ended_by": told.by or None,
                "ended_reason": told.reason,
            }
    return list(rows.values())


def _client(client: str | UnsetType) -> str | None:
    return None if client is UNSET else client
