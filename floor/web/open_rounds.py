"""The round that is being played at each table, further back than the floor's model keeps it, and its cards apart.

Nobody without the right is shown a card of an open round, whatever the table publishes.
"""

from __future__ import annotations

from collections import deque

import msgspec

from pitwatch.daemon.contract.messages import withhold
from pitwatch.floor.message import Message
from pitwatch.floor.watch.concern import Kept
from pitwatch.floor.watch.payloads import Observation

LIVE = "live/+"
MOST_SEEN = 400
"""Observations of one round."""
MOST_TABLES = 1_000
WHOLE = ("rotor", "ball_left_rim")
"""What describes the wheel, not the round, and is kept past its end: the newest of each."""


class OpenRound:
    """`seen`: observations since the last round was over, `cards` those with their cards. `wheel`: the newest of what
    outlasts a round."""

    def __init__(self) -> None:
        self.seen: deque[Observation] = deque(maxlen=MOST_SEEN)
        self.cards: deque[Observation] = deque(maxlen=MOST_SEEN)
        self.wheel: dict[str, Observation] = {}


class OpenRounds:
    def __init__(self) -> None:
        self._of: dict[str, OpenRound] = {}

    def take(self, message: Message) -> None:
        """Any message of a table that is of now."""
        event = message.event
        if event is None or message.retained or message.subtopic.startswith("response/"):
            return
        if event.kind == "round":
            if (over := self._of.get(message.table)) is not None:
                over.seen.clear()
                over.cards.clear()
            return
        if event.kind not in ("observation", "live"):
            return
        try:
            seen = msgspec.json.decode(event.data, type=Observation)
        except (ValueError, RecursionError):
            return
        if message.table not in self._of:
            if len(self._of) >= MOST_TABLES:
                return
            self._of[message.table] = OpenRound()
        here = self._of[message.table]
        (here.cards if event.kind == "live" else here.seen).append(seen)
        if seen.event in WHOLE:
            here.wheel[seen.event] = seen

    def of(self, table: str) -> OpenRound:
        return self._of.get(table) or OpenRound()


def without_cards(seen: Observation) -> Observation:
    """The observation for those who may not see cards of an open round: as tables withhold them by default. A table
    with `live_cards = true` does not."""
    if seen.withheld:
        return seen
    try:
        return msgspec.json.decode(withhold("observation", msgspec.json.encode(seen)), type=Observation)
    except (ValueError, RecursionError):
        return msgspec.structs.replace(seen, data={}, withheld=True)


def evidence_without_cards(kept: Kept) -> Kept:
    """The same for a record that is shown as evidence."""
    if kept.kind != "observation":
        return kept
    try:
        return kept._replace(data=withhold("observation", kept.data))
    except (ValueError, RecursionError):
        return kept._replace(data=b"{}")
