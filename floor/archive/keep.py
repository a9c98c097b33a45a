"""`[archive] keep` of a FLOOR.toml: how long events of a kind are kept. Removes nothing."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NamedTuple

KINDS = ("observation", "round", "irregularity", "alert", "device", "statistic", "statistic_state")
"""Kinds that may be removed. All others are kept: few, and what others are verified or explained by."""

ALWAYS = ("jackpot", "meter_unlocked")
"""Observations that are kept with jackpots: who asks for those that are open asks for all of them."""

FOREVER = "forever"
TERM = re.compile(r"([1-9]\d{0,3})([dwy])\Z")
DAYS = {"d": 1, "w": 7, "y": 366}
"""A year has all its days, whichever it is."""

RIGHT = '"30d" (days), "8w" (weeks), "1y" (years) or "forever" is right'


class Rule(NamedTuple):
    """`term`: younger events of the kind stay; `told` as the house wrote it."""

    kind: str
    term: timedelta
    told: str


def rules(keep: dict[str, str]) -> list[Rule]:
    """Those that remove something, in the order of KINDS. Raises ValueError: the kind, and what is wrong."""
    for kind, text in keep.items():
        if kind not in KINDS:
            raise ValueError(kind, f"is no kind that may be removed; {', '.join(KINDS)} are right")
        if text != FOREVER and not TERM.match(text):
            raise ValueError(kind, f'"{text}" is no term; {RIGHT}')
    found = []
    for kind in KINDS:
        text = keep.get(kind, FOREVER)
        if (term := TERM.match(text)) is not None:
            found.append(Rule(kind, timedelta(days=int(term[1]) * DAYS[term[2]]), f'{kind} = "{text}"'))
    return found
