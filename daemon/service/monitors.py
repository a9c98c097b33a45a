"""What an earlier run left of the monitors of wheel, dice and cards, out of the journal's records."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import msgspec

from pitwatch.daemon.journal.chain import Record
from pitwatch.rules.records import Kept, StatisticState


class _Round(msgspec.Struct):
    round: int
    counted: dict[str, list[int]] = {}


log = logging.getLogger("pitwatch")


def kept(retained: Iterable[Record], rounds: Iterable[Record]) -> Kept:
    """The states, and what the rounds since then counted in. A record that cannot be read is left out: the monitor
    begins anew, or does without that round."""
    states = []
    for record in retained:
        if record.kind == "statistic_state":
            try:
                states.append(msgspec.json.decode(record.body, type=StatisticState))
            except msgspec.DecodeError as error:
                log.warning("record %d, %s: the monitor begins anew: %s", record.seq, record.subtopic, error)
    counted = []
    for record in rounds:
        try:
            found = msgspec.json.decode(record.body, type=_Round)
        except msgspec.DecodeError:
            continue
        if found.counted:
            counted.append((found.round, found.counted))
    return Kept(tuple(states), tuple(counted))
