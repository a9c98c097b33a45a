"""Compares the runs of one table's daemon with each other. Pure.

A journal uses each number once, in one run after the other, so the runs of one journal never overlap. This holds in
whatever order messages arrive and whichever are missing: a gap, a repeated message and a retained one contradict
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from pitwatch.floor.identity.finding import BEGAN_ANEW, ROLLED_BACK, Finding
from pitwatch.floor.identity.past import Past, Run

START_WITHIN = 5.0
"""Seconds for which a run's `started` record is waited for: it says which of the two it is."""
KEY_WITHIN = 120.0
"""Seconds for which a run's key is waited for, where the house has announced another board."""


class _Span(NamedTuple):
    """What a run gave: `by` its own records, or, of one `boot` and one number, by what another run says."""

    boot: str
    first: int
    last: int
    by: Run

    @property
    def claimed(self) -> bool:
        return self.boot != self.by.boot


class Held(NamedTuple):
    found: list[Finding]
    waiting: bool
    """Undecided: a message that decides it may still come. Ask again."""


def hold(table: str, past: Past, approved: Collection[str], told: Mapping[str, str], now: float) -> Held:
    """Contradictions of a table's runs. `approved` keys: runs of different ones are of different boards. `told`:
    subjects that were found before, each with the other run; another run that merely goes on from them is none."""
    found: dict[str, Finding] = {}
    keys = _keys(past)
    boards: dict[str, list[_Span]] = {}
    for span in _spans(past):
        key = keys[span.by.boot]
        boards.setdefault(key if key in approved else "", []).append(span)
    waiting = False
    for spans in boards.values():
        for one, other in _contradicting(past, sorted(spans, key=lambda each: (each.first, each.last, each.boot))):
            newer, older = _order(one, other)
            run = newer.by
            if _goes_on(past, run, told) or told.get(subject(older.by.boot)) == run.boot:
                continue
            if (run.claim is None and now - run.met < START_WITHIN) or (
                not run.key and any(key != keys[older.by.boot] for key in approved) and now - run.met < KEY_WITHIN
            ):
                waiting = True
            elif not _excused(past, newer, older):
                finding = _finding(table, past, newer, older)
                found.setdefault(finding.subject, finding)
    return Held(list(found.values()), waiting)


def board(past: Past, boot: str, approved: Collection[str]) -> str:
    """The approved key of the board that a run is of; empty if it is of none."""
    key = _keys(past).get(boot, "")
    return key if key in approved else ""


def subject(boot: str) -> str:
    return f"run {boot}"


def _keys(past: Past) -> dict[str, str]:
    """The key of each run; of one that has proved none that of the run which it follows, else that of the board that
    was there when it was first heard."""
    found: dict[str, str] = {}
    key = next(iter(past.keys), "")
    for run in sorted(past.runs.values(), key=lambda each: each.met):
        follows = found.get(run.claim.boot) if run.claim is not None else None
        key = run.key or follows or key
        found[run.boot] = key
    return found


def _spans(past: Past) -> list[_Span]:
    spans = [_Span(run.boot, run.first, run.last, run) for run in past.runs.values()]
    for run in past.runs.values():
        claim = run.claim
        if claim is not None and claim.boot not in ("", run.boot) and claim.last < run.first:
            spans.append(_Span(claim.boot, claim.last, claim.last, run))
    return spans


def _contradicting(past: Past, spans: list[_Span]) -> Iterator[tuple[_Span, _Span]]:
    """`spans` in the order of their first records."""
    furthest: _Span | None = None
    own = {span.boot: span for span in spans if not span.claimed}
    for span in spans:
        before = own.get(span.boot) if span.claimed else None
        if before is not None and span.last < before.last and span.by.first <= before.last:
            yield span, before  # it says that this run ended before it did
        if before is not None and before.first <= span.last <= before.last:
            continue  # which the run itself has said
        if furthest is not None and span.first <= furthest.last and span.boot != furthest.boot:
            yield span, furthest
        if furthest is None or span.last >= furthest.last:
            furthest = span
    named = {run.claim.boot for run in past.runs.values() if run.claim is not None}
    for span in own.values():
        if span.by.below and span.boot not in named:
            above = [each for each in own.values() if each.first > span.last and each.by.met < span.by.met]
            lowest = all(each.first > span.last for each in own.values() if each is not span)
            if above and _came_after(span, above, lowest):
                yield span, max(above, key=lambda each: each.last)


def _came_after(span: _Span, above: list[_Span], lowest: bool) -> bool:
    """Whether a run that gave lower numbers than others, none of them theirs, is later than they: not one of before
    that a broker had kept, which was not heard meanwhile."""
    began = [each.by.began for each in above if each.by.began]
    if span.by.began and began:
        return span.by.began > max(began)
    return lowest  # else it may have its place between what was heard


def _order(one: _Span, other: _Span) -> tuple[_Span, _Span]:
    """The newer one first: the one that came live at or below what was heard; else by their own clocks where those were
    set, which root can set as well; else by their time of arrival."""
    a, b = one.by, other.by
    if a.below != b.below:
        later = a.below
    else:
        later = a.began > b.began if a.began and b.began and a.began != b.began else a.met > b.met
    return (one, other) if later else (other, one)


def _goes_on(past: Past, run: Run, told: Mapping[str, str]) -> bool:
    """Whether a run is the sound continuation of one that was reported."""
    seen = {run.boot}
    while run.claim is not None and run.claim.last:
        before = past.runs.get(run.claim.boot)
        if before is None or before.boot in seen or run.first <= before.last:
            return False
        if subject(before.boot) in told:
            return True
        seen.add(before.boot)
        run = before
    return False


def _excused(past: Past, newer: _Span, older: _Span) -> bool:
    """The disk refused in the run before: what it had published from memory was lost with it, and its numbers were
    given again (docs/reliability.md)."""
    run, claim = older.by, newer.by.claim
    last = claim.last if claim is not None and claim.last else newer.by.first - 1
    sure = max(run.committed, max((at for _, at in past.heads if run.has(at)), default=0))
    return bool(run.refused) and run.first <= last and sure <= last


def _finding(table: str, past: Past, newer: _Span, older: _Span) -> Finding:
    heard: dict[str, Any] = {"boot": older.by.boot, "sequence": older.last}
    if past.heads:
        newest = max(past.heads, key=lambda each: each[1])
        heard["checkpoint"] = {"sequence": newest[1], "hash": past.heads[newest]}
    run, claim = newer.by, newer.by.claim
    said: dict[str, Any] = {"boot": run.boot, "sequence": run.first}
    if claim is not None:
        said |= {"previous_boot": claim.boot or None, "last_sequence": claim.last or None}
    about = subject(run.boot)
    if newer.claimed and claim is not None and newer.boot != older.boot:
        told = f"run {run.boot} says that record {claim.last} was of run {claim.boot}, and that number was heard of run"
        told += f" {older.by.boot}: its journal is not the one that was published. Find out whose board it is"
        return Finding(table, BEGAN_ANEW, about, told, heard, said)
    begin = f"record {run.first} came from run {run.boot}, though run {older.by.boot} was heard up to {older.last}: "
    if (claim is not None and not claim.last) or (claim is None and run.first == 1):
        told = "its journal begins anew. Its state folder was emptied, or another board has its name. Find out which;"
        told += " approve a new board's key in FLOOR.toml"
        return Finding(table, BEGAN_ANEW, about, begin + told, heard, said)
    if run.aside:
        told = "its journal was damaged, and it does not know how far it had come. Keep the file that was set aside"
    else:
        told = "an older copy of its journal was put back, or two boards have its name. Hold its journal against the"
        told += " archive (pitwatch archive verify)"
    return Finding(table, ROLLED_BACK, about, begin + told, heard, said)
