"""Requests go no faster than a table takes them: held to the daemon's own counting."""

from __future__ import annotations

from typing import Any

from pitwatch.daemon.contract.messages import RequestData
from pitwatch.daemon.requests import Requests
from pitwatch.floor.allowance import Allowance
from pitwatch.hal.sim import SimClock


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


def test_a_table_takes_as_many_as_are_sent_at_this_pace() -> None:
    allowance = Allowance()
    waits = [allowance.wait("toledo/RL-07") for _ in range(25)]
    assert waits[:10] == [0.0] * 10
    assert waits == sorted(waits)
    assert waits[-1] < 15 * 7
    assert allowance.wait("toledo/BJ-01") == 0.0  # another table's turn is its own
    clock, journal = SimClock(), Journal()
    requests = Requests(("acknowledge",), journal, clock, lambda *_: None, lambda *_: None, dict)
    for number, wait in enumerate(waits):
        clock.advance_to(max(clock.now(), int(wait * 1e9)))
        requests.take("acknowledge", f'{{"id":"a{number}","by":"Ann","sequence":1}}'.encode(), False)
    assert requests.refused == 0
    assert [each.accepted for each in journal.noted] == [True] * 25


def test_some_are_left_for_others() -> None:
    allowance = Allowance()
    waits = [allowance.wait("toledo/RL-07", left=5) for _ in range(7)]
    assert waits[:5] == [0.0] * 5
    assert 0 < waits[5] < waits[6] < 2 * 7
    assert [allowance.wait("toledo/RL-07") for _ in range(3)] == [0.0] * 3
