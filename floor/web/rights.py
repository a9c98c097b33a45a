"""What each role may do. Pure: the pages name a right, never a role."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Right(Enum):
    """Each page needs one of these."""

    ANYBODY = "without signing in"
    SELF = "their own account"
    LOOK = "tables, devices, fairness and rule books"
    CASES = "irregularities, rounds and their history"
    ACT = "acknowledge, ask tables for records, set bookmarks"
    EVIDENCE = "make and verify evidence packages"
    REPORTS = "reports of shifts"
    CARDS = "cards of open rounds"
    PEOPLE = "accounts"
    AUDIT = "the log of changes"


ROLES: dict[str, frozenset[Right]] = {
    "viewer": frozenset({Right.LOOK, Right.CASES}),
    "surveillance": frozenset({Right.LOOK, Right.CASES, Right.ACT, Right.EVIDENCE, Right.REPORTS}),
    "manager": frozenset({Right.LOOK, Right.CASES, Right.ACT, Right.EVIDENCE, Right.REPORTS, Right.AUDIT}),
    "technician": frozenset({Right.LOOK}),
    "administrator": frozenset({Right.LOOK, Right.PEOPLE, Right.AUDIT}),
    "live-cards": frozenset({Right.CARDS}),
}
"""`live-cards` is given besides another role. An administrator gives rights and does not use them: an account that does
both has two roles, and the log of changes shows who gave them."""

FIRST = ("administrator", "surveillance")
"""Of the account that the first start's link makes."""

LEAST = frozenset({Right.ANYBODY, Right.SELF})


def rights_of(roles: Iterable[str]) -> frozenset[Right]:
    """A role that is not known gives nothing."""
    return LEAST.union(*(ROLES.get(role, frozenset()) for role in roles))
