"""The bars of the view: counts, and warnings about stale or hidden lines. Uses the model; independent of the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pitwatch.floor.watch.beginning import NO_ARCHIVE, Beginning
from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.looking_back import LookingBack
from pitwatch.floor.watch.looks import FAINT, PLAIN, SEVERITY, STATE, YELLOW, Piece, clock
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.table import STATES, Table
from pitwatch.floor.watch.wording import SEVERITIES, age, clean


def top(floor: Floor, foreign: int, bell: bool, now: float) -> list[Piece]:
    """` 04:05:25  4 tables   4 ready   bell on`. `foreign`: messages that no table would send."""
    counts = Counter(table.state for table in floor.tables.values())
    line = [(f" {clock(now)}  {len(floor.tables)} tables ", "")]
    for state in sorted(counts, key=lambda each: STATES.index(each) if each in STATES else len(STATES)):
        line += [(" ", ""), (f" {counts[state]} {clean(state)} ", STATE.get(state, PLAIN))]
    line.append(("  bell on" if bell else "  bell OFF", FAINT))
    for count, what in (
        (floor.unreadable, "unreadable"),
        (foreign, "from strangers"),
        (floor.no_room, "not kept for lack of room"),
        (floor.concerns.dropped, "dropped unseen"),
    ):
        if count:
            line.append((f"  {count} {what}", YELLOW))
    return line


def no_broker(floor: Floor, ever: bool, now: float) -> list[Piece]:
    """Across the screen while nothing can be heard, else empty. `ever`: whether a broker was there before."""
    since = floor.stale_since
    if since is None:
        return []
    if not ever:
        return [(f" XX NO BROKER yet. {floor.trouble}", "")]
    return [(f" XX NO BROKER since {clock(since)} ({age(now - since)}): STALE. {floor.trouble}", "")]


def concerns(floor: Floor, every: Sequence[Concern], shown: Sequence[Concern], hides: str) -> list[Piece]:
    """` NEEDS ATTENTION 5  1 critical  3 alert  1 notice  (1 acknowledged)`. `hides`: what hides the others."""
    waiting = [each for each in every if each.acknowledged is None]
    line = [(f" NEEDS ATTENTION {len(waiting)}", "")]
    hidden = len(waiting) - sum(each.acknowledged is None for each in shown)
    if hidden:
        line.append((f"  {hidden} HIDDEN by {hides}", f"bold {YELLOW}"))
    counts = Counter(each.severity for each in waiting)
    line += [(f"  {counts[each]} {each}", SEVERITY[each]) for each in reversed(SEVERITIES) if counts[each]]
    line.append((f"  ({len(every) - len(waiting)} acknowledged)", FAINT))
    return line + _stale(floor)


def tables(
    floor: Floor, shown: Sequence[Table], hides: str, beginning: Beginning, back: LookingBack | None = None
) -> list[Piece]:
    """` TABLES 4  listening since 04:04:46`, how far back it has looked, and why the archive does not tell all."""
    line = [(f" TABLES {len(shown)}", "")]
    if floor.listens_since:
        line.append((f"  listening since {clock(floor.listens_since)}", FAINT))
    if beginning.unknown not in ("", NO_ARCHIVE):
        line.append((f"  {beginning.unknown}", YELLOW))
    if back is not None:
        line.append((f"  back to {clock(back.since)} at {len(back.done)} of {len(floor.tables)}", FAINT))
        if lacking := sum(map(bool, back.done.values())):
            line.append((f", {lacking} not whole", YELLOW))
    if len(floor.tables) > len(shown):
        line.append((f"  {len(floor.tables) - len(shown)} HIDDEN by {hides}", f"bold {YELLOW}"))
    return line + _stale(floor)


def nothing(floor: Floor, beginning: Beginning, back: LookingBack | None, hides: str) -> str:
    """In place of no line. `hides`: what hides lines, if any. It never says more than is known."""
    if hides:
        return f"nothing that the {hides} shows"
    if not floor.connected_at:
        return "nothing heard yet"
    why = beginning.unknown
    if not why:
        return "nothing needs attention"
    since = floor.connected_at
    if back is not None and back.done.keys() >= floor.tables.keys() and not any(back.done.values()):
        since = back.since
    return f"nothing since {clock(since)[:5]}; before: not known, {why}"


def _stale(floor: Floor) -> list[Piece]:
    return [("  STALE", SEVERITY["critical"])] if floor.stale_since is not None else []
