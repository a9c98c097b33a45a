"""Acknowledgements go no faster than a table takes them: held to the daemon's own counting of requests."""

from __future__ import annotations

import asyncio
from typing import Any

from daemon.messages import RequestData, ResponseData
from daemon.requests import Requests
from floor.watch.acknowledging import Acknowledger
from floor.watch.concern import Concern
from floor.watch.model import Floor
from hal.sim import SimClock
from tests.floor.watch.made import NOW, alert, irregularity


class Journal:
    """A journal of one record, and what was written to it."""

    last = committed = 1

    def __init__(self) -> None:
        self.noted: list[RequestData] = []

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
        self.noted.append(data)
        return 2

    def read(self, after: int, limit: int, done: Any) -> None:
        done([])


async def never(table: str, sequence: int, by: str, note: str) -> ResponseData:
    raise TimeoutError


def test_a_table_takes_as_many_as_are_sent_at_this_pace() -> None:
    pace = Acknowledger(Floor(), never, lambda told, bad: None)
    waits = [pace._wait("toledo/RL-07") for _ in range(25)]
    assert waits[:10] == [0.0] * 10
    assert waits == sorted(waits)
    assert waits[-1] < 15 * 7
    assert pace._wait("toledo/BJ-01") == 0.0  # another table's turn is its own
    clock, journal = SimClock(), Journal()
    requests = Requests(("acknowledge",), journal, clock, lambda *_: None, lambda *_: None, dict)
    for number, wait in enumerate(waits):
        clock.advance_to(max(clock.now(), int(wait * 1e9)))
        requests.take("acknowledge", f'{{"id":"a{number}","by":"Ann","sequence":1}}'.encode(), False)
    assert requests.refused == 0
    assert [each.accepted for each in journal.noted] == [True] * 25


async def test_what_no_table_has_a_record_of_is_acknowledged_here() -> None:
    floor = Floor()
    floor.take(irregularity(1), NOW)
    floor.take(irregularity(5), NOW)
    gap = next(each for each in floor.ordered() if each.kind == "gap")
    told: list[str] = []
    acknowledger = Acknowledger(floor, never, lambda what, bad: told.append(what))
    acknowledger.acknowledge(gap, "Ann")
    assert gap.acknowledged is not None
    assert (gap.acknowledged.where, told, acknowledger.under_way) == ("here", [], 0)


async def test_why_it_is_in_this_view_only() -> None:
    floor = Floor()
    floor.take(irregularity(1), NOW)
    floor.take(alert(2), NOW)
    irregular, condition = floor.ordered()

    async def ask(table: str, sequence: int, by: str, note: str) -> ResponseData:
        if sequence == 1:
            raise ConnectionError("broker 10.0.0.1:1883: no route")
        return ResponseData(request="r", ok=False, reason="not answered here")

    told: list[str] = []
    acknowledger = Acknowledger(floor, ask, lambda what, bad: told.append(what))
    for concern in (irregular, condition):
        acknowledger.acknowledge(concern, "Ann", "seen")
        assert where(concern) == "sent"
    while acknowledger.under_way:  # noqa: ASYNC110 - it has no event
        await asyncio.sleep(0)
    assert [where(irregular), where(condition)] == ["here", "here"]
    assert told == [
        "broker 10.0.0.1:1883: no route. Acknowledged in this view only.",
        "toledo/RL-07 refuses: not answered here. Acknowledged in this view only.",
    ]


def where(concern: Concern) -> str:
    assert concern.acknowledged is not None
    return concern.acknowledged.where
