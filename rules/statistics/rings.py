"""Cells in a ring: pockets round the rotor, displacements from spin to spin, diamonds under which the ball drops."""

from __future__ import annotations

from functools import cache

from pitwatch.rules.statistics.categorical import Bet, Bets, Spread

POCKET_LIFTS = (0.15, 0.3, 0.6, 1.2, -0.25, -0.5)
SECTOR_LENGTHS = (3, 6, 9, 12, 19)
SECTOR_LIFTS = (0.08, 0.15, 0.3, 0.6)
WHEEL_SPREADS = (4, 16, 64)
"""Strengths in outcomes a pocket."""

DIAMONDS = 8
DROP_LENGTHS = (1, 2, 3, 4)
DROP_LIFTS = (0.1, 0.25, 0.5, 1.0)
DROP_SPREADS = (32, 128)


@cache
def wheel(pockets: int) -> Bets:
    """Bets on single pockets and on sectors of a wheel of 37 or 38: for `pocket`, `signature` and `aim`."""
    singles = [((place,), lift) for lift in POCKET_LIFTS for place in range(pockets)]
    sectors = [
        (_run(place, length, pockets), lift)
        for length in SECTOR_LENGTHS
        for lift in SECTOR_LIFTS
        for place in range(pockets)
    ]
    bets = [Bet(0.4 / len(singles), cells, lift, "pocket") for cells, lift in singles]
    bets += [Bet(0.4 / len(sectors), cells, lift, "sector") for cells, lift in sectors]
    spreads = [Spread(0.2 / len(WHEEL_SPREADS), each * pockets) for each in WHEEL_SPREADS]
    return Bets([1 / pockets] * pockets, bets, spreads)


@cache
def drop() -> Bets:
    """Bets on the diamonds over which the ball leaves the rim; no run can be twice as likely as half the ring."""
    runs = [
        (_run(place, length, DIAMONDS), lift)
        for length in DROP_LENGTHS
        for lift in DROP_LIFTS
        for place in range(DIAMONDS)
        if length * (1 + lift) < DIAMONDS
    ]
    bets = [Bet(0.8 / len(runs), cells, lift, "drop") for cells, lift in runs]
    return Bets([1 / DIAMONDS] * DIAMONDS, bets, [Spread(0.1, each) for each in DROP_SPREADS])


def _run(place: int, length: int, ring: int) -> tuple[int, ...]:
    return tuple((place + step) % ring for step in range(length))
