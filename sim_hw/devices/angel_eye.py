"""A simulated Angel Eye baccarat shoe: one frame a card, the cut card, the result; some frames sent again.

Knows the wire only: the caller says where a card goes.
"""

from __future__ import annotations

from collections.abc import Iterable

from pitwatch.devices.protocols import angel_eye as wire
from pitwatch.sim_hw.scene import MS, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

NOT_FOLLOWED = next(number for number, name in wire.OUTSIDE_GAME.items() if name == "setting")
TARGETS = {name: number for number, name in wire.IN_GAME.items()}
SEQUENCE = "123456789ABCDEF0"
AGAIN = 150 * MS
"""A frame that nobody acknowledged is sent again after this."""


class AngelEyeShoe:
    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id
        self._sent = 0
        self.hands: dict[str, list[str]] = {}
        self._over = False
        scene.devices[spec.id] = self

    def start(self) -> None:
        self._sent = 0
        self.hands = {}
        self._send(b"S")

    def first_card(self, card: str) -> None:
        """The card that is turned when a shoe begins."""
        self._send(wire.card_data(TARGETS["first_card"], 1, card))

    def burn_count(self, count: int) -> None:
        """The shoe says how many cards are to be burnt."""
        self._send(b"D" + bytes((0x80 | TARGETS["burn_count"] << 4, 0x80 | count)))

    def dealt(self, to: str) -> int:
        """Cards of the present round."""
        return 0 if self._over else len(self.hands.get(to, ()))

    def card(self, to: str, index: int, card: str) -> None:
        """A card to "player", "banker" or "burn", the shoe's `index`-th there."""
        if self._over:
            self._over, self.hands = False, {}
        self.hands.setdefault(to, []).append(card)
        self._send(wire.card_data(TARGETS[to], index, card))

    def outside(self, number: int, card: str) -> None:
        """A card drawn while the shoe is set not to follow the game."""
        self._send(wire.card_data(NOT_FOLLOWED, min(number, wire.HIGHEST_INDEX), card, "d"))

    def no_card(self) -> None:
        """What came out is no card of its code; somebody clears the error."""
        self._send(wire.error_data("card_code"))
        self._scene.wait(5)
        self._send(wire.error_data("card_code", cleared=True))

    def cut_card(self) -> None:
        self._send(b"C")

    def result(self, winner: str, pairs: Iterable[str]) -> None:
        self._over = True
        self._send(wire.result_data(winner, tuple(pairs)))

    def _send(self, data: bytes) -> None:
        frame = wire.frame(SEQUENCE[self._sent % len(SEQUENCE)], data)
        self._sent += 1
        scene = self._scene
        for again in range(scene.rng.choice((1, 1, 1, 2, 3))):
            scene.put_bytes(self._id, frame, scene.t + again * AGAIN)
