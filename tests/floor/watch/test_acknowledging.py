"""What becomes of an acknowledgement that no table journals, and why."""

from __future__ import annotations

import asyncio

from pitwatch.daemon.contract.messages import ResponseData
from pitwatch.floor.allowance import Allowance
from pitwatch.floor.watch.acknowledging import Acknowledger
from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.model import Floor
from tests.floor.watch.made import NOW, alert, irregularity


async def never(table: str, sequence: int, by: str, note: str) -> ResponseData:
    raise TimeoutError


async def test_what_no_table_has_a_record_of_is_acknowledged_here() -> None:
    floor = Floor()
    floor.take(irregularity(1), NOW)
    floor.take(irregularity(5), NOW)
    gap = next(each for each in floor.ordered() if each.kind == "gap")
    told: list[str] = []
    acknowledger = Acknowledger(floor, never, Allowance(), lambda what, bad: told.append(what))
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
    acknowledger = Acknowledger(floor, ask, Allowance(), lambda what, bad: told.append(what))
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
