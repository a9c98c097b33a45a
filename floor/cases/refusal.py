"""Which changes a case refuses, as it stands and as their author had seen it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.floor.cases.case import Case, FoldError, folded
from pitwatch.floor.cases.change import Change


class RefusedChangeError(ValueError):
    """The case does not take this change; one line says why."""


class ConflictError(RefusedChangeError):
    """Somebody else changed the case after its author had looked at it; one line says who and what."""


def check(entries: Sequence[Change], change: Change) -> Case:
    """The case with the change. `entries`: those of the case, links to it included. Raises RefusedChangeError,
    ConflictError."""
    case = folded(entries)
    number = case.case
    if change.by.is_person:
        _compare(case, entries, change)
    if not case.is_open and change.kind in ("see", "take", "tick", "close"):
        raise RefusedChangeError(f"case {number} was closed {case.since} by {case.closed_by}; reopen it first")
    match change.kind:
        case "open":
            raise RefusedChangeError(f"case {number} is open already")
        case "reopen" if case.is_open:
            raise RefusedChangeError(f"case {number} is not closed")
        case "take" if case.state == "in hand" and case.holder == change.by:
            raise RefusedChangeError(f"case {number} is in your hand since {case.since}")
        case "tick":
            items = {each.item: each.done for each in case.checklist}
            if change.item not in items:
                there = "; ".join(items) or "none"
                raise RefusedChangeError(f'case {number} has no item "{change.item}"; its checklist: {there}')
            done = items[change.item]
            if done is not None:
                raise RefusedChangeError(f'"{change.item}" of case {number} was ticked {done.at} by {done.by}')
        case "close" if case.state == "in hand" and case.holder != change.by:
            raise RefusedChangeError(f"case {number} is in hand of {case.holder} since {case.since}; take it first")
        case "close" if case.open_items:
            raise RefusedChangeError(f"case {number} has open items: {'; '.join(case.open_items)}")
        case "link" if change.other in (number, *case.links):
            raise RefusedChangeError(f"case {number} is linked to case {change.other} already, or is the same")
        case _:
            pass
    try:
        return folded([*entries, change])
    except FoldError as error:
        raise RefusedChangeError(str(error)) from None


def _compare(case: Case, entries: Sequence[Change], change: Change) -> None:
    """Raises ConflictError. What a table reports meanwhile stands in nobody's way."""
    later = [each for each in entries if each.number > change.seen and each.by.is_person and each.by != change.by]
    if change.kind in ("take", "reopen"):
        later = [each for each in later if each.kind in ("take", "close", "reopen")]
    elif change.kind != "close":
        return
    if later:
        last = later[-1]
        what = {
            "take": "took it in hand",
            "close": "closed it",
            "note": "added a note",
            "tick": "ticked an item",
            "see": "looked at it",
        }.get(last.kind, f"changed it ({last.kind})")
        raise ConflictError(
            f"case {case.case} changed after you looked at it: {last.by} {what} at {last.at} (entry {last.number}); "
            "look at it again"
        )
