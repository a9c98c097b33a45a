"""A case as it stands: folded from its entries. Pure.

new ──► seen ──► in hand (by whom) ──► closed (disposition) ──► seen again, if it is opened again
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from pitwatch.floor.cases.change import CaseKind, Change, EventRef
from pitwatch.floor.cases.identity import Identity

State = Literal["new", "seen", "in hand", "closed"]


class Remark(msgspec.Struct, frozen=True):
    """What somebody wrote: a note, or the words with another entry. The first words stay;
    `corrections` follow them."""

    number: int
    at: str
    by: Identity
    kind: str
    text: str
    corrections: tuple[Remark, ...] = ()

    @property
    def current(self) -> str:
        """The words after the last correction."""
        return self.corrections[-1].text if self.corrections else self.text


class Item(msgspec.Struct, frozen=True):
    """One item of a checklist. `done` is the entry that ticked it, None while it is open."""

    item: str
    done: Remark | None = None


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """`newest`: number of the newest entry, to be named as `seen` by who changes it."""

    case: int
    kind: CaseKind
    table: str
    severity: str
    title: str
    opened: int
    """Number of the entry that opened it."""
    opened_at: str
    """UTC, when the case was opened; `events[0].at` is when it happened."""
    newest: int
    state: State = "new"
    holder: Identity | None = None
    """Who has it in hand, or had it when it was closed."""
    since: str = ""
    """UTC, since when it is in this state."""
    disposition: str = ""
    closed_by: Identity | None = None
    seen_by: tuple[Identity, ...] = ()
    events: tuple[EventRef, ...] = ()
    """In the order in which they were joined."""
    remarks: tuple[Remark, ...] = ()
    checklist: tuple[Item, ...] = ()
    links: tuple[int, ...] = ()
    escalated: int = 0
    """How many times it was reported that nobody took it."""
    subject: str = ""

    @property
    def is_open(self) -> bool:
        return self.state != "closed"

    @property
    def open_items(self) -> tuple[str, ...]:
        """Items of the checklist that nobody has ticked."""
        return tuple(each.item for each in self.checklist if each.done is None)

    @property
    def ended_at(self) -> str | None:
        """When the alert or the trouble ended; None while it stands. By the record's number within a run of the table,
        since records may be stored in another order."""
        told = [each for each in self.events if each.what in ("raised", "ended")]
        if not told:
            return None
        of_run = [each for each in told if each.boot == told[-1].boot]
        last = max(reversed(of_run), key=lambda each: each.sequence)  # of those without a number the one joined last
        return last.at if last.what == "ended" else None

    @property
    def standing(self) -> str:
        """What stands, in words: `alert ended 2027-01-15T22:14:00Z`, or empty."""
        return f"{self.kind} ended {self.ended_at}" if self.ended_at else ""


class FoldError(ValueError):
    """These are not the entries of a case; one line."""


def folded(changes: Iterable[Change]) -> Case:
    """The case that its entries make, in the order of their numbers. Entries of other cases that link to it count as
    links. Raises FoldError if the first entry of the case does not open it, or an entry corrects what is not there."""
    case: Case | None = None
    links: list[int] = []
    for change in sorted(changes, key=lambda each: each.number):
        if case is None:
            if change.kind == "link":
                links.append(change.case)  # of an older case, to one whose entries follow
                continue
            case = _opened(change)
        elif change.kind == "link" and change.other == case.case:
            links.append(change.case)
        else:
            if change.case != case.case:
                raise FoldError(f"entry {change.number} is of case {change.case}, and not of case {case.case}")
            case = _with(case, change)
    if case is None:
        raise FoldError("no entry opens the case")
    joined = dict.fromkeys((*case.links, *links))
    return msgspec.structs.replace(case, links=tuple(joined))


def _opened(change: Change) -> Case:
    if change.kind != "open" or change.case_kind is None or change.event is None:
        raise FoldError(f"entry {change.number} does not open case {change.case}")
    return Case(
        case=change.case,
        kind=change.case_kind,
        table=change.table,
        severity=change.severity,
        title=change.title,
        opened=change.number,
        opened_at=change.at,
        newest=change.number,
        since=change.at,
        events=(change.event,),
        checklist=tuple(Item(each) for each in change.checklist),
        subject=change.subject,
    )


def _with(case: Case, change: Change) -> Case:
    new = msgspec.structs.replace
    if change.kind in ("note", "see", "escalate", "close", "reopen") and change.text:
        case = new(case, remarks=(*case.remarks, _remark(change)))
    match change.kind:
        case "event" if change.event is not None:
            case = new(case, events=(*case.events, change.event))
        case "see":
            case = new(case, seen_by=tuple(dict.fromkeys((*case.seen_by, change.by))))
            if case.state == "new":
                case = new(case, state="seen", since=change.at)
        case "take":
            case = new(case, state="in hand", holder=change.by, since=change.at)
        case "tick":
            done = _remark(change)
            items = (Item(each.item, done) if each.item == change.item else each for each in case.checklist)
            case = new(case, checklist=tuple(items))
        case "correct":
            case = _corrected(case, change)
        case "link":
            case = new(case, links=(*case.links, change.other))
        case "close":
            case = new(case, state="closed", since=change.at, disposition=change.disposition, closed_by=change.by)
        case "reopen":
            case = new(case, state="seen", since=change.at, holder=None, disposition="", closed_by=None)
        case "escalate":
            case = new(case, escalated=case.escalated + 1)
        case "note":
            pass
        case _:
            raise FoldError(f"entry {change.number} opens case {case.case} once more")
    return new(case, newest=change.number)


def _remark(change: Change) -> Remark:
    return Remark(change.number, change.at, change.by, change.kind, change.text)


def _corrected(case: Case, change: Change) -> Case:
    """A tick that was a mistake leaves its item open, and the words stay among the remarks."""
    correction = _remark(change)
    for at, each in enumerate(case.remarks):
        if change.corrects in (each.number, *(one.number for one in each.corrections)):
            told = msgspec.structs.replace(each, corrections=(*each.corrections, correction))
            remarks = (*case.remarks[:at], told, *case.remarks[at + 1 :])
            return msgspec.structs.replace(case, remarks=remarks)
    for item in case.checklist:
        if item.done is not None and item.done.number == change.corrects:
            told = msgspec.structs.replace(item.done, text=item.done.text or item.item, corrections=(correction,))
            items = tuple(Item(each.item) if each.item == item.item else each for each in case.checklist)
            return msgspec.structs.replace(case, checklist=items, remarks=(*case.remarks, told))
    raise FoldError(f"entry {change.number} corrects entry {change.corrects}, which is no remark of case {case.case}")
