"""Cases made by hand. For tests only."""

from __future__ import annotations

from typing import Any

from pitwatch.floor.cases import CaseStore, Change, EventRef, Identity
from pitwatch.floor.cases.identity import ARCHIVE

ALICE, BOB = Identity("alice", "account"), Identity("bob", "certificate")
RAISED = EventRef(what="irregularity", at="2027-01-15T08:00:01.000000Z", id="RL-07/b1/11", sequence=11, boot="b1")


def opening(source: str = "", **more: Any) -> Change:
    """Of an irregularity, if `more` does not say otherwise."""
    told: dict[str, Any] = {"case_kind": "irregularity", "table": "toledo/RL-07", "severity": "alert", "event": RAISED}
    return Change(kind="open", source=source, **(told | {"title": "The ball is spun too late"} | more))


async def opened(cases: CaseStore, **more: Any) -> int:
    """The number of a new case."""
    return (await cases.append(opening(**more), ARCHIVE)).case
