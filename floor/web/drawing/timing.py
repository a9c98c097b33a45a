"""Records as a timing diagram: a lane for each device, time from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

WIDTH, LEFT, RIGHT, LANE = 1000, 150, 30, 34
MOST_MARKS, MOST_LANES = 300, 24
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)


class Mark(NamedTuple):
    """One record: `at` in seconds, `until` the same unless it lasts; `cited`: the irregularity names it as evidence."""

    lane: str
    at: float
    until: float
    number: int
    told: str
    cited: bool


def drawn(marks: Sequence[Mark]) -> Markup:
    """Empty without marks."""
    marks = sorted(marks, key=lambda mark: mark.at)[:MOST_MARKS]
    if not marks:
        return Markup("")
    begin, end = marks[0].at, max(mark.until for mark in marks)
    span = max(end - begin, 1e-3)
    lanes = list(dict.fromkeys(mark.lane for mark in marks))[:MOST_LANES]
    height = LANE * len(lanes) + 40

    def x(at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (at - begin) / span

    parts = [_grid(begin, span, height, x)]
    for place, lane in enumerate(lanes):
        y = LANE * place + 22
        line = Markup('<text x="{}" y="{}" font-size="14" text-anchor="end">{}</text>').format(
            LEFT - 12, y + 5, lane[:18]
        )
        parts.append(line)
        rail = Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="currentColor" stroke-opacity=".35"/>')
        parts.append(rail.format(LEFT, y, WIDTH - RIGHT, y))
    parts += [
        _mark(mark, x(mark.at), x(mark.until), LANE * lanes.index(mark.lane) + 22, mark.at - begin)
        for mark in marks
        if mark.lane in lanes
    ]
    said = f"{len(marks)} records on {len(lanes)} lanes within {span:.3f} seconds; the list below has them all"
    svg = Markup('<svg viewBox="0 0 {} {}" width="{}" class="timing" role="img" aria-label="{}">{}</svg>')
    return svg.format(WIDTH, height, WIDTH, said, Markup("").join(parts))


def _grid(begin: float, span: float, height: int, x) -> Markup:  # type: ignore[no-untyped-def]
    step = next((each for each in STEPS if span / each <= 10), STEPS[-1] * 10)
    parts = []
    for place in range(int(span / step) + 1):
        at = x(begin + place * step)
        line = Markup('<line x1="{0}" y1="6" x2="{0}" y2="{1}" stroke="currentColor" stroke-opacity=".18"/>')
        parts.append(line.format(f"{at:.1f}", height - 26))
        text = Markup('<text x="{}" y="{}" font-size="12" text-anchor="middle">{} s</text>')
        parts.append(text.format(f"{at:.1f}", height - 8, f"{place * step:g}"))
    return Markup("").join(parts)


def _mark(mark: Mark, x1: float, x2: float, y: int, after: float) -> Markup:
    """What is cited is a filled diamond, the rest a bar or a ring: by shape, not by colour."""
    title = Markup("<title>{} s: record {}, {}</title>").format(f"{after:.3f}", mark.number, mark.told)
    if mark.until > mark.at:
        bar = Markup(
            '<rect x="{}" y="{}" width="{}" height="8" rx="3" fill="currentColor" fill-opacity=".45">{}</rect>'
        )
        return bar.format(f"{x1:.1f}", y - 4, f"{max(x2 - x1, 2):.1f}", title)
    if mark.cited:
        shape = Markup('<path d="M{0} {1} l9 9 l-9 9 l-9 -9 Z" class="cited">{2}</path>')
        return shape.format(f"{x1:.1f}", y - 9, title)
    ring = Markup('<circle cx="{}" cy="{}" r="5" class="ring">{}</circle>')
    return ring.format(f"{x1:.1f}", y, title)
