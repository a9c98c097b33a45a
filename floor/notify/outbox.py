"""What is to be sent to whom, in the archive's database. Moves only forward: an entry of a case is read once for each
receiver, together with what is stored for it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from pitwatch.floor.archive.store import Change as Statement
from pitwatch.floor.archive.store import Store
from pitwatch.floor.notify.notice import Notice

CURSOR = "SELECT since, number FROM notify_receivers WHERE receiver = :receiver"
BEGIN = "INSERT INTO notify_receivers VALUES (:receiver, :number, :number) ON CONFLICT DO NOTHING"
MOVE = "UPDATE notify_receivers SET number = :number WHERE receiver = :receiver AND number < :number"
PUT = """
    INSERT INTO notify_outbox VALUES (:receiver, :id, :due, :made, 0, FALSE, '', :notice)
    ON CONFLICT (receiver, id) DO UPDATE SET due = notify_outbox.due
"""
DUE = """
    SELECT id, made, attempts, notice FROM notify_outbox WHERE receiver = :receiver AND NOT given_up AND due <= :now
    ORDER BY made, id LIMIT 1
"""
DONE = "DELETE FROM notify_outbox WHERE receiver = :receiver AND id = :id"
LATER = """
    UPDATE notify_outbox SET due = :due, attempts = :attempts, given_up = :given_up, reason = :reason
    WHERE receiver = :receiver AND id = :id
"""
GROUP = "SELECT until FROM notify_groups WHERE receiver = :receiver AND topic = :topic"
COOL = """
    INSERT INTO notify_groups VALUES (:receiver, :topic, :until, 0, 0, 0, :notice)
    ON CONFLICT (receiver, topic) DO UPDATE SET until = excluded.until, left_out = 0, first = 0, last = 0,
        notice = excluded.notice
"""
COUNT = """
    UPDATE notify_groups SET left_out = left_out + 1, last = :case,
        first = CASE WHEN left_out = 0 THEN :case ELSE first END
    WHERE receiver = :receiver AND topic = :topic
"""
OVER = (
    "SELECT topic, until, left_out, first, last, notice FROM notify_groups WHERE receiver = :receiver AND until <= :now"
)
FORGET = "DELETE FROM notify_groups WHERE receiver = :receiver AND topic = :topic AND until = :until"
STATUS = """
    SELECT receiver, sum(CASE WHEN given_up THEN 0 ELSE 1 END) AS waiting,
        sum(CASE WHEN given_up THEN 1 ELSE 0 END) AS given_up, max(reason) AS reason
    FROM notify_outbox GROUP BY receiver ORDER BY receiver
"""


class Waiting(NamedTuple):
    """`made` in seconds since 1970; `attempts` that failed."""

    id: str
    made: float
    attempts: int
    notice: Notice


class Outbox:
    """Of one receiver. Every method raises StoreError. Times in seconds since 1970."""

    def __init__(self, store: Store, receiver: str):
        self._store = store
        self.receiver = receiver

    async def cursor(self, newest: int) -> tuple[int, int]:
        """From which entry on this receiver is notified, and up to which it was. A new one begins at `newest`."""
        await self._store.change(BEGIN, receiver=self.receiver, number=newest)
        for row in await self._store.ask(CURSOR, receiver=self.receiver):
            return row["since"], row["number"]
        return newest, newest

    async def put(self, notice: Notice, topic: str, number: int, now: float, cool_down_s: float) -> None:
        """Store a notice of the entry `number`, or count it if its topic has cooled down since too short a time."""
        groups = await self._store.ask(GROUP, receiver=self.receiver, topic=topic)
        move = (MOVE, {"receiver": self.receiver, "number": number})
        if groups and groups[0]["until"] > now:
            count = (COUNT, {"receiver": self.receiver, "topic": topic, "case": notice.case})
            await self._store.change_all([move, count])
            return
        statements = [move, self._put(notice, now)]
        if cool_down_s:
            statements.append(self._cool(notice, topic, now + cool_down_s))
        await self._store.change_all(statements)

    async def skip(self, number: int) -> None:
        """The entries up to this one are none of its notices."""
        await self._store.change(MOVE, receiver=self.receiver, number=number)

    async def sum_up(self, now: float, cool_down_s: float) -> None:
        """Store a notice about what was left out of topics whose cool-down is over."""
        for row in await self._store.ask(OVER, receiver=self.receiver, now=now):
            forget: Statement = (FORGET, {"receiver": self.receiver, "topic": row["topic"], "until": row["until"]})
            statements = [forget]
            if row["left_out"]:
                first = msgspec.json.decode(row["notice"], type=Notice)
                told = msgspec.structs.replace(
                    first,
                    id=f"{first.id}-{int(row['until'])}",
                    reason="left out",
                    case=row["last"],
                    left_out=row["left_out"],
                    first=row["first"],
                    last=row["last"],
                    told="",
                    happened="",
                )
                statements += [self._put(told, now), self._cool(first, row["topic"], now + cool_down_s)]
            await self._store.change_all(statements)

    async def due(self, now: float) -> Waiting | None:
        """The oldest that may be sent now."""
        for row in await self._store.ask(DUE, receiver=self.receiver, now=now):
            notice = msgspec.json.decode(row["notice"], type=Notice)
            return Waiting(row["id"], row["made"], row["attempts"], notice)
        return None

    async def done(self, id: str) -> None:
        """The receiver has taken it."""
        await self._store.change(DONE, receiver=self.receiver, id=id)

    async def failed(self, waiting: Waiting, due: float, reason: str, given_up: bool) -> None:
        """It is tried again at `due`, or never."""
        values = {"due": due, "attempts": waiting.attempts + 1, "given_up": given_up, "reason": reason}
        await self._store.change(LATER, receiver=self.receiver, id=waiting.id, **values)

    def _put(self, notice: Notice, now: float) -> Statement:
        values = {"receiver": self.receiver, "id": notice.id, "due": now, "made": now, "notice": _text(notice)}
        return PUT, values

    def _cool(self, notice: Notice, topic: str, until: float) -> Statement:
        return COOL, {"receiver": self.receiver, "topic": topic, "until": until, "notice": _text(notice)}


async def status(store: Store) -> Sequence[dict[str, object]]:
    """How many notices wait, and how many were given up, by receiver. Raises StoreError."""
    return await store.ask(STATUS)


def _text(notice: Notice) -> str:
    """In ASCII, which every database takes in every encoding."""
    return json.dumps(msgspec.to_builtins(notice), ensure_ascii=True)
