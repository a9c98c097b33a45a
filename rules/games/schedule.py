"""Schedules and limits that stand beside the games of a document: fees, maximum payouts. No cards, no rounds.

What they ask for is a person's to see; reports at the panel bring their remedies to surveillance like any other.
"""

from __future__ import annotations

from pitwatch.rules.desk.part import Part

FAMILIES = {"schedule": "Schedule"}


class Schedule(Part):
    """Follows nothing: the watchers hear what is reported."""
