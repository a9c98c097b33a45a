"""Hands so high that a supervisor verifies them, where the house says how that shows at the table. Knows no ranking.

Option of the book: `verification`, "key-card" (the supervisor shows the key card), "panel-key" (the supervisor's key is
pressed) or "unseen".
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk
from pitwatch.rules.people import supervises

RULE = "premium-hand-unverified"


class PremiumHands:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._shown_by = desk.option("verification")
        self._verified = False

    def round_opens(self) -> None:
        self._verified = False

    def credential(self, credential: str | None) -> None:
        role = self._desk.table.people.get(credential) if credential is not None else None
        self._verified = self._verified or (self._shown_by == "key-card" and supervises(role))

    def key(self, key: str | None) -> None:
        self._verified = self._verified or (self._shown_by == "panel-key" and key == "supervisor")

    @property
    def _watched(self) -> bool:
        need = {"key-card": "key_reader.credential_presented", "panel-key": "panel.key_pressed:supervisor"}
        return self._shown_by in need and self._desk.availability.sees(need[self._shown_by])

    def judge(self, hands: dict[str, str], evidence: dict[str, list[int]]) -> None:
        """The round is over: `hands` by position are those to be verified."""
        if self._verified or not self._watched:
            return
        for position, hand in hands.items():
            self._desk.breach(
                RULE,
                {"position": position, "hand": hand, "verified": False},
                {"verified_by": "a supervisor or above"},
                evidence.get(position, []),
                once=position,
            )
