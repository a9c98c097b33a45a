"""What patrons do with their cards at a poker table: fold, look at them, give some back.

Where something is to go wrong they stay in, or fold so many that it comes about.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.bad_beat import BadBeat
from pitwatch.rules.games.poker.streets import Streets
from pitwatch.sim_hw.dealers.poker_room.breach import Breach
from pitwatch.sim_hw.dealers.poker_room.faults import SHORT_STUB
from pitwatch.sim_hw.dealers.poker_room.layout import Layout
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.scene import Scene

FOLDS, LOOKS = 0.22, 0.1
"""How often a patron folds in a round of betting, and looks at a card if not."""
KEPT_BACK = 4
"""Cards of the stub that a draw leaves, where the stub is to suffice."""


class Patrons:
    """In one hand. `wagers`: the seat sensors; `discards_one`: each throws a card away after the first betting."""

    def __init__(
        self, scene: Scene, streets: Streets, layout: Layout, breach: Breach, wagers: Contacts, discards_one: bool
    ):
        self._scene = scene
        self._streets = streets
        self._layout = layout
        self._breach = breach
        self._wagers = wagers
        self._discards_one = discards_one
        self.gave_back: dict[str, int] = {}
        """Cards that each wants replaced in the next draw."""

    def bet(self) -> None:
        for seat in self._layout.order:
            self._wagers.set(seat, 1)

    def act(self, street: int) -> None:
        """A round of betting after a street."""
        scene, layout = self._scene, self._layout
        for seat in list(layout.live):
            scene.pause(1, 4)
            folds = self._folds(street)
            if folds and len(layout.live) > 1:
                self._fold(seat)
            elif scene.chance(LOOKS) and not self._streets.draws:
                layout.peek(seat)
        if self._discards_one and street == 1:
            for seat in layout.live:
                layout.throw(seat, scene.rng.choice(layout.hands[seat]))
                scene.pause(0.3, 1)

    def _folds(self, street: int) -> bool:
        if self._breach.rule in ("stub-short", "stub-last-card-used") and not self._streets.draws:
            return street == self._streets.last - 1 and len(self._layout.live) > self._cured_by_burns()
        return self._breach.rule is None and self._scene.chance(FOLDS)

    def _cured_by_burns(self) -> int:
        """Hands that the stub cannot serve, but the stub with the burn cards can, one being burned."""
        return len(self._layout.stub) + len(self._layout.burned) - 1

    def _fold(self, seat: str) -> None:
        self._layout.live.remove(seat)
        self._layout.take(seat)
        self._wagers.set(seat, 0)

    def fold_jackpots(self, bad_beat: BadBeat) -> None:
        """Hands that make a jackpot, or just fail to, come by plan only: whoever has one by chance folds it."""
        layout = self._layout
        while bad_beat.judge({each: layout.hands[each] for each in layout.live}, layout.board, len(layout.order)):
            self._fold(layout.live[-1])

    def discard(self, street: int) -> None:
        """Each gives back some cards, as many as the stub can replace; where it is to run short, the most."""
        layout, rng = self._layout, self._scene.rng
        most = self._streets[street].draw
        spare = len(layout.stub) - KEPT_BACK - most
        self.gave_back = {}
        for seat in layout.live:
            count = rng.randint(0, min(most, len(layout.hands[seat]) - 1))
            if self._breach.rule in SHORT_STUB:
                count = 3
            elif self._breach.miscounts_draw(street) and seat == layout.live[-1]:
                count = rng.randint(2, min(most, len(layout.hands[seat]) - 1))
            elif count > spare:
                count = 0
            spare -= count
            self.gave_back[seat] = count
            for card in rng.sample(layout.hands[seat], count):
                layout.throw(seat, card)
            self._scene.pause(0.5, 2)

    def leave_no_wager(self) -> None:
        """The hand is over."""
        for seat in self._layout.order:
            self._wagers.set(seat, 0)
