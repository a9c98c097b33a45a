"""The bank among simulated players: a marker that goes round the table. Times in seconds."""

from __future__ import annotations

from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene


class PlayerBank:
    """`at_most`: rounds one seat banks. At a table without the marker's sensors nobody is seen to bank. `to_house`: the
    house banks between two players, the marker lying at no seat."""

    def __init__(self, scene: Scene, seats: Seats, marker: Contacts, at_most: int):
        self._scene = scene
        self._seats = seats
        self._marker = marker
        self.at_most = at_most
        self._rounds = 0
        self._there = marker.has("bank-1")

    def pass_when_due(self, to_house: bool = False) -> None:
        """Before a round: the bank goes on if its holder has had it long enough, or nobody has it yet."""
        if self._seats.banker is None or self._rounds >= self.at_most:
            self.pass_on(to_house)
        self._rounds += 1

    def keep(self) -> None:
        """Before a round that the holder of the bank deals whether it is due or not."""
        self._rounds += 1

    def pass_on(self, to_house: bool = False) -> None:
        self._rounds = 0
        seats, before = self._seats, self._seats.banker
        if not self._there or (to_house and before is None):
            return
        if before is not None:
            self._marker.set("bank-" + before[5:], 0)
            seats.banker = None
            self._scene.wait(0.5)
        if to_house:
            self._scene.wait(12)
            return
        seats.come_and_go(at_least=2)
        seat = self._scene.rng.choice([each for each in seats.wagers if each != before])
        seats.give_bank(seat)
        self._marker.set("bank-" + seat[5:], 1)
        self._scene.wait(1)
