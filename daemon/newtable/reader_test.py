"""Asks a card reader whether it is there. Writes to its port: only for a plug that a person has vouched for."""

from __future__ import annotations

import asyncio

from pitwatch.daemon.wiring.nodes import Hardware
from pitwatch.hal.system_clock import SystemClock

ANSWERS_S = 5.0


def answers(link: str) -> tuple[str, str]:
    """What the reader at osdp:… or pn532:… says of itself, "" if it says nothing, and then why."""
    return asyncio.run(_ask(link))


async def _ask(link: str) -> tuple[str, str]:
    told: asyncio.Queue[tuple[bool, str]] = asyncio.Queue()
    reader = Hardware(SystemClock()).link(link, "reader")
    reader.start(lambda data, t: None, lambda online, reason: told.put_nowait((online, reason)))
    reason = "it says nothing"
    try:
        async with asyncio.timeout(ANSWERS_S):
            while True:
                online, reason = await told.get()
                if online:
                    who: dict[str, str] = getattr(reader, "identity", {})
                    return "{vendor}, serial {serial}, firmware {firmware}".format_map(who), ""
    except TimeoutError:
        return "", reason
    finally:
        reader.stop()
