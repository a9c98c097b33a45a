"""Plots as SVG inside the page: nothing but shapes and escaped text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

BAR, LINE, TEXT = "#0072B2", "#D55E00", "#111111"


def wheel(counts: Mapping[str, int]) -> str:
    """How often each pocket came, in its place round the wheel, as `counts` has them in order; the circle is the even
    share."""
    order = list(counts)
    most, even = max(counts.values(), default=0), sum(counts.values()) / len(order)
    scale = 60 / max(most, even, 1)
    parts = [_circle(40 + even * scale)]
    for place, pocket in enumerate(order):
        angle = 2 * math.pi * place / len(order) - math.pi / 2
        times = counts.get(pocket, 0)
        x, y = math.cos(angle), math.sin(angle)
        end = 40 + times * scale
        parts.append(
            f'<line x1="{x * 40:.1f}" y1="{y * 40:.1f}" x2="{x * end:.1f}" y2="{y * end:.1f}" '
            f'stroke="{BAR}" stroke-width="5"><title>{escape(pocket)}: {times}</title></line>'
        )
        parts.append(_text(x * 110, y * 110 + 2.5, pocket, 7))
    return _svg(-120, -120, 240, 240, 90, "Pockets round the wheel; the circle is the even share", parts)


def bars(values: Sequence[tuple[str, float]], about: str, mark: float | None = None) -> str:
    """One bar a value, with its figure above and its name below; `mark`: a line across, such as the target."""
    most = max([*(value for _, value in values), mark or 0.0, 1e-9])
    width = max(len(values) * 34, 120)
    parts = []
    for place, (name, value) in enumerate(values):
        height = 80 * value / most
        x = place * 34 + 4
        parts.append(f'<rect x="{x}" y="{90 - height:.1f}" width="26" height="{height:.1f}" fill="{BAR}"/>')
        parts.append(_text(x + 13, 87 - height, f"{value:g}", 7))
        parts.append(_text(x + 13, 99, name, 7))
    if mark is not None:
        y = 90 - 80 * mark / most
        parts.append(f'<line x1="0" y1="{y:.1f}" x2="{width}" y2="{y:.1f}" stroke="{LINE}" stroke-dasharray="4 3"/>')
    return _svg(0, 0, width, 104, min(width * 0.45, 180), about, parts)


def _circle(radius: float) -> str:
    return f'<circle r="{radius:.1f}" fill="none" stroke="{LINE}" stroke-dasharray="4 3"/>'


def _text(x: float, y: float, text: str, size: float) -> str:
    said = escape(text)
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" fill="{TEXT}">{said}</text>'


def _svg(x: float, y: float, width: float, height: float, mm: float, about: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="{x} {y} {width} {height}" width="{mm:.0f}mm" role="img" aria-label="{escape(about)}">'
        + "".join(parts)
        + "</svg>"
    )
