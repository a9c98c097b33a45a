"""Which entry of a case is a notice to which receiver. Pure."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from pitwatch.floor.cases.case import Case
from pitwatch.floor.cases.change import Change
from pitwatch.floor.cases.wording import told
from pitwatch.floor.notify.config import SEVERITIES, NotifySection, Receiver, matches
from pitwatch.floor.notify.notice import Notice
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pits import fits

REASONS = {"open": "opened", "take": "taken", "close": "closed", "reopen": "reopened"}


def reason_of(change: Change) -> str:
    """By which word of `on` it goes; empty for what is nobody's notice."""
    if change.kind == "event" and change.event is not None and change.event.what in ("raised", "ended"):
        return change.event.what
    return REASONS.get(change.kind, "")


def concerns(case: Case, to: Receiver, section: NotifySection, house: PaceSection, at: str) -> bool:
    """Whether a case is one of those that this receiver wants to hear of. `at`: UTC, for the shift."""
    rank = SEVERITIES.index(case.severity) if case.severity in SEVERITIES else len(SEVERITIES)
    if rank < SEVERITIES.index(to.severity) or (to.kinds and case.kind not in to.kinds):
        return False  # a severity that this program does not know is none of the low ones
    if not matches(case.table, to.tables) or not matches(case.events[0].name, to.rules):
        return False
    if to.pits and not any(fits(case.table, section.pits[pit]) for pit in to.pits):
        return False
    return not to.shifts or house.shift(datetime.fromisoformat(at)) in to.shifts


def wanted(change: Change, case: Case, to: Receiver, section: NotifySection, house: PaceSection) -> str:
    """Why this entry is a notice to this receiver; empty if it is none."""
    if change.kind == "escalate":
        return "not taken" if change.item == to.name else ""
    reason = reason_of(change)
    if to.after_minutes or reason not in (to.on or ("opened",)):
        return ""
    return reason if concerns(case, to, section, house, change.at) else ""


def is_overdue(case: Case, to: Receiver, section: NotifySection, house: PaceSection, now: datetime) -> bool:
    """Whether nobody took the case in the time after which this receiver wants to know."""
    if not to.after_minutes or case.state not in ("new", "seen"):
        return False
    waited = (now - datetime.fromisoformat(case.opened_at)).total_seconds()
    return waited >= 60 * to.after_minutes and concerns(case, to, section, house, case.opened_at)


def notice_of(change: Change, case: Case, reason: str, to: Receiver, section: NotifySection) -> Notice:
    about = change.event or case.events[0]
    return Notice(
        id=f"pitwatch-{change.number}-{sha256(to.name.encode()).hexdigest()[:8]}",
        reason=reason,
        case=case.case,
        kind=case.kind,
        severity=case.severity,
        table=case.table,
        title=case.title,
        at=change.at,
        happened=about.at,
        told=about.text if change.kind in ("open", "event") else told(change),
        by=str(change.by) if change.by.is_person else "",
        link=section.link.replace("{case}", str(case.case)),
    )


def group_of(case: Case, reason: str) -> str:
    """What a cool-down is for: the same reason, table, and rule or alert."""
    return f"{reason} {case.table} {case.kind} {case.events[0].name}"
