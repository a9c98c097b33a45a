"""Dice by their faces."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

PIPS = {
    1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)), 4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}  # fmt: skip
MOST = 5


def drawn(faces: Sequence[object]) -> Markup:
    """An unknown face is drawn as a question mark."""
    shown = list(faces)[:MOST]
    dice = Markup("").join(_die(face, 10 + 74 * place) for place, face in enumerate(shown))
    said = "Dice: " + (", ".join(str(face) if face in PIPS else "not read" for face in shown) or "none")
    width = 74 * max(len(shown), 1) + 6
    svg = Markup('<svg viewBox="0 0 {} 80" width="{}" role="img" aria-label="{}">{}</svg>')
    return svg.format(width, width * 1.3, said, dice)


def _die(face: object, x: int) -> Markup:
    box = Markup('<rect x="{}" y="8" width="64" height="64" rx="10" fill="#fff" stroke="#16181a" stroke-width="2"/>')
    pips = PIPS.get(face, ()) if type(face) is int else ()
    dot = Markup('<circle cx="{}" cy="{}" r="6" fill="#16181a"/>')
    inside = Markup("").join(dot.format(x + 32 + 18 * dx, 40 + 18 * dy) for dx, dy in pips)
    if not pips:
        inside = Markup('<text x="{}" y="50" font-size="30" text-anchor="middle" class="dark">?</text>').format(x + 32)
    return box.format(x) + inside
