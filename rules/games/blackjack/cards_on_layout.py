"""The cards of a round of blackjack as they come out of the shoe and lie on the layout: which round each is of, and
whether its place is known. Judges nothing but what a part is asked; `procedure` shows the cards to whoever judges them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.board import COMMUNITY, Board
from pitwatch.rules.games.blackjack.deal import InitialDeal
from pitwatch.rules.games.blackjack.dealt_in import DealtIn
from pitwatch.rules.games.blackjack.exchange import Exchange
from pitwatch.rules.games.blackjack.hole_card import HoleCard
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.games.blackjack.layout import Layout
from pitwatch.rules.games.blackjack.players import Players
from pitwatch.rules.games.blackjack.round_end import Drawn, RoundEnd
from pitwatch.rules.games.blackjack.sight import Sight
from pitwatch.rules.games.blackjack.splits import Splits
from pitwatch.rules.games.blackjack.switch import Switch
from pitwatch.rules.play.card_game import CLEAR_NS, CardGame, card_of, position_of
from pitwatch.rules.play.seats import ASIDE, DEALER, is_seat

INITIAL = 2
"""The dealer's first cards."""


class CardsOnLayout(CardGame):
    """The procedure overrides `new_card`, `on_the_board` and `taken`."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.house = House(desk.game, desk.options)
        self.count = self.house.count
        self._sight = Sight(desk)
        self._switch = Switch(desk, self.count, self._breach)
        self._dealt_in = DealtIn(desk, self._switch)
        self._layout = Layout(self._switch.offered)
        self._splits = Splits(desk, self.house, self._breach, self._switch.hands_a_seat)
        self._exchange = Exchange(desk, self.house, self._layout, self._breach)
        self._players = Players(desk, self._sight, self.house, self._layout, self._splits, self._exchange, self._switch)
        self._board = Board(desk)
        self._hole = HoleCard(desk, self.count, self._layout, self._breach)
        self._round_end = RoundEnd(desk, self.house, self._players, self._layout, self._board, self._hole, self._switch)

    def clear_cards(self) -> None:
        """A round opens."""
        self._deal = InitialDeal(self.desk.game.tables["initial-deal"], self.hands, self._dealt_in.orders())
        for part in (self._sight, self._splits, self._exchange, self._switch, self._board, self._hole):
            part.clear()
        self._layout.clear(self.reader)
        self._round_end.clear(called=self.called is not None)
        self._players.disputed = set()
        self._whole = False
        """The round was surely seen until it came to be taken for two."""
        self._seqs: dict[str, list[int]] = {}
        self._cleared_at = 0
        """When (ns) the last card was taken from the felt."""

    def new_card(self, position: str) -> None:
        """A card came out of the shoe to a hand or to the dealer."""

    def on_the_board(self, card: str | None) -> None:
        """A card lies in the middle, in a game with a second half."""

    def taken(self, position: str) -> None:
        """A card is taken from a hand or from the dealer's."""

    # -- which round a card is of

    def before_card_drawn(self, observation: Observation) -> None:
        self._end_if_over(position_of(observation))
        super().before_card_drawn(observation)

    def before_card_placed(self, observation: Observation) -> None:
        if position_of(observation) not in ASIDE and self._round_end.cleared:
            long_since = self.desk.t - self._cleared_at >= CLEAR_NS and self._may_be_played_out()
            if long_since or not self._round_end.keyed:
                self.close()
        self._end_if_over(position_of(observation))
        super().before_card_placed(observation)

    def _end_if_over(self, position: str | None) -> None:
        if self._round_end.over(position, self._deal.over):
            self.close()

    def _begin_anew(self, cards: list[Drawn]) -> None:
        """These cards were the next round's; what was judged of this one while that was open is not known."""
        desk, now = self.desk, (self.desk.t, self.desk.seq)
        if cards and desk.round is not None:
            desk.round.partial = not self._whole
            desk.leave_unjudged(rule.id for rule in desk.game.rules.values() if rule.asks_where_cards_go)
        for each in reversed(cards):
            self.cards[each.position].pop()
            if not self.cards[each.position]:
                del self.cards[each.position]
        for at, each in enumerate(cards):
            desk.t, desk.seq = each.t, each.seq
            if at == 0:
                self.close()
            self._first_card()
            self._place(Observation(each.t, "", "card_drawn", {"card": each.card, "to": each.position}))
        desk.t, desk.seq = now

    def _may_be_played_out(self) -> bool:
        """Whether the game requires nothing more of the round, as far as its cards were read."""
        drew = len(self._dealers()) > INITIAL  # of the first two one may still lie face down
        open_ended = self._deal.over and drew and self.house.dealer_stands(self._dealers()) is None
        return self.complete() or (open_ended and not self._board.offered)

    # -- where it lies

    def on_card_drawn(self, observation: Observation) -> None:
        if self.reader and self.desk.round is not None:
            if position_of(observation) in ASIDE:
                self._layout.drew_burn()
            else:
                if not self._round_end.cleared:
                    self._judge_after_blackjack(position_of(observation))
                self._layout.drew(card_of(observation), position_of(observation))
        super().on_card_drawn(observation)

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None:
            return
        if position in ASIDE:
            self._layout.burned(card)
        elif position == COMMUNITY and self._board.offered:
            self.on_the_board(card)
        elif position is None or not (position == DEALER or is_seat(position)):
            self._judge_after_blackjack(position)
            self._lose_sight()
        elif self._layout.placed(position, card, self.cards):
            self.new_card(position)
        elif position in self._layout.swapped:
            self._players.disputed.add(position)
        elif self._layout.mixed_up:
            self._splits.lose_sight(position)
        elif self._layout.came_from is not None:
            source, place = self._layout.came_from
            if len(self.cards[position]) == 1:
                self._splits.moved(position, self.cards, source)
            elif not self._splits.lost(position):
                self._switch.moved(source, place, position, self.cards, self._hole.checked)

    def _judge_after_blackjack(self, position: str | None) -> None:
        self._hole.judge_drawn(position, self._sight.watched)

    def on_hole_card_checked(self, observation: Observation) -> None:
        said = observation.data.get("blackjack")
        self._hole.looked(said if isinstance(said, bool) else None, observation.device)

    def on_card_removed(self, observation: Observation) -> None:
        self.lifted(position_of(observation), card_of(observation))

    def lifted(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None:
            return
        self.taken(position)
        self._layout.removed(position, card, self.cards)
        self._cleared_at = self.desk.t
        if not self._round_end.keyed and self._round_end.cleared:
            self.close()

    def _dealers(self) -> list[str | None]:
        """The dealer's hand."""
        return self._board.dealer(self.cards)

    # -- what is certain

    def _lose_sight(self) -> None:
        self._sight.lost = True
        self._deal.give_up()

    def _breach(
        self,
        rule: str,
        observed: dict[str, Any],
        required: dict[str, Any],
        positions: Iterable[str] = (),
        once: object = None,
        besides: Iterable[int] = (),
    ) -> None:
        """`positions` whose cards show it; `besides`: further journal sequences that do."""
        if self._sight.sure and not self._round_end.open_ended:
            self._players.disputed.add(once)
            evidence = [seq for position in positions for seq in self._seqs.get(position, ())]
            evidence += besides
            self.desk.breach(rule, observed, required, evidence, once=once)
