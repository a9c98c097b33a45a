"""An entry in words, for lists, documents and notifications. Pure."""

from __future__ import annotations

from pitwatch.floor.cases.change import Change, EventRef

EVENTS = {"raised": "raised again", "ended": "ended", "void": "the round is void"}


def told(change: Change) -> str:
    """What was done, without who and when: `took it in hand`. A note may have several lines."""
    text = f": {change.text}" if change.text else ""
    match change.kind:
        case "open":
            return f"opened: {change.title}{_seen(change.event)}"
        case "event":
            return _event(change.event)
        case "see":
            return f"saw it{text}"
        case "take":
            return "took it in hand"
        case "note":
            return f"noted{text}"
        case "correct":
            return f"corrected entry {change.corrects}{text}"
        case "link":
            return f"linked it to case {change.other}"
        case "tick":
            return f"ticked “{change.item}”{text}"
        case "close":
            return f"closed it, {change.disposition}{text}"
        case "reopen":
            return f"opened it again{text}"
        case "escalate":
            return f"nobody took it{text}"


def _event(event: EventRef | None) -> str:
    if event is None:
        return "reported"
    said = EVENTS.get(event.what, f"{event.what} reported")
    if event.what in ("raised", "ended"):
        said = f"{said} {event.at}"
    return f"{said}: {event.text}" if event.text else said


def _seen(event: EventRef | None) -> str:
    if event is None:
        return ""
    where = f"record {event.sequence}" if event.sequence else ""
    if event.round is not None:
        where = f"round {event.round}, {where}"
    return "".join(f"; {each}" for each in (where, event.text) if each)
