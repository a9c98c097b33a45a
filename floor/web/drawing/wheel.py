"""A roulette wheel: which way rotor and ball turn, where the ball is, and the pocket."""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup

from pitwatch.devices.vocabulary import is_pocket
from pitwatch.floor.watch.payloads import Observation

RED = frozenset(["1", "3", "5", "7", "9", "12", "14", "16", "18", "19", "21", "23", "25", "27", "30", "32", "34", "36"])
FILL = {"red": "#a8131f", "black": "#16181a", "green": "#0a6b4a"}
TURN = {"cw": "clockwise", "ccw": "counter-clockwise"}


class Wheel:
    """What of the wheel is known now, from observations in order."""

    def __init__(self, seen: Iterable[Observation]):
        self.rotor = self.ball = ""
        self.rpm: float | None = None
        self.pocket = self.announced = ""
        self.where = "not in play"
        for each in seen:
            self._take(each.event, each.data)

    def _take(self, event: str, data: dict[str, object]) -> None:
        direction = str(data.get("direction") or "")
        if event == "rotor":
            rpm = data.get("rpm")
            self.rotor, self.rpm = direction, float(rpm) if isinstance(rpm, int | float) else None
        elif event == "ball_launched":
            self.ball, self.where, self.pocket, self.announced = direction, "on the rim", "", ""
        elif event == "ball_left_rim":
            self.where = "off the rim"
        elif event == "ball_settled" and is_pocket(data.get("pocket")):
            self.pocket, self.where = str(data["pocket"]), "at rest"
        elif event == "result_announced" and is_pocket(data.get("pocket")):
            self.announced = str(data["pocket"])
        elif event in ("ball_expelled", "ball_floating", "ball_missing"):
            self.where = {"ball_expelled": "off the wheel", "ball_floating": "floating"}.get(event, "missing")

    @property
    def said(self) -> str:
        """All of it in one sentence, for those who do not see the drawing."""
        rotor = f"rotor {TURN.get(self.rotor, 'direction not seen')}"
        speed = f" at {self.rpm:g} turns a minute" if self.rpm is not None else ""
        ball = f"ball {self.where}" + (f", sent {TURN[self.ball]}" if self.ball in TURN else "")
        pocket = f"; pocket {self.pocket}, {colour(self.pocket)}" if self.pocket else ""
        announced = f"; announced {self.announced}" if self.announced else ""
        return f"{rotor}{speed}; {ball}{pocket}{announced}"


def colour(pocket: str) -> str:
    return "green" if pocket in ("0", "00") else "red" if pocket in RED else "black"


def drawn(wheel: Wheel) -> Markup:
    parts = [
        Markup('<circle r="108" fill="none" stroke="currentColor" stroke-width="3"/>'),
        Markup('<circle r="78" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="3 5"/>'),
    ]
    if wheel.ball in TURN and wheel.where in ("on the rim", "off the rim"):
        parts.append(_arrow(98, wheel.ball))
        radius = 98 if wheel.where == "on the rim" else 86
        at = Markup('<circle cx="{}" cy="0" r="7" fill="#fff" stroke="#16181a" stroke-width="2"/>')
        parts.append(at.format(f"{radius}"))
    if wheel.rotor in TURN:
        parts.append(_arrow(66, wheel.rotor))
    shown = wheel.pocket or wheel.announced
    if shown:
        parts.append(Markup('<circle r="46" fill="{}"/>').format(FILL[colour(shown)]))
        parts.append(
            Markup('<text y="14" font-size="40" font-weight="700" text-anchor="middle" class="on">{}</text>').format(
                shown
            )
        )
    if wheel.pocket:
        parts.append(Markup('<circle cx="0" cy="-56" r="7" fill="#fff" stroke="#16181a" stroke-width="2"/>'))
    return Markup('<svg viewBox="-120 -120 240 240" width="260" role="img" aria-label="{}">{}</svg>').format(
        wheel.said, Markup("").join(parts)
    )


def _arrow(radius: float, direction: str) -> Markup:
    """A third of a circle with a head at its end."""
    turn = 1 if direction == "cw" else -1
    begin, end = math.radians(-150 if turn > 0 else -30), math.radians(-30 if turn > 0 else -150)
    x1, y1, x2, y2 = (radius * f(a) for a in (begin, end) for f in (math.cos, math.sin))
    line = Markup('<path d="M{} {} A{} {} 0 0 {} {} {}" fill="none" stroke="currentColor" stroke-width="4"/>').format(
        f"{x1:.1f}", f"{y1:.1f}", f"{radius:g}", f"{radius:g}", 1 if turn > 0 else 0, f"{x2:.1f}", f"{y2:.1f}"
    )
    slope = math.degrees(end) + 90 * turn
    head = Markup('<path d="M0 0 L-12 -7 L-12 7 Z" transform="translate({} {}) rotate({})" fill="currentColor"/>')
    return line + head.format(f"{x2:.1f}", f"{y2:.1f}", f"{slope:.1f}")
