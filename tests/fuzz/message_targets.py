"""What comes over MQTT: requests to a table, a subscriber's messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from pitwatch.daemon.contract.asked import VERBS
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.requests import Requests
from pitwatch.floor.message import read_message
from pitwatch.hal.sim import SimClock
from tests.fuzz.target import SECOND, Target, in_one_line


def requests() -> Target:
    """The request handler: whatever comes is answered, journalled or counted, and never raises."""
    clock = SimClock(now=SECOND)
    notes: list[bytes] = []

    class Journal:
        last = committed = 1_000

        def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
            notes.append(msgspec.json.encode(data))
            assert len(notes[-1]) < 4_096, "a request writes more than it may be long"
            notes.clear()
            return self.last

        def read(self, after: int, limit: int, done: Callable[[list[Record]], None]) -> None:
            assert 0 <= after < 1_000
            assert 0 < limit <= 500
            done([])

    lasting = Requests(VERBS, Journal(), clock, lambda verb, data: None, lambda record: None, dict)

    def once(data: bytes) -> None:
        clock.advance_to(clock.now() + 7 * SECOND)
        lasting.take(("replay", "acknowledge", "snapshot", "other")[len(data) % 4], data, False)

    asked = [
        {"id": "r", "by": "eye", "first": 1, "last": 9},
        {"id": "a", "by": "eye", "sequence": 12, "note": "seen"},
        {"id": "s"},
    ]
    return Target([json.dumps(each).encode() for each in asked], once, lambda: lasting)


def floor_message() -> Target:
    """A message as a subscriber reads it: of a table, or one line that says why not."""

    def once(data: bytes) -> None:
        topic, _, payload = data.partition(b"\n")
        try:
            message = read_message("pitwatch/1", topic.decode("utf-8", "replace"), payload, False)
            if message.event is not None:
                assert message.event.kind
        except ValueError as error:
            in_one_line(error)

    event = (
        b'{"specversion":"1.0","id":"RL-07/b/1","source":"/toledo/RL-07","type":"pitwatch.round.v1",'
        b'"bootid":"b","sequence":1,"data":{"round":1}}'
    )
    return Target([b"pitwatch/1/toledo/RL-07/round\n" + event, b"pitwatch/1/a/b/status\n"], once, lambda: None)
