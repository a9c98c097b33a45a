"""A finding: a table contradicts what it published before, or what the house approved."""

from __future__ import annotations

from typing import Any, NamedTuple

ROLLED_BACK, BEGAN_ANEW = "rolled_back", "began_anew"
OTHER_KEY, FORGED, REWRITTEN, NOT_APPROVED = "other_key", "forged", "rewritten", "not_approved"
SPLIT_VIEW, NOT_COSIGNED = "split_view", "not_cosigned"
KINDS = (ROLLED_BACK, BEGAN_ANEW, OTHER_KEY, FORGED, REWRITTEN, NOT_APPROVED, SPLIT_VIEW, NOT_COSIGNED)


class Finding(NamedTuple):
    """`subject` says which occurrence of its kind: reported once. `told`: one line, what it means and what to do.
    `heard` before, and `said` now."""

    table: str
    kind: str
    subject: str
    told: str
    heard: dict[str, Any]
    said: dict[str, Any]


class Ended(NamedTuple):
    """The finding no longer holds, or the house has approved it since."""

    table: str
    kind: str
    subject: str


def short(value: str) -> str:
    return value if len(value) <= 16 else value[:16] + "…"
