"""Records that a client holds: retention removes nothing from the first of them on, until the hold is released.

The journal removes oldest first, and its chain has no gaps. So a hold keeps everything that follows it too. The holds
that stand are one record, written anew at each change; the journal keeps the newest of these records, and a rescue
carries it over. Independent of MQTT and of who may ask.
"""

from __future__ import annotations

import logging
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.contract.messages import HeldData, HoldsData, utc
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.journal import Journal
from pitwatch.hal.clock import Clock

HOLD = "hold"
"""Kind and topic of the record."""

MOST_HOLDS = 20
"""Holds that stand at a time: with the longest texts their record stays below what a broker takes."""

ALTERED = "the journal's records name this hold, and the place where the holds that stand are kept did not"
ROOM = "the disk has no room for more records, and these are older than keep_days"

log = logging.getLogger("pitwatch.journal")


class Held:
    """The holds of a running table."""

    def __init__(self, journal: Journal, clock: Clock):
        self._journal = journal
        self._clock = clock
        self._over: set[int] = set()
        """Holds that ended in this run."""
        record = self._at_start = journal.retained.get(HOLD)
        self.standing: list[HeldData] = standing(record) if record is not None else []

    @property
    def first(self) -> int | None:
        """From which record on nothing is removed; None without a hold."""
        return min((each.first for each in self.standing), default=None)

    def compare(self, last: Record | None) -> None:
        """Take up the holds that the newest record of this kind names which earlier runs wrote, if somebody altered the
        copy that a start reads. The record is in the chain, and as long as a hold stands retention does not remove
        it."""
        was = self._at_start
        if last is None or (was is not None and (was.seq, was.body) == (last.seq, last.body)):
            return
        for each in standing(last):
            if each.hold not in self._over and self.get(each.hold) is None:
                log.error("%s: hold %d of %s: %s", self._journal.path, each.hold, each.by, ALTERED)
                self.standing.append(each)
                self._write("restored", each.hold, UNSET, "", ALTERED)

    @property
    def kept_from(self) -> int:
        """The oldest record that can be held."""
        return self._journal.gone + 1

    def refusal(self, first: int) -> str | None:
        """Why the records from `first` on cannot be held; None if they can."""
        if first <= self._journal.gone:
            return f"records up to {self._journal.gone} are removed, or are about to be"
        if len(self.standing) >= MOST_HOLDS:
            return f"{MOST_HOLDS} holds stand, which are the most; release one"
        return None

    def hold(
        self, number: int, first: int, last: int, irregularity: int | None, who: str | UnsetType, by: str, reason: str
    ) -> None:
        """Hold them. `number` is the sequence of the request, which names the hold."""
        time = utc(self._clock.wall()[0])
        held = HeldData(
            hold=number,
            first=first,
            last=last,
            irregularity=irregularity,
            client=who,
            by=by,
            reason=reason,
            time=time,
        )
        self.standing.append(held)
        self._write("held", number, who, by, reason)

    def get(self, number: int) -> HeldData | None:
        return next((each for each in self.standing if each.hold == number), None)

    def release(self, held: HeldData, who: str | UnsetType, by: str, reason: str) -> None:
        """End a hold by request."""
        self.standing.remove(held)
        self._over.add(held.hold)
        self._write("released", held.hold, who, by, reason)

    def end_oldest(self) -> None:
        """End the hold with the oldest records, because there is no room."""
        held = min(self.standing, key=lambda each: each.first)
        log.error("%s: hold %d of %s has ended: %s", self._journal.path, held.hold, held.by, ROOM)
        self.standing.remove(held)
        self._over.add(held.hold)
        self._write("ended", held.hold, UNSET, "", ROOM)

    def _write(
        self,
        change: Literal["held", "released", "ended", "restored"],
        number: int,
        who: str | UnsetType,
        by: str,
        reason: str,
    ) -> None:
        data = HoldsData(change=change, hold=number, client=who, by=by, reason=reason, holds=list(self.standing))
        self._journal.append(HOLD, HOLD, self._clock.now(), data, retained=True)


class _Standing(msgspec.Struct):
    """Of `HoldsData`, whatever changed: a newer version may have another word for it."""

    holds: list[HeldData]


def standing(record: Record) -> list[HeldData]:
    """The holds that stand by a record of this kind; none if it cannot be read."""
    try:
        return msgspec.json.decode(record.body, type=_Standing).holds
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        log.error("the holds in record %d cannot be read, and none stands: %s", record.seq, error)
        return []
