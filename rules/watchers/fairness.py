"""Whether wheel and dice are even: counts each round in monitors that may be looked at at any time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.dice import DiceFeed
from pitwatch.rules.fairness.ledgers import Counted, Ledgers
from pitwatch.rules.fairness.wheel import WheelFeed
from pitwatch.rules.part import Part
from pitwatch.rules.records import Round

WATCHER = {"turn": 100, "class": "Fairness"}
RULES: tuple[str, ...] = ()

FEEDS: dict[str, tuple[str, Callable[[Desk], Feed]]]


class Feed(Protocol):
    """What one kind of equipment is counted by. It may have `on_<event>` methods, as a part has."""

    ledgers: Ledgers

    def opened(self) -> None: ...
    def closed(self, round_: Round) -> Counted: ...
    def missed(self, observation: Observation) -> None: ...


FEEDS = {"roulette": ("wheel.ball_settled", WheelFeed), "craps": ("dice.dice_settled", DiceFeed)}
"""By the game's family: what the table must see, and what counts it."""


class Fairness(Part):
    """Does nothing at a table without such equipment, or where the configuration says `watch = false`."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        need, feed = FEEDS.get(desk.game.family, ("", None))
        watched = feed is not None and desk.table.statistics.watch and desk.has(need)
        self._feed: Feed | None = feed(desk) if feed is not None and watched else None

    def handlers(self, prefix: str) -> dict[str, Callable[[Observation], None]]:
        found = super().handlers(prefix)
        if self._feed is None:
            return {} if prefix == "on_" else found
        own = {name: getattr(self._feed, name) for name in dir(self._feed) if name.startswith(prefix)}
        return found | {name[len(prefix) :]: method for name, method in own.items()}

    def round_opened(self) -> None:
        if self._feed is not None:
            self._feed.opened()

    def round_closed(self, round_: Round) -> Counted:
        if self._feed is None:
            return {}
        counted = self._feed.closed(round_)
        self._feed.ledgers.take(counted, round_.round)
        return counted

    def round_told(self) -> None:
        if self._feed is not None:
            self._feed.ledgers.after_round()

    def missed(self, observation: Observation) -> None:
        if self._feed is not None:
            self._feed.missed(observation)

    def finish(self) -> None:
        if self._feed is not None:
            self._feed.ledgers.finish()
