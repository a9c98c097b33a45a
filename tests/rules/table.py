"""A table for the rules' tests: a pit log in, what surveillance would get out.

    wheel rotor direction=cw rpm=16.2
    wheel ball_launched direction=ccw
    +20
    panel key_pressed key=no_more_bets

One observation a line, `device event field=value …`; values are JSON or plain words. Each line is a second after the
one before; `+20` lets twenty more seconds pass, `-0.9` lets the next line come sooner; `#` begins a remark. A device's
id is its type.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Alert, Irregularity, Record, Round
from pitwatch.rules.table import DeviceFacts, TableFacts

SECOND = 1_000_000_000


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_log(log: str) -> list[Observation]:
    observations = []
    t = 0
    for line in log.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0][0] in "+-":
            t += int(float(words[0]) * SECOND)
            continue
        t += SECOND
        data = {name: _value(value) for name, _, value in (word.partition("=") for word in words[2:])}
        observations.append(Observation(t, words[0], words[1], data))
    return observations


def facts(*types: str, without: Iterable[str] = (), **table: Any) -> TableFacts:
    """A table with one device a type, each showing its type's whole vocabulary except `without`."""
    devices = tuple(DeviceFacts(kind, kind, frozenset(EVENTS[kind]) - frozenset(without)) for kind in types)
    return TableFacts(devices=devices, **table)


class Played:
    """What came out of a log."""

    def __init__(self, records: list[Record]):
        self.records = records

    @property
    def rounds(self) -> list[Round]:
        return [record for record in self.records if isinstance(record, Round)]

    @property
    def irregularities(self) -> list[Irregularity]:
        return [record for record in self.records if isinstance(record, Irregularity)]

    @property
    def alerts(self) -> list[Alert]:
        return [record for record in self.records if isinstance(record, Alert)]

    @property
    def rules(self) -> list[str]:
        """The rule ids broken, in order, without book and game."""
        return [each.rule.rpartition("/")[2] for each in self.irregularities]


def only(played: Played) -> Round:
    """The only round there was."""
    (round_,) = played.rounds
    return round_


def silent(played: Played) -> Round:
    """The only round there was, whole and valid, of which nothing was reported."""
    assert played.rules == []
    round_ = only(played)
    assert (round_.partial, round_.void) == (False, None)
    return round_


def play(game: str, table: TableFacts, log: str, *, last_round: int = 0, finish: bool = True) -> Played:
    """Run a log through the engine of BOOK/GAME; journal sequences are the log's line order from 1."""
    engine = Engine(load_game(game), table, last_round)
    records: list[Record] = []
    for seq, observation in enumerate(read_log(log), start=1):
        records += engine.feed(seq, observation)
    if finish:
        records += engine.finish()
    return Played(records)
