"""Dice: each face that came to rest, and the pair."""

from __future__ import annotations

from functools import cache

from pitwatch.rules.statistics.categorical import Bet, Bets, Spread

FACES = 6
FACE_LIFTS = (0.06, 0.12, 0.25, 0.5, 1.0, -0.25)
AXIS_LIFTS = (0.06, 0.12, 0.25, 0.5, -0.2)
FACE_SPREADS = (24, 384)

PAIRS = tuple((low, high) for low in range(1, FACES + 1) for high in range(low, FACES + 1))
"""The 21 unordered pairs, as cells."""

SEVEN_LIFTS = (0.08, -0.08, 0.15, -0.15, 0.3, -0.3, 0.6, -0.6)
DOUBLE_LIFTS = (0.15, 0.3, 0.6, -0.3)
SHOWS_LIFTS = (0.3, 0.6, 1.2, 2.0)
TOTAL_LIFTS = (0.3, 0.6)
PAIR_SPREADS = (84, 336)


@cache
def faces() -> Bets:
    """Bets on one face (a load) and on two opposite faces (a long or short axis). Cells are faces less 1."""
    single = [((face,), lift) for face in range(FACES) for lift in FACE_LIFTS]
    axis = [((face, FACES - 1 - face), lift) for face in range(FACES // 2) for lift in AXIS_LIFTS]
    bets = [Bet(0.5 / len(single), cells, lift, "face") for cells, lift in single]
    bets += [Bet(0.3 / len(axis), cells, lift, "axis") for cells, lift in axis]
    return Bets([1 / FACES] * FACES, bets, [Spread(0.1, each) for each in FACE_SPREADS])


@cache
def pair() -> Bets:
    """Bets on seven, doubles, a face that shows (a slid die) and each other total."""
    doubles = tuple(cell for cell, (low, high) in enumerate(PAIRS) if low == high)
    stated = [(_total(7), lift, "seven") for lift in SEVEN_LIFTS]
    stated += [(doubles, lift, "double") for lift in DOUBLE_LIFTS]
    for face in range(1, FACES + 1):
        shown = tuple(cell for cell, dice in enumerate(PAIRS) if face in dice)
        stated += [(shown, lift, f"shows {face}") for lift in SHOWS_LIFTS]
    for total in range(2, 13):
        if total != 7:
            stated += [(_total(total), lift, f"total {total}") for lift in TOTAL_LIFTS]
    bets = [Bet(0.8 / len(stated), cells, lift, kind) for cells, lift, kind in stated]
    null = [(1 if low == high else 2) / FACES**2 for low, high in PAIRS]
    return Bets(null, bets, [Spread(0.1, each) for each in PAIR_SPREADS])


def pair_cell(one: int, other: int) -> int:
    """The cell of two faces, 1 to 6, in any order."""
    return PAIRS.index((one, other) if one <= other else (other, one))


def _total(total: int) -> tuple[int, ...]:
    return tuple(cell for cell, dice in enumerate(PAIRS) if sum(dice) == total)
