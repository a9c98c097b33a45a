"""The deal: packet after packet, and what goes wrong while they come."""

from __future__ import annotations

from pitwatch.rules.play.seats import is_seat
from pitwatch.sim_hw.dealers.carnival.cards import Cards
from pitwatch.sim_hw.dealers.carnival.faults import LATE
from pitwatch.sim_hw.dealers.carnival.layout import Layout
from pitwatch.sim_hw.dealers.carnival.packets import Packets
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene


class Deal:
    def __init__(self, scene: Scene, packets: Packets, layout: Layout, cards: Cards, seats: Seats, sensors: Contacts):
        self._scene = scene
        self._packets = packets
        self._layout = layout
        self._cards = cards
        self._seats = seats
        self._sensors = sensors

    def play(self, fault: str | None) -> bool:
        """Returns whether all packets were dealt; the machine may jam before."""
        scene, layout, piles = self._scene, self._layout, self._cards.piles
        rng, chance = scene.rng, scene.chance
        places = [position for position, _ in self._cards.slots]
        seats = [number for number, position in enumerate(places) if is_seat(position)]
        jam_at = rng.randrange(len(places)) if fault == "shuffler-fault-during-deal" else None
        if fault == "packet-order":
            first = rng.randrange(len(seats) - 1)
            one, next_ = seats[first], seats[first + 1]
            places[one], places[next_] = places[next_], places[one]
        astray = rng.choice(seats) if fault == "unbet-pile" else None
        late = rng.randrange(len(seats)) if fault == LATE else None
        layout.clear()
        for number, position in enumerate(places):
            if number == jam_at:
                self._packets.jam(len(piles[position]))
                return False
            self._packets.dispense(len(piles[position]))
            if number == astray and chance(0.5):
                layout.lay_astray(position)
            else:
                layout.lay(position)
                if number == astray:
                    self._deal_to_nobody()
            layout.laid.append(position)
            scene.pause(0.3, 1)
            if number == late and number < len(places) - 1:
                self._change_wager()
        scene.pause(11, 20)
        return True

    def _deal_to_nobody(self) -> None:
        """One packet more, at a seat without a wager."""
        seat = self._scene.rng.choice(self._seats.empty)
        self._cards.one_packet_more(seat)
        self._packets.dispense(len(self._cards.piles[seat]))
        self._layout.lay(seat)
        self._layout.laid.append(seat)

    def _change_wager(self) -> None:
        """Somebody lays a wager, or takes one back, while the cards are dealt."""
        if self._scene.chance(0.5):
            self._sensors.set(self._scene.rng.choice(self._seats.empty), 1)
        else:
            self._sensors.set(self._scene.rng.choice(self._seats.wagers), 0)
        self._scene.wait(0.8)
