"""Feeds the monitors of a shoe from its start to the start of the next.

Nothing of an open shoe leaves the board: what is left in it, or the next card, would be worth money at the table. All
that is put out is made at a shoe's end, of shoes that are over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.putting_out import put_out
from pitwatch.rules.fairness.unread_cards import UnreadCards
from pitwatch.rules.fairness.which_cards import WhichCards
from pitwatch.rules.fairness.which_order import WhichOrder
from pitwatch.rules.play.cards import rank
from pitwatch.rules.records import Round, StatisticState

C_COMPOSITION, C_ORDER, C_UNREAD = 5e6, 1e6, 1e6
"""Shoes to a false alarm."""


class ShoeFeed:
    """`cards`: how many of each card the shoe should hold."""

    def __init__(self, desk: Desk, wake: Callable[[], None], cards: Mapping[str, int], decks: int):
        ranks: dict[str, int] = {}
        for card, many in cards.items():
            ranks[rank(card)] = ranks.get(rank(card), 0) + many
        scale, by_hand = desk.table.statistics.scale, desk.table.statistics.by_hand
        self._desk = desk
        self._wake = wake
        self._drawn: list[str | None] = []
        """Cards of the open shoe that are not counted yet."""
        self._cards = cards
        self._decks = decks
        self._equipment = f"{decks} decks of {len(cards)} cards"
        self._which = WhichCards(ranks, C_COMPOSITION * scale)
        self._order = WhichOrder(cards, C_ORDER * scale, by_hand)
        self._unread = UnreadCards(C_UNREAD * scale)
        self._monitors = (self._which, self._order, self._unread)
        self._shoes = {device.id for device in desk.table.devices if device.type == "shoe"}
        self._counts = False
        """The open shoe was seen to begin, and holds what it should."""
        for state in desk.kept.states:
            self._restore(state)

    def _restore(self, state: StatisticState) -> None:
        for monitor in self._monitors:
            if state.monitor == monitor.monitor and state.equipment == self._equipment:
                try:
                    monitor.restore(state)
                except ValueError:  # of a program that counted otherwise: a new epoch
                    monitor.begin_again()

    def on_shoe_started(self, observation: Observation) -> None:
        self.count()
        if self._counts:
            self._which.end(self._desk.last_round)
            self._order.end(self._desk.last_round)
            self._unread.end(self._desk.last_round)
        self._leave()
        self._put_out()
        self._counts = observation.data.get("decks") in (None, self._decks)
        if self._counts:
            self._order.start()

    def on_card_drawn(self, observation: Observation) -> None:
        if not self._counts or observation.device not in self._shoes:
            return
        card = observation.data.get("card")
        if card is not None and card not in self._cards:  # a foreign card: another rule's matter
            self._leave()
            return
        self._drawn.append(card)
        self._wake()

    def count(self) -> None:
        for card in self._drawn:
            if card is not None:
                self._which.draw(card)
            self._order.draw(card)
            self._unread.draw(card)
        self._drawn.clear()

    def on_key_pressed(self, observation: Observation) -> None:
        if observation.data.get("key") == "deck_changed":
            self._leave()
            self._which.begin_again()
            self._order.begin_again()
            self._put_out()

    def on_device_offline(self, observation: Observation) -> None:
        """The shoe may have been filled anew meanwhile."""
        if observation.device in self._shoes:
            self._leave()

    def _leave(self) -> None:
        self._counts = False
        self._drawn.clear()
        self._which.leave()
        self._order.leave()
        self._unread.leave()

    def _put_out(self) -> None:
        put_out(self._desk, self._monitors, self._equipment, "shoes")

    def opened(self) -> None:
        """Rounds are no unit here."""

    def closed(self, round_: Round) -> dict[str, list[int]]:
        return {}

    def missed(self, observation: Observation) -> None:
        """Cards may have gone by unseen: the order has a hole, what the shoe holds can still be counted."""
        if observation.device in self._shoes:
            self.count()
            self._order.leave()

    def finish(self) -> None:
        """The open shoe does not count: it may be another one when the table is watched again."""
        self._leave()
