"""Whose hands are in play, and the names of positions."""

from __future__ import annotations

from collections.abc import Iterable

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part

DEALER = "dealer"
ASIDE = ("burn", "discard")
"""Where a card lies that was dealt to nobody."""


def is_seat(position: str | None) -> bool:
    return position is not None and position.startswith("seat-")


def seat_of(position: str) -> str:
    """The seat that a hand belongs to: "seat-3/2" is a second hand of "seat-3"."""
    return position.partition("/")[0]


def seat_order(position: str) -> tuple[int, int]:
    """Sorts seats and their further hands from the dealer's left: seat-1, seat-1/2, seat-2, …"""
    seat, _, hand = position.partition("/")
    number = seat.removeprefix("seat-")
    return int(number) if number.isdigit() else 99, int(hand) if hand.isdigit() else 1


def in_seat_order(positions: Iterable[str]) -> list[str]:
    """Sorted by `seat_order`, other positions by name after the seats: the order never depends on that of a set."""
    return sorted(sorted(positions), key=seat_order)


class Seats(Part):
    """Seats with a wager: by sensor where there is one, else what the configuration says."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.sensed = desk.has("seats.seat_taken")
        self._taken: set[str] = set()

    def on_seat_taken(self, observation: Observation) -> None:
        seat = observation.data.get("seat")
        if isinstance(seat, str):
            self._taken.add(seat)

    def on_seat_left(self, observation: Observation) -> None:
        seat = observation.data.get("seat")
        if isinstance(seat, str):
            self._taken.discard(seat)

    def in_play(self) -> list[str] | None:
        """The hands in play now, from the dealer's left; None if nobody says."""
        if self.sensed and self.desk.availability.sees("seats.seat_taken"):
            return in_seat_order(self._taken)
        return in_seat_order(self.desk.table.seats) if self.desk.table.seats else None
