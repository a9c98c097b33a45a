"""A simulated table that is acted at while it runs: a dealer plays by himself or rests, and hands act at its devices.

In `simulate` a dealer plays a whole round before anything of it is given out. Here time is let pass from outside, in
steps, and whoever acts waits for it: the dealer and each act of a hand is a greenlet of its own, which `wait` suspends.
So the dealers are the same, and a hand may act at any time in the middle of a round.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from pitwatch.rules.game import Game
from pitwatch.sim_hw.hands.act import Act, CannotActError, Hand
from pitwatch.sim_hw.hands.finding import hands_of
from pitwatch.sim_hw.scene import SECOND, Scene
from pitwatch.sim_hw.simulate import GAP, Planned, dealer_of, provokable, table_of
from pitwatch.sim_hw.table import SimDeviceSpec
from pitwatch.sim_hw.wire import WireEvent

MOST_ACTS = 40
"""Acts of hands that may go on at one time."""
MOST_ORDERS = 20
"""Faults that may be asked for and wait."""


class LiveScene(Scene):
    """`wait` suspends whoever calls it until so much time was let pass."""

    def wait(self, seconds: float) -> None:
        above = getcurrent().parent
        if above is None:
            raise RuntimeError("waited outside of an act")
        above.switch(self.t + int(seconds * SECOND))


class LiveTable:
    """`hands`: by device. `playing`: whether the dealer goes on after a round. `rounds`: begun by the dealer so far;
    `asked_rounds`, `orders`: rounds and faults that he is still to play. `plan` and `planned`: he first plays so many
    rounds with these faults, and takes no orders meanwhile. Raises as `simulate`."""

    def __init__(
        self,
        game: Game,
        devices: Sequence[SimDeviceSpec],
        options: Mapping[str, Any],
        *,
        seed: int,
        plan: Sequence[Planned] = (),
        planned: int = 0,
        people: Mapping[str, str] | None = None,
        seats: Sequence[str] = (),
    ):
        table = table_of(game, devices, options, people, seats)
        self.faults = provokable(game, devices, options, people)
        self._scene = LiveScene(seed)
        self._dealer = dealer_of(game, table)(self._scene, table)
        self.hands = hands_of(self._scene, table)
        self._acts: dict[str, dict[str, Act]] = {
            device: {act.name: act for act in hand.acts()} for device, hand in self.hands.items()
        }
        self._plan = {each.round_index: each.rule for each in plan}
        self._planned = planned
        self.playing = False
        self.rounds = 0
        self.orders: deque[str] = deque()
        self.fault: str | None = None
        self.asked_rounds = 0
        self._proper_first = 1  # rounds, before a fault stands alone
        self._order = 0
        self._waiting: list[tuple[int, int, greenlet]] = []
        self._at_table: greenlet | None = None  # the dealer, while he does something
        self._hands_play = 0  # acts that are part of the game and go on
        self._begin_dealer(self._dealer.begin)

    # -- time

    @property
    def t(self) -> int:
        """Now, in ns; the events of `advance` have been given out up to then."""
        return self._scene.t

    def advance(self, until: int) -> Iterator[WireEvent]:
        """Let time pass until `until` (ns): what comes out on the wires meanwhile, in order of time. Acts may begin
        between two events."""
        scene = self._scene
        while True:
            self._let_dealer_go_on()
            due = self._waiting[0][0] if self._waiting else until
            stop = max(scene.t, min(due, until))
            for device in scene.running:
                device.advance(stop)
            scene.t = stop
            yield from scene.due()
            if not self._waiting or self._waiting[0][0] > until:
                return
            if self._waiting[0][0] <= scene.t:
                self._go_on(heapq.heappop(self._waiting)[2])

    def close(self) -> None:
        """Everybody leaves the table."""
        while self._waiting:
            heapq.heappop(self._waiting)[2].throw(GreenletExit)

    # -- the dealer

    @property
    def in_plan(self) -> bool:
        """Whether the dealer still plays what was planned."""
        return self._planned > 0

    @property
    def dealing(self) -> bool:
        """Whether the dealer is at something; he waits until what a hand plays is over."""
        return self._at_table is not None

    def let_play(self, playing: bool) -> None:
        """The dealer goes on after each round, or rests after this one. Raises CannotActError."""
        self._not_in_plan()
        self.playing = playing

    def play_rounds(self, rounds: int) -> None:
        """The dealer plays so many rounds, then rests unless `playing`. Raises CannotActError."""
        self._not_in_plan()
        self.asked_rounds = max(self.asked_rounds, rounds)

    def play_fault(self, rule: str) -> None:
        """The dealer breaks the rule once, after as many proper rounds as it needs for it to stand alone: a table is
        judged from its first round boundary on, and a fault's consequences last some rounds. Raises CannotActError."""
        self._not_in_plan()
        if rule not in self.faults:
            raise CannotActError(f"{rule[:80]!r}: no fault that can be played at this table")
        if len(self.orders) >= MOST_ORDERS:
            raise CannotActError(f"{MOST_ORDERS} faults wait already; wait until they are played")
        self.orders.append(rule)

    def _not_in_plan(self) -> None:
        if self.in_plan:
            raise CannotActError("the dealer plays what was planned; hands may act when that is over")

    def _let_dealer_go_on(self) -> None:
        if self._at_table is not None or self._hands_play:
            return
        if self.in_plan:
            self._begin_dealer(self._planned_round)
        elif self.playing or self.orders or self.asked_rounds:
            self._begin_dealer(self._round)

    def _planned_round(self) -> None:
        self.fault = self._plan.get(self.rounds)
        self.rounds += 1
        self._dealer.play(self.fault)
        if self.rounds >= self._planned:
            self._dealer.finish()
            self._planned, self._proper_first = 0, GAP

    def _round(self) -> None:
        self.fault = self.orders.popleft() if self.orders and not self._proper_first else None
        self.asked_rounds = max(0, self.asked_rounds - 1)
        self.rounds += 1
        self._proper_first = GAP - 1 if self.fault else max(0, self._proper_first - 1)
        self._dealer.play(self.fault)
        if self.fault and not self.asked_rounds:
            self.asked_rounds = 1  # some faults show in the next round only

    def _begin_dealer(self, what: Callable[[], None]) -> None:
        def done() -> None:
            try:
                what()
            finally:
                self._at_table = self.fault = None

        self._at_table = greenlet(done)
        self._go_on(self._at_table)

    # -- hands

    def acts(self, device: str) -> tuple[Act, ...]:
        """What a hand can do at the device."""
        return tuple(self._acts[device].values())

    def act(self, device: str, name: str, given: Mapping[str, Any]) -> None:
        """A hand does something now. Raises CannotActError."""
        act = self._acts.get(device, {}).get(name)
        if act is None:
            raise CannotActError(f"{device[:80]!r}: no such device, or nothing named {name[:80]!r} can be done at it")
        arguments = act.settle(given)
        self._not_in_plan()
        if act.plays and not self._hands_play and (self.playing or self.dealing or self.orders or self.asked_rounds):
            raise CannotActError("the dealer plays; let him rest first, or wait until the round is over")
        if len(self._waiting) >= MOST_ACTS:
            raise CannotActError("too much goes on at once; wait a moment")

        def doing() -> None:
            self._hands_play += act.plays
            try:
                act.do(**arguments)
            finally:
                self._hands_play -= act.plays

        self._go_on(greenlet(doing))

    def _go_on(self, who: greenlet) -> None:
        until = who.switch()
        if not who.dead:
            self._order += 1
            heapq.heappush(self._waiting, (until, self._order, who))

    def picture(self) -> dict[str, Any]:
        """What can be seen of each device."""
        return {device: hand.picture() for device, hand in self.hands.items()}


__all__ = ["CannotActError", "Hand", "LiveScene", "LiveTable"]
