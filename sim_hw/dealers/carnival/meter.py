"""The progressive meter at a packet-dealt game: hands are keyed (1844), a jackpot registered and verified, the meter
locked and unlocked. Must not know how a hand came about.
"""

from __future__ import annotations

from typing import Any

from pitwatch.sim_hw.dealers.carnival.cards import Cards
from pitwatch.sim_hw.dealers.carnival.faults import LOCKED_OUT, NOT_LOCKED, UNLOCKED, meter_hands, unlockers
from pitwatch.sim_hw.dealers.dealer import Dealer
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.patrons.seats import Seats


class Meter:
    """`dealer` calls whoever has to unlock the meter."""

    def __init__(self, dealer: Dealer, lines: Contacts, seats: Seats):
        self._dealer = dealer
        self._scene = dealer.scene
        self._lines = lines
        self._seats = seats
        entries: list[dict[str, Any]] = dealer.table.game.tables.get("progressive", [])
        self._hands: list[str] = [entry["hand"] for entry in entries]

    def key_hands(self, cards: Cards, fault: str | None) -> None:
        """The hands of those with a wager on the progressive; a hand that takes the meter is registered."""
        held = cards.progressive_hands()
        if fault == "keyed-hand-not-seen":
            self._key_wrong({name for names in held.values() for name in names})
        if cards.winners:
            for seat in cards.winners:
                self._register(seat, held[seat][0], fault)
        else:
            for seat in cards.lit:
                if held[seat]:
                    self._key(held[seat][0])

    def _key_wrong(self, known: set[str]) -> None:
        """One that nobody has."""
        wrong = [hand for hand in self._hands if hand not in known]
        self._key(self._scene.rng.choice([hand for hand in wrong if self._lines.has(f"hand-{hand}")]))

    def _key(self, hand: str) -> None:
        """Its lamp stays lit until it is keyed again: by mistake, or once it is paid."""
        self._lines.set(f"hand-{hand}", 1)
        self._scene.pause(0.5, 2)

    def clear_keys(self) -> None:
        for hand in self._hands:
            self._lines.set(f"hand-{hand}", 0)
        self._scene.wait(0.2)

    def _register(self, seat: str, hand: str, fault: str | None) -> None:
        """A jackpot hand is keyed, the meter registers it and is locked out."""
        lines = self._lines
        self._key(hand)
        lines.press("jackpot-" + seat[5:], 1.0)
        self._scene.wait(1.5)
        if fault != NOT_LOCKED:
            lines.set("meter-lock", 1)
        if fault == meter_hands(self._dealer.table)[0]["second"]:
            self._scene.pause(2, 20)
            lines.press("jackpot", 1.0)
            self._scene.wait(1.5)
        self.clear_keys()

    def verify_jackpot(self, fault: str | None) -> None:
        """The meter is locked until somebody of rank has verified the jackpot and shown the key card."""
        scene, lines = self._scene, self._lines
        scene.pause(20, 60)
        if fault == LOCKED_OUT:
            seat = self._seats.wagers[0]
            lines.set("coin-in-" + seat[5:], 1)
            scene.pause(2, 5)
            lines.set("coin-in-" + seat[5:], 0)
        scene.pause(10, 30)
        if fault != UNLOCKED:
            self._dealer.badge(*unlockers(self._dealer.table))
        scene.pause(1, 3)
        lines.set("meter-lock", 0)
        scene.wait(1)
