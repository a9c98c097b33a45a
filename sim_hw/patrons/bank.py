"""The marker of the player who banks: it goes round the table, and stays with nobody longer than the book allows."""

from __future__ import annotations

from pitwatch.rules.game import Game
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene


class BankMarker:
    """Moves only where the book has a banking player and the table has sensors for the marker. `held`: whole rounds
    that the seat has banked. `early`: how often a seat gives it up before it must; `in_hand`: seconds from one place to
    the next."""

    def __init__(
        self, scene: Scene, game: Game, sensors: Contacts, seats: Seats, early: float = 0.2, in_hand: float = 1.0
    ):
        self._scene = scene
        self._sensors = sensors
        self._seats = seats
        self._places = [n for n in range(1, 10) if sensors.has(f"bank-{n}")]
        figure = game.figures.get("bank-rounds-at-most")
        self.at_most: int = figure.value if figure is not None and self._places else 0
        self._early = early
        self._in_hand = in_hand
        self._at = 0
        self.held = 0

    def begin(self) -> None:
        if self.at_most:
            self._give(self._places[0])

    def offer(self) -> None:
        """Before a round: the bank passes on once it was held as long as allowed, and now and then earlier."""
        if self.at_most and (self.held >= self.at_most or (self._early and self._scene.chance(self._early))):
            self._give(self._places[(self._places.index(self._at) + 1) % len(self._places)])

    def played(self) -> None:
        """A whole round was banked."""
        self.held += 1

    def _give(self, place: int) -> None:
        self._sensors.set(f"bank-{self._at}", 0)
        self._scene.wait(self._in_hand)
        self._at, self.held = place, 0
        self._seats.give_bank(f"seat-{place}")
        self._sensors.set(f"bank-{place}", 1)
        self._scene.wait(1)
