"""What is known of the players' hands on a blackjack layout: which are blackjacks, which still wait for the dealer.

Knows no rule of the game. Whatever may have happened unseen, a split, an exchange, a switch, a surrender, makes a hand
uncertain: then the answer is None.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.exchange import Exchange
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.games.blackjack.layout import Cards, Layout
from pitwatch.rules.games.blackjack.pushes_over import PushesOver
from pitwatch.rules.games.blackjack.sight import Sight
from pitwatch.rules.games.blackjack.splits import Splits
from pitwatch.rules.games.blackjack.switch import Switch
from pitwatch.rules.play.seats import DEALER, is_seat, seat_of, seat_order


class Players:
    """`disputed`: hands with which something was wrong already; what follows from that is no further breach.

    Option of the book: `surrender`; figure `surrender-cards`, with how many cards a hand may be given up (2 if not
    stated, 0: with any number)."""

    def __init__(
        self, desk: Desk, sight: Sight, house: House, layout: Layout, splits: Splits, exchange: Exchange, switch: Switch
    ):
        self._desk = desk
        self._sight = sight
        self._house = house
        self._pushes_over = PushesOver(desk.game, house)
        self._layout = layout
        self._splits = splits
        self._exchange = exchange
        self._switch = switch
        figure = desk.game.figures.get("surrender-cards")
        self._surrender_cards: int = figure.value if figure is not None else 2
        self.disputed: set[object] = set()

    @property
    def cards(self) -> Cards:
        return self._desk.round.cards if self._desk.round is not None else {}

    @property
    def sees_clearing(self) -> bool:
        """Whether a reader shows the cards being taken away."""
        return self._desk.availability.on_line("card_position.card_removed")

    def hands(self) -> list[str]:
        return sorted((each for each in self.cards if is_seat(each)), key=seat_order)

    def in_dispute(self, position: str) -> bool:
        return bool(self.disputed & {position, seat_of(position)})

    def no_natural(self, position: str) -> bool:
        """Whether the hand came of a split, an exchange or a switch: such a hand is no blackjack."""
        return (
            self._splits.split(position)
            or self._exchange.exchanged(position)
            or self._switch.switched(position, self.cards)
        )

    def is_blackjack(self, position: str, cards: list[str | None]) -> bool:
        return self._house.count.natural(cards) and not self.no_natural(position)

    def lost(self, position: str) -> bool:
        """Whether nobody can tell which cards are the hand's."""
        cards, clearing = self.cards, self.sees_clearing
        return (
            self._splits.lost(position)
            or self._may_be_exchanged(position)
            or self._switch.unclear(position, cards, clearing)
        )

    def unclear(self, position: str) -> bool:
        """Whether the hand may hold cards that are not its own any more."""
        cards, clearing = self.cards, self.sees_clearing
        return (
            self._splits.unclear(position, cards)
            or self._exchange.unclear(position, cards, clearing)
            or self._switch.unclear(position, cards, clearing)
        )

    def live(self, position: str, may_be_given_up: bool = True) -> bool | None:
        """Whether a hand still waits for the dealer's total; None if that cannot be told. Where a surrender cannot be
        seen, a hand `may_be_given_up`."""
        cards, split = self.cards[position], self.no_natural(position)
        score = self._house.count.score(cards, split)
        if score is None or self.in_dispute(position) or self._splits.lost(position) or self._house.open(cards):
            return None
        if self._switch.unclear(position, self.cards, self.sees_clearing):
            return True if self._switch.may_be_bust(position, self.cards) is False else None
        bust = self._house.count.bust(score)
        if self._splits.unclear(position, self.cards) or self._exchange.unclear(
            position, self.cards, self.sees_clearing
        ):
            return None if bust or (may_be_given_up and self._may_have_surrendered(cards)) else True
        if self.is_blackjack(position, cards):
            return False
        if bust:
            waits = self._pushes_over.may_come(cards, self.cards.get(DEALER, []))
            return None if waits and position in self._layout.out else waits
        split_stays = self._surrender_cards > 0 and self._splits.split(position)  # only the first cards are given up
        given_up = may_be_given_up and self._may_have_surrendered(cards) and not split_stays
        return None if position in self._layout.out or given_up else True

    @property
    def none_live(self) -> bool:
        """Whether surely no hand waits for the dealer's total any more (512)."""
        hands = self.hands()
        return bool(hands) and not self._sight.lost and all(self.live(each) is False for each in hands)

    def _may_be_exchanged(self, position: str) -> bool:
        """Whether two of the hand's cards may be gone: with one card more than two, none are."""
        clearing = self.sees_clearing
        return self._exchange.unclear(position, self.cards, clearing) and (clearing or len(self.cards[position]) > 3)

    def _may_have_surrendered(self, cards: list[str | None]) -> bool:
        if not self._desk.option("surrender"):
            return False
        score = self._house.count.score(cards)
        return len(cards) == self._surrender_cards or (
            not self._surrender_cards and score is not None and score.total < self._house.count.target
        )
