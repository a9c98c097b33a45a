"""The progressive meter at a blackjack table: hands are keyed, a jackpot is verified, the meter locked and unlocked.

Must not know how a hand came about.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.people import SUPERVISORS
from pitwatch.sim_hw.dealers.blackjack.faults import JACKPOTS
from pitwatch.sim_hw.dealers.dealer import Dealer
from pitwatch.sim_hw.devices.contacts import Contacts

JACKPOT_HAND = "3-suited-7s"


class Meter:
    """`dealer` presses the panel's keys and calls whoever has to unlock the meter."""

    def __init__(self, dealer: Dealer, lines: Contacts):
        self._dealer = dealer
        self._scene = dealer.scene
        self._lines = lines
        entries: list[dict[str, Any]] = dealer.table.game.tables.get("progressive", [])
        self._hands = [entry["hand"] for entry in entries]

    def lock(self) -> None:
        """It is locked out before the round."""
        self._lines.set("meter-lock", 1)
        self._scene.pause(5, 20)

    def key_hands(self, fault: str | None) -> None:
        """A jackpot hand is keyed and the meter locks; only a fault brings one."""
        if fault == "keyed-hand-not-seen":
            self._key(JACKPOT_HAND)
        elif fault in JACKPOTS:
            self._key(JACKPOT_HAND)
            if fault != "jackpot-without-lockout":
                self._lines.set("meter-lock", 1, after=0.5)
        self._scene.wait(1)

    def _key(self, hand: str) -> None:
        """At the controller, where its lamp stays lit until it is keyed again, or at the panel."""
        if self._lines.has(f"hand-{hand}"):
            self._lines.set(f"hand-{hand}", 1)
        else:
            self._dealer.key(f"hand:{hand}")

    def clear_keys(self) -> None:
        for hand in self._hands:
            self._lines.set(f"hand-{hand}", 0)
        self._scene.wait(0.2)

    def verify(self, fault: str | None) -> None:
        """After a jackpot the meter is locked until a supervisor has verified it and shown the key card (408-410)."""
        scene, lines = self._scene, self._lines
        if fault in JACKPOTS:
            scene.pause(5, 30)
            lines.press("jackpot", 1.0)
            scene.pause(3, 30)
        if fault == "unlocked-without-key-card":
            lines.set("meter-lock", 1)
            scene.pause(20, 60)
            lines.set("meter-lock", 0)
            scene.wait(1)
        elif fault == "wager-while-locked-out" or (fault in JACKPOTS and fault != "jackpot-without-lockout"):
            if fault == "second-jackpot-hand":
                lines.press("jackpot", 1.0)
            scene.pause(30, 90)
            self._unlock()

    def _unlock(self) -> None:
        self._dealer.badge(*SUPERVISORS)
        self._scene.pause(1, 3)
        self._lines.set("meter-lock", 0)
        self._scene.wait(1)
