"""Who is dealt to in blackjack, and in what order: the seats whose wagers were sensed, but for who banks.

Tables of the book: `deal-starts`, "bank-left" where the deal begins beside the player who banks; figure
`bank-rounds-at-most`, where players may bank; option `spots-dealt`. Knows no card.
"""

from __future__ import annotations

from collections.abc import Iterable

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.deal import Orders, from_the_left, left_of, spot_by_spot
from pitwatch.rules.games.blackjack.switch import Switch
from pitwatch.rules.play.seats import seat_of


class DealtIn:
    def __init__(self, desk: Desk, switch: Switch):
        self._desk = desk
        self._switch = switch
        self._sensors = {device.id for device in desk.table.provides("seats.seat_taken")}
        self._bank_sensors = {device.id for device in desk.table.provides("seats.bank_moved")}
        self._banked = "bank-rounds-at-most" in desk.game.figures
        self._bank: str | None = None
        self._claimed: list[str] | None = None
        """The seats that sensors said have a wager when the round began."""
        self._doubtful = False
        """The sensors may have missed a wager come or go."""

    def bank_moved(self, seat: str | None) -> None:
        self._bank = seat

    def unwatched(self, device: str) -> None:
        """Wagers may come and go, and the bank move, while nobody watches."""
        if device in self._sensors:
            self._doubtful, self._claimed = True, None
        if device in self._bank_sensors:
            self._bank = None

    def hands(self, seats: list[str] | None) -> list[str] | None:
        """The hands that get cards, of the seats that have a wager. Who banks has a stake before the seat and the
        dealer's hand: while nobody knows who that is, those dealt to are taken."""
        self._claimed = seats
        if seats is None or self._doubtful or (self._banked and self._bank is None):
            return None
        return self._switch.spots([each for each in seats if each != self._bank])

    def orders(self) -> Orders:
        if self._desk.game.tables.get("deal-starts") == "bank-left":
            bank = self._bank
            return lambda hands: left_of(bank, hands)
        return spot_by_spot if self._desk.option("spots-dealt") == "spot-by-spot" else from_the_left

    def believe(self, hands: Iterable[str]) -> None:
        """A deal that was surely seen is over. If just those whom the sensors say have a wager were dealt to, they
        missed nothing, or nothing that matters."""
        if self._doubtful and self._claimed is not None:
            self._doubtful = {seat_of(each) for each in hands} != set(self._claimed)
