"""Whether wheel, dice and shoes are as they should be: counts them in monitors that may be looked at at any time.

Counting takes a tenth of a millisecond. It waits for a deadline that falls due at once, so that no record waits for it:
the same live and in a replay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.fairness.dice import DiceFeed
from pitwatch.rules.fairness.shoe import ShoeFeed
from pitwatch.rules.fairness.wheel import WheelFeed
from pitwatch.rules.records import Round
from pitwatch.rules.watchers.deck import decks_in_use, shoe_of

WATCHER = {"turn": 100, "class": "Fairness"}
RULES: tuple[str, ...] = ()


class Feed(Protocol):
    """What one kind of equipment is counted by. It may have `on_<event>` methods, as a part has, and wakes the watcher
    where it wants to `count`."""

    def opened(self) -> None: ...
    def closed(self, round_: Round) -> dict[str, list[int]]: ...
    def count(self) -> None: ...
    def missed(self, observation: Observation) -> None: ...
    def finish(self) -> None: ...


def feed_of(desk: Desk, wake: Callable[[], None]) -> Feed | None:
    """What counts at this table; None where there is nothing to count, or the configuration says `watch = false`."""
    if not desk.table.statistics.watch:
        return None
    if desk.game.family == "roulette" and desk.has("wheel.ball_settled"):
        return WheelFeed(desk, wake)
    if desk.game.family == "craps" and desk.has("dice.dice_settled"):
        return DiceFeed(desk, wake)
    cards, decks = shoe_of(desk.game, desk.options), decks_in_use(desk.game, desk.options)
    if cards and decks and desk.has("shoe.shoe_started") and desk.has("shoe.card_drawn"):
        return ShoeFeed(desk, wake, cards, decks)
    return None


class Fairness(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._feed = feed_of(desk, self._wake)

    def _wake(self) -> None:
        self.deadline = self.desk.t

    def handlers(self, prefix: str) -> dict[str, Callable[[Observation], None]]:
        if self._feed is None:
            return {}
        own = {name: getattr(self._feed, name) for name in dir(self._feed) if name.startswith(prefix)}
        return super().handlers(prefix) | {name[len(prefix) :]: method for name, method in own.items()}

    def round_opened(self) -> None:
        if self._feed is not None:
            self._feed.opened()

    def round_closed(self, round_: Round) -> dict[str, list[int]]:
        return self._feed.closed(round_) if self._feed is not None else {}

    def tick(self) -> None:
        if self._feed is not None:
            self._feed.count()

    def missed(self, observation: Observation) -> None:
        if self._feed is not None:
            self._feed.missed(observation)

    def finish(self) -> None:
        if self._feed is not None:
            self._feed.finish()
