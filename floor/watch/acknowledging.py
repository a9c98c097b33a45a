"""Acknowledgements in transit to tables: within the limits of a table, and reported plainly if no table answers.

Uses the model and sends requests; independent of the screen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from pitwatch.daemon.common.background import Tasks
from pitwatch.daemon.contract.messages import ResponseData
from pitwatch.floor.allowance import Allowance
from pitwatch.floor.watch.concern import Acknowledgement, Concern
from pitwatch.floor.watch.model import Floor

Ask = Callable[[str, int, str, str], Awaitable[ResponseData]]
"""(table, sequence, by, note): `floor.asking.Asker.acknowledge`."""


class Acknowledger:
    """`told` receives one line about each result."""

    def __init__(self, floor: Floor, ask: Ask, allowance: Allowance, told: Callable[[str, bool], None]):
        self._floor = floor
        self._ask = ask
        self._allowance = allowance
        self._told = told
        self._tasks = Tasks()

    @property
    def under_way(self) -> int:
        """Acknowledgements that their tables have not answered yet."""
        return len(self._tasks)

    def acknowledge(self, concern: Concern, by: str, note: str = "") -> None:
        """Marked at once; the table's answer comes later."""
        if concern.sequence is None:
            why = f"{concern.kind}: no record of the table's own"
            self._floor.acknowledge(concern, Acknowledgement(by, time.time(), "here", note, why))
            return
        self._floor.acknowledge(concern, Acknowledgement(by, time.time(), "sent", note))
        self._tasks.start(self._send(concern, concern.sequence, by, note))

    async def _send(self, concern: Concern, sequence: int, by: str, note: str) -> None:
        await asyncio.sleep(self._allowance.wait(concern.table))
        client = ""
        try:
            answer = await self._ask(concern.table, sequence, by, note)
            client = answer.client or ""
            trouble = "" if answer.ok else f"{concern.table} refuses: {answer.reason}"
        except (ConnectionError, TimeoutError) as error:
            trouble = str(error)
        where = concern.acknowledged.where if concern.acknowledged else "sent"
        if where == "table":
            return  # the table's own record was faster than its answer
        now = time.time()
        if trouble:
            self._floor.acknowledge(concern, Acknowledgement(by, now, "here", note, trouble))
            self._told(f"{trouble}. Acknowledged in this view only.", True)
        else:
            self._floor.acknowledge(concern, Acknowledgement(by, now, "table", note, client=client))
