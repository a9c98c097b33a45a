"""Whether wheel, dice and shoes are as they should be: counts them in monitors that may be looked at at any time.

Counting takes a tenth of a millisecond. It waits for a deadline a moment later, so that no record waits for it, neither
to be made nor to be written and sent: the same live and in a replay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.fairness.cycles import CycleFeed
from pitwatch.rules.fairness.dice import DiceFeed
from pitwatch.rules.fairness.shoe import ShoeFeed
from pitwatch.rules.fairness.wheel import WheelFeed
from pitwatch.rules.records import Round
from pitwatch.rules.watchers.deck import decks_in_use, shoe_of

Handler = Callable[[Observation], None]

WATCHER = {"turn": 100, "class": "Fairness"}

LATER_NS = 50_000_000
RULES: tuple[str, ...] = ()


class Feed(Protocol):
    """What one kind of equipment is counted by. It may have `on_<event>` methods, as a part has, and wakes the watcher
    where it wants to `count`."""

    def opened(self) -> None: ...
    def closed(self, round_: Round) -> dict[str, list[int]]: ...
    def count(self) -> None: ...
    def missed(self, observation: Observation) -> None: ...
    def finish(self) -> None: ...


def feeds_of(desk: Desk, wake: Callable[[], None]) -> list[Feed]:
    """What counts at this table; nothing where the configuration says `watch = false`."""
    feeds: list[Feed] = []
    if not desk.table.statistics.watch:
        return feeds
    if desk.game.family == "roulette" and desk.has("wheel.ball_settled"):
        feeds.append(WheelFeed(desk, wake))
    if desk.game.family == "craps" and desk.has("dice.dice_settled"):
        feeds.append(DiceFeed(desk, wake))
    cards, decks = shoe_of(desk.game, desk.options), decks_in_use(desk.game, desk.options)
    if cards and decks and desk.has("shoe.shoe_started") and desk.has("shoe.card_drawn"):
        feeds.append(ShoeFeed(desk, wake, cards, decks))
    if desk.has("shuffler.shuffle_started") and desk.has("shuffler.shuffle_completed"):
        feeds.append(CycleFeed(desk, wake))
    return feeds


class Fairness(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._feeds = feeds_of(desk, self._wake)

    def _wake(self) -> None:
        if self.deadline is None:
            self.deadline = self.desk.t + LATER_NS

    def handlers(self, prefix: str) -> dict[str, Handler]:
        if not self._feeds:
            return {}
        own: dict[str, list[Handler]] = {}
        for feed in self._feeds:
            for event, method in feed_handlers(feed, prefix).items():
                own.setdefault(event, []).append(method)
        return {event: _each(methods) for event, methods in own.items()}

    def round_opened(self) -> None:
        for feed in self._feeds:
            feed.opened()

    def round_closed(self, round_: Round) -> dict[str, list[int]]:
        counted: dict[str, list[int]] = {}
        for feed in self._feeds:
            counted |= feed.closed(round_)
        return counted

    def tick(self) -> None:
        for feed in self._feeds:
            feed.count()

    def finish(self) -> None:
        for feed in self._feeds:
            feed.finish()


def feed_handlers(feed: Feed, prefix: str) -> dict[str, Handler]:
    """{event: method} of a feed, `missed` for what a device lost where the feed has no method of its own."""
    lost = dict.fromkeys(("device_offline", "bytes_discarded", "edges_lost"), feed.missed) if prefix == "on_" else {}
    own = {name: getattr(feed, name) for name in dir(feed) if name.startswith(prefix)}
    return lost | {name[len(prefix) :]: method for name, method in own.items()}


def _each(methods: list[Handler]) -> Handler:
    if len(methods) == 1:
        return methods[0]

    def handle(observation: Observation) -> None:
        for method in methods:
            method(observation)

    return handle
