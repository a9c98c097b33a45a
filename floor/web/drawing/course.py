"""A figure by counts, with the level at which something happens."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 640, 240, 70, 30, 14
MOST_POINTS = 1_000


def drawn(values: Sequence[tuple[float, float]], level: float | None, about: str, logarithmic: bool = True) -> Markup:
    """`values`: count and figure, in order; on a logarithmic scale figures below 1 are drawn at 1. Empty without any
    finite one."""
    shown = [(n, _scaled(y, logarithmic)) for n, y in values[-MOST_POINTS:] if math.isfinite(n) and math.isfinite(y)]
    if not shown:
        return Markup("")
    line = _scaled(level, logarithmic) if level is not None and level > 0 else None
    ys = [y for _, y in shown] + ([line] if line is not None else []) + [0.0]
    low, high = min(ys), max(ys)
    high = high if high > low else low + 1.0
    first, last = shown[0][0], max(shown[-1][0], shown[0][0] + 1)

    def place(n: float, y: float) -> tuple[str, str]:
        across = LEFT + (WIDTH - LEFT - 16) * (n - first) / (last - first)
        down = ABOVE + (HEIGHT - ABOVE - BELOW) * (high - y) / (high - low)
        return f"{across:.1f}", f"{down:.1f}"

    parts = []
    for y in (low, (low + high) / 2, high):
        x, down = place(first, y)
        text = f"{10**y:.3g}" if logarithmic else f"{y:.3g}"
        label = Markup('<text x="{}" y="{}" font-size="12" text-anchor="end">{}</text>')
        parts.append(label.format(LEFT - 8, float(down) + 4, text))
        rule = Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="currentColor" stroke-opacity=".2"/>')
        parts.append(rule.format(x, down, WIDTH - 16, down))
    for n in (first, last):
        x, _ = place(n, low)
        parts.append(
            Markup('<text x="{}" y="{}" font-size="12" text-anchor="middle">{}</text>').format(x, HEIGHT - 8, f"{n:g}")
        )
    if line is not None:
        _, down = place(first, line)
        mark = Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="level" stroke-dasharray="7 5"/>')
        parts.append(mark.format(LEFT, down, WIDTH - 16, down))
    points = " ".join(",".join(place(n, y)) for n, y in shown)
    parts.append(Markup('<polyline points="{}" class="course"/>').format(points))
    x, down = place(*shown[-1])
    parts.append(Markup('<circle cx="{}" cy="{}" r="4" class="point"/>').format(x, down))
    svg = Markup('<svg viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">{}</svg>')
    return svg.format(WIDTH, HEIGHT, WIDTH, about, Markup("").join(parts))


def _scaled(value: float, logarithmic: bool) -> float:
    return math.log10(max(value, 1.0)) if logarithmic else value
